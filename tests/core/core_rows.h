/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The named rows of the core, for KUnit and for GoogleTest: the input and the expected result.
 * core_row_input() makes the images of a row, core_run() takes them through the core, and
 * core_row_verdict() is the one assertion.
 */
#ifndef BTF_EXTRA_TESTS_CORE_ROWS_H
#define BTF_EXTRA_TESTS_CORE_ROWS_H

#include "core_run.h"

/* Room for the images of any row, also with the longest name and 65 LOCSECs. */
#define CORE_ROW_IMAGE_WORDS 2048

struct core_row_images {
	u32 base[CORE_ROW_IMAGE_WORDS];
	u32 types[CORE_ROW_IMAGE_WORDS];
	u32 func_info[CORE_ROW_IMAGE_WORDS];
	/* used while the records and strings are written */
	u32 records[CORE_ROW_IMAGE_WORDS];
	char strings[CORE_ROW_IMAGE_WORDS];
	/*
	 * The plain types and locations, and those of many sections, can be over the BTF of a
	 * kernel: by how much its ids, its strings and the id of a void (void) are above ours.
	 */
	u32 more_ids, more_strings, more_func;
};

enum core_image_name { CORE_NO_IMAGE, CORE_IN_BASE, CORE_IN_TYPES, CORE_IN_FUNC_INFO };

#define CORE_MAX_PATCHES 4
#define CORE_MAX_WORDS 16

/* Overwrites one word of an image. */
struct core_patch {
	enum core_image_name image;	/* CORE_NO_IMAGE: no more patches */
	u32 at;				/* byte offset, a multiple of 4 */
	u32 value;
};

struct core_row {
	const char *name;
	/* Makes the images; NULL: the plain ones of core_rows.c. */
	void (*build)(const struct core_row *row, struct core_row_images *images,
		      struct core_input *input);
	struct core_patch patches[CORE_MAX_PATCHES];	/* applied to the images */
	u32 cut;				/* bytes of func_info; 0: all */
	u32 words[CORE_MAX_WORDS];		/* for build functions that take a record */
	u32 nr_words;
	u32 machine;				/* 0: x86-64 */

	/* the expected result: */
	enum core_step step;
	int error;
	enum btf_fault_code code;		/* with -EINVAL: the fault and its place */
	u32 type_id;
	u32 offset;
};

extern const struct core_row core_rows[];
extern const u32 core_nr_rows;

/* Makes the images of a row in the caller's memory. Returns false if the row itself is wrong. */
bool core_row_input(const struct core_row *row, struct core_row_images *images,
		    struct core_input *input);

/* Returns NULL, or what differs from the row. */
const char *core_row_verdict(const struct core_row *row, const struct core_outcome *run);

#endif
