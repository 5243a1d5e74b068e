/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The named rows of .btf_extra.frames, for KUnit and for GoogleTest: sections that are refused or
 * taken, and what is found at places in those that are taken.
 */
#ifndef BTF_EXTRA_TESTS_FRAME_ROWS_H
#define BTF_EXTRA_TESTS_FRAME_ROWS_H

#include "frame_run.h"

/* Room for a body with the most bytes of instances, and one more. */
#define FRAME_ROW_SIZE (INLINE_FRAMES_BODY_MAX + 512)

#define FRAME_MAX_PATCHES 2
#define FRAME_MAX_RECORDS 24

/* Overwrites bytes of the section. */
struct frame_patch {
	u32 size;		/* 1, 2, 4 or 8; 0: no more patches */
	u32 at;
	u64 value;
};

struct frame_row {
	const char *name;
	/* Makes the section and returns its size; NULL: the plain one of frame_images.c. */
	u32 (*build)(const struct frame_row *row, u8 *bytes);
	u32 nr;			/* for build functions */
	/* for frame_image_small(): */
	u8 records[FRAME_MAX_RECORDS];
	u32 nr_records;		/* bytes */
	u32 nr_pieces[2];	/* of .text, 0: one; of .init.text */
	u32 second;		/* where the records of .init.text begin */
	struct frame_patch patches[FRAME_MAX_PATCHES];
	u32 cut;		/* bytes of the section; 0: all, 0xffffffff: none */

	/* the expected result: */
	enum btf_fault_code code;	/* BTF_FAULT_NONE: it is taken */
	u32 offset;
};

extern const struct frame_row frame_rows[];
extern const u32 frame_nr_rows;

/* Writes the section of a row and returns its size. bytes is aligned and has FRAME_ROW_SIZE. */
u32 frame_row_bytes(const struct frame_row *row, u8 *bytes);

/* Returns NULL, or what differs from the row. */
const char *frame_row_verdict(const struct frame_row *row, const struct frame_outcome *run);

#define FRAME_MAX_CHAIN 4

struct frame_place_row {
	const char *name;
	const char *row;	/* whose section is asked; NULL: the first */
	u32 section, offset;

	/* the expected result: */
	u32 nr;			/* how many functions the chain has */
	struct inline_frame chain[FRAME_MAX_CHAIN];	/* as many of them, the innermost first */
	u32 body_file;
};

extern const struct frame_place_row frame_place_rows[];
extern const u32 frame_place_nr_rows;

/* Returns the row whose section is asked; NULL: the place is wrong. */
const struct frame_row *frame_place_section(const struct frame_place_row *place);

/* Asks with room for none, for one, for too few, for all and for more. Returns what differs. */
const char *frame_place_verdict(const struct frame_place_row *place,
				const struct inline_frames *frames);

#endif
