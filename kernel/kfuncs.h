/* SPDX-License-Identifier: GPL-2.0 */
/* Kfuncs: what BPF programs can ask. For their names see kfuncs.c. */
#ifndef BTF_EXTRA_KFUNCS_H
#define BTF_EXTRA_KFUNCS_H

/* Tells in dmesg if there can be none: a kernel without BTF of modules has no names for them. */
void kfuncs_init(void);

#endif
