// SPDX-License-Identifier: GPL-2.0
#include "intree_module.h"

static noinline u64 intree_crowd(u64 first, u64 second)
{
	OPTIMIZER_HIDE_VAR(first);
	return first * second;
}

u64 call_crowd_else(const u64 *args)
{
	return intree_crowd(args[0], args[1]);
}
