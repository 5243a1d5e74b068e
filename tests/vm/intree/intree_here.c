// SPDX-License-Identifier: GPL-2.0
#include "intree_copies.h"

/*
 * Values are hidden from the compiler, so that it does not merge calls. No two bodies are the same,
 * because the compiler would merge those too.
 */

static noinline u64 intree_twin(u64 value, u32 narrow)
{
	OPTIMIZER_HIDE_VAR(value);
	return value + narrow;
}

u64 call_twin_here(const u64 *args)
{
	return intree_twin(args[0], args[1]);
}

static noinline u64 intree_half(u64 value)
{
	OPTIMIZER_HIDE_VAR(value);
	return value + 1;
}

u64 call_half_here(const u64 *args)
{
	return intree_half(args[0]);
}

u64 call_copy_here(const u64 *args)
{
	return intree_copy(args[0]);
}

u64 call_crowd_here(const u64 *args)
{
	return intree_crowd(args[0]);
}

/* ---- bodies that the compiler changes ---- */

static noinline u64 intree_unused(u64 unused, u64 value)
{
	OPTIMIZER_HIDE_VAR(value);
	return value + 5;
}

u64 call_unused(const u64 *args)
{
	return intree_unused(args[0], args[1]);
}

struct intree_pair {
	u64 a;
	u64 b;
};

static noinline u64 intree_piece(struct intree_pair pair, u64 value)
{
	OPTIMIZER_HIDE_VAR(value);
	return pair.b + value;
}

u64 call_piece(const u64 *args)
{
	struct intree_pair pair = { args[0], args[1] };

	return intree_piece(pair, args[2]);
}

static noinline u64 intree_fixed(u64 value, u32 fixed)
{
	OPTIMIZER_HIDE_VAR(value);
	return value * fixed + 6;
}

u64 call_fixed(const u64 *args)
{
	return args[1] ? intree_fixed(args[0], 77) : intree_fixed(args[0] + 1, 77);
}

/* ---- inlined here, called from another file ---- */

u64 intree_part(u64 value)
{
	OPTIMIZER_HIDE_VAR(value);
	return value + 7;
}

u64 call_part_inlined(const u64 *args)
{
	return intree_part(args[0]) ^ intree_part(args[1]) ^ intree_part(args[2]);
}

/* ---- inlined, and never called ---- */

/* Its code begins with an instruction that nothing is moved across. */
static __always_inline u64 intree_inlined(u64 value, u32 narrow, s8 small)
{
	asm volatile("nop" : "+r"(value), "+r"(narrow), "+r"(small));
	return (value ^ narrow) + small;
}

u64 call_inlined(const u64 *args)
{
	u64 value = args[0];
	u32 narrow = args[1];
	s8 small = args[2];

	asm volatile("" : "+r"(value), "+r"(narrow), "+r"(small));
	return intree_inlined(value, narrow, small);
}
