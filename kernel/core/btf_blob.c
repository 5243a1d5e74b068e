// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Header, sections and records of a BTF blob. The header is read field by field
 * and not through struct btf_header, whose size depends on the kernel's version.
 */
#include "btf_blob.h"
#include "byte_view.h"
#include "loc_entry.h"

#define HEADER_SIZE 24u
#define HEADER_SIZE_LAYOUT 32u	/* with layout_off and layout_len */
#define MAGIC 0xeb9fu
#define MAGIC_SWAPPED 0x9febu

/* Places of the header's fields: what a fault about a section points to. */
enum {
	FIELD_MAGIC = 0,
	FIELD_VERSION = 2,
	FIELD_FLAGS = 3,
	FIELD_HEADER_LENGTH = 4,
	FIELD_TYPES = 8,
	FIELD_STRINGS = 16,
	FIELD_LAYOUT = 24
};

struct header {
	u16 magic;
	u8 version;
	u8 flags;
	u32 length;
	u32 types_off, types_len;
	u32 strings_off, strings_len;
	u32 layout_off, layout_len;
};

/* An entry of the layout section; its index is the kind. */
struct kind_layout {
	u8 info_size;		/* bytes after struct btf_type, once */
	u8 element_size;	/* bytes for each of vlen */
	u16 flags;
};

