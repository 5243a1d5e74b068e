/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbols of the kernel's text and of modules, as kallsyms has them: of several at
 * one address the first. A name takes up to KSYM_SYMBOL_LEN bytes.
 */
#ifndef BTF_EXTRA_KERNEL_SYMBOL_H
#define BTF_EXTRA_KERNEL_SYMBOL_H

#include <linux/types.h>

/* Up to where the next one begins. */
struct symbol_extent {
	unsigned long start, end;
};

/* The symbol that an address is in; false: none. */
bool kernel_symbol_around(unsigned long address, char *name, struct symbol_extent *extent);

/* The symbol that begins there; false: none. */
bool kernel_symbol_at(unsigned long address, char *name);

#endif
