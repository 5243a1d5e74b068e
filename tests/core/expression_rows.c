// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Values are worked out by hand. A code is its size, the number of its operators, and the
 * operators. In a number, 0x00 to 0x3f stand for themselves, 0x40 to 0x7f are 128 less, and a byte
 * from 0x80 on has 7 bits and is followed by others.
 */
#include "expression_rows.h"
#include "blob_writer.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the machine ---- */

/* DWARF's numbers. */
enum { AX, DX, CX, BX, SI, DI, BP, SP, R8, R9, R10, R11, R12, R13, R14, R15 };

/* Words of struct pt_regs of x86-64. The others are 0x7777777777777777. */
#define SAVED_REGISTERS \
	[0] = 0x0f0f0f0f0f0f0f0f,	/* r15 */	\
	[4] = 63,			/* rbp */	\
	[5] = 0x8000000000000000,	/* rbx */	\
	[9] = 0x7fffffffffffffff,	/* r8 */	\
	[10] = 0x0123456789abcdef,	/* rax */	\
	[11] = 0xffffffffffffffff,	/* rcx */	\
	[12] = 5,			/* rdx */	\
	[13] = 0x1000,			/* rsi */	\
	[14] = 64,			/* rdi */	\
	[19] = 0xffffc90000001230,	/* rsp */	\
	[31] = 0xffff800008001230	/* sp of aarch64 */

#define BASE 0xffffffff81000000

/* The only memory, at 0x1000. The last 8 bytes are a pointer. */
static const u8 memory[24] = {
	0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f,
	0x7f, 0x08, 0x10,
};

static bool row_load(void *value, u64 address, u32 bytes)
{
	if (address < 0x1000 || address - 0x1000 > sizeof(memory) - bytes)
		return false;
	memcpy(value, memory + (address - 0x1000), bytes);
	return true;
}

/* ---- rows of codes ---- */

#define CODE(value_size, nr, ...) \
	.code = { value_size, nr, __VA_ARGS__ }, .size = 2 + sizeof((u8[]){ __VA_ARGS__ })
#define BYTES(...) .code = { __VA_ARGS__ }, .size = sizeof((u8[]){ __VA_ARGS__ })
#define VALUE(number) .low = (number)
#define VALUES(first, second) .low = (first), .high = (second)
#define UNAVAILABLE .unavailable = true
#define FAULT(name, at) .fault = BTF_FAULT_EXPRESSION_##name, .offset = (at)
#define ON_AARCH64 .machine = LOC_MACHINE_AARCH64

#define NUMBER LOC_CODE_NUMBER
#define ADDRESS LOC_CODE_ADDRESS
#define LOAD(log) (LOC_CODE_LOAD + (log))
#define LOAD_S(log) (LOC_CODE_LOAD_SIGNED + (log))
#define ZERO_EXTEND LOC_CODE_ZERO_EXTEND
#define SIGN_EXTEND LOC_CODE_SIGN_EXTEND
#define NEGATE LOC_CODE_NEGATE
#define COMPLEMENT LOC_CODE_COMPLEMENT
#define FITS LOC_CODE_FITS
#define SELECT LOC_CODE_SELECT
#define PIECE(bytes) (LOC_CODE_PIECE + (bytes))
#define OP(name) LOC_CODE_##name
#define WITH(name) (LOC_CODE_##name + LOC_CODE_WITH)

