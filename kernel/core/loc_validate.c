// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * The walk over all records of a blob, and the location kinds.
 */
#include "loc_arch.h"
#include "loc_location.h"
#include "loc_validate.h"
#include "record_check.h"

/* The record of an id of this very blob, or NULL. */
static const struct btf_type *own_type(const struct btf_blob *blob, u32 id)
{
	if (id - blob->first_id >= blob->nr_types)
		return NULL;
	return btf_blob_record(blob, id - blob->first_id);
}

/* The field that a fault of loc_location_read() is about. */
static const u32 *field_at_fault(const struct btf_type *param, enum btf_fault_code code)
{
	if (code == BTF_FAULT_PARAM_SIZE)
		return &param->size;
	return code == BTF_FAULT_PARAM_FLAGS ? record_payload(param) : &param->info;
}

static int check_param(const struct record_check *check)
{
	const struct btf_type *type = check->type;
	const u32 *values = loc_param_values(type);
	struct loc_location location;
	enum btf_fault_code code;
	bool pair;

	if (type->name_off)
		return record_refuse(check, BTF_FAULT_NAME_UNEXPECTED, &type->name_off);
	if (loc_kind_flag(type))
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->info);
	code = loc_location_read(&location, type);
	if (code)
		return record_refuse(check, code, field_at_fault(type, code));
	if (location.shape == LOC_SHAPE_CONSTANT || location.shape == LOC_SHAPE_ADDRESS)
		return 0;
	pair = location.shape == LOC_SHAPE_PAIR;
	if (values[0] >= check->nr_registers && (pair || values[0] != LOC_FRAME_BASE))
		return record_refuse(check, BTF_FAULT_PARAM_REGISTER, &values[0]);
	if (pair && values[1] >= check->nr_registers)
		return record_refuse(check, BTF_FAULT_PARAM_REGISTER, &values[1]);
	return 0;
}

static int check_proto(const struct record_check *check)
{
	const struct btf_type *type = check->type;
	const u32 *id = loc_proto_ids(type);
	const u32 *end = id + loc_vlen(type);

	if (type->name_off)
		return record_refuse(check, BTF_FAULT_NAME_UNEXPECTED, &type->name_off);
	if (loc_kind_flag(type))
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->info);
	if (type->size)
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->size);
	for (; id < end; id++) {
		const struct btf_type *param;

		if (!*id)
			continue;
		param = own_type(check->blob, *id);
		if (!param || loc_kind(param) != LOC_KIND_PARAM)
			return record_refuse(check, BTF_FAULT_PROTO_PARAM, id);
	}
	return 0;
}

bool loc_section_name(const char *name, u32 *loc_class, const char **elf_section)
{
	static const char inlined[] = "inline";
	static const char body[] = "func";
	const char *section = name;
	u32 found = LOC_CLASS_INLINE;

	if (!strncmp(name, inlined, sizeof(inlined) - 1)) {
		section = name + sizeof(inlined) - 1;
	} else if (!strncmp(name, body, sizeof(body) - 1)) {
		section = name + sizeof(body) - 1;
		found = LOC_CLASS_BODY;
	}
	if (section[0] != '.' || !section[1])
		return false;
	*loc_class = found;
	*elf_section = section;
	return true;
}

/*
 * More LOCSECs than an index holds are not compared with each other:
 * loc_index_build() refuses them, and no blob costs quadratic time.
 */
static int check_section_name(struct record_check *check)
{
	const struct btf_type *type = check->type;
	const char *elf_section, *name;
	u32 loc_class, i;
	int err = record_name_present(check, &type->name_off);

	if (err)
		return err;
	/* The index keeps a pointer to it, and the bytes of a base may move. */
	if (type->name_off < check->blob->first_string)
		return record_refuse(check, BTF_FAULT_LOCSEC_NAME, &type->name_off);
	name = btf_blob_string(check->blob, type->name_off);
	if (!name || !loc_section_name(name, &loc_class, &elf_section))
		return record_refuse(check, BTF_FAULT_LOCSEC_NAME, &type->name_off);
	for (i = 0; i < check->nr_sections; i++)
		if (check->classes[i] == loc_class && !strcmp(check->elf_sections[i], elf_section))
			return record_refuse(check, BTF_FAULT_LOCSEC_DUPLICATE, &type->name_off);
	if (check->nr_sections < LOC_INDEX_MAX_SECTIONS) {
		check->classes[check->nr_sections] = (u8)loc_class;
		check->elf_sections[check->nr_sections++] = elf_section;
	}
	return 0;
}

