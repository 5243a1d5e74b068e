// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * The kinds that every kernel accepts in split BTF. One table has what struct btf_type may contain,
 * and each kind has a function for what follows it. The conditions are those of btf_*_check_meta()
 * in the kernel's kernel/bpf/btf.c, so that the kernel does not refuse what passes here. Cycles of
 * types are not searched: code that follows types must bound its work.
 */
#include "byte_view.h"
#include "record_check.h"

enum { NAME_MAY, NAME_MUST, NAME_NONE };
enum { VLEN_NONE, VLEN_ANY };
enum { FLAG_NONE, FLAG_ANY };
enum { FIELD_SIZE, FIELD_ZERO, FIELD_TYPE, FIELD_TYPE_OR_VOID };

/* The values that btf_*_check_meta() of the kernel allows in struct btf_type. */
static const struct {
	u8 name, vlen, kind_flag, field;
} kind_rules[] = {
	[BTF_KIND_INT] = { NAME_MAY, VLEN_NONE, FLAG_NONE, FIELD_SIZE },
	[BTF_KIND_PTR] = { NAME_NONE, VLEN_NONE, FLAG_NONE, FIELD_TYPE_OR_VOID },
	[BTF_KIND_ARRAY] = { NAME_NONE, VLEN_NONE, FLAG_NONE, FIELD_ZERO },
	[BTF_KIND_STRUCT] = { NAME_MAY, VLEN_ANY, FLAG_ANY, FIELD_SIZE },
	[BTF_KIND_UNION] = { NAME_MAY, VLEN_ANY, FLAG_ANY, FIELD_SIZE },
	[BTF_KIND_ENUM] = { NAME_MAY, VLEN_ANY, FLAG_ANY, FIELD_SIZE },
	[BTF_KIND_FWD] = { NAME_MUST, VLEN_NONE, FLAG_ANY, FIELD_ZERO },
	[BTF_KIND_TYPEDEF] = { NAME_MUST, VLEN_NONE, FLAG_NONE, FIELD_TYPE_OR_VOID },
	[BTF_KIND_VOLATILE] = { NAME_NONE, VLEN_NONE, FLAG_NONE, FIELD_TYPE_OR_VOID },
	[BTF_KIND_CONST] = { NAME_NONE, VLEN_NONE, FLAG_NONE, FIELD_TYPE_OR_VOID },
	[BTF_KIND_RESTRICT] = { NAME_NONE, VLEN_NONE, FLAG_NONE, FIELD_TYPE_OR_VOID },
	/* vlen of a FUNC is its linkage */
	[BTF_KIND_FUNC] = { NAME_MUST, VLEN_ANY, FLAG_NONE, FIELD_TYPE },
	[BTF_KIND_FUNC_PROTO] = { NAME_NONE, VLEN_ANY, FLAG_NONE, FIELD_TYPE_OR_VOID },
	[BTF_KIND_VAR] = { NAME_MUST, VLEN_NONE, FLAG_NONE, FIELD_TYPE },
	[BTF_KIND_DATASEC] = { NAME_MUST, VLEN_ANY, FLAG_NONE, FIELD_SIZE },
	[BTF_KIND_FLOAT] = { NAME_MAY, VLEN_NONE, FLAG_NONE, FIELD_SIZE },
	/* kind_flag marks an attribute since commit 53ee0d66d7a6 (6.15) */
	[BTF_KIND_DECL_TAG] = { NAME_MUST, VLEN_NONE, FLAG_ANY, FIELD_TYPE },
	[BTF_KIND_TYPE_TAG] = { NAME_MUST, VLEN_NONE, FLAG_ANY, FIELD_TYPE_OR_VOID },
	[BTF_KIND_ENUM64] = { NAME_MAY, VLEN_ANY, FLAG_ANY, FIELD_SIZE },
};

static int check_record(const struct record_check *check)
{
	const struct btf_type *type = check->type;
	u32 kind = loc_kind(type);
	int err = 0;

	if (kind_rules[kind].name == NAME_NONE && type->name_off)
		return record_refuse(check, BTF_FAULT_NAME_UNEXPECTED, &type->name_off);
	if (kind_rules[kind].name == NAME_MUST)
		err = record_name_present(check, &type->name_off);
	else
		err = record_name(check, &type->name_off);
	if (err)
		return err;
	if (kind_rules[kind].vlen == VLEN_NONE && loc_vlen(type))
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->info);
	if (kind_rules[kind].kind_flag == FLAG_NONE && loc_kind_flag(type))
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->info);
	switch (kind_rules[kind].field) {
	case FIELD_ZERO:
		if (type->type)
			return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->type);
		return 0;
	case FIELD_TYPE:
		return record_type_id(check, &type->type, false);
	case FIELD_TYPE_OR_VOID:
		return record_type_id(check, &type->type, true);
	default:
		return 0;
	}
}

