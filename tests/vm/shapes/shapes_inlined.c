// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that are inlined wherever they are called. Each call_*() makes the arguments from a
 * number; an empty asm hides them from the compiler.
 */
#include "shapes_arch.h"
#include "shapes_module.h"

#define hide(value) asm volatile("" : "+r"(value))

/* ---- places of one parameter ---- */

static __always_inline void shape_register(u64 value)
{
	u64 (*args)[2] = shape_note(SHAPE_register);

	args[0][0] = value;
}

noinline void call_register(u64 random)
{
	u64 value = random * 3;

	hide(value);
	shape_register(value);
}

/*
 * The argument is only part of an address: register + 24 is never in a register of its own. Each of
 * these words has its own address.
 */
static u64 addresses[8];

static __always_inline void shape_offset(const char *at)
{
	u64 (*args)[2] = shape_note(SHAPE_offset);

	args[0][0] = *(const volatile u64 *)at;
}

noinline void call_offset(u64 random)
{
	const char *at = (const char *)&addresses[random % 4];

	*(u64 *)(at + 24) = (unsigned long)(at + 24);
	hide(at);
	shape_offset(at + 24);
}

static __always_inline void shape_stack(u64 value)
{
	u64 (*args)[2] = shape_note(SHAPE_stack);

	args[0][0] = value;
}

noinline void call_stack(u64 random)
{
	u64 value = random ^ 0x55;

	hide(value);
	use_all_registers();
	shape_stack(value);
}

static __always_inline void shape_constant(u64 value)
{
	u64 (*args)[2] = shape_note(SHAPE_constant);

	args[0][0] = value;
}

noinline void call_constant(u64 random)
{
	shape_constant(0x1122334455667788ULL);
}

static __always_inline void shape_pair(struct shape_pair pair)
{
	u64 (*args)[2] = shape_note(SHAPE_pair);

	args[0][0] = pair.low;
	args[0][1] = pair.high;
}

noinline void call_pair(u64 random)
{
	struct shape_pair pair = { random, ~random };

	hide(pair.low);
	hide(pair.high);
	shape_pair(pair);
}

/* ---- types ---- */

static __always_inline void shape_signed(s8 a, s16 b, s32 c, s64 d)
{
	u64 (*args)[2] = shape_note(SHAPE_signed);

	set_words(args, a, b, c, d);
}

noinline void call_signed(u64 random)
{
	s8 a = random;
	s16 b = random >> 8;
	s32 c = random >> 24;
	s64 d = random;

	hide(a);
	hide(b);
	hide(c);
	hide(d);
	shape_signed(a, b, c, d);
}

static __always_inline void shape_unsigned(u8 a, u16 b, u32 c, u64 d)
{
	u64 (*args)[2] = shape_note(SHAPE_unsigned);

	set_words(args, a, b, c, d);
}

noinline void call_unsigned(u64 random)
{
	u8 a = random;
	u16 b = random >> 8;
	u32 c = random >> 24;
	u64 d = random;

	hide(a);
	hide(b);
	hide(c);
	hide(d);
	shape_unsigned(a, b, c, d);
}

static __always_inline void shape_kinds(bool flag, enum shape_unsigned_enum big,
					enum shape_signed_enum small, const void *pointer)
{
	u64 (*args)[2] = shape_note(SHAPE_kinds);

	set_words(args, flag, big, (s64)small, (unsigned long)pointer);
}

noinline void call_kinds(u64 random)
{
	bool flag = random & 1;
	enum shape_unsigned_enum big = random & 2 ? SHAPE_TOP : SHAPE_ZERO;
	enum shape_signed_enum small = random & 4 ? SHAPE_MINUS : SHAPE_PLUS;

	hide(flag);
	hide(big);
	hide(small);
	shape_kinds(flag, big, small, (void *)random);
}

static __always_inline void shape_structs(struct shape_small small, struct shape_twelve twelve,
					  struct shape_large large)
{
	u64 (*args)[2] = shape_note(SHAPE_structs);

	memcpy(args[0], &small, sizeof(small));
	memcpy(args[1], &twelve, sizeof(twelve));
	/* DWARF may or may not describe it: it is larger than an argument may be. */
	args[2][0] = large.a + large.b + large.c;
}

