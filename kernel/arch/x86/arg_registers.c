// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64, System V ABI 3.2.3, of which the kernel uses the integer part: an argument
 * of up to 16 bytes takes one or two registers; if there are not enough left, it is
 * in memory as a whole and later ones may still have a register. A struct with
 * a field that is not aligned is in memory.
 */
#include <linux/btf.h>
#include <linux/math.h>

#include "../../core/btf_type_walk.h"
#include "../../core/loc_arch.h"
#include "../../core/loc_entry.h"
#include "../arch.h"

#define MAX_BY_REGISTERS 16

/* Nested types of a hostile blob end here. */
#define MAX_DEPTH 16

enum arg_kind {
	ARG_INTEGER,
	ARG_MEMORY,	/* also: not known, or not in integer registers */
};

static enum arg_kind kind_of(const struct btf_blob *types, u32 id, u64 bit, u32 depth);

static enum arg_kind kind_of_scalar(u32 size, u64 bit)
{
	return size && bit % (8ull * size) == 0 ? ARG_INTEGER : ARG_MEMORY;
}

static enum arg_kind kind_of_members(const struct btf_blob *types, const struct btf_type *type,
				     u64 bit, u32 depth)
{
	const struct btf_member *members = (const void *)(type + 1);
	u32 i;

	for (i = 0; i < loc_vlen(type); i++) {
		u64 offset = members[i].offset;

		if (loc_kind_flag(type)) {
			/* A bit field has no alignment. */
			if (BTF_MEMBER_BITFIELD_SIZE(offset))
				continue;
			offset = BTF_MEMBER_BIT_OFFSET(offset);
		}
		if (kind_of(types, members[i].type, bit + offset, depth) != ARG_INTEGER)
			return ARG_MEMORY;
	}
	return ARG_INTEGER;
}

static enum arg_kind kind_of_array(const struct btf_blob *types, const struct btf_type *type,
				   u64 bit, u32 depth)
{
	const struct btf_array *array = (const void *)(type + 1);

	/* Its other elements are as aligned as the first. */
	return array->nelems ? kind_of(types, array->type, bit, depth) : ARG_INTEGER;
}

/* Returns the kind of the member that begins at that bit of an argument. */
static enum arg_kind kind_of(const struct btf_blob *types, u32 id, u64 bit, u32 depth)
{
	const struct btf_type *type = btf_type_strip(types, id);

	if (!type || depth == MAX_DEPTH)
		return ARG_MEMORY;
	switch (loc_kind(type)) {
	case BTF_KIND_PTR:
		return kind_of_scalar(sizeof(void *), bit);
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return kind_of_scalar(type->size, bit);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return type->size > MAX_BY_REGISTERS ? ARG_MEMORY :
			kind_of_members(types, type, bit, depth + 1);
	case BTF_KIND_ARRAY:
		return kind_of_array(types, type, bit, depth + 1);
	}
	return ARG_MEMORY;
}

u32 arch_argument_registers(const struct btf_blob *types, u32 type_id, u32 size, u32 next)
{
	u32 registers = DIV_ROUND_UP(size, 8);

	if (size > MAX_BY_REGISTERS || next + registers > loc_arch_x86_64.nr_arguments ||
	    kind_of(types, type_id, 0, 0) != ARG_INTEGER)
		return 0;
	return registers;
}

/* A result in memory: the first register says where. */
u32 arch_result_registers(const struct btf_blob *types, u32 type_id)
{
	const struct btf_type *type = btf_type_strip(types, type_id);

	if (!type || (loc_kind(type) != BTF_KIND_STRUCT && loc_kind(type) != BTF_KIND_UNION))
		return 0;
	return type->size && kind_of(types, type_id, 0, 0) != ARG_INTEGER;
}
