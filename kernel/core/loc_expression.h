/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Expressions: values of parameters that are exact, but that no LOC_PARAM can state, such as the
 * sum of two registers. An expression is a postfix code. It is decoded once to steps, which check
 * its stack, its size and its limits; the steps are then evaluated at each hit. Nothing here
 * allocates.
 *
 * A code is: u8 size of the value in bytes, 1 to 16; u8 number of operators; the operators. Each is
 * a byte of enum loc_expression_code with its operand. A number is a signed LEB128 of at most 10
 * bytes.
 */
#ifndef BTF_EXTRA_LOC_EXPRESSION_H
#define BTF_EXTRA_LOC_EXPRESSION_H

#include "byte_view.h"
#include "extra_elf.h"
#include "loc_arch.h"
#include "narrow_value.h"

enum loc_expression_code {
	/* Push a value. */
	LOC_CODE_REGISTER = 0x00,	/* + DWARF number, 0 to 31 */
	LOC_CODE_NUMBER = 0x20,		/* number */
	LOC_CODE_ADDRESS = 0x21,	/* number: the base of the object plus it */
	/* Replace the top by memory at top + number, of 1 << n bytes. */
	LOC_CODE_LOAD = 0x24,		/* + n, 0 to 3; extended by zeros */
	LOC_CODE_LOAD_SIGNED = 0x28,	/* + n, 0 to 2 */
	/* Replace the top. */
	LOC_CODE_ZERO_EXTEND = 0x2c,	/* u8 bits, 1 to 63: its low bits */
	LOC_CODE_SIGN_EXTEND = 0x2d,	/* the same */
	LOC_CODE_NEGATE = 0x2e,
	LOC_CODE_COMPLEMENT = 0x2f,
	/* Pop the top: its low n bytes are the next bytes of the value. */
	LOC_CODE_PIECE = 0x30,		/* + n, 1 to 8 */
	/* Keep the top if it is below 1 << n; if not, the value is not available. */
	LOC_CODE_FITS = 0x3a,		/* u8 n, 1 to 63 */
	/* Replace three values by one: if the top is not 0, the lowest, otherwise the other one. */
	LOC_CODE_SELECT = 0x3b,
	/* Replace two values by one. The right one is the top, or with _WITH a number. */
	LOC_CODE_ADD = 0x40,
	LOC_CODE_SUBTRACT = 0x41,
	LOC_CODE_MULTIPLY = 0x42,
	LOC_CODE_AND = 0x43,
	LOC_CODE_OR = 0x44,
	LOC_CODE_XOR = 0x45,
	/* 64 and more, as a number without a sign, shift everything out. */
	LOC_CODE_SHIFT_LEFT = 0x46,
	LOC_CODE_SHIFT_RIGHT = 0x47,
	LOC_CODE_SHIFT_RIGHT_SIGNED = 0x48,
	/* 1 or 0 */
	LOC_CODE_EQUAL = 0x49,
	LOC_CODE_NOT_EQUAL = 0x4a,
	LOC_CODE_LESS = 0x4b,
	LOC_CODE_LESS_EQUAL = 0x4c,
	LOC_CODE_LESS_SIGNED = 0x4d,
	LOC_CODE_LESS_EQUAL_SIGNED = 0x4e,
	/* Left + right if left is negative, otherwise left: a division rounds towards 0. */
	LOC_CODE_ADD_IF_NEGATIVE = 0x4f,
	LOC_CODE_BINARY_END = 0x50,
	LOC_CODE_WITH = 0x20,		/* + one of the above: 0x60 to 0x6f */
	/* + one of the above, only in steps and in no file: the right one is a register. */
	LOC_CODE_WITH_REGISTER = 0x40,
};

#define LOC_EXPRESSION_OPERATORS 32u
#define LOC_EXPRESSION_DEPTH 8u		/* values on the stack */
#define LOC_EXPRESSION_LOADS 4u

/*
 * An operator, decoded. Code is the first of its range: LOC_CODE_REGISTER for each register. A
 * binary operator keeps LOC_CODE_WITH.
 */
struct loc_step {
	u8 code;
	u8 bits;		/* of a load, an extension, a check or a piece: 1 to 64 */
	u8 at;			/* of a piece: first bit, in the value of 128 bits */
	u8 number;		/* DWARF number of a register */
	u32 saved_at;		/* of a register: bytes from the start of struct pt_regs */
	u64 operand;
};

