/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * A decoded LOC_PARAM, the location of a value. Only loc_location.c knows the encoding of its flags
 * and values.
 */
#ifndef BTF_EXTRA_LOC_LOCATION_H
#define BTF_EXTRA_LOC_LOCATION_H

#include "btf_blob.h"
#include "loc_entry.h"

enum loc_shape {
	LOC_SHAPE_CONSTANT,	/* it is the value */
	LOC_SHAPE_ADDRESS,	/* ... counted from the base of the object */
	LOC_SHAPE_REGISTER,	/* the first register plus value */
	LOC_SHAPE_PAIR,		/* two registers, the low half first */
	LOC_SHAPE_MEMORY	/* in memory at the first register plus value */
};

struct loc_location {
	enum loc_shape shape;
	u32 size;		/* size in bytes, 1 to LOC_PARAM_MAX_SIZE */
	bool is_signed;		/* how it is extended where the parameter is wider */
	bool has_offset;	/* the record has an offset, which may be 0 */
	u32 registers[2];	/* DWARF numbers; the first one may be LOC_FRAME_BASE */
	u64 value;		/* a signed one is extended; an offset wraps at 64 bits */
};

/*
 * Decodes a record that has these fields. Returns BTF_FAULT_NONE, or why no location has
 * them (BTF_FAULT_PARAM_SIZE, _FLAGS or _VLEN); then nothing is written. It does not check
 * that the machine has such registers.
 */
enum btf_fault_code loc_location_decode(struct loc_location *location, u32 size, u32 flags,
					const u32 *values, u32 nr_values);

/* Does the same for a record of kind LOC_KIND_PARAM. */
static inline enum btf_fault_code loc_location_read(struct loc_location *location,
						    const struct btf_type *param)
{
	return loc_location_decode(location, param->size, loc_param_flags(param),
				   loc_param_values(param), loc_vlen(param));
}

#endif
