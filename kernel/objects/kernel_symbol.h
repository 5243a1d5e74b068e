/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbols of the kernel's text and of modules, as kallsyms has them. If several are at one address,
 * it returns the first. A name takes up to KSYM_SYMBOL_LEN bytes.
 */
#ifndef BTF_EXTRA_KERNEL_SYMBOL_H
#define BTF_EXTRA_KERNEL_SYMBOL_H

#include <linux/types.h>

/* The end is where the next symbol begins. */
struct symbol_extent {
	unsigned long start, end;
};

/* Finds the symbol around an address. Returns false if there is none. */
bool kernel_symbol_around(unsigned long address, char *name, struct symbol_extent *extent);

/*
 * Finds the symbol that begins there, or whose hook for a tracer ends there: with GCC 12 on arm64
 * bodies begin after it. Returns false if there is none.
 */
bool kernel_symbol_at(unsigned long address, char *name);

#endif
