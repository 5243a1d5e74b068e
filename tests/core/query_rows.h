/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The named rows of the queries: what a user writes, and the sites that it stands
 * for. They run in GoogleTest and in KUnit, over one object that is made for them.
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

	/* what must come out: */
	const char *refused;	/* the text is none, for that reason */
	u8 sites[QUERY_MAX_SITES];	/* numbers in order, each + 1; up to the first 0 */
	u32 by_symbol;		/* of them, those that are found by a symbol */
};

extern const struct query_row query_rows[];
extern const u32 query_nr_rows;

/* The images of the object, in the caller's memory. */
void query_rows_input(struct core_row_images *images, struct core_input *input);

/* NULL, or what is not as the row wants it. index is that of the images. */
const char *query_row_verdict(const struct query_row *row, const struct loc_index *index);

/* ---- patterns ---- */

struct glob_row {
	const char *pattern, *name;
	bool matches;
};

extern const struct glob_row glob_rows[];
extern const u32 glob_nr_rows;

#endif
