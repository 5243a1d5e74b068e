// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "loc_location.h"
#include "narrow_value.h"

#define FLAGS_END 0x40u
#define MAX_VALUES 3u

/* Sizes of the value that a combination of flags and a number of words can hold; max 0: none. */
struct size_range {
	u8 min, max;
};

#define CONSTANT { [1] = { 1, 4 }, [2] = { 1, 8 } }
#define REGISTER { [1] = { 1, 8 }, [2] = { 9, 16 } }
#define REGISTER_SUM { [2] = { 1, 8 }, [3] = { 1, 8 } }
#define MEMORY { [1] = { 1, 16 } }
#define MEMORY_AT_SUM { [2] = { 1, 16 }, [3] = { 1, 16 } }

static const struct size_range sizes_of[FLAGS_END][MAX_VALUES + 1] = {
	[LOC_CONST] = CONSTANT,
	[LOC_CONST | LOC_SIGNED] = CONSTANT,
	[LOC_CONST | LOC_ADDR] = CONSTANT,
	[LOC_CONST | LOC_ADDR | LOC_SIGNED] = CONSTANT,
	[LOC_REG] = REGISTER,
	[LOC_REG | LOC_DEREF] = MEMORY,
	[LOC_REG | LOC_OFFSET] = REGISTER_SUM,
	[LOC_REG | LOC_OFFSET | LOC_SIGNED] = REGISTER_SUM,
	[LOC_REG | LOC_DEREF | LOC_OFFSET] = MEMORY_AT_SUM,
	[LOC_REG | LOC_DEREF | LOC_OFFSET | LOC_SIGNED] = MEMORY_AT_SUM,
};

static enum btf_fault_code location_check(u32 size, u32 flags, u32 nr_values)
{
	const struct size_range *sizes;

	if (!size || size > LOC_PARAM_MAX_SIZE)
		return BTF_FAULT_PARAM_SIZE;
	/* Every combination that means something takes two values, or one. */
	if (flags >= FLAGS_END || !(sizes_of[flags][1].max | sizes_of[flags][2].max))
		return BTF_FAULT_PARAM_FLAGS;
	if (nr_values > MAX_VALUES || !sizes_of[flags][nr_values].max)
		return BTF_FAULT_PARAM_VLEN;
	sizes = &sizes_of[flags][nr_values];
	if (size < sizes->min || size > sizes->max)
		return BTF_FAULT_PARAM_SIZE;
	return BTF_FAULT_NONE;
}

static u64 two_words(const u32 *values)
{
	return values[0] | (u64)values[1] << 32;
}

static enum loc_shape shape_of(u32 flags, u32 nr_values)
{
	if (flags & LOC_CONST)
		return flags & LOC_ADDR ? LOC_SHAPE_ADDRESS : LOC_SHAPE_CONSTANT;
	if (flags & LOC_DEREF)
		return LOC_SHAPE_MEMORY;
	return flags == LOC_REG && nr_values == 2 ? LOC_SHAPE_PAIR : LOC_SHAPE_REGISTER;
}

enum btf_fault_code loc_location_decode(struct loc_location *location, u32 size, u32 flags,
					const u32 *values, u32 nr_values)
{
	const bool is_signed = flags & LOC_SIGNED;
	enum btf_fault_code code = location_check(size, flags, nr_values);

	if (code)
		return code;
	*location = (struct loc_location){
		.shape = shape_of(flags, nr_values),
		.size = size,
		.is_signed = is_signed,
		.has_offset = flags & LOC_OFFSET,
	};
	if (flags & LOC_CONST) {
		location->value = nr_values == 2 ? two_words(values) : values[0];
		if (is_signed)
			location->value = narrow_extend(location->value, size, true);
		return BTF_FAULT_NONE;
	}
	location->registers[0] = values[0];
	if (location->shape == LOC_SHAPE_PAIR)
		location->registers[1] = values[1];
	/* An offset of one word has a sign if and only if SIGNED is set. */
	if (flags & LOC_OFFSET)
		location->value = nr_values == 3 ? two_words(values + 1) :
				  narrow_extend(values[1], 4, is_signed);
	return BTF_FAULT_NONE;
}
