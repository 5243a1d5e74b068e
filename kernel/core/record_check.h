/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Between loc_validate.c and stock_kinds.c only: the record at hand and what all
 * kinds have in common. One condition, one code, one return.
 */
#ifndef BTF_EXTRA_RECORD_CHECK_H
#define BTF_EXTRA_RECORD_CHECK_H

#include "btf_blob.h"
#include "loc_entry.h"
#include "loc_index.h"

/* The kinds above it that this reader knows are the location kinds. */
#define LAST_STOCK_KIND BTF_KIND_ENUM64

/* The record at hand, and what is carried from record to record. */
struct record_check {
	const struct btf_blob *blob;
	struct btf_fault *fault;
	u32 end_id;			/* of the whole chain, as end_string */
	u32 end_string;
	u32 nr_registers;

	u32 id;
	const struct btf_type *type;

	u32 last_func;			/* id of the last FUNC of this blob, 0: none yet */
	const char *last_func_name;	/* NULL: not readable */
	u32 nr_sections;		/* LOCSECs so far; the first ones are kept: */
	const char *elf_sections[LOC_INDEX_MAX_SECTIONS];
	u8 classes[LOC_INDEX_MAX_SECTIONS];
};

/* where: the field at fault, inside the blob. */
static inline int record_refuse(const struct record_check *check, enum btf_fault_code code,
				const void *where)
{
	check->fault->code = code;
	check->fault->type_id = check->id;
	check->fault->offset = (u32)((const u8 *)where - check->blob->data);
	return -EINVAL;
}

/* What follows struct btf_type. */
static inline const void *record_payload(const struct btf_type *type)
{
	return type + 1;
}

/* Whether an id lies in a base of which only the counts are known. */
static inline bool record_on_trust(const struct record_check *check, u32 id)
{
	const struct btf_blob *level = btf_blob_level(check->blob, id);

	return level && !level->data;
}

static inline int record_name(const struct record_check *check, const u32 *name)
{
	if (*name && *name >= check->end_string)
		return record_refuse(check, BTF_FAULT_NAME_RANGE, name);
	return 0;
}

static inline int record_name_present(const struct record_check *check, const u32 *name)
{
	const char *string;
	int err = record_name(check, name);

	if (err)
		return err;
	string = btf_blob_string(check->blob, *name);
	if (string && !*string)
		return record_refuse(check, BTF_FAULT_NAME_MISSING, name);
	return 0;
}

/*
 * A FUNC's name: present, and of a length that is cheap to compare. where is
 * apart from the name because the FUNC may lie in another blob than its user.
 */
static inline int record_func_name(const struct record_check *check, u32 name, const void *where)
{
	const char *string;

	if (name && name >= check->end_string)
		return record_refuse(check, BTF_FAULT_NAME_RANGE, where);
	string = btf_blob_string(check->blob, name);
	if (string && !*string)
		return record_refuse(check, BTF_FAULT_NAME_MISSING, where);
	if (string && strnlen(string, BTF_FUNC_NAME_MAX + 1) > BTF_FUNC_NAME_MAX)
		return record_refuse(check, BTF_FAULT_NAME_LENGTH, where);
	return 0;
}

static inline int record_type_id(const struct record_check *check, const u32 *id,
				 bool void_allowed)
{
	if (*id >= check->end_id || (!*id && !void_allowed))
		return record_refuse(check, BTF_FAULT_TYPE_ID_RANGE, id);
	return 0;
}

/* The record is of a kind up to LAST_STOCK_KIND. (stock_kinds.c) */
int record_check_stock_kind(struct record_check *check);

#endif
