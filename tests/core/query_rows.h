/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The named rows of the queries: the text that a user writes, and the sites that it stands for.
 * They run in GoogleTest and in KUnit over one object that is made for them, and against the
 * running kernel (tests/vm/core).
 */
#ifndef BTF_EXTRA_TESTS_QUERY_ROWS_H
#define BTF_EXTRA_TESTS_QUERY_ROWS_H

#include "../../kernel/core/name_glob.h"
#include "../../kernel/core/site_query.h"
#include "core_rows.h"

#define QUERY_MAX_SITES 16

struct query_row {
	const char *name;
	const char *text;	/* NULL: by address */
	u64 address;
	u32 classes;

	/* the expected result: */
	const char *refused;	/* the reason why the text is refused */
	u8 sites[QUERY_MAX_SITES];	/* numbers in order, each + 1; the first 0 ends them */
	u32 by_symbol;		/* how many of the sites are found by a symbol */
};

extern const struct query_row query_rows[];
extern const u32 query_nr_rows;

/* Makes the images of the object in the caller's memory. */
void query_rows_input(struct core_row_images *images, struct core_input *input);

/* Returns NULL, or what differs from the row. index must be that of the images. */
const char *query_row_verdict(const struct query_row *row, const struct loc_index *index);

/* ---- patterns ---- */

struct glob_row {
	const char *pattern, *name;
	bool matches;
};

extern const struct glob_row glob_rows[];
extern const u32 glob_nr_rows;

#endif
