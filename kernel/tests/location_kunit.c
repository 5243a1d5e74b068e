// SPDX-License-Identifier: GPL-2.0
/* The decoder of LOC_PARAM and the table of registers, as the kernel compiles them. */
#include <kunit/test.h>
#include <linux/ptrace.h>

#include "../../tests/core/location_rows.h"
#include "core/loc_arch.h"
#include "tests/rows_param.h"

static void location_row_test(struct kunit *test)
{
	const char *wrong = location_row_verdict(test->param_value);

	KUNIT_EXPECT_NULL_MSG(test, wrong, "%s", wrong);
}

ROWS_PARAM(location, struct location_row, location_rows, location_nr_rows)

#define SAVED(number, text, field) { number, "%" text, offsetof(struct pt_regs, field) }

/* The numbers are those of the System V ABI. */
static void location_register_test(struct kunit *test)
{
	static const struct {
		u32 number;
		const char *name;
		u32 saved_at;
	} rows[] = {
		SAVED(0, "rax", ax), SAVED(1, "rdx", dx), SAVED(2, "rcx", cx),
		SAVED(3, "rbx", bx), SAVED(4, "rsi", si), SAVED(5, "rdi", di),
		SAVED(6, "rbp", bp), SAVED(7, "rsp", sp), SAVED(8, "r8", r8),
		SAVED(9, "r9", r9), SAVED(10, "r10", r10), SAVED(11, "r11", r11),
		SAVED(12, "r12", r12), SAVED(13, "r13", r13), SAVED(14, "r14", r14),
		SAVED(15, "r15", r15),
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct loc_register *found = loc_arch_register(loc_arch_running(), i);

		KUNIT_ASSERT_NOT_NULL(test, found);
		KUNIT_EXPECT_EQ(test, rows[i].number, i);
		KUNIT_EXPECT_STREQ(test, found->name, rows[i].name);
		KUNIT_EXPECT_EQ_MSG(test, found->saved_at, rows[i].saved_at, "%s", rows[i].name);
	}
	KUNIT_EXPECT_NULL(test, loc_arch_register(loc_arch_running(), ARRAY_SIZE(rows)));
}

static struct kunit_case location_cases[] = {
	KUNIT_CASE_PARAM(location_row_test, location_gen_params),
	KUNIT_CASE(location_register_test),
	{ }
};

static struct kunit_suite location_suite = {
	.name = "btf_extra_location",
	.test_cases = location_cases,
};

kunit_test_suite(location_suite);
