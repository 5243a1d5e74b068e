/* SPDX-License-Identifier: GPL-2.0 */
/* The kfuncs, which BPF programs can call. kfuncs.c has their names. */
#ifndef BTF_EXTRA_KFUNCS_H
#define BTF_EXTRA_KFUNCS_H

/* Says in dmesg if there are none: a kernel without BTF of modules has no names for them. */
void kfuncs_init(void);

#endif
