// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * The locations are worked out by hand from the words, which have the order of a
 * little-endian machine. Which sizes each shape may have is in core_rows.c.
 */
#include "location_rows.h"

#define REG LOC_REG
#define MEM (LOC_REG | LOC_DEREF)
#define OFF LOC_OFFSET
#define SGN LOC_SIGNED

#define RECORD(bytes, loc_flags, nr, ...) \
	.size = (bytes), .flags = (loc_flags), .nr_values = (nr), .values = { __VA_ARGS__ }
#define FAULT(name) .code = BTF_FAULT_PARAM_##name
#define IS(name, ...) .location = { .shape = LOC_SHAPE_##name, __VA_ARGS__ }
#define SIGNED_VALUE .is_signed = true
#define OFFSET(number) .has_offset = true, .value = (number)

const struct location_row location_rows[] = {
	/* constants: as many bits count as the value has */
	{ "constant", RECORD(4, LOC_CONST, 1, 0xffffffff), IS(CONSTANT, .value = 0xffffffff) },
	{ "constant, two words", RECORD(8, LOC_CONST, 2, 0xfeedface, 0xdeadbeef),
	  IS(CONSTANT, .value = 0xdeadbeeffeedface) },
	{ "constant, signed byte", RECORD(1, LOC_CONST | SGN, 1, 0x80),
	  IS(CONSTANT, SIGNED_VALUE, .value = 0xffffffffffffff80) },
	{ "constant, signed byte that is positive", RECORD(1, LOC_CONST | SGN, 1, 0x7f),
	  IS(CONSTANT, SIGNED_VALUE, .value = 0x7f) },
	{ "constant, -1 of 4 bytes", RECORD(4, LOC_CONST | SGN, 1, 0xffffffff),
	  IS(CONSTANT, SIGNED_VALUE, .value = 0xffffffffffffffff) },
	{ "constant, signed, 4 bytes in two words", RECORD(4, LOC_CONST | SGN, 2, 0x80000000, 0),
	  IS(CONSTANT, SIGNED_VALUE, .value = 0xffffffff80000000) },
	{ "constant, signed, 6 bytes", RECORD(6, LOC_CONST | SGN, 2, 1, 0x8000),
	  IS(CONSTANT, SIGNED_VALUE, .value = 0xffff800000000001) },
	{ "constant, signed, 8 bytes", RECORD(8, LOC_CONST | SGN, 2, 0xfffffffe, 0x7fffffff),
	  IS(CONSTANT, SIGNED_VALUE, .value = 0x7ffffffffffffffe) },
	{ "address", RECORD(8, LOC_CONST | LOC_ADDR, 2, 0x9abcdef0, 0x12345678),
	  IS(ADDRESS, .value = 0x123456789abcdef0) },
	{ "address of one word", RECORD(4, LOC_CONST | LOC_ADDR, 1, 0xfffffff0),
	  IS(ADDRESS, .value = 0xfffffff0) },
	{ "address below the base", RECORD(4, LOC_CONST | LOC_ADDR | SGN, 1, 0xfffffff0),
	  IS(ADDRESS, SIGNED_VALUE, .value = 0xfffffffffffffff0) },

	/* registers; an offset of one word has a sign if and only if SIGNED is set */
	{ "register", RECORD(8, REG, 1, 5), IS(REGISTER, .registers = { 5 }) },
	{ "the frame base", RECORD(8, REG, 1, LOC_FRAME_BASE),
	  IS(REGISTER, .registers = { LOC_FRAME_BASE }) },
	{ "pair", RECORD(16, REG, 2, 5, 4), IS(PAIR, .registers = { 5, 4 }) },
	{ "pair of 9 bytes", RECORD(9, REG, 2, 0, 1), IS(PAIR, .registers = { 0, 1 }) },
	{ "sum", RECORD(8, REG | OFF, 2, 5, 8), IS(REGISTER, .registers = { 5 }, OFFSET(8)) },
	{ "sum, offset 0 for the sign of the value", RECORD(4, REG | OFF | SGN, 2, 5, 0),
	  IS(REGISTER, .registers = { 5 }, SIGNED_VALUE, OFFSET(0)) },
	{ "sum, one word without a sign", RECORD(8, REG | OFF, 2, 5, 0xfffffff8),
	  IS(REGISTER, .registers = { 5 }, OFFSET(0xfffffff8)) },
	{ "sum, one word with a sign", RECORD(8, REG | OFF | SGN, 2, 5, 0xfffffff8),
	  IS(REGISTER, .registers = { 5 }, SIGNED_VALUE, OFFSET(0xfffffffffffffff8)) },
	{ "sum, the sign is that of the word, not of the value",
	  RECORD(1, REG | OFF | SGN, 2, 5, 0x80),
	  IS(REGISTER, .registers = { 5 }, SIGNED_VALUE, OFFSET(0x80)) },
	{ "sum, two words", RECORD(4, REG | OFF, 3, 5, 0xfffffffc, 0xffffffff),
	  IS(REGISTER, .registers = { 5 }, OFFSET(0xfffffffffffffffc)) },
	{ "sum, two words, signed value", RECORD(4, REG | OFF | SGN, 3, 5, 0x80000000, 1),
	  IS(REGISTER, .registers = { 5 }, SIGNED_VALUE, OFFSET(0x180000000)) },

	/* memory */
	{ "memory", RECORD(16, MEM, 1, 2), IS(MEMORY, .registers = { 2 }) },
	{ "memory at a sum", RECORD(4, MEM | OFF, 2, 7, 0x80000000),
	  IS(MEMORY, .registers = { 7 }, OFFSET(0x80000000)) },
	{ "memory at a signed sum", RECORD(4, MEM | OFF | SGN, 2, LOC_FRAME_BASE, 0x80000000),
	  IS(MEMORY, .registers = { LOC_FRAME_BASE }, SIGNED_VALUE,
	     OFFSET(0xffffffff80000000)) },
	{ "memory at a sum of two words", RECORD(2, MEM | OFF, 3, 7, 0, 0x80000000),
	  IS(MEMORY, .registers = { 7 }, OFFSET(0x8000000000000000)) },

	/* no locations */
	{ "no byte", RECORD(0, REG, 1, 5), FAULT(SIZE) },
	{ "17 bytes", RECORD(17, MEM, 1, 5), FAULT(SIZE) },
	{ "a size comes before the flags", RECORD(17, 0, 1, 5), FAULT(SIZE) },
	{ "no flags", RECORD(8, 0, 1, 5), FAULT(FLAGS) },
	{ "all flags", RECORD(8, 0x3f, 1, 5), FAULT(FLAGS) },
	{ "the next flag", RECORD(8, REG | 0x40, 1, 5), FAULT(FLAGS) },
	{ "the last flag", RECORD(8, REG | 0x80000000, 1, 5), FAULT(FLAGS) },
	{ "flags come before the number of values", RECORD(8, REG | SGN, 4, 5), FAULT(FLAGS) },
	{ "no value", RECORD(8, REG, 0), FAULT(VLEN) },
	{ "four values", RECORD(8, REG | OFF, 4, 5, 0, 0, 0), FAULT(VLEN) },
	{ "a constant that its words do not hold", RECORD(5, LOC_CONST, 1, 1), FAULT(SIZE) },
	{ "a register that does not hold its value", RECORD(9, REG, 1, 5), FAULT(SIZE) },
	{ "a pair for what one register holds", RECORD(8, REG, 2, 5, 4), FAULT(SIZE) },
};

const u32 location_nr_rows = sizeof(location_rows) / sizeof(*location_rows);

const char *location_row_verdict(const struct location_row *row)
{
	static const struct loc_location untouched = { .size = 0xa5a5a5a5 };
	const struct loc_location *wanted = &row->location;
	struct loc_location found = untouched;
	enum btf_fault_code code;

	code = loc_location_decode(&found, row->size, row->flags, row->values, row->nr_values);
	if (code != row->code)
		return "the fault is another one";
	if (code)
		return found.size == untouched.size ? NULL : "a fault leaves the location alone";
	if (found.shape != wanted->shape)
		return "the shape is another one";
	if (found.size != row->size)
		return "the size is that of the record";
	if (found.is_signed != wanted->is_signed)
		return "the sign is another one";
	if (found.has_offset != wanted->has_offset)
		return "an offset differs from no offset";
	if (found.value != wanted->value)
		return "the value is another one";
	if (found.registers[0] != wanted->registers[0] ||
	    found.registers[1] != wanted->registers[1])
		return "the registers are others";
	return NULL;
}
