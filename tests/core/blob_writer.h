/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Writes BTF blobs for tests, word by word and without any check: a blob may be as wrong as a test
 * wants. The caller owns all memory. Bytes that do not fit are left out, and then blob_finish()
 * returns 0.
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

/* first_id and first_string say where the base ends: 1 and 0 without a base. */
void blob_begin(struct blob_writer *writer, u32 *types, u32 types_room, char *strings,
		u32 strings_room, u32 first_id, u32 first_string);

/* Appends a string and returns its offset in the chain. */
u32 blob_string(struct blob_writer *writer, const char *string);

/* Appends a struct btf_type and returns its id. blob_word() adds the words that follow it. */
u32 blob_type(struct blob_writer *writer, u32 name, u32 kind, u32 vlen, u32 size_or_type);

void blob_word(struct blob_writer *writer, u32 word);

/*
 * Writes header, types, layout and strings into image. The layout has nr_layout kinds; 0 means no
 * layout and a 24-byte header. Returns the size in bytes, or 0 if something did not fit.
 */
u32 blob_finish(const struct blob_writer *writer, u32 nr_layout, void *image, u32 room);

#endif