struct loc_expression {
	u32 size;		/* bytes of the value, 1 to 16 */
	u32 nr_steps;
	u32 nr_loads;
	bool may_fail;		/* it has loads or checks */
	bool has_address;	/* it requires the base of the object */
	struct loc_step steps[LOC_EXPRESSION_OPERATORS];
};

/*
 * Decodes the code at view->at, and moves on to its end. Registers are those of arch. Returns
 * BTF_FAULT_NONE, or BTF_FAULT_EXPRESSION_CUT, _OPERATOR, _STACK, _SIZE or _LIMIT; view->failed_at
 * is then the byte at fault.
 */
enum btf_fault_code loc_expression_decode(struct loc_expression *expression,
					  const struct loc_arch *arch, struct byte_view *view);

/*
 * A container's section .btf_extra.expressions: which parameter of which LOC_PROTO has which
 * expression. The word of such a parameter in the LOC_PROTO is 0.
 *
 *	struct loc_expressions_header
 *	struct loc_expression_entry entries[nr_entries]	in ascending order
 *	u8 codes[codes_size]				expressions, without gaps; then zeros
 *							up to a multiple of 4
 */
#define LOC_EXPRESSIONS_MAGIC 0x58455842u	/* "BXEX" */
#define LOC_EXPRESSIONS_VERSION 1u

struct loc_expressions_header {
	u32 magic;
	u32 version;
	u32 first_loc_proto;
	u32 nr_entries;
	u32 codes_size;		/* without the zeros */
};

/* The LOC_PROTOs with expressions have ids that follow each other, or lie close together. */
struct loc_expression_entry {
	u16 loc_proto;		/* its id - first_loc_proto */
	u8 param;
	u8 code[3];		/* offset in the codes, the low byte first */
};

static inline u32 loc_expression_entry_code(const struct loc_expression_entry *entry)
{
	return entry->code[0] | (u32)entry->code[1] << 8 | (u32)entry->code[2] << 16;
}

struct loc_expressions {
	struct extra_bytes section;	/* data is NULL: no section exists */
	const struct loc_expression_entry *entries;
	u32 nr_entries;
	u32 first_loc_proto;
	const u8 *codes;
	u32 codes_size;
	const struct loc_arch *arch;
};

/*
 * Checks the section as a whole and opens it; func_info has its table of offsets, and its records
 * are valid. 0, or -EINVAL with *fault filled; its offset counts from the section.
 */
int loc_expressions_open(struct loc_expressions *expressions, const struct extra_bytes *bytes,
			 const struct btf_blob *func_info, const struct loc_arch *arch,
			 struct btf_fault *fault);

/* Decodes the expression of a parameter; false: it has none. expressions has been opened. */
bool loc_expressions_find(const struct loc_expressions *expressions, u32 loc_proto, u32 param,
			  struct loc_expression *expression);

/* The state of the machine at a site. */
struct loc_machine_state {
	const void *registers;	/* laid out as the kernel's struct pt_regs */
	u64 base;		/* of the object; only if has_address */
};

/* Copies bits / 8 bytes of memory; false: they cannot be read. */
typedef bool (*loc_load_fn)(void *value, u64 address, u32 bytes);

static __always_inline u64 loc_step_binary(u32 code, u64 left, u64 right)
{
	if (code == LOC_CODE_AND)
		return left & right;
	if (code == LOC_CODE_ADD)
		return left + right;
	switch (code) {
	case LOC_CODE_SUBTRACT:
		return left - right;
	case LOC_CODE_MULTIPLY:
		return left * right;
	case LOC_CODE_OR:
		return left | right;
	case LOC_CODE_XOR:
		return left ^ right;
	case LOC_CODE_SHIFT_LEFT:
		return right < 64 ? left << right : 0;
	case LOC_CODE_SHIFT_RIGHT:
		return right < 64 ? left >> right : 0;
	case LOC_CODE_SHIFT_RIGHT_SIGNED:
		return (u64)((s64)left >> (right < 64 ? right : 63));
	case LOC_CODE_EQUAL:
		return left == right;
	case LOC_CODE_NOT_EQUAL:
		return left != right;
	case LOC_CODE_LESS:
		return left < right;
	case LOC_CODE_LESS_EQUAL:
		return left <= right;
	case LOC_CODE_LESS_SIGNED:
		return (s64)left < (s64)right;
	case LOC_CODE_LESS_EQUAL_SIGNED:
		return (s64)left <= (s64)right;
	default:
		return (s64)left < 0 ? left + right : left;
	}
}

