/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel that runs here says of itself and of its modules. */
#ifndef BTF_EXTRA_RUNNING_KERNEL_H
#define BTF_EXTRA_RUNNING_KERNEL_H

#include "extra_object.h"

extern const struct object_host running_kernel;

/* Frees the BTF of vmlinux that running_kernel.base() opened. No object may be left. */
void running_kernel_exit(void);

/* Bytes that it takes, 0: not opened. */
size_t running_kernel_base_memory(void);

/* Before a module frees the text that only its init needed. */
void running_kernel_forget_init(struct extra_object *object, const struct module *module);

#endif
