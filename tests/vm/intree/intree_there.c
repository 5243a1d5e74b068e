// SPDX-License-Identifier: GPL-2.0
#include "intree_copies.h"

static noinline int intree_twin(s8 sign, u64 first, u64 second)
{
	OPTIMIZER_HIDE_VAR(first);
	return sign + first - second;
}

u64 call_twin_there(const u64 *args)
{
	return intree_twin(args[0], args[1], args[2]);
}

static __always_inline u64 intree_half(u64 first, u64 second)
{
	OPTIMIZER_HIDE_VAR(first);
	return first - second;
}

u64 call_half_there(const u64 *args)
{
	return intree_half(args[0], args[1]);
}

u64 call_copy_there(const u64 *args)
{
	return intree_copy(args[0]);
}

u64 call_crowd_there(const u64 *args)
{
	return intree_crowd(args[0]);
}

u64 call_part_called(const u64 *args)
{
	return intree_part(args[0]);
}
