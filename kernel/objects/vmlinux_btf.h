/* SPDX-License-Identifier: GPL-2.0 */
/* The BTF of the running vmlinux, below all of our types. It exists as long as the module. */
#ifndef BTF_EXTRA_VMLINUX_BTF_H
#define BTF_EXTRA_VMLINUX_BTF_H

#include "objects/base_btf.h"

int vmlinux_btf_init(void);
void vmlinux_btf_exit(void);

const struct base_btf *vmlinux_btf(void);

/* Frees our copy if the kernel's own bytes are at that address. */
void vmlinux_btf_settle(const void *at);

#endif
