// SPDX-License-Identifier: GPL-2.0
/* The decoder and the evaluator of expressions, and their section, as the kernel compiles them. */
#include <kunit/test.h>

#include "../../tests/core/expression_rows.h"
#include "tests/rows_param.h"

static void expression_row_test(struct kunit *test)
{
	const char *wrong = expression_row_verdict(test->param_value);

	KUNIT_EXPECT_NULL_MSG(test, wrong, "%s", wrong);
}

static void expressions_row_test(struct kunit *test)
{
	const char *wrong = expressions_row_verdict(test->param_value);

	KUNIT_EXPECT_NULL_MSG(test, wrong, "%s", wrong);
}

ROWS_PARAM(expression, struct expression_row, expression_rows, expression_nr_rows)
ROWS_PARAM(expressions, struct expressions_row, expressions_rows, expressions_nr_rows)

static struct kunit_case expression_cases[] = {
	KUNIT_CASE_PARAM(expression_row_test, expression_gen_params),
	KUNIT_CASE_PARAM(expressions_row_test, expressions_gen_params),
	{ }
};

static struct kunit_suite expression_suite = {
	.name = "btf_extra_expression",
	.test_cases = expression_cases,
};

kunit_test_suite(expression_suite);