#define NINE(byte) byte, byte, byte, byte, byte, byte, byte, byte, byte
#define UNKNOWN(byte) { "operator " #byte, CODE(8, 2, AX, byte, 0), FAULT(OPERATOR, 3) }
#define BINARY(name, left, right, number) \
	{ #name " " #left " " #right, CODE(8, 3, left, right, OP(name)), VALUE(number) }
#define BINARY_WITH(name, left, right, number) \
	{ #name " " #left " with " #right, CODE(8, 2, left, WITH(name), right), VALUE(number) }

const struct expression_row expression_rows[] = {
	/* a value */
	{ "register", CODE(8, 1, AX), VALUE(0x0123456789abcdef) },
	{ "stack pointer", CODE(8, 1, SP), VALUE(0xffffc90000001230) },
	{ "last register", CODE(8, 1, R15), VALUE(0x0f0f0f0f0f0f0f0f) },
	{ "last register of aarch64", CODE(8, 1, 31), ON_AARCH64, VALUE(0xffff800008001230) },
	{ "register of 4 bytes", CODE(4, 1, AX), VALUE(0x89abcdef) },
	{ "register of 3 bytes", CODE(3, 1, AX), VALUE(0xabcdef) },
	{ "register of a byte", CODE(1, 1, AX), VALUE(0xef) },
	{ "number 0", CODE(8, 1, NUMBER, 0), VALUE(0) },
	{ "number 63", CODE(8, 1, NUMBER, 0x3f), VALUE(63) },
	{ "number 64", CODE(8, 1, NUMBER, 0xc0, 0), VALUE(64) },
	{ "number -1", CODE(8, 1, NUMBER, 0x7f), VALUE(0xffffffffffffffff) },
	{ "number -64", CODE(8, 1, NUMBER, 0x40), VALUE(0xffffffffffffffc0) },
	{ "number -65", CODE(8, 1, NUMBER, 0xbf, 0x7f), VALUE(0xffffffffffffffbf) },
	{ "number 0 in two bytes", CODE(8, 1, NUMBER, 0x80, 0), VALUE(0) },
	{ "number -1 in ten bytes", CODE(8, 1, NUMBER, NINE(0xff), 0x7f),
	  VALUE(0xffffffffffffffff) },
	{ "highest number", CODE(8, 1, NUMBER, NINE(0xff), 0), VALUE(0x7fffffffffffffff) },
	{ "lowest number", CODE(8, 1, NUMBER, NINE(0x80), 0x7f), VALUE(0x8000000000000000) },
	{ "number of nine bytes", CODE(8, 1, NUMBER, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
				       0x80, 0x40), VALUE(0xc000000000000001) },
	{ "address", CODE(8, 1, ADDRESS, 0x90, 0x01), VALUE(0xffffffff81000090) },
	{ "address below the base", CODE(8, 1, ADDRESS, 0x7f), VALUE(0xffffffff80ffffff) },

	/* memory */
	{ "load of 1 byte", CODE(8, 2, SI, LOAD(0), 0), VALUE(0x81) },
	{ "load of 2 bytes", CODE(8, 2, SI, LOAD(1), 0), VALUE(0x8281) },
	{ "load of 4 bytes", CODE(8, 2, SI, LOAD(2), 0), VALUE(0x84838281) },
	{ "load of 8 bytes", CODE(8, 2, SI, LOAD(3), 0), VALUE(0x8887868584838281) },
	{ "signed load of 1 byte", CODE(8, 2, SI, LOAD_S(0), 0), VALUE(0xffffffffffffff81) },
	{ "signed load of 2 bytes", CODE(8, 2, SI, LOAD_S(1), 0), VALUE(0xffffffffffff8281) },
	{ "signed load of 4 bytes", CODE(8, 2, SI, LOAD_S(2), 0), VALUE(0xffffffff84838281) },
	{ "signed load of a positive byte", CODE(8, 2, SI, LOAD_S(0), 15), VALUE(0x7f) },
	{ "signed load of positive bytes", CODE(8, 2, SI, LOAD_S(1), 14), VALUE(0x7f8f) },
	{ "load after the address", CODE(8, 2, SI, LOAD(3), 8), VALUE(0x7f8f8e8d8c8b8a89) },
	{ "load below the address", CODE(8, 3, SI, WITH(ADD), 16, LOAD(0), 0x78), VALUE(0x89) },
	{ "load from an odd address", CODE(8, 2, SI, LOAD(1), 1), VALUE(0x8382) },
	{ "load at an address that wraps", CODE(8, 2, CX, LOAD(0), 0x81, 0x20), VALUE(0x81) },
	{ "load by a pointer in memory", CODE(8, 3, SI, LOAD(3), 16, LOAD(0), 2), VALUE(0x8b) },
	{ "four loads", CODE(8, 7, SI, LOAD(0), 0, SI, LOAD(0), 1, OP(SUBTRACT), LOAD(0), 0x81,
			     0x20, LOAD(0), 0xff, 0x1e), VALUE(0x81) },
	{ "load before the memory", CODE(8, 2, SI, LOAD(0), 0x7f), UNAVAILABLE },
	{ "load after the memory", CODE(8, 2, SI, LOAD(0), 24), UNAVAILABLE },
	{ "load over the end of the memory", CODE(8, 2, SI, LOAD(3), 17), UNAVAILABLE },
	{ "load that fails for nothing", CODE(8, 3, CX, LOAD(3), 0, WITH(MULTIPLY), 0),
	  UNAVAILABLE },
	{ "second load fails", CODE(8, 3, SI, LOAD(0), 0, LOAD(0), 0), UNAVAILABLE },

	/* one value */
	{ "1 bit by zeros", CODE(8, 2, AX, ZERO_EXTEND, 1), VALUE(1) },
	{ "63 bits by zeros", CODE(8, 2, CX, ZERO_EXTEND, 63), VALUE(0x7fffffffffffffff) },
	{ "12 bits by zeros", CODE(8, 2, AX, ZERO_EXTEND, 12), VALUE(0xdef) },
	{ "1 bit by its sign", CODE(8, 2, AX, SIGN_EXTEND, 1), VALUE(0xffffffffffffffff) },
	{ "12 bits by their sign", CODE(8, 2, AX, SIGN_EXTEND, 12), VALUE(0xfffffffffffffdef) },
	{ "13 bits by their sign", CODE(8, 2, AX, SIGN_EXTEND, 13), VALUE(0xdef) },
	{ "63 bits by their sign", CODE(8, 2, R8, SIGN_EXTEND, 63), VALUE(0xffffffffffffffff) },
	{ "negative", CODE(8, 2, DX, NEGATE), VALUE(0xfffffffffffffffb) },
	{ "negative of the lowest", CODE(8, 2, BX, NEGATE), VALUE(0x8000000000000000) },
	{ "complement", CODE(8, 2, DX, COMPLEMENT), VALUE(0xfffffffffffffffa) },

	/* checks */
	{ "5 fits in 3 bits", CODE(8, 2, DX, FITS, 3), VALUE(5) },
	{ "5 does not fit in 2 bits", CODE(8, 2, DX, FITS, 2), UNAVAILABLE },
	{ "63 fits in 6 bits", CODE(8, 2, BP, FITS, 6), VALUE(63) },
	{ "64 does not fit in 6 bits", CODE(8, 2, DI, FITS, 6), UNAVAILABLE },
	{ "0 fits in 1 bit", CODE(8, 2, NUMBER, 0, FITS, 1), VALUE(0) },
	{ "63 bits fit", CODE(8, 2, R8, FITS, 63), VALUE(0x7fffffffffffffff) },
	{ "the highest bit does not fit", CODE(8, 2, BX, FITS, 63), UNAVAILABLE },
	{ "-1 does not fit", CODE(8, 2, CX, FITS, 63), UNAVAILABLE },
	{ "low bits fit", CODE(8, 3, CX, ZERO_EXTEND, 4, FITS, 4), VALUE(15) },
	{ "a value below does not fit", CODE(8, 4, CX, FITS, 8, DX, OP(MULTIPLY)), UNAVAILABLE },
	{ "check of 4 bytes", CODE(4, 2, AX, FITS, 57), VALUE(0x89abcdef) },
	{ "check of a piece", CODE(16, 5, AX, PIECE(8), DI, FITS, 6, PIECE(8)), UNAVAILABLE },

	/* three values */
	{ "select by 63", CODE(8, 4, DX, DI, BP, SELECT), VALUE(5) },
	{ "select by the highest bit", CODE(8, 4, DX, DI, BX, SELECT), VALUE(5) },
	{ "select by 0", CODE(8, 4, DX, DI, NUMBER, 0, SELECT), VALUE(64) },
	{ "select above a value", CODE(8, 6, AX, DX, DI, NUMBER, 0, SELECT, OP(ADD)),
	  VALUE(0x0123456789abce2f) },
	{ "select among selected", CODE(8, 7, DX, DI, BP, NUMBER, 0, CX, SELECT, SELECT),
	  VALUE(5) },
	{ "the smaller", CODE(8, 6, DX, DI, DX, DI, OP(LESS), SELECT), VALUE(5) },
	{ "the other value of a select is computed", CODE(8, 5, DX, CX, LOAD(0), 0, BP, SELECT),
	  UNAVAILABLE },

	/* two values */
	BINARY(ADD, AX, DX, 0x0123456789abcdf4),
	BINARY(ADD, CX, DX, 4),
	BINARY_WITH(ADD, DX, 0x7a, 0xffffffffffffffff),
	BINARY(SUBTRACT, DX, DI, 0xffffffffffffffc5),
	BINARY(SUBTRACT, DI, DX, 59),
	BINARY_WITH(SUBTRACT, DX, 6, 0xffffffffffffffff),
	BINARY(MULTIPLY, AX, DX, 0x05b05b05b05b05ab),
	BINARY(MULTIPLY, CX, CX, 1),
	BINARY(MULTIPLY, BX, DI, 0),
	BINARY_WITH(MULTIPLY, DX, 0x7d, 0xfffffffffffffff1),
	BINARY(AND, AX, R15, 0x01030507090b0d0f),
	BINARY_WITH(AND, AX, 0x70, 0x0123456789abcde0),
	BINARY(OR, AX, R15, 0x0f2f4f6f8fafcfef),
	BINARY_WITH(OR, DI, 5, 0x45),
	BINARY(XOR, AX, R15, 0x0e2c4a6886a4c2e0),
	BINARY_WITH(XOR, DX, 0x7f, 0xfffffffffffffffa),
	BINARY(SHIFT_LEFT, DX, BP, 0x8000000000000000),
	BINARY(SHIFT_LEFT, DX, DI, 0),
	BINARY(SHIFT_LEFT, DX, CX, 0),
	BINARY_WITH(SHIFT_LEFT, DX, 3, 40),
	BINARY_WITH(SHIFT_LEFT, AX, 0, 0x0123456789abcdef),
	BINARY(SHIFT_RIGHT, BX, BP, 1),
	BINARY(SHIFT_RIGHT, BX, DI, 0),
	BINARY(SHIFT_RIGHT, CX, CX, 0),
	BINARY_WITH(SHIFT_RIGHT, AX, 0x24, 0x123456),
	BINARY(SHIFT_RIGHT_SIGNED, BX, BP, 0xffffffffffffffff),
	BINARY(SHIFT_RIGHT_SIGNED, BX, DI, 0xffffffffffffffff),
	BINARY(SHIFT_RIGHT_SIGNED, BX, CX, 0xffffffffffffffff),
	BINARY(SHIFT_RIGHT_SIGNED, R8, BP, 0),
	BINARY(SHIFT_RIGHT_SIGNED, R8, DI, 0),
	BINARY(SHIFT_RIGHT_SIGNED, R8, CX, 0),
	BINARY_WITH(SHIFT_RIGHT_SIGNED, BX, 4, 0xf800000000000000),
	BINARY(EQUAL, DX, DX, 1),
	BINARY(EQUAL, DX, DI, 0),
	BINARY_WITH(EQUAL, CX, 0x7f, 1),
	BINARY(NOT_EQUAL, DX, DX, 0),
	BINARY(NOT_EQUAL, DX, DI, 1),
	BINARY_WITH(NOT_EQUAL, DX, 5, 0),
	BINARY(LESS, DX, DI, 1),
	BINARY(LESS, DI, DX, 0),
	BINARY(LESS, DX, DX, 0),
	BINARY(LESS, CX, DX, 0),
	BINARY(LESS, R8, BX, 1),
	BINARY_WITH(LESS, DX, 0x7f, 1),
	BINARY(LESS_EQUAL, DX, DX, 1),
	BINARY(LESS_EQUAL, DI, DX, 0),
	BINARY(LESS_EQUAL, DX, CX, 1),
	BINARY_WITH(LESS_EQUAL, DX, 4, 0),
	BINARY(LESS_SIGNED, CX, DX, 1),
	BINARY(LESS_SIGNED, DX, CX, 0),
	BINARY(LESS_SIGNED, DX, DX, 0),
	BINARY(LESS_SIGNED, BX, R8, 1),
	BINARY_WITH(LESS_SIGNED, DX, 0x7f, 0),
	BINARY(LESS_EQUAL_SIGNED, CX, CX, 1),
	BINARY(LESS_EQUAL_SIGNED, R8, BX, 0),
	BINARY(LESS_EQUAL_SIGNED, BX, R8, 1),
	BINARY_WITH(LESS_EQUAL_SIGNED, CX, 0x7e, 0),
	BINARY(ADD_IF_NEGATIVE, CX, DX, 4),
	BINARY(ADD_IF_NEGATIVE, DX, DI, 5),
	BINARY(ADD_IF_NEGATIVE, BX, BP, 0x800000000000003f),
	BINARY_WITH(ADD_IF_NEGATIVE, CX, 7, 6),
	BINARY_WITH(ADD_IF_NEGATIVE, R8, 7, 0x7fffffffffffffff),
	{ "eight values", CODE(8, 15, DX, DX, DX, DX, DX, DX, DX, DX, OP(ADD), OP(ADD), OP(ADD),
			       OP(ADD), OP(ADD), OP(ADD), OP(ADD)), VALUE(40) },
	{ "order of values", CODE(8, 5, DI, DX, BP, OP(SUBTRACT), OP(SUBTRACT)), VALUE(122) },
	{ "32 operators", CODE(8, 32, DX, NINE(NEGATE), NINE(COMPLEMENT), NINE(NEGATE),
			       NEGATE, NEGATE, NEGATE, NEGATE), VALUE(0xfffffffffffffffc) },
	{ "sum of 4 bytes", CODE(4, 2, CX, WITH(ADD), 1), VALUE(0) },

	/* pieces */
	{ "two pieces of 8", CODE(16, 4, AX, PIECE(8), DX, PIECE(8)),
	  VALUES(0x0123456789abcdef, 5) },
	{ "pieces of 9 bytes", CODE(9, 4, CX, PIECE(8), AX, PIECE(1)),
	  VALUES(0xffffffffffffffff, 0xef) },
	{ "pieces of 12 bytes", CODE(12, 6, AX, PIECE(4), DX, PIECE(4), BX, PIECE(4)),
	  VALUES(0x0000000589abcdef, 0) },
	{ "pieces of 16 bytes in halves", CODE(16, 8, AX, PIECE(2), CX, PIECE(6), DX, PIECE(7),
					       AX, PIECE(1)),
	  VALUES(0xffffffffffffcdef, 0xef00000000000005) },
	{ "sixteen pieces", CODE(16, 32, AX, PIECE(1), DX, PIECE(1), DI, PIECE(1), CX, PIECE(1),
				 AX, PIECE(1), DX, PIECE(1), DI, PIECE(1), CX, PIECE(1),
				 DX, PIECE(1), DX, PIECE(1), DI, PIECE(1), BP, PIECE(1),
				 AX, PIECE(1), DX, PIECE(1), DI, PIECE(1), CX, PIECE(1)),
	  VALUES(0xff4005efff4005ef, 0xff4005ef3f400505) },
	{ "pieces of one half", CODE(8, 4, AX, PIECE(5), DX, PIECE(3)),
	  VALUE(0x0000056789abcdef) },
	{ "a piece of all", CODE(8, 2, AX, PIECE(8)), VALUE(0x0123456789abcdef) },
	{ "a piece of 3 bytes", CODE(3, 2, AX, PIECE(3)), VALUE(0xabcdef) },
	{ "piece of a computed value", CODE(10, 5, DX, WITH(ADD), 1, PIECE(8), AX, PIECE(2)),
	  VALUES(6, 0xcdef) },
	{ "second piece cannot be read", CODE(16, 5, AX, PIECE(8), CX, LOAD(3), 0, PIECE(8)),
	  UNAVAILABLE },

	/* no codes: the head */
	{ "no byte", .size = 0, FAULT(CUT, 0) },
	{ "no number of operators", BYTES(8), FAULT(CUT, 0) },
	{ "no bytes of value", CODE(0, 1, AX), FAULT(SIZE, 0) },
	{ "17 bytes of value", CODE(17, 1, AX), FAULT(SIZE, 0) },
	{ "33 operators", CODE(8, 33, AX), FAULT(LIMIT, 0) },
	{ "no operator", BYTES(8, 0), FAULT(STACK, 0) },

	/* operators */
	{ "register without a name", CODE(8, 1, 16), FAULT(OPERATOR, 2) },
	{ "last register number", CODE(8, 1, 31), FAULT(OPERATOR, 2) },
	UNKNOWN(0x22), UNKNOWN(0x23), UNKNOWN(0x2b), UNKNOWN(0x30), UNKNOWN(0x39), UNKNOWN(0x3c),
	UNKNOWN(0x3f),
	UNKNOWN(0x50), UNKNOWN(0x51), UNKNOWN(0x5f), UNKNOWN(0x70), UNKNOWN(0x71), UNKNOWN(0xff),
	{ "0 bits by zeros", CODE(8, 2, AX, ZERO_EXTEND, 0), FAULT(OPERATOR, 3) },
	{ "64 bits by zeros", CODE(8, 2, AX, ZERO_EXTEND, 64), FAULT(OPERATOR, 3) },
	{ "0 bits by sign", CODE(8, 2, AX, SIGN_EXTEND, 0), FAULT(OPERATOR, 3) },
	{ "64 bits by sign", CODE(8, 2, AX, SIGN_EXTEND, 64), FAULT(OPERATOR, 3) },
	{ "check of 0 bits", CODE(8, 2, AX, FITS, 0), FAULT(OPERATOR, 3) },
	{ "check of 64 bits", CODE(8, 2, AX, FITS, 64), FAULT(OPERATOR, 3) },

	/* cut */
	{ "no operator of one", BYTES(8, 1), FAULT(CUT, 2) },
	{ "no second operator", CODE(8, 2, AX), FAULT(CUT, 3) },
	{ "no number", CODE(8, 1, NUMBER), FAULT(CUT, 2) },
	{ "number that goes on", CODE(8, 1, NUMBER, 0x80), FAULT(CUT, 2) },
	{ "no offset of an address", CODE(8, 1, ADDRESS), FAULT(CUT, 2) },
	{ "no offset of a load", CODE(8, 2, AX, LOAD(3)), FAULT(CUT, 3) },
	{ "no offset of a signed load", CODE(8, 2, AX, LOAD_S(2)), FAULT(CUT, 3) },
	{ "no number of bits", CODE(8, 2, AX, ZERO_EXTEND), FAULT(CUT, 3) },
	{ "no bits of a check", CODE(8, 2, AX, FITS), FAULT(CUT, 3) },
	{ "no right number", CODE(8, 2, AX, WITH(ADD)), FAULT(CUT, 3) },
	{ "number of eleven bytes", CODE(8, 1, NUMBER, NINE(0x80), 0x80, 0), FAULT(CUT, 2) },
	{ "number of 65 bits", CODE(8, 1, NUMBER, NINE(0xff), 1), FAULT(CUT, 2) },
	{ "negative number of 65 bits", CODE(8, 1, NUMBER, NINE(0x80), 0x7e), FAULT(CUT, 2) },
	{ "right number of 65 bits", CODE(8, 2, AX, WITH(ADD), NINE(0xff), 1), FAULT(CUT, 3) },

	/* values */
	{ "load without an address", CODE(8, 1, LOAD(0), 0), FAULT(STACK, 2) },
	{ "no value to extend", CODE(8, 1, ZERO_EXTEND, 8), FAULT(STACK, 2) },
	{ "no value to negate", CODE(8, 1, NEGATE), FAULT(STACK, 2) },
	{ "no value for a piece", CODE(8, 1, PIECE(8)), FAULT(STACK, 2) },
	{ "no left value", CODE(8, 1, WITH(ADD), 1), FAULT(STACK, 2) },
	{ "no value to add", CODE(8, 1, OP(ADD)), FAULT(STACK, 2) },
	{ "one value to add", CODE(8, 2, AX, OP(ADD)), FAULT(STACK, 3) },
	{ "no value to check", CODE(8, 1, FITS, 8), FAULT(STACK, 2) },
	{ "two values to select from", CODE(8, 3, AX, DX, SELECT), FAULT(STACK, 4) },
	{ "two values left by a select", CODE(8, 5, AX, AX, DX, CX, SELECT), FAULT(STACK, 6) },
	{ "two values at the end", CODE(8, 2, AX, DX), FAULT(STACK, 3) },
	{ "a value below a piece", CODE(8, 3, AX, DX, PIECE(8)), FAULT(STACK, 4) },
	{ "a value after the pieces", CODE(8, 3, AX, PIECE(8), DX), FAULT(STACK, 4) },

	/* sizes */
	{ "9 bytes without pieces", CODE(9, 1, AX), FAULT(SIZE, 2) },
	{ "16 bytes without pieces", CODE(16, 2, AX, NEGATE), FAULT(SIZE, 3) },
	{ "pieces that do not fill the value", CODE(16, 2, AX, PIECE(8)), FAULT(SIZE, 3) },
	{ "a piece that is too small", CODE(4, 2, AX, PIECE(3)), FAULT(SIZE, 3) },
	{ "a piece that is too large", CODE(4, 2, AX, PIECE(5)), FAULT(SIZE, 3) },
	{ "a piece too many", CODE(8, 4, AX, PIECE(8), AX, PIECE(1)), FAULT(SIZE, 5) },
	{ "a piece over the halves", CODE(16, 6, AX, PIECE(4), AX, PIECE(8), AX, PIECE(4)),
	  FAULT(SIZE, 5) },
	{ "a piece of 2 bytes over the halves", CODE(9, 4, AX, PIECE(7), AX, PIECE(2)),
	  FAULT(SIZE, 5) },

	/* limits */
	{ "nine registers", CODE(8, 9, NINE(AX)), FAULT(LIMIT, 10) },
	{ "a number as the ninth value", CODE(8, 9, AX, AX, AX, AX, AX, AX, AX, AX, NUMBER, 1),
	  FAULT(LIMIT, 10) },
	{ "an address as the ninth value", CODE(8, 9, AX, AX, AX, AX, AX, AX, AX, AX, ADDRESS, 1),
	  FAULT(LIMIT, 10) },
	{ "five loads", CODE(8, 6, SI, LOAD(0), 0, LOAD(1), 0, LOAD_S(0), 0, LOAD(3), 0, LOAD(2),
			     0), FAULT(LIMIT, 11) },
};

const u32 expression_nr_rows = COUNT(expression_rows);

static const struct loc_machine_state *row_state(void)
{
	static u64 registers[32] = { SAVED_REGISTERS };
	static const struct loc_machine_state state = { registers, BASE };
	u32 i;

	for (i = 0; i < COUNT(registers); i++)
		if (!registers[i])
			registers[i] = 0x7777777777777777;
	return &state;
}

static const char *value_verdict(const struct expression_row *row,
				 const struct loc_expression *expression, expression_run_fn run)
{
	const u64 wanted[2] = { row->low, row->high };
	u64 value[2] = { 0x5a5a5a5a5a5a5a5a, 0x5a5a5a5a5a5a5a5a };
	bool available = run(expression, row_state(), row_load, value);

	if (available == row->unavailable)
		return available ? "it is available" : "it is not available";
	if (available && memcmp(value, wanted, expression->size))
		return "the value is another one";
	return NULL;
}

static const char *cut_verdict(const struct expression_row *row, const struct loc_arch *arch)
{
	struct loc_expression expression;
	u32 size;

	for (size = 0; size < row->size; size++) {
		struct byte_view view = byte_view_of(row->code, size, 0);

		if (loc_expression_decode(&expression, arch, &view) != BTF_FAULT_EXPRESSION_CUT)
			return "a part of it is accepted, or has another fault";
		if (view.failed_at > size)
			return "the fault of a part is outside of it";
	}
	return NULL;
}

static bool run_in_core(const struct loc_expression *expression,
			const struct loc_machine_state *state, loc_load_fn load, u64 *value)
{
	return loc_steps_run(expression->steps, expression->nr_steps, state, load, value);
}

const char *expression_row_verdict(const struct expression_row *row)
{
	return expression_row_verdict_by(row, run_in_core);
}

const char *expression_row_verdict_by(const struct expression_row *row, expression_run_fn run)
{
	const struct loc_arch *arch = loc_arch_of(row->machine ? row->machine :
							       LOC_MACHINE_X86_64);
	struct byte_view view = byte_view_of(row->code, row->size, 0);
	struct loc_expression expression;
	enum btf_fault_code fault;
	const char *wrong;

	fault = loc_expression_decode(&expression, arch, &view);
	if (fault != row->fault)
		return "the fault is another one";
	if (fault)
		return view.failed_at == row->offset ? NULL : "the fault is at another byte";
	if (view.at != row->size)
		return "it ends at another byte";
	if (expression.size != row->code[0] || expression.nr_steps != row->code[1])
		return "size or number of operators are not those of the head";
	wrong = value_verdict(row, &expression, run);
	return wrong ? wrong : cut_verdict(row, arch);
}

/* ---- rows of the section ---- */

#define WORD(word) \
	(u32)(word) & 0xff, (u32)(word) >> 8 & 0xff, (u32)(word) >> 16 & 0xff, (u32)(word) >> 24
#define HEAD_FROM(first, nr_entries, codes_size) \
	WORD(LOC_EXPRESSIONS_MAGIC), WORD(1), WORD(first), WORD(nr_entries), WORD(codes_size)
#define HEAD(nr_entries, codes_size) HEAD_FROM(0, nr_entries, codes_size)
#define HALF(half) (u32)(half) & 0xff, (u32)(half) >> 8 & 0xff
#define OFFSET(offset) (u32)(offset) & 0xff, (u32)(offset) >> 8 & 0xff, (u32)(offset) >> 16 & 0xff
#define ENTRY(loc_proto, param, code) HALF(loc_proto), param, OFFSET(code)
/* Two codes, of 4 and 5 bytes. */
#define NEGATIVE 8, 2, DX, NEGATE
#define SUM 4, 2, DI, WITH(ADD), 1
#define NEGATIVE_VALUE 0xfffffffffffffffb
#define SUM_VALUE 65

#define SECTION(...) .section = { __VA_ARGS__ }, .size = sizeof((u8[]){ __VA_ARGS__ })
#define FOUND(...) .found = { __VA_ARGS__ }
#define REFUSED(name, at) .fault = BTF_FAULT_EXPRESSION##name, .offset = (at)

/* The ids of the locations, see expressions_row_blob(). */
enum { LOCATION = 4, ALL, FIRST_LACKS, LAST_LACKS, NONE, NO_PARAM, SITES, IDS_END };

const struct expressions_row expressions_rows[] = {
	{ "no section", .size = 0 },
	{ "nothing", SECTION(HEAD(0, 0)) },
	{ "one code", SECTION(HEAD(1, 4), ENTRY(FIRST_LACKS, 0, 0), NEGATIVE, 0, 0),
	  FOUND({ FIRST_LACKS, 0, NEGATIVE_VALUE }) },
	{ "a code that ends in a word",
	  SECTION(HEAD(1, 5), ENTRY(LAST_LACKS, 1, 0), SUM, 0),
	  FOUND({ LAST_LACKS, 1, SUM_VALUE }) },
	{ "two codes", SECTION(HEAD(3, 9), ENTRY(FIRST_LACKS, 0, 4), ENTRY(NONE, 0, 0),
			       ENTRY(NONE, 1, 4), NEGATIVE, SUM, 0),
	  FOUND({ FIRST_LACKS, 0, SUM_VALUE }, { NONE, 0, NEGATIVE_VALUE },
		{ NONE, 1, SUM_VALUE }) },
	{ "a code that no parameter has", SECTION(HEAD(1, 9), ENTRY(NONE, 1, 0), NEGATIVE, SUM, 0),
	  FOUND({ NONE, 1, NEGATIVE_VALUE }) },
	{ "a code in another one",
	  SECTION(HEAD(2, 8), ENTRY(NONE, 0, 0), ENTRY(NONE, 1, 3), 8, 5, NUMBER, 8, DX, SI,
		  OP(ADD), OP(ADD)),
	  FOUND({ NONE, 0, 0x100d }, { NONE, 1, 0x1000 }) },
	{ "LOC_PROTOs from the first on",
	  SECTION(HEAD_FROM(FIRST_LACKS, 2, 4), ENTRY(0, 0, 0), ENTRY(NONE - FIRST_LACKS, 1, 0),
		  NEGATIVE),
	  FOUND({ FIRST_LACKS, 0, NEGATIVE_VALUE }, { NONE, 1, NEGATIVE_VALUE }) },

	/* header */
	{ "cut in the header", SECTION(WORD(LOC_EXPRESSIONS_MAGIC), WORD(1), WORD(0), WORD(0)),
	  REFUSED(S_HEADER, 0) },
	{ "another magic",
	  SECTION(WORD(LOC_EXPRESSIONS_MAGIC + 1), WORD(1), WORD(0), WORD(0), WORD(0)),
	  REFUSED(S_HEADER, 0) },
	{ "another version",
	  SECTION(WORD(LOC_EXPRESSIONS_MAGIC), WORD(2), WORD(0), WORD(0), WORD(0)),
	  REFUSED(S_HEADER, 0) },
	{ "cut in the entries", SECTION(HEAD(1, 0), WORD(FIRST_LACKS)), REFUSED(S_HEADER, 0) },
	{ "most entries", SECTION(HEAD(0xffffffff, 0), ENTRY(FIRST_LACKS, 0, 0), 0, 0),
	  REFUSED(S_HEADER, 0) },
	{ "entries whose size wraps", SECTION(HEAD(0x2aaaaaab, 0), ENTRY(FIRST_LACKS, 0, 0), 0, 0),
	  REFUSED(S_HEADER, 0) },
	{ "cut in the codes", SECTION(HEAD(1, 5), ENTRY(FIRST_LACKS, 0, 0), NEGATIVE),
	  REFUSED(S_HEADER, 0) },
	{ "most bytes of codes", SECTION(HEAD(0, 0xffffffff)), REFUSED(S_HEADER, 0) },
	{ "cut in the zeros", SECTION(HEAD(1, 4), ENTRY(FIRST_LACKS, 0, 0), NEGATIVE, 0),
	  REFUSED(S_HEADER, 0) },
	{ "a word after the zeros",
	  SECTION(HEAD(1, 5), ENTRY(FIRST_LACKS, 0, 0), SUM, 0, WORD(0)),
	  REFUSED(S_HEADER, 0) },
	{ "a word after the codes",
	  SECTION(HEAD(2, 4), ENTRY(NONE, 0, 0), ENTRY(NONE, 1, 0), NEGATIVE, WORD(0)),
	  REFUSED(S_HEADER, 0) },
	{ "a byte that is not zero",
	  SECTION(HEAD(1, 4), ENTRY(FIRST_LACKS, 0, 0), NEGATIVE, 0, 1), REFUSED(S_HEADER, 31) },

	/* codes */
	{ "a code that is cut", SECTION(HEAD(0, 3), 8, 2, DX, 0), REFUSED(_CUT, 23) },
	{ "an operator that is unknown", SECTION(HEAD(0, 8), NEGATIVE, 8, 2, DX, 0x50),
	  REFUSED(_OPERATOR, 27) },
	{ "too many values", SECTION(HEAD(0, 4), 8, 2, DX, DX), REFUSED(_STACK, 23) },
	{ "a zero after a code", SECTION(HEAD(1, 5), ENTRY(FIRST_LACKS, 0, 0), NEGATIVE, 0, 0),
	  REFUSED(_CUT, 30) },
	{ "too many operators", SECTION(HEAD(0, 4), 8, 33, DX, NEGATE), REFUSED(_LIMIT, 20) },

	/* entries */
	{ "parameters out of order", SECTION(HEAD(2, 4), ENTRY(NONE, 1, 0), ENTRY(NONE, 0, 0),
					     NEGATIVE), REFUSED(_ENTRY, 26) },
	{ "LOC_PROTOs out of order", SECTION(HEAD(2, 4), ENTRY(NONE, 0, 0),
					     ENTRY(LAST_LACKS, 1, 0), NEGATIVE),
	  REFUSED(_ENTRY, 26) },
	{ "a parameter twice", SECTION(HEAD(2, 9), ENTRY(NONE, 1, 0), ENTRY(NONE, 1, 4), NEGATIVE,
				       SUM, 0, 0, 0), REFUSED(_ENTRY, 26) },
	{ "no type", SECTION(HEAD(1, 4), ENTRY(0, 0, 0), NEGATIVE, 0, 0), REFUSED(_ENTRY, 20) },
	{ "a type of the base", SECTION(HEAD(1, 4), ENTRY(3, 0, 0), NEGATIVE, 0, 0),
	  REFUSED(_ENTRY, 20) },
	{ "a LOC_PARAM", SECTION(HEAD(1, 4), ENTRY(LOCATION, 0, 0), NEGATIVE, 0, 0),
	  REFUSED(_ENTRY, 20) },
	{ "a LOCSEC", SECTION(HEAD(1, 4), ENTRY(SITES, 0, 0), NEGATIVE, 0, 0),
	  REFUSED(_ENTRY, 20) },
	{ "an id after the last", SECTION(HEAD(1, 4), ENTRY(IDS_END, 0, 0), NEGATIVE, 0, 0),
	  REFUSED(_ENTRY, 20) },
	{ "the last id", SECTION(HEAD_FROM(0xffffffff, 1, 4), ENTRY(0, 0, 0), NEGATIVE, 0, 0),
	  REFUSED(_ENTRY, 20) },
	{ "an id that wraps",
	  SECTION(HEAD_FROM(0xffffffff, 1, 4), ENTRY(NONE + 1, 0, 0), NEGATIVE, 0, 0),
	  REFUSED(_ENTRY, 20) },
	{ "an id far after the last", SECTION(HEAD(1, 4), ENTRY(0xffff, 0, 0), NEGATIVE, 0, 0),
	  REFUSED(_ENTRY, 20) },
	{ "a parameter with a location",
	  SECTION(HEAD(1, 4), ENTRY(FIRST_LACKS, 1, 0), NEGATIVE, 0, 0), REFUSED(_ENTRY, 20) },
	{ "no parameter", SECTION(HEAD(1, 4), ENTRY(NO_PARAM, 0, 0), NEGATIVE, 0, 0),
	  REFUSED(_ENTRY, 20) },
	{ "a parameter after the last", SECTION(HEAD(1, 4), ENTRY(NONE, 2, 0), NEGATIVE, 0, 0),
	  REFUSED(_ENTRY, 20) },
	{ "parameter 255", SECTION(HEAD(1, 4), ENTRY(NONE, 255, 0), NEGATIVE, 0, 0),
	  REFUSED(_ENTRY, 20) },
	{ "no code", SECTION(HEAD(1, 0), ENTRY(NONE, 0, 0), 0, 0), REFUSED(_ENTRY, 20) },
	{ "a code at the end", SECTION(HEAD(1, 4), ENTRY(NONE, 0, 4), NEGATIVE, 0, 0),
	  REFUSED(_ENTRY, 20) },
	{ "a code in the zeros", SECTION(HEAD(1, 5), ENTRY(NONE, 0, 5), SUM, 0),
	  REFUSED(_ENTRY, 20) },
	{ "a code far after the end", SECTION(HEAD(1, 4), ENTRY(NONE, 0, 0xffffff), NEGATIVE, 0, 0),
	  REFUSED(_ENTRY, 20) },
	{ "no code in a code", SECTION(HEAD(2, 4), ENTRY(NONE, 0, 0), ENTRY(NONE, 1, 1), NEGATIVE),
	  REFUSED(_ENTRY, 26) },
};

const u32 expressions_nr_rows = COUNT(expressions_rows);

static void put_proto(struct blob_writer *writer, u32 vlen, u32 first, u32 second)
{
	blob_type(writer, 0, LOC_KIND_PROTO, vlen, 0);
	if (vlen) {
		blob_word(writer, first);
		blob_word(writer, second);
	}
}

/* On a base of three types. */
const struct btf_blob *expressions_row_blob(void)
{
	static u32 records[64], image[96], offsets[16];
	static struct btf_blob base, blob;
	static char strings[16];
	struct blob_writer writer;
	struct btf_fault fault;
	u32 size;

	btf_blob_open_counts(&base, LOCATION - 1, 1);
	blob_begin(&writer, records, COUNT(records), strings, sizeof(strings), LOCATION, 1);
	blob_type(&writer, 0, LOC_KIND_PARAM, 1, 4);
	blob_word(&writer, LOC_REG);
	blob_word(&writer, DI);
	put_proto(&writer, 2, LOCATION, LOCATION);
	put_proto(&writer, 2, 0, LOCATION);
	put_proto(&writer, 2, LOCATION, 0);
	put_proto(&writer, 2, 0, 0);
	put_proto(&writer, 0, 0, 0);
	blob_type(&writer, blob_string(&writer, "inline.text"), LOC_KIND_SEC, 0, 0);
	size = blob_finish(&writer, LOC_KIND_COUNT, image, sizeof(image));
	if (!size || writer.next_id != IDS_END ||
	    btf_blob_open(&blob, image, size, &base, &fault))
		return NULL;
	btf_blob_index(&blob, offsets);
	return &blob;
}

static const char *found_verdict(const struct expressions_row *row,
				 const struct loc_expressions *expressions, u32 loc_proto,
				 u32 param)
{
	struct loc_expression expression;
	bool found = loc_expressions_find(expressions, loc_proto, param, &expression);
	u64 value[2];
	u32 i;

	for (i = 0; i < EXPRESSIONS_ROW_FOUND && row->found[i].loc_proto; i++) {
		if (row->found[i].loc_proto != loc_proto || row->found[i].param != param)
			continue;
		if (!found || !loc_steps_run(expression.steps, expression.nr_steps, row_state(),
					     row_load, value))
			return "an expression is missing";
		return value[0] == row->found[i].value ? NULL : "a value is another one";
	}
	return found ? "another parameter has an expression" : NULL;
}

static const char *section_verdict(const struct expressions_row *row,
				   const struct extra_bytes *bytes, const struct btf_blob *blob)
{
	struct loc_expressions expressions;
	struct btf_fault fault = { .code = BTF_FAULT_COUNT, .type_id = 1 };
	const char *wrong = NULL;
	u32 loc_proto, param;

	if (loc_expressions_open(&expressions, bytes, blob, loc_arch_of(LOC_MACHINE_X86_64),
				 &fault)) {
		if (fault.code != row->fault || fault.type_id)
			return row->fault ? "the fault is another one" : "it is refused";
		return fault.offset == row->offset ? NULL : "the fault is at another offset";
	}
	if (row->fault)
		return "it is accepted";
	if (fault.code != BTF_FAULT_COUNT)
		return "no error, but a fault";
	for (loc_proto = 0; !wrong && loc_proto <= IDS_END; loc_proto++)
		for (param = 0; !wrong && param < 4; param++)
			wrong = found_verdict(row, &expressions, loc_proto, param);
	return wrong;
}

const char *expressions_row_verdict(const struct expressions_row *row)
{
	const struct btf_blob *blob = expressions_row_blob();
	u32 words[COUNT(row->section) / 4];
	const struct extra_bytes bytes = { row->size ? words : NULL, row->size };

	if (!blob)
		return "the row itself is wrong";
	memcpy(words, row->section, row->size);
	return section_verdict(row, &bytes, blob);
}
