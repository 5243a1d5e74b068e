/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * A BTF blob as a view on bytes that the caller owns: header, sections, types
 * by id, strings by offset. Blobs stack up: a split blob continues the ids and
 * the string offsets of its base.
 *
 *	vmlinux .BTF  <-  [module .BTF]  <-  types  <-  func_info
 *
 * Ownership: a blob points to its bytes, to its base and to its table of
 * offsets; all three must outlive it. Nothing here allocates.
 * Byte order: the target's, which must be the reader's own.
 */
#ifndef BTF_EXTRA_BTF_BLOB_H
#define BTF_EXTRA_BTF_BLOB_H

#include "core_env.h"

/* The reasons to refuse a blob. One condition has one code; btf_fault_text() has the texts. */
enum btf_fault_code {
	BTF_FAULT_NONE = 0,

	/* header and sections (btf_blob_open) */
	BTF_FAULT_HEADER_CUT,		/* fewer bytes than a header */
	BTF_FAULT_MAGIC,
	BTF_FAULT_BYTE_ORDER,		/* the magic, with its bytes swapped */
	BTF_FAULT_VERSION,
	BTF_FAULT_HEADER_FLAGS,		/* no header flag has a meaning yet */
	BTF_FAULT_HEADER_LENGTH,	/* neither 24 nor 32 bytes */
	BTF_FAULT_SECTION_RANGE,	/* a section ends after the blob */
	BTF_FAULT_SECTION_ALIGN,	/* types, layout or the blob itself not on 4 bytes */
	BTF_FAULT_SECTION_OVERLAP,
	BTF_FAULT_STRINGS,		/* no NUL at the end; base: absent, or none at the start */
	BTF_FAULT_TOO_MANY_STRINGS,	/* string offsets do not fit 32 bits */
	BTF_FAULT_TYPE_CUT,		/* a record ends after the type section */
	BTF_FAULT_KIND_UNKNOWN,		/* a kind with no layout entry to skip it by */
	BTF_FAULT_LAYOUT,		/* contradicts a known kind, or breaks alignment */
	BTF_FAULT_TOO_MANY_TYPES,	/* ids do not fit 32 bits */

	/* records of every kind (loc_validate) */
	BTF_FAULT_NAME_RANGE,		/* name offset beyond the strings */
	BTF_FAULT_NAME_MISSING,		/* FUNC, DECL_TAG, LOCSEC without a name */
	BTF_FAULT_NAME_UNEXPECTED,	/* LOC_PARAM, LOC_PROTO, FUNC_PROTO with one */
	BTF_FAULT_NAME_LENGTH,		/* FUNC name of more than BTF_FUNC_NAME_MAX bytes */
	BTF_FAULT_NAME_TEXT,		/* control characters, or not UTF-8 */
	BTF_FAULT_TYPE_ID_RANGE,	/* an id that does not exist, or void where none may be */
	BTF_FAULT_TYPE_FIELD,		/* size/type, kind_flag or vlen must be another value */
	BTF_FAULT_FUNC_PROTO,		/* FUNC that does not refer to a FUNC_PROTO */
	BTF_FAULT_FUNC_ORDER,		/* FUNCs of the types: not one run, or not by name */
	BTF_FAULT_MEMBER,		/* offset or size of a member or variable */
	BTF_FAULT_TAG_TARGET,		/* DECL_TAG on a kind or component that takes none */
	BTF_FAULT_VAR_NAME,		/* VAR name that is no identifier, or is too long */
	BTF_FAULT_KIND_PLACE,		/* location kind in the types blob */