static int check_int(const struct record_check *check)
{
	const struct btf_type *type = check->type;
	const u32 *encoding = record_payload(type);
	u32 bits = BTF_INT_BITS(*encoding) + BTF_INT_OFFSET(*encoding);
	u32 sign = BTF_INT_ENCODING(*encoding);

	if (!type->size || type->size > 16)
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->size);
	/* The encoding has at most one bit: signed, char or bool. */
	if (*encoding & 0xf0000000 || bits > type->size * 8 || sign & (sign - 1) || sign > 4)
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, encoding);
	return 0;
}

static int check_array(const struct record_check *check)
{
	const struct btf_array *array = record_payload(check->type);
	int err = record_type_id(check, &array->type, false);

	return err ? err : record_type_id(check, &array->index_type, false);
}

static int check_members(const struct record_check *check)
{
	const struct btf_type *type = check->type;
	const struct btf_member *member = record_payload(type);
	const struct btf_member *end = member + loc_vlen(type);
	bool is_union = loc_kind(type) == BTF_KIND_UNION;
	u32 last = 0;
	int err;

	for (; member < end; member++) {
		u32 bit = member->offset;

		if (loc_kind_flag(type))
			bit = BTF_MEMBER_BIT_OFFSET(bit);
		err = record_name(check, &member->name_off);
		if (err)
			return err;
		err = record_type_id(check, &member->type, false);
		if (err)
			return err;
		if (bit < last || (is_union && bit) || bit > (u64)type->size * 8)
			return record_refuse(check, BTF_FAULT_MEMBER, &member->offset);
		last = bit;
	}
	return 0;
}

static int check_enum(const struct record_check *check)
{
	const struct btf_type *type = check->type;
	bool wide = loc_kind(type) == BTF_KIND_ENUM64;
	size_t step = wide ? sizeof(struct btf_enum64) : sizeof(struct btf_enum);
	const u8 *value = record_payload(type);
	u32 i;
	int err;

	if (!type->size || type->size > 8 || type->size & (type->size - 1))
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->size);
	for (i = 0; i < loc_vlen(type); i++, value += step) {
		/* The value begins with the offset of its name in both kinds. */
		const void *name = value;

		err = record_name_present(check, name);
		if (err)
			return err;
	}
	return 0;
}

/* FUNCs have consecutive ids, in bytewise order of their names. That order is the name table. */
static int check_func(struct record_check *check)
{
	const struct btf_type *type = check->type;
	const struct btf_type *proto = btf_blob_type(check->blob, type->type);
	const char *name = btf_blob_string(check->blob, type->name_off);
	int err;

	if (loc_vlen(type) > BTF_FUNC_EXTERN)
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->info);
	err = record_func_name(check, type->name_off, &type->name_off);
	if (err)
		return err;
	if (proto ? loc_kind(proto) != BTF_KIND_FUNC_PROTO : !record_on_trust(check, type->type))
		return record_refuse(check, BTF_FAULT_FUNC_PROTO, &type->type);
	if (check->last_func && check->last_func + 1 != check->id)
		return record_refuse(check, BTF_FAULT_FUNC_ORDER, type);
	if (check->last_func_name && name && strcmp(check->last_func_name, name) > 0)
		return record_refuse(check, BTF_FAULT_FUNC_ORDER, &type->name_off);
	check->last_func = check->id;
	check->last_func_name = name;
	return 0;
}

static int check_func_proto(const struct record_check *check)
{
	const struct btf_type *type = check->type;
	const struct btf_param *param = record_payload(type);
	const struct btf_param *end = param + loc_vlen(type);
	int err;

	for (; param < end; param++) {
		/* A variadic prototype ends in void. */
		bool variadic = param + 1 == end && !param->type;

		if (variadic && param->name_off)
			return record_refuse(check, BTF_FAULT_NAME_UNEXPECTED, &param->name_off);
		err = record_name(check, &param->name_off);
		if (err)
			return err;
		err = record_type_id(check, &param->type, variadic);
		if (err)
			return err;
	}
	return 0;
}

