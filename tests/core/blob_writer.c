// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "blob_writer.h"

/* {info_sz, elem_sz} of each kind, written from the format and not taken from the core's table. */
static const u8 layout_sizes[LOC_KIND_COUNT][2] = {
	{ 0, 0 },	/* none */
	{ 4, 0 },	/* INT */
	{ 0, 0 },	/* PTR */
	{ 12, 0 },	/* ARRAY */
	{ 0, 12 },	/* STRUCT */
	{ 0, 12 },	/* UNION */
	{ 0, 8 },	/* ENUM */
	{ 0, 0 },	/* FWD */
	{ 0, 0 },	/* TYPEDEF */
	{ 0, 0 },	/* VOLATILE */
	{ 0, 0 },	/* CONST */
	{ 0, 0 },	/* RESTRICT */
	{ 0, 0 },	/* FUNC */
	{ 0, 8 },	/* FUNC_PROTO */
	{ 4, 0 },	/* VAR */
	{ 0, 12 },	/* DATASEC */
	{ 0, 0 },	/* FLOAT */
	{ 4, 0 },	/* DECL_TAG */
	{ 0, 0 },	/* TYPE_TAG */
	{ 0, 12 },	/* ENUM64 */
	{ 4, 4 },	/* LOC_PARAM */
	{ 0, 4 },	/* LOC_PROTO */
	{ 0, 12 },	/* LOCSEC */
};

void blob_begin(struct blob_writer *writer, u32 *types, u32 types_room, char *strings,
		u32 strings_room, u32 first_id, u32 first_string)
{
	memset(writer, 0, sizeof(*writer));
	writer->types = types;
	writer->types_room = types_room;
	writer->strings = strings;
	writer->strings_room = strings_room;
	writer->next_id = first_id;
	writer->first_string = first_string;
}

u32 blob_string(struct blob_writer *writer, const char *string)
{
	u32 at = writer->strings_len;
	size_t size = strlen(string) + 1;

	if (size > writer->strings_room - at) {
		writer->full = true;
		return 0;
	}
	memcpy(writer->strings + at, string, size);
	writer->strings_len += (u32)size;
	return writer->first_string + at;
}

void blob_word(struct blob_writer *writer, u32 word)
{
	if (writer->nr_words == writer->types_room) {
		writer->full = true;
		return;
	}
	writer->types[writer->nr_words++] = word;
}

u32 blob_type(struct blob_writer *writer, u32 name, u32 kind, u32 vlen, u32 size_or_type)
{
	blob_word(writer, name);
	blob_word(writer, kind << 24 | vlen);
	blob_word(writer, size_or_type);
	return writer->next_id++;
}

u32 blob_finish(const struct blob_writer *writer, u32 nr_layout, void *image, u32 room)
{
	u32 types_len = writer->nr_words * 4;
	u32 layout_len = nr_layout * 4;
	u32 header[8] = {
		0, nr_layout ? 32 : 24, 0, types_len,
		types_len + layout_len, writer->strings_len, types_len, layout_len
	};
	const u16 magic = 0xeb9f;
	const u8 version[2] = { 1, 0 };
	u64 size = (u64)header[1] + types_len + layout_len + writer->strings_len;
	u8 *out = image;
	u32 kind;

	if (writer->full || size > room)
		return 0;

	memcpy(&header[0], &magic, 2);
	memcpy((u8 *)&header[0] + 2, version, 2);
	memcpy(out, header, header[1]);
	out += header[1];
	memcpy(out, writer->types, types_len);
	out += types_len;
	for (kind = 0; kind < nr_layout; kind++, out += 4) {
		memset(out, 0, 4);
		if (kind < LOC_KIND_COUNT)
			memcpy(out, layout_sizes[kind], 2);
	}
	memcpy(out, writer->strings, writer->strings_len);
	return (u32)size;
}
