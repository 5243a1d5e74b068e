// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "abi_check.h"

#include "func_suffix.h"
#include "loc_entry.h"

/* A value in the registers of the place, or in memory to which its register points. */
static bool at_place(const struct loc_arch *arch, const struct loc_location *location,
		     const struct arg_place *place)
{
	const u8 *expected = arch->arguments + place->first_register;

	if (location->registers[0] != expected[0])
		return false;
	if (place->by_reference)
		return location->shape == LOC_SHAPE_MEMORY && !location->value;
	if (location->shape == LOC_SHAPE_PAIR)
		return place->nr_registers == 2 && location->registers[1] == expected[1];
	return location->shape == LOC_SHAPE_REGISTER && !location->value &&
	       place->nr_registers == 1;
}

static enum abi_fault_code abi_check_param(const struct loc_arch *arch,
					   const struct btf_type *param,
					   const struct arg_place *place,
					   enum abi_promise promise,
					   struct loc_location *found)
{
	/* It is in memory: no location contains more than the ABI. */
	if (!place->nr_registers)
		return promise == ABI_KEPT ? ABI_FAULT_NONE : ABI_FAULT_IN_MEMORY;
	if (!param || loc_location_read(found, param))
		return promise == ABI_KEPT ? ABI_FAULT_NONE : ABI_FAULT_OPTIMIZED_OUT;
	/* The value is always the same, and may still be passed. */
	if (found->shape == LOC_SHAPE_CONSTANT || found->shape == LOC_SHAPE_ADDRESS)
		return promise == ABI_KEPT ? ABI_FAULT_NONE : ABI_FAULT_CONSTANT;
	return at_place(arch, found, place) ? ABI_FAULT_NONE : ABI_FAULT_ELSEWHERE;
}

static bool has_result(const struct btf_blob *types, u32 func_id)
{
	const struct btf_type *func = btf_blob_type(types, func_id);
	const struct btf_type *proto = func ? btf_blob_type(types, func->type) : NULL;

	return proto && proto->type;
}

enum abi_promise abi_promise_of_symbol(const char *func, const char *symbol)
{
	size_t length = strlen(func);

	if (!symbol || strncmp(symbol, func, length))
		return ABI_KEPT;
	return func_suffix_meaning(symbol + length, strlen(symbol + length)) &
	       (FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_PART) ? ABI_CHANGED : ABI_KEPT;
}

bool abi_check_from(const struct loc_arch *arch, const struct btf_blob *types, u32 func_id,
		    u32 loc_proto, enum abi_promise promise, u32 first, struct abi_fault *fault)
{
	const struct btf_type *proto = btf_blob_type(types, loc_proto);
	struct arg_place places[ARG_SLOTS_PARAMS];
	int nr_params = arg_places(arch, types, func_id, places, ARG_SLOTS_PARAMS);
	u32 i;

	*fault = (struct abi_fault){};
	if (!arch || nr_params < 0 || nr_params > (int)ARG_SLOTS_PARAMS || !proto) {
		fault->code = ABI_FAULT_PROTOTYPE;
		return false;
	}
	for (i = first; i < (u32)nr_params; i++) {
		const struct btf_type *param = NULL;

		if (i < loc_vlen(proto))
			param = btf_blob_type(types, loc_proto_ids(proto)[i]);
		fault->code = abi_check_param(arch, param, &places[i], promise, &fault->found);
		if (!fault->code)
			continue;
		fault->param = i;
		fault->place = places[i];
		return false;
	}
	/* A compiler that drops parameters also drops an unused result. */
	if (promise == ABI_CHANGED && has_result(types, func_id)) {
		fault->code = ABI_FAULT_RESULT;
		return false;
	}
	return true;
}
