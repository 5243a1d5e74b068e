// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "loc_arch_args.h"
#include "loc_entry.h"

#define REGISTER_SIZE 8u
#define MAX_BY_REGISTERS 16

/* The maximum depth of nested types: a blob may nest more, but no value of 16 bytes does. */
#define MAX_DEPTH 16

/* The conventions ask this of a value. */
struct traits {
	bool other;		/* a part is no integer and no pointer, or is not known */
	bool unaligned;		/* a part is not aligned to its size */
	u32 alignment;		/* size of its largest part */
};

static void look_at(struct btf_type_walk *walk, u32 id, u64 bit, u32 depth, struct traits *traits);

static void look_at_scalar(u32 size, u64 bit, struct traits *traits)
{
	if (!size || bit % (8ull * size))
		traits->unaligned = true;
	if (size > traits->alignment)
		traits->alignment = size;
}

static void look_at_members(struct btf_type_walk *walk, const struct btf_type *type, u64 bit,
			    u32 depth, struct traits *traits)
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
		look_at(walk, members[i].type, bit + offset, depth, traits);
	}
}

/* Looks at the part of an argument that begins at that bit. */
static void look_at(struct btf_type_walk *walk, u32 id, u64 bit, u32 depth, struct traits *traits)
{
	const struct btf_type *type = btf_type_walk_strip(walk, id);
	const struct btf_array *array;

	if (depth == MAX_DEPTH)
		walk->left = 0;
	if (!type || !walk->left) {
		traits->other = true;
		return;
	}
	switch (loc_kind(type)) {
	case BTF_KIND_PTR:
		look_at_scalar(REGISTER_SIZE, bit, traits);
		break;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		look_at_scalar(type->size, bit, traits);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		if (type->size > MAX_BY_REGISTERS)
			traits->other = true;
		else
			look_at_members(walk, type, bit, depth + 1, traits);
		break;
	case BTF_KIND_ARRAY:
		array = (const void *)(type + 1);
		/* Its other elements are as aligned as the first. */
		if (array->nelems)
			look_at(walk, array->type, bit, depth + 1, traits);
		break;
	default:
		traits->other = true;
	}
}

static struct traits traits_of(struct btf_type_walk *walk, u32 id)
{
	struct traits traits = { 0 };

	look_at(walk, id, 0, 0, &traits);
	return traits;
}

/* ---- System V ABI for x86-64, section 3.2.3 ---- */

/*
 * An argument of up to 16 bytes takes one or two registers; if there are not enough left, it is in
 * memory as a whole and later ones may still have a register. A struct with a field that is not
 * aligned is in memory.
 */
static bool x86_64_in_memory(struct btf_type_walk *walk, u32 id)
{
	const struct traits traits = traits_of(walk, id);

	return traits.other || traits.unaligned;
}

static struct loc_arg_registers x86_64_argument(const struct loc_arch *arch,
						struct btf_type_walk *walk, u32 id, u32 size,
						u32 *used)
{
	struct loc_arg_registers found = { .first = *used };
	u32 nr = (size + REGISTER_SIZE - 1) / REGISTER_SIZE;

	if (size > MAX_BY_REGISTERS || *used + nr > arch->nr_arguments ||
	    x86_64_in_memory(walk, id))
		return found;
	found.nr = nr;
	*used += nr;
	return found;
}

/* A result in memory: the first register has its address. */
static u32 x86_64_result(struct btf_type_walk *walk, u32 id)
{
	const struct btf_type *type = btf_type_walk_strip(walk, id);

	if (!type || (loc_kind(type) != BTF_KIND_STRUCT && loc_kind(type) != BTF_KIND_UNION))
		return 0;
	return type->size && x86_64_in_memory(walk, id);
}

/* ---- AAPCS64, section 6.8.2 ---- */

/*
 * An argument of up to 16 bytes takes one or two registers, beginning with an even one if it is
 * aligned to 16 bytes. For a larger one a register has the address. If there are not enough left,
 * it is in memory, and so are all that follow. A result in memory takes no argument register: x8
 * has its address.
 */
static struct loc_arg_registers aarch64_argument(const struct loc_arch *arch,
						 struct btf_type_walk *walk, u32 id, u32 size,
						 u32 *used)
{
	struct loc_arg_registers found = { .by_reference = size > MAX_BY_REGISTERS };
	u32 nr = found.by_reference ? 1 : (size + REGISTER_SIZE - 1) / REGISTER_SIZE;

	if (!found.by_reference) {
		const struct traits traits = traits_of(walk, id);

		if (traits.alignment > REGISTER_SIZE)
			*used += *used & 1;
		/*
		 * Other registers may hold values that are not integers. The kernel has no such
		 * values.
		 */
		if (traits.other)
			*used = arch->nr_arguments;
	}
	if (*used + nr > arch->nr_arguments) {
		*used = arch->nr_arguments;
		return (struct loc_arg_registers){ 0 };
	}
	found.first = *used;
	found.nr = nr;
	*used += nr;
	return found;
}

/* ---- any of them ---- */

struct loc_arg_registers loc_arch_argument(const struct loc_arch *arch, struct btf_type_walk *walk,
					   u32 type_id, u32 size, u32 *used)
{
	switch (arch ? arch->machine : 0) {
	case LOC_MACHINE_X86_64:
		return x86_64_argument(arch, walk, type_id, size, used);
	case LOC_MACHINE_AARCH64:
		return aarch64_argument(arch, walk, type_id, size, used);
	default:
		return (struct loc_arg_registers){ 0 };
	}
}

u32 loc_arch_result(const struct loc_arch *arch, struct btf_type_walk *walk, u32 type_id)
{
	return arch && arch->machine == LOC_MACHINE_X86_64 ? x86_64_result(walk, type_id) : 0;
}