	/* LOC_PARAM */
	BTF_FAULT_PARAM_SIZE,
	BTF_FAULT_PARAM_FLAGS,
	BTF_FAULT_PARAM_VLEN,
	BTF_FAULT_PARAM_REGISTER,
	/* LOC_PROTO */
	BTF_FAULT_PROTO_PARAM,		/* neither 0 nor the id of a LOC_PARAM */
	/* LOCSEC */
	BTF_FAULT_LOCSEC_NAME,		/* no class and section in its name */
	BTF_FAULT_LOCSEC_DUPLICATE,	/* a second one of that name */
	BTF_FAULT_LOCSEC_FUNC,		/* func is not a FUNC */
	BTF_FAULT_LOCSEC_PROTO,		/* loc_proto is not a LOC_PROTO */
	BTF_FAULT_LOCSEC_ARITY,		/* other number of parameters than the prototype */
	BTF_FAULT_TOO_MANY_LOCSECS,	/* see LOC_INDEX_MAX_SECTIONS */
	BTF_FAULT_LOCSEC_ORDER,		/* not in strict order of (func, offset, loc_proto) */

	/* the container (extra_elf_open); offsets count from its start */
	BTF_FAULT_ELF_CUT,		/* headers or a section end after the file */
	BTF_FAULT_ELF_HEADER,		/* not a relocatable ELF64 file, little-endian */
	BTF_FAULT_ELF_NAMES,		/* names of sections absent, endless or out of range */
	BTF_FAULT_ELF_SECTION,		/* size, alignment or address of a section; compressed */
	BTF_FAULT_ELF_DUPLICATE,	/* second section of a name */
	BTF_FAULT_ELF_MISSING,		/* no locations, no build-id or no sums of the base */
	BTF_FAULT_ELF_LEVELS,		/* more than two levels of base BTF */
	BTF_FAULT_ELF_BUILD_ID,		/* not a GNU build-id note */

	/* blobs and container together (extra_object) */
	BTF_FAULT_ELF_MACHINE,		/* its registers are not known */
	BTF_FAULT_ELF_OWN_TYPES,	/* more own types than the module has, or no module */
	BTF_FAULT_SITE_RANGE,		/* site outside its ELF section, or in none of the object */
	BTF_FAULT_SITE_MARK,		/* pages or runs are malformed */

	/* loc_expression */
	BTF_FAULT_EXPRESSIONS_HEADER,	/* magic, version, or counts of something else */
	BTF_FAULT_EXPRESSION_ENTRY,	/* out of order, no parameter without location, no code */
	BTF_FAULT_EXPRESSION_CUT,	/* or a number of more than 64 bits */
	BTF_FAULT_EXPRESSION_OPERATOR,	/* unknown, or with an operand that it cannot have */
	BTF_FAULT_EXPRESSION_STACK,	/* takes values that are missing, or leaves some */
	BTF_FAULT_EXPRESSION_SIZE,	/* of the value, or of its pieces */
	BTF_FAULT_EXPRESSION_LIMIT,	/* too many operators, values or loads */

	/* inline_frames */
	BTF_FAULT_FRAMES_HEADER,	/* magic, version, or counts of something else */
	BTF_FAULT_FRAMES_STRINGS,	/* no plain text, or a name outside of it */
	BTF_FAULT_FRAMES_SECTION,	/* none of the object, or a second one */
	BTF_FAULT_FRAMES_PIECE,		/* overlaps, outside its section, or none of its body */
	BTF_FAULT_FRAMES_PAGE,
	BTF_FAULT_FRAMES_NUMBER,	/* cut, or more than 32 bits */
	BTF_FAULT_FRAMES_RANGE,		/* empty, out of order or outside the caller */
	BTF_FAULT_FRAMES_FUNC,		/* not a FUNC */
	BTF_FAULT_FRAMES_FILE,		/* an unknown file */
	BTF_FAULT_FRAMES_SIZE,		/* records end after their container, or are too many */
	BTF_FAULT_FRAMES_DEPTH,		/* too many calls in one another */

	BTF_FAULT_COUNT
};

/*
 * The longest name of a FUNC or VAR: the kernel's KSYM_NAME_LEN less the NUL. It also
 * bounds what one comparison of two hostile names costs.
 */
#define BTF_FUNC_NAME_MAX 511u

