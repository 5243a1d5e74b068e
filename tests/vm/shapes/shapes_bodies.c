// SPDX-License-Identifier: GPL-2.0
/* These functions are called. The compiler may change their names and arguments. */
#include "shapes_module.h"

/* ---- types ---- */

noinline void shape_signed_body(s8 a, s16 b, s32 c, s64 d);
noinline void shape_signed_body(s8 a, s16 b, s32 c, s64 d)
{
	u64 (*args)[2] = shape_note(SHAPE_signed_body);

	set_words(args, a, b, c, d);
}

noinline void call_signed_body(u64 random)
{
	shape_signed_body(random, random >> 8, random >> 24, random);
}

noinline void shape_unsigned_body(u8 a, u16 b, u32 c, u64 d);
noinline void shape_unsigned_body(u8 a, u16 b, u32 c, u64 d)
{
	u64 (*args)[2] = shape_note(SHAPE_unsigned_body);

	set_words(args, a, b, c, d);
}

noinline void call_unsigned_body(u64 random)
{
	shape_unsigned_body(random, random >> 8, random >> 24, random);
}

noinline void shape_kinds_body(bool flag, enum shape_unsigned_enum big,
			       enum shape_signed_enum small, const void *pointer);
noinline void shape_kinds_body(bool flag, enum shape_unsigned_enum big,
			       enum shape_signed_enum small, const void *pointer)
{
	u64 (*args)[2] = shape_note(SHAPE_kinds_body);

	set_words(args, flag, big, (s64)small, (unsigned long)pointer);
}

noinline void call_kinds_body(u64 random)
{
	shape_kinds_body(random & 1, random & 2 ? SHAPE_TOP : SHAPE_ZERO,
			 random & 4 ? SHAPE_MINUS : SHAPE_PLUS, (void *)random);
}

noinline void shape_structs_body(struct shape_small small, struct shape_pair pair, u32 other,
				 struct shape_twelve twelve);
noinline void shape_structs_body(struct shape_small small, struct shape_pair pair, u32 other,
				 struct shape_twelve twelve)
{
	u64 (*args)[2] = shape_note(SHAPE_structs_body);

	memcpy(args[0], &small, sizeof(small));
	memcpy(args[1], &pair, sizeof(pair));
	args[2][0] = other;
	memcpy(args[3], &twelve, sizeof(twelve));
}

noinline void call_structs_body(u64 random)
{
	struct shape_small small = { random, random >> 32 };
	struct shape_pair pair = { random << 1, random + 5 };
	struct shape_twelve twelve = { random >> 8, random >> 16, random };

	shape_structs_body(small, pair, random >> 12, twelve);
}

/* It is larger than an argument may be. It is passed in memory and takes no register. */
noinline void shape_large_body(struct shape_large large, u64 value);
noinline void shape_large_body(struct shape_large large, u64 value)
{
	u64 (*args)[2] = shape_note(SHAPE_large_body);

	set_words(args, large.a + large.b + large.c, value);
}

noinline void call_large_body(u64 random)
{
	struct shape_large large = { random, 1, 2 };

	shape_large_body(large, random >> 2);
}

/* ---- arguments on the stack ---- */

noinline void shape_eight_body(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, s32 g, u64 h);
noinline void shape_eight_body(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, s32 g, u64 h)
{
	u64 (*args)[2] = shape_note(SHAPE_eight_body);

	set_words(args, a, b, c, d, e, f, g, h);
}

noinline void call_eight_body(u64 random)
{
	shape_eight_body(random, random + 1, random + 2, random + 3, random + 4, random + 5,
			 random + 6, random + 7);
}

noinline void shape_fourteen_body(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, u64 i,
				  u64 j, u64 k, u64 l, s16 m, u64 n);
noinline void shape_fourteen_body(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, u64 i,
				  u64 j, u64 k, u64 l, s16 m, u64 n)
{
	u64 (*args)[2] = shape_note(SHAPE_fourteen_body);

	set_words(args, a, b, c, d, e, f, g, h, i, j, k, l, m, n);
}

noinline void call_fourteen_body(u64 random)
{
	shape_fourteen_body(random, 1, 2, 3, 4, 5, 6, random >> 6, 8, 9, 10, random >> 5,
			    random >> 7, 13);
}

/* ---- clones ---- */

/*
 * .isra: the value after the pointer is passed, the second argument is not, and the third moves
 * up.
 */
static noinline void shape_clone(const struct shape_small *at, u64 unused, u64 value)
{
	u32 b = at->b;
	u64 (*args)[2] = shape_note_without(SHAPE_clone, 1 << 0 | 1 << 1);

	args[2][0] = value;
	/* This belongs to no parameter, so it does not matter. */
	args[3][0] = b;
}

noinline void call_clone(u64 random)
{
	struct shape_small small = { random, random >> 32 };

	shape_clone(&small, random / 3, random ^ 1);
}

/* .constprop: the second argument is the same in every call. */
static noinline void shape_fixed(u64 value, u32 fixed)
{
	u64 (*args)[2] = shape_note(SHAPE_fixed);

	set_words(args, value, fixed);
}

noinline void call_fixed(u64 random)
{
	if (random & 1)
		shape_fixed(random, 77);
	else
		shape_fixed(random >> 1, 77);
}

/* ---- inlined here, called there ---- */

/* It is not "inline", because in the kernel that means notrace, too. */
static void shape_both(u64 value, u64 other)
{
	u64 (*args)[2] = shape_note(SHAPE_both);

	set_words(args, value, other);
}

static void (*volatile both_body)(u64 value, u64 other) = shape_both;

noinline void call_both(u64 random)
{
	if (random & 1)
		both_body(random, 1);
	else
		shape_both(random, 2);
}

/* ---- partially inlined: the early return is inlined, and the rest is shape_part.part.0 ---- */

static noinline void mix(u64 value)
{
	asm volatile("" : : "r"(value));
}

/* The callers write down the arguments. Otherwise the early part would be too large. */
static void shape_part(u64 value, u64 other)
{
	if (likely(value & 1))
		return;
	mix(value);
	mix(other);
	mix(value ^ other);
	mix(value - other);
	mix(value + other);
	mix(value * other);
	mix(value & other);
	mix(value | other);
	mix(value << 3);
	mix(other << 3);
	mix(value >> 3);
	mix(other >> 3);
}

#define PART_CALLER(n)                                          \
	static noinline void part_caller_##n(u64 value)         \
	{                                                       \
		u64 (*args)[2] = shape_note(SHAPE_part);        \
								\
		args[0][0] = value;                             \
		args[1][0] = value + 0x##n;                     \
		shape_part(value, value + 0x##n);               \
	}
#define PART_CALLER_ENTRY(n) part_caller_##n,

TIMES_16(PART_CALLER, 0)
static void (*const part_callers[])(u64 value) = { TIMES_16(PART_CALLER_ENTRY, 0) };

noinline void call_part(u64 random)
{
	part_callers[random >> 60](random);
}
