// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "arg_place.h"
#include "loc_arch_args.h"
#include "loc_entry.h"

static void args_place(const struct loc_arch *arch, struct btf_type_walk *walk, u32 id, u32 *used,
		       struct arg_place *found)
{
	const struct btf_value value = btf_type_walk_value(walk, id);
	struct loc_arg_registers registers = { 0 };

	if (value.size)
		registers = loc_arch_argument(arch, walk, id, value.size, used);
	*found = (struct arg_place){
		.size = value.size,
		.is_signed = value.is_signed,
		.first_register = registers.first,
		.nr_registers = registers.nr,
		.by_reference = registers.by_reference,
	};
}

const struct btf_type *arg_prototype(const struct btf_blob *types, u32 func_id)
{
	const struct btf_type *func = btf_blob_type(types, func_id);
	const struct btf_type *proto;

	if (!func || loc_kind(func) != BTF_KIND_FUNC)
		return NULL;
	proto = btf_blob_type(types, func->type);
	return proto && loc_kind(proto) == BTF_KIND_FUNC_PROTO ? proto : NULL;
}

static int find_places(const struct loc_arch *arch, const struct btf_blob *types, u32 func_id,
		       bool with_result, u32 without, struct arg_place *places, u32 capacity)
{
	struct btf_type_walk walk = btf_type_walk_begin(types);
	const struct btf_type *proto = arg_prototype(types, func_id);
	const struct btf_param *params;
	u32 used, nr, i;

	if (!proto)
		return -EINVAL;
	params = (const void *)(proto + 1);
	nr = loc_vlen(proto);
	if (nr && !params[nr - 1].type)
		nr--;
	used = with_result ? loc_arch_result(arch, &walk, proto->type) : 0;
	for (i = 0; i < nr && i < capacity; i++) {
		if (i < 32 && without >> i & 1)
			places[i] = (struct arg_place){ 0 };
		else
			args_place(arch, &walk, params[i].type, &used, &places[i]);
	}
	return walk.left ? (int)nr : -EINVAL;
}

int arg_places(const struct loc_arch *arch, const struct btf_blob *types, u32 func_id,
	       struct arg_place *places, u32 capacity)
{
	return find_places(arch, types, func_id, true, 0, places, capacity);
}

int arg_places_of_stub(const struct loc_arch *arch, const struct btf_blob *types, u32 func_id,
		       u32 without, struct arg_place *places, u32 capacity)
{
	return find_places(arch, types, func_id, false, without, places, capacity);
}

int arg_places_in_slots(const struct loc_arch *arch, const struct btf_blob *types, u32 func_id,
			struct arg_place *places, u32 capacity)
{
	int nr = arg_places(arch, types, func_id, places, capacity);
	u32 slot = 0;
	int i;

	if (nr > (int)ARG_SLOTS_PARAMS)
		return -EINVAL;
	for (i = 0; i < nr && i < (int)capacity; i++) {
		if (!places[i].size || places[i].size > 16)
			return -EINVAL;
		places[i].first_slot = slot;
		places[i].nr_slots = places[i].size > 8 ? 2 : 1;
		slot += places[i].nr_slots;
	}
	return nr;
}
