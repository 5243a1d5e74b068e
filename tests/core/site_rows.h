/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* The named rows of sites against the sections of their object, and of marks against sites. */
#ifndef BTF_EXTRA_TESTS_SITE_ROWS_H
#define BTF_EXTRA_TESTS_SITE_ROWS_H

#include "container_files.h"
#include "container_run.h"

/* ---- sites against the sections of their object ---- */

struct bounds_row {
	const char *name;
	const char *text;	/* in place of ".text"; NULL: ".text" */
	u32 type;		/* of the header of .text; 0: no bytes */
	u64 flags, size;	/* of .text */
	u64 init_size;		/* of .init.text */
	struct core_patch patches[2];	/* of the blobs */

	/* the expected result: */
	bool accepted;
	u32 type_id;
	u32 offset;		/* in func_info */
};

extern const struct bounds_row bounds_rows[];
extern const u32 bounds_nr_rows;

/* Does the same as container_row_file(), and also makes the blobs of the row. */
u32 bounds_row_file(const struct bounds_row *row, struct core_row_images *images,
		    struct core_input *blobs, u8 *file);

/* Returns NULL, or what differs from the row. core is the result of core_run() for the blobs. */
const char *bounds_row_verdict(const struct bounds_row *row, const struct core_outcome *core,
			       const struct container_outcome *run);

/* ---- marks against the number of sites ---- */

struct marks_row {
	const char *name;
	union {
		u8 list[40];	/* as site_marks.h describes it */
		u32 aligned;
	};
	u32 size;
	u32 nr_sites;

	/* the expected result: */
	bool accepted;
	u32 offset;		/* offset of the fault in the list */
	u8 first[8];		/* the marks of the first sites */
	struct {
		u32 site, marks;
	} more[3];		/* those of others */
};

extern const struct marks_row marks_rows[];
extern const u32 marks_nr_rows;

/* Returns NULL, or what differs from the row. */
const char *marks_row_verdict(const struct marks_row *row);

#endif
