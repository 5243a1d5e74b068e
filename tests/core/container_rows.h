/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* The named rows of the container and its blobs. They run in KUnit and in GoogleTest. */
#ifndef BTF_EXTRA_TESTS_CONTAINER_ROWS_H
#define BTF_EXTRA_TESTS_CONTAINER_ROWS_H

#include "container_files.h"
#include "container_run.h"

#define CONTAINER_MAX_PATCHES 4

/* Overwrites bytes of the file. */
struct container_patch {
	u32 size;		/* 1, 2, 4, 8, or CONTAINER_PATCH_ID; 0: no more patches */
	u32 at;
	u64 value;
};

/* 4 bytes, and the value is an id of the types. */
#define CONTAINER_PATCH_ID 0x104

struct container_row {
	const char *name;
	const char *core_row;	/* whose blobs are in the file; NULL: the first */
	const char *parts;	/* of container_write(); NULL: CONTAINER_PLAIN */
	u32 nr_headers;		/* 0: what the parts need */
	struct container_patch patches[CONTAINER_MAX_PATCHES];
	u32 cut;		/* bytes of the file; 0: all */
	u32 shift;		/* distance to the next lower aligned address */

	/* the expected result: */
	enum btf_fault_code code;	/* BTF_FAULT_NONE: the file is accepted */
	u32 offset;
	/* extra_blobs_open() refuses this then, over the base of the blobs. */
	enum btf_fault_code whole;
};

extern const struct container_row container_rows[];
extern const u32 container_nr_rows;

/*
 * Writes the file of a row at file + row->shift and returns its size; 0: the row itself is wrong.
 * file has CONTAINER_MAX_SIZE bytes and is aligned to 8.
 */
u32 container_row_file(const struct container_row *row, struct core_row_images *images, u8 *file);

/* Returns NULL, or what differs from the row. */
const char *container_row_verdict(const struct container_row *row,
				  const struct container_outcome *run);

#endif
