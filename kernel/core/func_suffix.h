/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The suffixes that compilers append to the name of a function when they change
 * it: foo.isra.0, foo.constprop.1, foo.part.2, foo.cold, foo.llvm.123, and
 * several of them in a row.
 */
#ifndef BTF_EXTRA_FUNC_SUFFIX_H
#define BTF_EXTRA_FUNC_SUFFIX_H

#include "core_env.h"

/* Bytes of the source name in a symbol's name: all of it where it has no such suffix. */
size_t func_suffix_strip(const char *symbol);
/* The same of a name that ends after size bytes. */
u32 func_suffix_strip_part(const char *symbol, u32 size);

/* Returns true if a name has such a suffix. A FUNC with one is a true signature. */
static inline bool func_suffix_has(const char *name)
{
	/* Few names have a dot. */
	return strchr(name, '.') && name[func_suffix_strip(name)];
}

/* The meaning of a suffix for the code at a symbol. */
#define FUNC_SUFFIX_PARAMS	(1U << 0)	/* its parameters may differ from the source's */
#define FUNC_SUFFIX_RESULT	(1U << 1)	/* and its result */
#define FUNC_SUFFIX_PART	(1U << 2)	/* it continues a call, split off the function */
#define FUNC_SUFFIX_COLD	(1U << 3)	/* it is rarely run, and begins no call */

/* The meaning of all suffixes in these bytes; text between them is skipped. */
u32 func_suffix_meaning(const char *text, u32 size);

#endif