#define ARITY_ON_TRUST 0xffffffffu

/* The FUNC of a site, which may lie in a base that was not validated. */
static int check_site_func(const struct record_check *check, const u32 *id, u32 *arity)
{
	const struct btf_type *func = btf_blob_type(check->blob, *id);
	const struct btf_type *proto;

	*arity = ARITY_ON_TRUST;
	if (!func && record_on_trust(check, *id))
		return 0;
	if (!func || loc_kind(func) != BTF_KIND_FUNC)
		return record_refuse(check, BTF_FAULT_LOCSEC_FUNC, id);
	proto = btf_blob_type(check->blob, func->type);
	if (proto ? loc_kind(proto) != BTF_KIND_FUNC_PROTO : !record_on_trust(check, func->type))
		return record_refuse(check, BTF_FAULT_FUNC_PROTO, id);
	if (proto)
		*arity = loc_vlen(proto);
	return record_func_name(check, func->name_off, id);
}

static int check_section(struct record_check *check)
{
	const struct btf_blob *blob = check->blob;
	const struct btf_type *type = check->type;
	const struct loc_site *site = loc_sec_sites(type);
	const struct loc_site *end = site + loc_vlen(type);
	u32 func = 0, arity = 0;
	u64 last = 0;
	int err;

	err = check_section_name(check);
	if (err)
		return err;
	if (loc_kind_flag(type))
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->info);
	if (type->size)
		return record_refuse(check, BTF_FAULT_TYPE_FIELD, &type->size);
	for (; site < end; site++) {
		u64 key = (u64)site->offset << 32 | site->loc_proto;
		const struct btf_type *proto;

		if (site->func == func && func) {
			if (key <= last)
				return record_refuse(check, BTF_FAULT_LOCSEC_ORDER, site);
		} else {
			if (site->func < func)
				return record_refuse(check, BTF_FAULT_LOCSEC_ORDER, site);
			func = site->func;
			err = check_site_func(check, &site->func, &arity);
			if (err)
				return err;
		}
		last = key;
		proto = own_type(blob, site->loc_proto);
		if (!proto || loc_kind(proto) != LOC_KIND_PROTO)
			return record_refuse(check, BTF_FAULT_LOCSEC_PROTO, &site->loc_proto);
		if (loc_vlen(proto) != arity && arity != ARITY_ON_TRUST)
			return record_refuse(check, BTF_FAULT_LOCSEC_ARITY, &site->loc_proto);
	}
	return 0;
}

static int check_location_kind(struct record_check *check)
{
	switch (loc_kind(check->type)) {
	case LOC_KIND_PARAM:
		return check_param(check);
	case LOC_KIND_PROTO:
		return check_proto(check);
	case LOC_KIND_SEC:
		return check_section(check);
	default:
		return 0;	/* a later kind, which the layout let us skip */
	}
}

/* All at once, so that names which share their bytes cost no more. */
static int check_strings(const struct record_check *check)
{
	const struct btf_blob *blob = check->blob;
	const u8 *strings = blob->data + blob->strings_off;
	u32 size = plain_text_size(strings, blob->strings_len);

	if (size < blob->strings_len)
		return record_refuse(check, BTF_FAULT_NAME_TEXT, strings + size);
	return 0;
}

static int check_all(const struct btf_blob *blob, u32 machine, bool locations,
		     struct btf_fault *fault)
{
	const struct loc_arch *arch = loc_arch_of(machine);
	struct record_check check = {
		.blob = blob,
		.fault = fault,
		.end_id = btf_blob_end_id(blob),
		.end_string = btf_blob_end_string(blob),
		.nr_registers = arch ? arch->nr_numbers : 0,
	};
	int err = check_strings(&check);
	u32 i;

	for (i = 0; !err && i < blob->nr_types; i++) {
		check.id = blob->first_id + i;
		check.type = i ? btf_blob_next(blob, check.type) : btf_blob_record(blob, 0);
		if (loc_kind(check.type) <= LAST_STOCK_KIND)
			err = record_check_stock_kind(&check);
		else if (locations || loc_kind(check.type) >= LOC_KIND_COUNT)
			err = check_location_kind(&check);
		else
			err = record_refuse(&check, BTF_FAULT_KIND_PLACE, check.type);
	}
	return err;
}

int loc_validate_types(const struct btf_blob *types, struct btf_fault *fault)
{
	return check_all(types, 0, false, fault);
}

int loc_validate(const struct btf_blob *func_info, u32 machine, struct btf_fault *fault)
{
	return check_all(func_info, machine, true, fault);
}
