/* SPDX-License-Identifier: GPL-2.0 */
/* clang-format off */
/* Each file that includes this gets bodies of these functions. */
#ifndef BTF_EXTRA_INTREE_COPIES_H
#define BTF_EXTRA_INTREE_COPIES_H

#include "intree_module.h"

static noinline u64 intree_copy(u64 value)
{
	OPTIMIZER_HIDE_VAR(value);
	return value + 3;
}

static noinline u64 intree_crowd(u64 value)
{
	OPTIMIZER_HIDE_VAR(value);
	return value + 4;
}

#endif
