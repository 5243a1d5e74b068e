// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the rows of tests/core for the container, the bounds of sites, marks and suffixes of
 * symbols, as the kernel compiles them. Files are allocated with exactly their size, so that KASAN
 * sees a read beyond the end.
 */
#include <kunit/test.h>

#include "../../tests/core/container_rows.h"
#include "../../tests/core/site_rows.h"
#include "../../tests/core/suffix_rows.h"
#include "tests/rows_param.h"

struct container_fixture {
	struct core_row_images images;
	struct core_input blobs;
	struct core_outcome core;
	struct container_outcome run;
	u8 file[CONTAINER_MAX_SIZE] __aligned(8);
};

static int container_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct container_fixture), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

static void run_copy(struct kunit *test, const u8 *file, u32 size, u32 shift)
{
	struct container_fixture *fixture = test->priv;
	u8 *copy = kunit_kmalloc(test, shift + size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy + shift, file, size);
	container_run(&fixture->run, copy + shift, size);
	if (fixture->run.error || fixture->run.broken)
		kunit_kfree(test, copy);
}

static void container_row_test(struct kunit *test)
{
	const struct container_row *row = test->param_value;
	struct container_fixture *fixture = test->priv;
	const char *wrong;
	u32 size;

	size = container_row_file(row, &fixture->images, fixture->file);
	KUNIT_ASSERT_NE_MSG(test, size, 0, "the row itself is wrong");
	if (row->cut == 0xffffffff)
		size = 0;
	run_copy(test, fixture->file + row->shift, size, row->shift);
	wrong = container_row_verdict(row, &fixture->run);
	KUNIT_EXPECT_NULL_MSG(test, wrong, "%s: %s, offset %u", wrong,
			      btf_fault_text(fixture->run.fault.code), fixture->run.fault.offset);
}

static void container_cut_test(struct kunit *test)
{
	struct container_fixture *fixture = test->priv;
	u32 whole = container_row_file(&container_rows[0], &fixture->images, fixture->file);
	u32 size;

	for (size = 0; size < whole; size++) {
		run_copy(test, fixture->file, size, 0);
		KUNIT_ASSERT_NULL_MSG(test, fixture->run.broken, "cut at %u: %s", size,
				      fixture->run.broken);
		KUNIT_ASSERT_EQ_MSG(test, fixture->run.error, -EINVAL, "cut at %u", size);
	}
}

/* Changes the bytes outside the blobs. */
static void container_byte_test(struct kunit *test)
{
	struct container_fixture *fixture = test->priv;
	u8 *file = fixture->file;
	u32 size = container_row_file(&container_rows[0], &fixture->images, file);
	u32 at, v;

	for (at = 0; at < size; at++) {
		const u8 old = file[at];
		const u8 values[] = { 0, 0x7f, 0x80, 0xff, old + 1, old - 1, old ^ 4 };

		if (at >= 640 && at < 1216)
			continue;
		for (v = 0; v < ARRAY_SIZE(values); v++) {
			file[at] = values[v];
			container_run(&fixture->run, file, size);
			KUNIT_ASSERT_NULL_MSG(test, fixture->run.broken, "byte %u = %u: %s", at,
					      values[v], fixture->run.broken);
		}
		file[at] = old;
	}
}

static void bounds_row_test(struct kunit *test)
{
	const struct bounds_row *row = test->param_value;
	struct container_fixture *fixture = test->priv;
	struct core_arena arena = {};
	const char *wrong;
	u32 size;

	size = bounds_row_file(row, &fixture->images, &fixture->blobs, fixture->file);
	KUNIT_ASSERT_NE_MSG(test, size, 0, "the row itself is wrong");
	arena.size = core_run_memory(&fixture->blobs);
	arena.memory = kunit_kzalloc(test, arena.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, arena.memory);
	core_run(&fixture->core, &fixture->blobs, &arena);
	run_copy(test, fixture->file, size, 0);
	wrong = bounds_row_verdict(row, &fixture->core, &fixture->run);
	KUNIT_EXPECT_NULL_MSG(test, wrong, "%s", wrong);
}

static void marks_row_test(struct kunit *test)
{
	const char *wrong = marks_row_verdict(test->param_value);

	KUNIT_EXPECT_NULL_MSG(test, wrong, "%s", wrong);
}

static void suffix_row_test(struct kunit *test)
{
	const struct suffix_row *row = test->param_value;
	const char *suffix = row->symbol + row->length;

	KUNIT_EXPECT_EQ(test, func_suffix_strip(row->symbol), row->length);
	KUNIT_EXPECT_EQ(test, func_suffix_meaning(suffix, strlen(suffix)), row->meaning);
}

ROWS_PARAM(container, struct container_row, container_rows, container_nr_rows)
ROWS_PARAM(bounds, struct bounds_row, bounds_rows, bounds_nr_rows)
ROWS_PARAM(marks, struct marks_row, marks_rows, marks_nr_rows)
ROWS_PARAM(suffix, struct suffix_row, suffix_rows, suffix_nr_rows)

static struct kunit_case container_cases[] = {
	KUNIT_CASE_PARAM(container_row_test, container_gen_params),
	KUNIT_CASE(container_cut_test),
	KUNIT_CASE(container_byte_test),
	KUNIT_CASE_PARAM(bounds_row_test, bounds_gen_params),
	KUNIT_CASE_PARAM(marks_row_test, marks_gen_params),
	KUNIT_CASE_PARAM(suffix_row_test, suffix_gen_params),
	{ }
};

static struct kunit_suite container_suite = {
	.name = "btf_extra_container",
	.init = container_init,
	.test_cases = container_cases,
};

kunit_test_suite(container_suite);
