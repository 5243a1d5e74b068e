// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * x86-64, System V ABI 3.2.3, of which the kernel uses the integer part: an argument
 * of up to 16 bytes takes one or two registers; if there are not enough left, it is
 * in memory as a whole and later ones may still have a register. A struct with
 * a field that is not aligned is in memory.
 */
#include "loc_arch_args.h"
#include "loc_entry.h"

#define REGISTER_SIZE 8u
#define MAX_BY_REGISTERS 16

/* The stack holds so many nested types: a blob may nest more, but no value of 16 bytes does. */
#define MAX_DEPTH 16

enum arg_kind {
	ARG_INTEGER,
	ARG_MEMORY,	/* also: not known, or not in integer registers */
};

static enum arg_kind kind_of(struct btf_type_walk *walk, u32 id, u64 bit, u32 depth);

static enum arg_kind kind_of_scalar(u32 size, u64 bit)
{
	return size && bit % (8ull * size) == 0 ? ARG_INTEGER : ARG_MEMORY;
}

static enum arg_kind kind_of_members(struct btf_type_walk *walk, const struct btf_type *type,
				     u64 bit, u32 depth)
{
	const struct btf_member *members = (const void *)(type + 1);
	u32 nr = loc_vlen(type);
	u32 i;

	/* A union of bit fields may have any number. */
	walk->left -= nr < walk->left ? nr : walk->left;
	for (i = 0; i < nr && walk->left; i++) {
		u64 offset = members[i].offset;

		if (loc_kind_flag(type)) {
			/* A bit field has no alignment. */
			if (BTF_MEMBER_BITFIELD_SIZE(offset))
				continue;
			offset = BTF_MEMBER_BIT_OFFSET(offset);
		}
		if (kind_of(walk, members[i].type, bit + offset, depth) != ARG_INTEGER)
			return ARG_MEMORY;
	}
	return ARG_INTEGER;
}

static enum arg_kind kind_of_array(struct btf_type_walk *walk, const struct btf_type *type,
				   u64 bit, u32 depth)
{
	const struct btf_array *array = (const void *)(type + 1);

	/* Its other elements are as aligned as the first. */
	return array->nelems ? kind_of(walk, array->type, bit, depth) : ARG_INTEGER;
}

/* Returns the kind of the member that begins at that bit of an argument. */
static enum arg_kind kind_of(struct btf_type_walk *walk, u32 id, u64 bit, u32 depth)
{
	const struct btf_type *type = btf_type_walk_strip(walk, id);

	if (depth == MAX_DEPTH)
		walk->left = 0;
	if (!type || !walk->left)
		return ARG_MEMORY;
	switch (loc_kind(type)) {
	case BTF_KIND_PTR:
		return kind_of_scalar(REGISTER_SIZE, bit);
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return kind_of_scalar(type->size, bit);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return type->size > MAX_BY_REGISTERS ? ARG_MEMORY :
			kind_of_members(walk, type, bit, depth + 1);
	case BTF_KIND_ARRAY:
		return kind_of_array(walk, type, bit, depth + 1);
	}
	return ARG_MEMORY;
}

u32 loc_arch_argument(const struct loc_arch *arch, struct btf_type_walk *walk, u32 type_id,
		      u32 size, u32 next)
{
	u32 registers = (size + REGISTER_SIZE - 1) / REGISTER_SIZE;

	if (!arch || arch->machine != LOC_MACHINE_X86_64 || size > MAX_BY_REGISTERS ||
	    next + registers > arch->nr_arguments ||
	    kind_of(walk, type_id, 0, 0) != ARG_INTEGER)
		return 0;
	return registers;
}

/* A result in memory: the first register says where. */
u32 loc_arch_result(const struct loc_arch *arch, struct btf_type_walk *walk, u32 type_id)
{
	const struct btf_type *type = btf_type_walk_strip(walk, type_id);

	if (!arch || arch->machine != LOC_MACHINE_X86_64 || !type ||
	    (loc_kind(type) != BTF_KIND_STRUCT && loc_kind(type) != BTF_KIND_UNION))
		return 0;
	return type->size && kind_of(walk, type_id, 0, 0) != ARG_INTEGER;
}
