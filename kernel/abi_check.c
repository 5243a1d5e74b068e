// SPDX-License-Identifier: GPL-2.0
#include <linux/btf.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "abi_check.h"
#include "arg_place.h"
#include "core/loc_entry.h"

/* A trampoline takes no more (MAX_BPF_FUNC_ARGS). */
#define MAX_PARAMS 12

/* By DWARF number (x86-64 psABI, figure 3.36). */
static const char *const register_names[] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

/* DWARF numbers of the argument registers, in order. */
static const u8 argument_registers[] = { 5, 4, 1, 2, 8, 9 };

static const char *register_name(u32 number)
{
	return number < ARRAY_SIZE(register_names) ? register_names[number] : "?";
}

static void say_expected(char *text, size_t size, const struct arg_place *place)
{
	u32 first = argument_registers[place->first_register];

	if (place->nr_registers == 2)
		scnprintf(text, size, "%%%s:%%%s", register_name(first),
			  register_name(argument_registers[place->first_register + 1]));
	else
		scnprintf(text, size, "%%%s", register_name(first));
}

static s64 offset_of(const struct btf_type *param)
{
	const u32 *values = loc_param_values(param);

	if (!(loc_param_flags(param) & LOC_OFFSET))
		return 0;
	if (loc_vlen(param) > 2)
		return values[1] | (u64)values[2] << 32;
	return loc_param_flags(param) & LOC_SIGNED ? (s64)(s32)values[1] : values[1];
}

static void say_found(char *text, size_t size, const struct btf_type *param)
{
	const u32 *values = loc_param_values(param);
	u32 flags = loc_param_flags(param);
	const char *name = register_name(values[0]);
	s64 offset = offset_of(param);

	if (flags & LOC_DEREF && offset)
		scnprintf(text, size, "in memory at %%%s%+lld", name, offset);
	else if (flags & LOC_DEREF)
		scnprintf(text, size, "in memory at %%%s", name);
	else if (offset)
		scnprintf(text, size, "%%%s%+lld", name, offset);
	else if (!(flags & LOC_OFFSET) && loc_vlen(param) == 2)
		scnprintf(text, size, "in %%%s:%%%s", name, register_name(values[1]));
	else
		scnprintf(text, size, "in %%%s", name);
}

/* A value in the registers, or the first one, that the place has. */
static bool at_place(const struct btf_type *param, const struct arg_place *place)
{
	const u32 *values = loc_param_values(param);
	u32 flags = loc_param_flags(param);

	if (flags & LOC_DEREF || offset_of(param) ||
	    values[0] != argument_registers[place->first_register])
		return false;
	if (!(flags & LOC_OFFSET) && loc_vlen(param) == 2)
		return place->nr_registers == 2 &&
		       values[1] == argument_registers[place->first_register + 1];
	return param->size <= 8 && place->nr_registers == 1;
}

static bool check_param(const struct btf_type *param, const struct arg_place *place,
			enum abi_promise promise, char *where, size_t size)
{
	char expected[24], found[48];

	/* In memory, where no location tells more than the ABI. */
	if (!place->nr_registers) {
		if (promise == ABI_KEPT)
			return true;
		scnprintf(where, size, "is not in a register");
		return false;
	}
	if (!param) {
		if (promise == ABI_KEPT)
			return true;
		scnprintf(where, size, "is optimized out");
		return false;
	}
	/* What is always the same may still be passed. */
	if (loc_param_flags(param) & LOC_CONST) {
		if (promise == ABI_KEPT)
			return true;
		scnprintf(where, size, "is a constant and not passed");
		return false;
	}
	if (at_place(param, place))
		return true;
	say_expected(expected, sizeof(expected), place);
	say_found(found, sizeof(found), param);
	scnprintf(where, size, "is %s, not in %s", found, expected);
	return false;
}

static void name_param(const struct btf_blob *types, u32 func_id, u32 number, char *text,
		       size_t size)
{
	const struct btf_type *func = btf_blob_type(types, func_id);
	const struct btf_param *params = (const void *)(btf_blob_type(types, func->type) + 1);
	const char *name = btf_blob_string(types, params[number].name_off);

	if (name && *name)
		scnprintf(text, size, "'%s'", name);
	else
		scnprintf(text, size, "%u", number + 1);
}

static bool has_result(const struct btf_blob *types, u32 func_id)
{
	const struct btf_type *func = btf_blob_type(types, func_id);
	const struct btf_type *proto = func ? btf_blob_type(types, func->type) : NULL;

	return proto && proto->type;
}

bool abi_check(const struct btf_blob *types, u32 func_id, u32 loc_proto, enum abi_promise promise,
	       struct abi_fault *fault)
{
	const struct btf_type *proto = btf_blob_type(types, loc_proto);
	struct arg_place places[MAX_PARAMS];
	int nr_params = arg_places(types, func_id, places, ARRAY_SIZE(places));
	u32 i;

	*fault = (struct abi_fault){};
	if (nr_params < 0 || nr_params > MAX_PARAMS || !proto) {
		fault->kind = ABI_FAULT_PROTOTYPE;
		return false;
	}
	for (i = 0; i < nr_params; i++) {
		const struct btf_type *param = NULL;

		if (i < loc_vlen(proto))
			param = btf_blob_type(types, loc_proto_ids(proto)[i]);
		if (check_param(param, &places[i], promise, fault->where, sizeof(fault->where)))
			continue;
		fault->kind = ABI_FAULT_PARAMETER;
		name_param(types, func_id, i, fault->param, sizeof(fault->param));
		return false;
	}
	/* With its parameters a compiler drops a result that nobody looks at. */
	if (promise == ABI_CHANGED && has_result(types, func_id)) {
		fault->kind = ABI_FAULT_RESULT;
		return false;
	}
	return true;
}

bool abi_suffix_changes(const char *suffix)
{
	return strstr(suffix, ".isra.") || strstr(suffix, ".constprop.") ||
	       strstr(suffix, ".part.");
}