noinline void call_structs(u64 random)
{
	struct shape_twelve twelve = { random >> 8, random >> 16, random };
	struct shape_large large = { random, 1, 2 };
	struct shape_small small;

	memcpy(&small, &random, sizeof(small));
	hide(small);
	shape_structs(small, twelve, large);
}

/* ---- places of instances ---- */

static __always_inline void shape_many(u64 value, u32 number)
{
	u64 (*args)[2] = shape_note(SHAPE_many);

	set_words(args, value, number);
}

#define MANY(n) static noinline void many_##n(u64 random) { shape_many(random + 0x##n, 0x##n); }
#define MANY_ENTRY(n) many_##n,
#define TIMES_128(X) TIMES_16(X, 0) TIMES_16(X, 1) TIMES_16(X, 2) TIMES_16(X, 3) \
	TIMES_16(X, 4) TIMES_16(X, 5) TIMES_16(X, 6) TIMES_16(X, 7)

TIMES_128(MANY)
static void (*const many[])(u64 random) = { TIMES_128(MANY_ENTRY) };

noinline void call_many(u64 random)
{
	many[random >> 57](random);
}

static __always_inline void shape_inner(u64 value, u64 other)
{
	u64 (*args)[2] = shape_note(SHAPE_inner);

	set_words(args, value, other);
}

/* Both begin at one instruction. */
static __always_inline void shape_outer(u64 other, u64 value)
{
	u64 (*args)[2];

	shape_inner(value, other);
	args = shape_note(SHAPE_outer);
	set_words(args, other, value);
}

noinline void call_outer(u64 random)
{
	shape_outer(random >> 3, random << 3);
}

noinline void call_inner(u64 random)
{
	shape_inner(random, 7);
}

static __always_inline void shape_in_loop(u64 value, u32 turn)
{
	u64 (*args)[2] = shape_note(SHAPE_in_loop);

	set_words(args, value, turn);
}

noinline void call_in_loop(u64 random)
{
	u32 turn, turns = random & 7;

	for (turn = 0; turn < turns; turn++)
		shape_in_loop(random, turn);
}

static __always_inline void shape_cold(u64 value, u32 other)
{
	u64 (*args)[2] = shape_note(SHAPE_cold);

	set_words(args, value, other);
}

static __cold noinline void cold_path(u64 random)
{
	shape_cold(random, random >> 40);
}

noinline void call_cold(u64 random)
{
	if (unlikely((random & 3) == 3))
		cold_path(random);
}

/* Nothing reads the second argument, and its value is never computed. */
static __always_inline void shape_eliminated(u64 value, u64 unused)
{
	u64 (*args)[2] = shape_note_without(SHAPE_eliminated, 1 << 1);

	args[0][0] = value;
}

noinline void call_eliminated(u64 random)
{
	shape_eliminated(random, random / 7);
}

/* ---- more arguments than registers ---- */

static __always_inline void shape_eight(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, s32 g, u64 h)
{
	u64 (*args)[2] = shape_note(SHAPE_eight);

	set_words(args, a, b, c, d, e, f, g, h);
}

noinline void call_eight(u64 random)
{
	shape_eight(random, random + 1, random + 2, random + 3, random + 4, random + 5, random + 6,
		    random + 7);
}

static __always_inline void shape_fourteen(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h,
					   u64 i, u64 j, u64 k, u64 l, s16 m, u64 n)
{
	u64 (*args)[2] = shape_note(SHAPE_fourteen);

	set_words(args, a, b, c, d, e, f, g, h, i, j, k, l, m, n);
}

noinline void call_fourteen(u64 random)
{
	shape_fourteen(random, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, random >> 5, random >> 7, 13);
}

/* ---- a function that begins with a loop of its own ---- */

/* The caller writes down the arguments, because here they change with the first instruction. */
static __always_inline void shape_own_loop(u64 turns, u64 step)
{
	do {
		subtract_in_place(turns, step);
	} while (turns);
}

noinline void call_own_loop(u64 random)
{
	u64 (*args)[2] = shape_note(SHAPE_own_loop);
	u64 step = 1 + (random >> 60);
	u64 turns = (1 + (random & 3)) * step;

	set_words(args, turns, step);
	hide(turns);
	hide(step);
	shape_own_loop(turns, step);
}
