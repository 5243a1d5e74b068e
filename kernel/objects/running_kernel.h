/* SPDX-License-Identifier: GPL-2.0 */
/* The running kernel, in the form that objects need. */
#ifndef BTF_EXTRA_RUNNING_KERNEL_H
#define BTF_EXTRA_RUNNING_KERNEL_H

#include "objects/extra_object.h"

extern const struct object_host running_kernel;

#endif
