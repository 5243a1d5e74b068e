/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The rows of the table of stubs. Each changes one word of a table that is right, or its size, and
 * has the expected message.
 */
#ifndef BTF_EXTRA_TESTS_PHANTOM_ROWS_H
#define BTF_EXTRA_TESTS_PHANTOM_ROWS_H

#include "../../kernel/core/phantom_table.h"

/* Header 8, objects 2 * 3, stubs 2 * 2, functions 3 * 3, strings. */
#define PHANTOM_ROW_WORDS 34

struct phantom_row {
	const char *name;
	u32 word;		/* number of the word that is changed ... */
	u32 value;		/* ... to this */
	u32 size;		/* how many bytes are given; 0: all */
	const char *wrong;	/* the message; NULL: it is right */
};

extern const struct phantom_row phantom_rows[];
extern const u32 phantom_nr_rows;

/* Fills table[PHANTOM_ROW_WORDS] and returns its size. */
u32 phantom_row_table(const struct phantom_row *row, u32 *table);

/* Returns NULL, or what is not as the row wants it. */
const char *phantom_row_verdict(const struct phantom_row *row);

#endif
