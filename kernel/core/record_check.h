/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The current record, and the checks that all kinds share. Only loc_validate.c and stock_kinds.c
 * include this. Each condition has one code and one return.
 */
#ifndef BTF_EXTRA_RECORD_CHECK_H
#define BTF_EXTRA_RECORD_CHECK_H

#include "btf_blob.h"
#include "loc_entry.h"
#include "loc_index.h"
#include "plain_text.h"

/* This reader knows more kinds: those above are the location kinds. */
#define LAST_STOCK_KIND BTF_KIND_ENUM64

/* The current record, and what is kept from record to record. */
struct record_check {
	const struct btf_blob *blob;
	struct btf_fault *fault;
	u32 end_id;			/* end of the whole chain, like end_string */
	u32 end_string;
	u32 nr_registers;

	u32 id;
	const struct btf_type *type;

	u32 last_func;			/* id of the last FUNC of this blob; 0: none yet */
	const char *last_func_name;	/* NULL: it cannot be read */
	u32 nr_sections;		/* LOCSECs so far; the first ones are kept in the array */
	const char *elf_sections[LOC_INDEX_MAX_SECTIONS];
	u8 classes[LOC_INDEX_MAX_SECTIONS];
};

/* where is the field at fault, inside the blob. */
static inline int record_refuse(const struct record_check *check, enum btf_fault_code code,
				const void *where)
{
	check->fault->code = code;
	check->fault->type_id = check->id;
	check->fault->offset = (u32)((const u8 *)where - check->blob->data);
	return -EINVAL;
}

/* Returns the bytes that follow struct btf_type. */
static inline const void *record_payload(const struct btf_type *type)
{
	return type + 1;
}

/* Returns true if an id is in a base of which only the counts are known. */
static inline bool record_on_trust(const struct record_check *check, u32 id)
{
	const struct btf_blob *level = btf_blob_level(check->blob, id);

	return level && !level->data;
}

/* The strings of this blob are plain text (check_strings()), so a name is if it begins well. */
static inline int record_name(const struct record_check *check, const u32 *name)
{
	const char *string;

	if (*name && *name >= check->end_string)
		return record_refuse(check, BTF_FAULT_NAME_RANGE, name);
	string = btf_blob_string(check->blob, *name);
	if (string && plain_text_continues(*string))
		return record_refuse(check, BTF_FAULT_NAME_TEXT, name);
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
 * A FUNC must have a name that is short enough for cheap comparisons. where is a parameter of its
 * own because the FUNC may be in another blob than its user.
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

/* Checks a record of a kind up to LAST_STOCK_KIND. (stock_kinds.c) */
int record_check_stock_kind(struct record_check *check);

#endif