static __always_inline u64 loc_step_register(const struct loc_step *step,
					     const struct loc_machine_state *state)
{
	return *(const u64 *)((const u8 *)state->registers + step->saved_at);
}

/* The values below the top, of which the first is none, and room for one that is loaded. */
#define LOC_EXPRESSION_STACK (LOC_EXPRESSION_DEPTH + 1)

/*
 * Evaluates steps that loc_expression_decode() has made, on a stack of the caller. value gets 128
 * bits, the low half first; the low bytes of them are the value, as many as its size, and the
 * others are not defined. Returns false if memory cannot be read or a check fails. load NULL: the
 * steps begin with a register, none may fail or is a piece, and only value[0] is written. The most
 * frequent steps are compared first, because the kernel is built without jump tables.
 */
static __always_inline bool loc_steps_run_on(u64 *stack, const struct loc_step *steps,
					     u32 nr_steps, const struct loc_machine_state *state,
					     loc_load_fn load, u64 *value)
{
	const struct loc_step *end = steps + nr_steps;
	u64 *below = stack;
	u64 top = 0, low = 0, high = 0;

	if (!load || steps->code == LOC_CODE_REGISTER) {
		top = loc_step_register(steps++, state);
		below++;
	}
	for (; steps < end; steps++) {
		u32 code = steps->code;

		if (code >= LOC_CODE_ADD + LOC_CODE_WITH_REGISTER) {
			top = loc_step_binary(code - LOC_CODE_WITH_REGISTER, top,
					      loc_step_register(steps, state));
		} else if (code >= LOC_CODE_ADD + LOC_CODE_WITH) {
			top = loc_step_binary(code - LOC_CODE_WITH, top, steps->operand);
		} else if (code == LOC_CODE_REGISTER) {
			*below++ = top;
			top = loc_step_register(steps, state);
		} else if (code >= LOC_CODE_ADD) {
			top = loc_step_binary(code, *--below, top);
		} else if (code == LOC_CODE_LOAD || code == LOC_CODE_LOAD_SIGNED) {
			if (!load || !load(below, top + steps->operand, steps->bits / 8))
				return false;
			/* Only its low bytes have been written. */
			top = narrow_extend_shift(*below, 64u - steps->bits,
						  code == LOC_CODE_LOAD_SIGNED);
		} else if (code <= LOC_CODE_ADDRESS) {
			*below++ = top;
			top = steps->operand;
			if (code == LOC_CODE_ADDRESS)
				top += state->base;
		} else if (code <= LOC_CODE_SIGN_EXTEND) {
			top = narrow_extend_shift(top, 64u - steps->bits,
						  code == LOC_CODE_SIGN_EXTEND);
		} else if (code == LOC_CODE_NEGATE) {
			top = 0 - top;
		} else if (code == LOC_CODE_COMPLEMENT) {
			top = ~top;
		} else if (code == LOC_CODE_SELECT || !load) {
			below -= 2;
			top = below[top ? 0 : 1];
		} else if (code == LOC_CODE_FITS) {
			if (top >> steps->bits)
				return false;
		} else {
			top = narrow_extend_shift(top, 64u - steps->bits, false);
			if (steps->at < 64)
				low |= top << steps->at;
			else
				high |= top << steps->at % 64;
			top = *--below;
		}
	}
	/* Pieces have left nothing on the stack. */
	value[0] = !load || below > stack ? top : low;
	if (load)
		value[1] = high;
	return true;
}

static inline bool loc_steps_run(const struct loc_step *steps, u32 nr_steps,
				 const struct loc_machine_state *state, loc_load_fn load,
				 u64 value[2])
{
	u64 stack[LOC_EXPRESSION_STACK] = { 0 };

	return loc_steps_run_on(stack, steps, nr_steps, state, load, value);
}

#endif
