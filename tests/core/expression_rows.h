/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* Named rows of expressions and of their section, for KUnit and for GoogleTest. */
#ifndef BTF_EXTRA_TESTS_EXPRESSION_ROWS_H
#define BTF_EXTRA_TESTS_EXPRESSION_ROWS_H

#include "../../kernel/core/loc_expression.h"

struct expression_row {
	const char *name;
	u8 code[64];
	u32 size;
	u32 machine;		/* 0: x86-64 */

	/* the expected result: */
	enum btf_fault_code fault;
	u32 offset;		/* of the byte at fault */
	bool unavailable;	/* memory cannot be read, or a check fails */
	u64 low, high;		/* the value; only its bytes count */
};

extern const struct expression_row expression_rows[];
extern const u32 expression_nr_rows;

/*
 * Returns NULL, or what differs from the row. An accepted code is also decoded cut off at each of
 * its bytes.
 */
const char *expression_row_verdict(const struct expression_row *row);

/* Evaluates an expression, as loc_steps_run() does. */
typedef bool (*expression_run_fn)(const struct loc_expression *expression,
				  const struct loc_machine_state *state, loc_load_fn load,
				  u64 *value);

/* Does the same as expression_row_verdict() with another evaluator. */
const char *expression_row_verdict_by(const struct expression_row *row, expression_run_fn run);

#define EXPRESSIONS_ROW_FOUND 3

struct expressions_row {
	const char *name;
	u8 section[72];
	u32 size;

	/* the expected result: */
	enum btf_fault_code fault;
	u32 offset;
	/* All parameters that have an expression, and their values; a loc_proto of 0 ends them. */
	struct {
		u32 loc_proto, param;
		u64 value;
	} found[EXPRESSIONS_ROW_FOUND];
};

extern const struct expressions_row expressions_rows[];
extern const u32 expressions_nr_rows;

const char *expressions_row_verdict(const struct expressions_row *row);

/* Returns the locations that these sections extend; NULL: the rows themselves are wrong. */
const struct btf_blob *expressions_row_blob(void);

#endif