/*
 * An identifier of btf_name_valid_identifier() in the kernel: letters, digits, '_' and '.', not
 * with a digit first. The loop ends at the longest name, because many VARs may share a longer
 * string.
 */
static bool var_name_valid(const char *name)
{
	u32 i;

	for (i = 0; name[i] && i < BTF_FUNC_NAME_MAX; i++) {
		bool letter = (name[i] | 0x20) >= 'a' && (name[i] | 0x20) <= 'z';
		bool digit = name[i] >= '0' && name[i] <= '9';

		if (!letter && !(digit && i) && name[i] != '_' && name[i] != '.')
			return false;
	}
	return !name[i];
}

static int check_var(const struct record_check *check)
{
	const struct btf_type *type = check->type;
	const struct btf_var *var = record_payload(type);
	const char *name = btf_blob_string(check->blob, type->name_off);

	if (name && !var_name_valid(name))
		return record_refuse(check, BTF_FAULT_VAR_NAME, &type->name_off);
	if (var->linkage > BTF_VAR_GLOBAL_ALLOCATED)
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &var->linkage);
	return 0;
}

static int check_datasec(const struct record_check *check)
{
	const struct btf_type *type = check->type;
	const struct btf_var_secinfo *var = record_payload(type);
	const struct btf_var_secinfo *end = var + loc_vlen(type);
	u64 last_end = 0;
	int err;

	if (!type->size)
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->size);
	for (; var < end; var++) {
		err = record_type_id(check, &var->type, false);
		if (err)
			return err;
		if (var->offset < last_end)
			return record_refuse(check, BTF_FAULT_MEMBER, &var->offset);
		if (!var->size || !byte_range_fits(var->offset, var->size, type->size))
			return record_refuse(check, BTF_FAULT_MEMBER, &var->size);
		last_end = (u64)var->offset + var->size;
	}
	return 0;
}

static int check_float(const struct record_check *check)
{
	const struct btf_type *type = check->type;

	switch (type->size) {
	case 2:
	case 4:
	case 8:
	case 12:
	case 16:
		return 0;
	default:
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->size);
	}
}

static int check_decl_tag(const struct record_check *check)
{
	const struct btf_type *type = check->type;
	const struct btf_type *target = btf_blob_type(check->blob, type->type);
	const struct btf_decl_tag *tag = record_payload(type);
	u32 nr_components = 0;

	if (tag->component_idx < -1)
		return record_refuse(check, BTF_FAULT_TAG_TARGET, &tag->component_idx);
	if (!target)	/* the base is on trust: check_record() has seen that the id exists */
		return 0;
	switch (loc_kind(target)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		nr_components = loc_vlen(target);
		break;
	case BTF_KIND_FUNC:
		target = btf_blob_type(check->blob, target->type);
		/* It is a FUNC_PROTO on trust, or a FUNC that is refused later. */
		if (!target)
			return 0;
		nr_components = loc_vlen(target);
		break;
	case BTF_KIND_VAR:
	case BTF_KIND_TYPEDEF:
		break;
	default:
		return record_refuse(check, BTF_FAULT_TAG_TARGET, &type->type);
	}
	if (tag->component_idx >= 0 && (u32)tag->component_idx >= nr_components)
		return record_refuse(check, BTF_FAULT_TAG_TARGET, &tag->component_idx);
	return 0;
}

int record_check_stock_kind(struct record_check *check)
{
	int err = check_record(check);

	if (err)
		return err;
	switch (loc_kind(check->type)) {
	case BTF_KIND_INT:
		return check_int(check);
	case BTF_KIND_ARRAY:
		return check_array(check);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return check_members(check);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return check_enum(check);
	case BTF_KIND_FUNC:
		return check_func(check);
	case BTF_KIND_FUNC_PROTO:
		return check_func_proto(check);
	case BTF_KIND_VAR:
		return check_var(check);
	case BTF_KIND_DATASEC:
		return check_datasec(check);
	case BTF_KIND_FLOAT:
		return check_float(check);
	case BTF_KIND_DECL_TAG:
		return check_decl_tag(check);
	default:
		return 0;
	}
}
