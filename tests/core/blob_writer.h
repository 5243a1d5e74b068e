/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Writes BTF blobs for tests, word by word and without any check: the blobs may
 * be as wrong as a test wants. All memory is the caller's; what does not fit is
 * left out, and blob_finish() then says 0.
 */
#ifndef BTF_EXTRA_TESTS_BLOB_WRITER_H
#define BTF_EXTRA_TESTS_BLOB_WRITER_H

#include "../../kernel/core/loc_entry.h"

struct blob_writer {
	u32 *types;
	u32 types_room;		/* in words */
	u32 nr_words;
	char *strings;
	u32 strings_room;
	u32 strings_len;
	u32 first_string;
	u32 next_id;
	bool full;
};

/* first_id, first_string: where the base ends; 1 and 0 without a base. */
void blob_begin(struct blob_writer *writer, u32 *types, u32 types_room, char *strings,
		u32 strings_room, u32 first_id, u32 first_string);

/* Appends a string; its offset in the chain. */
u32 blob_string(struct blob_writer *writer, const char *string);

/* Appends a struct btf_type; its id. What follows it goes through blob_word(). */
u32 blob_type(struct blob_writer *writer, u32 name, u32 kind, u32 vlen, u32 size_or_type);

void blob_word(struct blob_writer *writer, u32 word);

/*
 * Header, types, layout (nr_layout kinds; none and a 24-byte header for 0) and
 * strings into image; its size in bytes, or 0 where something had no room.
 */
u32 blob_finish(const struct blob_writer *writer, u32 nr_layout, void *image, u32 room);

#endif