static const struct kind_layout known_kinds[LOC_KIND_COUNT] = {
	[BTF_KIND_INT] = { .info_size = 4 },
	[BTF_KIND_ARRAY] = { .info_size = sizeof(struct btf_array) },
	[BTF_KIND_STRUCT] = { .element_size = sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { .element_size = sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { .element_size = sizeof(struct btf_enum) },
	[BTF_KIND_FUNC_PROTO] = { .element_size = sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { .info_size = sizeof(struct btf_var) },
	[BTF_KIND_DATASEC] = { .element_size = sizeof(struct btf_var_secinfo) },
	[BTF_KIND_DECL_TAG] = { .info_size = sizeof(struct btf_decl_tag) },
	[BTF_KIND_ENUM64] = { .element_size = sizeof(struct btf_enum64) },
	[LOC_KIND_PARAM] = { .info_size = 4, .element_size = 4 },
	[LOC_KIND_PROTO] = { .element_size = 4 },
	[LOC_KIND_SEC] = { .element_size = sizeof(struct loc_site) },
};

static const char *const fault_texts[BTF_FAULT_COUNT] = {
	[BTF_FAULT_NONE] = "no fault",
	[BTF_FAULT_HEADER_CUT] = "header is cut",
	[BTF_FAULT_MAGIC] = "no BTF magic",
	[BTF_FAULT_BYTE_ORDER] = "byte order of another machine",
	[BTF_FAULT_VERSION] = "unknown BTF version",
	[BTF_FAULT_HEADER_FLAGS] = "unknown header flags",
	[BTF_FAULT_HEADER_LENGTH] = "header length is neither 24 nor 32",
	[BTF_FAULT_SECTION_RANGE] = "section ends after the blob",
	[BTF_FAULT_SECTION_ALIGN] = "section is not aligned to 4 bytes",
	[BTF_FAULT_SECTION_OVERLAP] = "sections overlap",
	[BTF_FAULT_STRINGS] = "strings are absent or not terminated",
	[BTF_FAULT_TOO_MANY_STRINGS] = "string offsets exceed 32 bits",
	[BTF_FAULT_TYPE_CUT] = "record ends after the type section",
	[BTF_FAULT_KIND_UNKNOWN] = "unknown kind without a layout to skip it by",
	[BTF_FAULT_LAYOUT] = "layout contradicts a known kind or breaks alignment",
	[BTF_FAULT_TOO_MANY_TYPES] = "type ids exceed 32 bits",
	[BTF_FAULT_NAME_RANGE] = "name lies after the strings",
	[BTF_FAULT_NAME_MISSING] = "name is missing",
	[BTF_FAULT_NAME_UNEXPECTED] = "kind has no name",
	[BTF_FAULT_NAME_LENGTH] = "name of a function is too long",
	[BTF_FAULT_NAME_TEXT] = "name has control characters or is not UTF-8",
	[BTF_FAULT_TYPE_ID_RANGE] = "no such type",
	[BTF_FAULT_TYPE_FIELD] = "size, kind_flag or vlen is invalid for its kind",
	[BTF_FAULT_FUNC_PROTO] = "FUNC does not refer to a FUNC_PROTO",
	[BTF_FAULT_FUNC_ORDER] = "FUNCs do not have consecutive ids in order of name",
	[BTF_FAULT_MEMBER] = "member lies outside its type or is out of order",
	[BTF_FAULT_TAG_TARGET] = "DECL_TAG on a type that cannot have one",
	[BTF_FAULT_VAR_NAME] = "name of a variable is no identifier or too long",
	[BTF_FAULT_KIND_PLACE] = "location kind among the types",
	[BTF_FAULT_PARAM_SIZE] = "LOC_PARAM size contradicts its flags and values",
	[BTF_FAULT_PARAM_FLAGS] = "LOC_PARAM flags have no meaning together",
	[BTF_FAULT_PARAM_VLEN] = "LOC_PARAM has too few or too many values for its flags",
	[BTF_FAULT_PARAM_REGISTER] = "LOC_PARAM names a register that the machine lacks",
	[BTF_FAULT_PROTO_PARAM] = "LOC_PROTO does not refer to a LOC_PARAM of this blob",
	[BTF_FAULT_LOCSEC_NAME] = "LOCSEC name is not a class and a section",
	[BTF_FAULT_LOCSEC_DUPLICATE] = "second LOCSEC of one class and section",
	[BTF_FAULT_LOCSEC_FUNC] = "LOCSEC entry does not refer to a FUNC",
	[BTF_FAULT_LOCSEC_PROTO] = "LOCSEC entry does not refer to a LOC_PROTO of this blob",
	[BTF_FAULT_LOCSEC_ARITY] = "LOC_PROTO has another number of parameters than the FUNC",
	[BTF_FAULT_TOO_MANY_LOCSECS] = "too many LOCSECs",
	[BTF_FAULT_LOCSEC_ORDER] = "LOCSEC entries are not in strict order",
	[BTF_FAULT_ELF_CUT] = "headers or a section end after the file",
	[BTF_FAULT_ELF_HEADER] = "not a relocatable little-endian ELF64 file",
	[BTF_FAULT_ELF_NAMES] = "names of sections are missing, too long, out of range or not text",
	[BTF_FAULT_ELF_SECTION] = "a section is compressed, or its size or place is invalid",
	[BTF_FAULT_ELF_DUPLICATE] = "second section of one name",
	[BTF_FAULT_ELF_MISSING] = "types, locations, build-id or sums of the base are missing",
	[BTF_FAULT_ELF_LEVELS] = "more than two levels of base BTF",
	[BTF_FAULT_ELF_BUILD_ID] = "build-id note is malformed",
	[BTF_FAULT_ELF_MACHINE] = "machine is not supported",
	[BTF_FAULT_ELF_OWN_TYPES] = "more own types than the BTF contains",
	[BTF_FAULT_SITE_RANGE] = "site lies outside the sections of its object",
	[BTF_FAULT_SITE_MARK] = "pages or runs of site marks are malformed",
	[BTF_FAULT_EXPRESSIONS_HEADER] = "header of the expressions is malformed",
	[BTF_FAULT_EXPRESSION_ENTRY] = "no expression for a parameter without location, in order",
	[BTF_FAULT_EXPRESSION_CUT] = "expression is cut, or a number has more than 64 bits",
	[BTF_FAULT_EXPRESSION_OPERATOR] = "operator of an expression is unknown",
	[BTF_FAULT_EXPRESSION_STACK] = "expression takes or leaves too many values",
	[BTF_FAULT_EXPRESSION_SIZE] = "size of an expression or of a piece is wrong",
	[BTF_FAULT_EXPRESSION_LIMIT] = "expression has too many operators, values or loads",
	[BTF_FAULT_FRAMES_HEADER] = "header of the frames does not describe them",
	[BTF_FAULT_FRAMES_STRINGS] = "names of the frames are missing or not text",
	[BTF_FAULT_FRAMES_SECTION] = "frames of a section that is unknown or listed twice",
	[BTF_FAULT_FRAMES_PIECE] = "piece of code overlaps, leaves its section or has no body",
	[BTF_FAULT_FRAMES_PAGE] = "page does not count the blocks before it",
	[BTF_FAULT_FRAMES_NUMBER] = "number is cut or exceeds 32 bits",
	[BTF_FAULT_FRAMES_RANGE] = "range of code is empty, out of order or outside its caller",
	[BTF_FAULT_FRAMES_FUNC] = "frame of no FUNC",
	[BTF_FAULT_FRAMES_FILE] = "no such source file",
	[BTF_FAULT_FRAMES_SIZE] = "records of the frames exceed their room or a limit",
	[BTF_FAULT_FRAMES_DEPTH] = "inlined calls are nested too deeply",
};

const char *btf_fault_text(enum btf_fault_code code)
{
	if ((u32)code >= BTF_FAULT_COUNT)
		return "unknown fault";
	return fault_texts[code];
}

static int blob_refuse(struct btf_fault *fault, enum btf_fault_code code, u32 type_id, u64 offset)
{
	fault->code = code;
	fault->type_id = type_id;
	fault->offset = (u32)offset;
	return -EINVAL;
}

static int read_header(struct byte_view *view, struct header *header, struct btf_fault *fault)
{
	if (!byte_view_read(view, &header->magic, sizeof(header->magic)))
		return blob_refuse(fault, BTF_FAULT_HEADER_CUT, 0, view->failed_at);
	if (header->magic == MAGIC_SWAPPED)
		return blob_refuse(fault, BTF_FAULT_BYTE_ORDER, 0, FIELD_MAGIC);
	if (header->magic != MAGIC)
		return blob_refuse(fault, BTF_FAULT_MAGIC, 0, FIELD_MAGIC);
	if (!byte_view_read(view, &header->version, sizeof(header->version)))
		return blob_refuse(fault, BTF_FAULT_HEADER_CUT, 0, view->failed_at);
	if (header->version != 1)
		return blob_refuse(fault, BTF_FAULT_VERSION, 0, FIELD_VERSION);
	if (!byte_view_read(view, &header->flags, sizeof(header->flags)))
		return blob_refuse(fault, BTF_FAULT_HEADER_CUT, 0, view->failed_at);
	if (header->flags)
		return blob_refuse(fault, BTF_FAULT_HEADER_FLAGS, 0, FIELD_FLAGS);
	if (!byte_view_read(view, &header->length, sizeof(header->length)))
		return blob_refuse(fault, BTF_FAULT_HEADER_CUT, 0, view->failed_at);
	if (header->length != HEADER_SIZE && header->length != HEADER_SIZE_LAYOUT)
		return blob_refuse(fault, BTF_FAULT_HEADER_LENGTH, 0, FIELD_HEADER_LENGTH);
	if (!byte_view_read(view, &header->types_off, sizeof(header->types_off)) ||
	    !byte_view_read(view, &header->types_len, sizeof(header->types_len)) ||
	    !byte_view_read(view, &header->strings_off, sizeof(header->strings_off)) ||
	    !byte_view_read(view, &header->strings_len, sizeof(header->strings_len)))
		return blob_refuse(fault, BTF_FAULT_HEADER_CUT, 0, view->failed_at);
	if (header->length == HEADER_SIZE)
		return 0;
	if (!byte_view_read(view, &header->layout_off, sizeof(header->layout_off)) ||
	    !byte_view_read(view, &header->layout_len, sizeof(header->layout_len)))
		return blob_refuse(fault, BTF_FAULT_HEADER_CUT, 0, view->failed_at);
	return 0;
}

/* Both ranges are known to lie inside the blob. An empty one overlaps nothing. */
static bool blob_overlap(u32 a_off, u32 a_len, u32 b_off, u32 b_len)
{
	return a_len && b_len && a_off < b_off + b_len && b_off < a_off + a_len;
}

static int place_sections(struct btf_blob *blob, const struct header *header,
			  struct btf_fault *fault)
{
	u64 room = blob->size - header->length;

	if (!byte_range_fits(header->types_off, header->types_len, room))
		return blob_refuse(fault, BTF_FAULT_SECTION_RANGE, 0, FIELD_TYPES);
	if (!byte_range_fits(header->strings_off, header->strings_len, room))
		return blob_refuse(fault, BTF_FAULT_SECTION_RANGE, 0, FIELD_STRINGS);
	if (!byte_range_fits(header->layout_off, header->layout_len, room))
		return blob_refuse(fault, BTF_FAULT_SECTION_RANGE, 0, FIELD_LAYOUT);
	if (header->types_off % 4)
		return blob_refuse(fault, BTF_FAULT_SECTION_ALIGN, 0, FIELD_TYPES);
	if (header->layout_off % 4 || header->layout_len % sizeof(struct kind_layout))
		return blob_refuse(fault, BTF_FAULT_SECTION_ALIGN, 0, FIELD_LAYOUT);
	if (blob_overlap(header->types_off, header->types_len,
			 header->strings_off, header->strings_len))
		return blob_refuse(fault, BTF_FAULT_SECTION_OVERLAP, 0, FIELD_STRINGS);
	if (blob_overlap(header->types_off, header->types_len,
			 header->layout_off, header->layout_len) ||
	    blob_overlap(header->strings_off, header->strings_len,
			 header->layout_off, header->layout_len))
		return blob_refuse(fault, BTF_FAULT_SECTION_OVERLAP, 0, FIELD_LAYOUT);

	blob->types_off = header->length + header->types_off;
	blob->types_len = header->types_len;
	blob->strings_off = header->length + header->strings_off;
	blob->strings_len = header->strings_len;
	blob->layout_off = header->length + header->layout_off;
	blob->layout_len = header->layout_len;
	return 0;
}

static int blob_check_strings(const struct btf_blob *blob, struct btf_fault *fault)
{
	const u8 *strings = blob->data + blob->strings_off;
	u32 length = blob->strings_len;

	/* libbpf leaves the strings of a split blob out where it needs none. */
	if (length ? strings[length - 1] : !blob->base)
		return blob_refuse(fault, BTF_FAULT_STRINGS, 0, FIELD_STRINGS);
	if (!blob->base && strings[0])
		return blob_refuse(fault, BTF_FAULT_STRINGS, 0, FIELD_STRINGS);
	if (!byte_range_fits(blob->first_string, length, 0xffffffffu))
		return blob_refuse(fault, BTF_FAULT_TOO_MANY_STRINGS, 0, FIELD_STRINGS);
	return 0;
}

/* The layout entry of a kind; NULL where the blob has none for it. */
static const struct kind_layout *layout_entry(const struct btf_blob *blob, u32 kind)
{
	const struct kind_layout *entries;
	const void *layout;

	if (kind >= blob->layout_len / sizeof(*entries))
		return NULL;
	layout = blob->data + blob->layout_off;
	entries = layout;
	return &entries[kind];
}

static int check_layout(const struct btf_blob *blob, struct btf_fault *fault)
{
	u32 nr = blob->layout_len / sizeof(struct kind_layout);
	u32 kind;

	for (kind = 0; kind < nr; kind++) {
		const struct kind_layout *entry = layout_entry(blob, kind);
		u32 at = blob->layout_off + kind * (u32)sizeof(*entry);

		if (entry->info_size % 4 || entry->element_size % 4)
			return blob_refuse(fault, BTF_FAULT_LAYOUT, 0, at);
		if (kind < LOC_KIND_COUNT &&
		    (entry->info_size != known_kinds[kind].info_size ||
		     entry->element_size != known_kinds[kind].element_size))
			return blob_refuse(fault, BTF_FAULT_LAYOUT, 0, at);
	}
	return 0;
}

/* Returns the layout of a record of that kind; NULL: unknown. */
static const struct kind_layout *kind_layout_of(const struct btf_blob *blob, u32 kind)
{
	if (kind == BTF_KIND_UNKN)
		return NULL;
	return kind < LOC_KIND_COUNT ? &known_kinds[kind] : layout_entry(blob, kind);
}

static u64 record_size(const struct btf_type *type, const struct kind_layout *layout)
{
	return sizeof(*type) + layout->info_size +
	       byte_array_size(loc_vlen(type), layout->element_size);
}

/* Reads the next record. On failure the cursor stays and *code has the reason. */
static const struct btf_type *take_record(const struct btf_blob *blob, struct byte_view *types,
					  enum btf_fault_code *code)
{
	const struct btf_type *type = byte_view_peek(types, sizeof(*type));
	const struct kind_layout *layout;

	*code = BTF_FAULT_TYPE_CUT;
	if (!type)
		return NULL;
	layout = kind_layout_of(blob, loc_kind(type));
	if (!layout) {
		*code = BTF_FAULT_KIND_UNKNOWN;
		return NULL;
	}
	return byte_view_take(types, record_size(type, layout));
}

static struct byte_view types_view(const struct btf_blob *blob)
{
	return byte_view_of(blob->data, (u64)blob->types_off + blob->types_len, blob->types_off);
}

static int count_types(struct btf_blob *blob, struct btf_fault *fault)
{
	struct byte_view types = types_view(blob);
	u64 end_id = (u64)blob->first_id;
	enum btf_fault_code code;

	for (; types.at < types.size; end_id++)
		if (!take_record(blob, &types, &code))
			return blob_refuse(fault, code, (u32)end_id, types.at);
	if (end_id > 0xffffffffu)
		return blob_refuse(fault, BTF_FAULT_TOO_MANY_TYPES, 0, FIELD_TYPES);
	blob->nr_types = (u32)end_id - blob->first_id;
	return 0;
}

int btf_blob_open(struct btf_blob *blob, const void *data, u32 size,
		  const struct btf_blob *base, struct btf_fault *fault)
{
	struct byte_view view = byte_view_of(data, size, 0);
	struct btf_blob opened = {
		.data = data, .size = size, .base = base, .step_bits = BTF_BLOB_STEP_BITS
	};
	struct header header = {};
	int err;

	if ((size_t)data % 4)
		return blob_refuse(fault, BTF_FAULT_SECTION_ALIGN, 0, 0);
	err = read_header(&view, &header, fault);
	if (err)
		return err;
	opened.first_id = 1;
	if (base) {
		/* Counts of a base alone may leave no id to go on with. */
		if ((u64)base->first_id + base->nr_types > 0xffffffffu)
			return blob_refuse(fault, BTF_FAULT_TOO_MANY_TYPES, 0, FIELD_TYPES);
		opened.first_id = btf_blob_end_id(base);
		opened.first_string = btf_blob_end_string(base);
	}
	err = place_sections(&opened, &header, fault);
	if (err)
		return err;
	err = blob_check_strings(&opened, fault);
	if (err)
		return err;
	err = check_layout(&opened, fault);
	if (err)
		return err;
	err = count_types(&opened, fault);
	if (err)
		return err;
	*blob = opened;
	return 0;
}

void btf_blob_open_counts(struct btf_blob *blob, u32 last_id, u32 strings_len)
{
	struct btf_blob counts = {
		.first_id = 1,
		.nr_types = last_id,
		.strings_len = strings_len,
	};

	*blob = counts;
}

void btf_blob_index(struct btf_blob *blob, u32 *type_offsets)
{
	struct byte_view types = types_view(blob);
	const u32 passed_over = (1u << blob->step_bits) - 1;
	struct btf_func_run run = {};
	u32 i;

	blob->funcs = run;
	for (i = 0; i < blob->nr_types; i++) {
		u32 at = (u32)types.at;
		enum btf_fault_code code;

		if (!(i & passed_over))
			type_offsets[i >> blob->step_bits] = at;
		if (loc_kind(take_record(blob, &types, &code)) != BTF_KIND_FUNC)
			continue;
		if (run.first + run.nr != i || !run.nr) {
			run.first = i;
			run.nr = 0;
			run.offset = at;
		}
		run.nr++;
		if (run.nr > blob->funcs.nr)
			blob->funcs = run;
	}
	blob->type_offsets = type_offsets;
}

const struct btf_type *btf_blob_next(const struct btf_blob *blob, const struct btf_type *type)
{
	u32 kind = loc_kind(type);
	const void *next = (const u8 *)type +
			   record_size(type, kind < LOC_KIND_COUNT ? &known_kinds[kind] :
								     layout_entry(blob, kind));

	return next;
}

const struct btf_type *btf_blob_record(const struct btf_blob *blob, u32 i)
{
	const struct btf_type *type;
	const void *record;

	if (i - blob->funcs.first < blob->funcs.nr) {
		record = blob->data + blob->funcs.offset;
		type = record;
		return type + (i - blob->funcs.first);
	}
	record = blob->data + blob->type_offsets[i >> blob->step_bits];
	type = record;
	for (i &= (1u << blob->step_bits) - 1; i; i--)
		type = btf_blob_next(blob, type);
	return type;
}

const struct btf_blob *btf_blob_level(const struct btf_blob *blob, u32 id)
{
	while (blob && id < blob->first_id)
		blob = blob->base;
	if (!blob || id - blob->first_id >= blob->nr_types)
		return NULL;
	return blob;
}

const struct btf_type *btf_blob_type(const struct btf_blob *blob, u32 id)
{
	const struct btf_blob *level = btf_blob_level(blob, id);

	if (!level || !level->type_offsets)
		return NULL;
	return btf_blob_record(level, id - level->first_id);
}

const char *btf_blob_string(const struct btf_blob *blob, u32 offset)
{
	const void *string;

	if (!offset)
		return "";
	while (offset < blob->first_string)
		blob = blob->base;
	if (!blob->data || offset - blob->first_string >= blob->strings_len)
		return NULL;
	string = blob->data + blob->strings_off + (offset - blob->first_string);
	return string;
}
