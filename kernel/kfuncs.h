/* SPDX-License-Identifier: GPL-2.0 */
/* Kfuncs: what BPF programs can ask. For their names see kfuncs.c. */
#ifndef BTF_EXTRA_KFUNCS_H
#define BTF_EXTRA_KFUNCS_H

/* 0 also where this kernel has no BTF for modules, so that nothing can be registered. */
int kfuncs_init(void);

#endif