/* The fault and its place. They are written only when a function fails. */
struct btf_fault {
	enum btf_fault_code code;
	u32 type_id;		/* 0: not about one type */
	u32 offset;		/* of the field at fault, in bytes from the start of the blob */
};

/* A reason for people, without capital and full stop; never NULL. */
const char *btf_fault_text(enum btf_fault_code code);

/* FUNCs one after the other: their records have one size, and each is found without a walk. */
struct btf_func_run {
	u32 first, nr;			/* of the blob's records */
	u32 offset;			/* of the first, in bytes from data */
};

struct btf_blob {
	const u8 *data;			/* NULL: a base of which only the counts are known */
	u32 size;
	const struct btf_blob *base;	/* NULL: none */

	u32 types_off, types_len;	/* bytes from data */
	u32 layout_off, layout_len;
	u32 strings_off, strings_len;

	u32 first_id;			/* id of the first type in this blob */
	u32 nr_types;			/* types in this blob; id 0 (void) is not counted */
	u32 first_string;		/* string offset of this blob's first byte */
	u32 step_bits;			/* type_offsets has one of 1 << step_bits types */
	const u32 *type_offsets;	/* see btf_blob_index(); NULL before it */
	struct btf_func_run funcs;	/* the longest; also from btf_blob_index() */
};

/*
 * Checks header and sections, walks the records once and counts them. base is NULL for a blob
 * without a base. 0, or -EINVAL with *fault filled; *blob is untouched then. Bytes that are not
 * aligned to 4 are refused: copy them. After it every record of the blob and every string lies
 * inside the bytes. loc_validate() checks their meaning.
 */
int btf_blob_open(struct btf_blob *blob, const void *data, u32 size,
		  const struct btf_blob *base, struct btf_fault *fault);

/*
 * A base whose bytes are missing: last_id is the highest id in it and strings_len the end of its
 * strings. Types and strings in it read as absent.
 */
void btf_blob_open_counts(struct btf_blob *blob, u32 last_id, u32 strings_len);

/*
 * Types are found by the offset of every eighth: a full table would be as long as a seventh of all
 * blobs, and skipping a few records is fast. A caller with enough memory sets step_bits to 0 after
 * btf_blob_open() and gets the offset of every type.
 */
#define BTF_BLOB_STEP_BITS 3u

/* Entries of the table that btf_blob_index() fills. */
static inline u32 btf_blob_nr_offsets(const struct btf_blob *blob)
{
	return (u32)(((u64)blob->nr_types + (1u << blob->step_bits) - 1) >> blob->step_bits);
}

/* Fills type_offsets, of btf_blob_nr_offsets() entries in bytes from data, and keeps it. */
void btf_blob_index(struct btf_blob *blob, u32 *type_offsets);

/* Highest id + 1 over the blob and everything below it. */
static inline u32 btf_blob_end_id(const struct btf_blob *blob)
{
	return blob->first_id + blob->nr_types;
}

/* End of the strings of the blob and everything below it. */
static inline u32 btf_blob_end_string(const struct btf_blob *blob)
{
	return blob->first_string + blob->strings_len;
}

/* The i-th record of this very blob, i < nr_types. Needs btf_blob_index(). */
const struct btf_type *btf_blob_record(const struct btf_blob *blob, u32 i);

/* The record after one of this very blob; past the last, the end of the types. */
const struct btf_type *btf_blob_next(const struct btf_blob *blob, const struct btf_type *type);

/*
 * The record of a type, in this blob or below it; NULL for 0, an id that does
 * not exist, and one in a base of which only the counts are known. The whole
 * record lies inside the bytes. Needs btf_blob_index() on every level.
 */
const struct btf_type *btf_blob_type(const struct btf_blob *blob, u32 id);

/* A string that ends inside its blob, or NULL. Offset 0 is "". */
const char *btf_blob_string(const struct btf_blob *blob, u32 offset);

/* The level that an id lives in, or NULL. */
const struct btf_blob *btf_blob_level(const struct btf_blob *blob, u32 id);

#endif
