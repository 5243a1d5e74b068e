// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the rows of tests/core for .btf_extra.frames, as the kernel compiles them. Sections are
 * allocated with exactly their size, so that KASAN sees a read beyond the end.
 */
#include <kunit/test.h>

#include "../../tests/core/frame_rows.h"
#include "tests/rows_param.h"

struct frames_fixture {
	struct frame_world world;
	struct frame_outcome run;
	u8 *bytes;
};

static int frames_init(struct kunit *test)
{
	struct frames_fixture *fixture = kunit_kzalloc(test, sizeof(*fixture), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fixture);
	test->priv = fixture;
	fixture->bytes = kunit_kzalloc(test, FRAME_ROW_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fixture->bytes);
	KUNIT_ASSERT_TRUE_MSG(test, frame_world_make(&fixture->world), "the plain object is right");
	return 0;
}

/* Runs a copy of the first size bytes, which stays where it is. */
static void run_copy(struct kunit *test, u32 size)
{
	struct frames_fixture *fixture = test->priv;
	u8 *copy = kunit_kmalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy, fixture->bytes, size);
	frame_run(&fixture->run, &fixture->world, copy, size);
}

static void frame_row_test(struct kunit *test)
{
	const struct frame_row *row = test->param_value;
	struct frames_fixture *fixture = test->priv;
	const char *wrong;

	run_copy(test, frame_row_bytes(row, fixture->bytes));
	wrong = frame_row_verdict(row, &fixture->run);
	KUNIT_EXPECT_NULL_MSG(test, wrong, "%s: %s, offset %u", wrong,
			      btf_fault_text(fixture->run.fault.code), fixture->run.fault.offset);
}

static void frame_place_test(struct kunit *test)
{
	const struct frame_place_row *place = test->param_value;
	const struct frame_row *row = frame_place_section(place);
	struct frames_fixture *fixture = test->priv;
	const char *wrong;

	KUNIT_ASSERT_NOT_NULL_MSG(test, row, "the row itself is wrong");
	run_copy(test, frame_row_bytes(row, fixture->bytes));
	KUNIT_ASSERT_EQ(test, fixture->run.error, 0);
	wrong = frame_place_verdict(place, &fixture->run.frames);
	KUNIT_EXPECT_NULL_MSG(test, wrong, "%s", wrong);
}

/* A section with any byte changed is refused or keeps all promises. */
static void frame_byte_test(struct kunit *test)
{
	struct frames_fixture *fixture = test->priv;
	const u32 size = frame_row_bytes(&frame_rows[0], fixture->bytes);
	u32 at, v;

	for (at = 0; at < size; at++) {
		const u8 old = fixture->bytes[at];
		const u8 values[] = { 0, 0x7f, 0x80, 0xff, old + 1, old - 1, old ^ 4 };

		for (v = 0; v < ARRAY_SIZE(values); v++) {
			fixture->bytes[at] = values[v];
			frame_run(&fixture->run, &fixture->world, fixture->bytes, size);
			KUNIT_ASSERT_NULL_MSG(test, fixture->run.broken, "byte %u = %u: %s", at,
					      values[v], fixture->run.broken);
		}
		fixture->bytes[at] = old;
	}
}

ROWS_PARAM(frames, struct frame_row, frame_rows, frame_nr_rows)
ROWS_PARAM(places, struct frame_place_row, frame_place_rows, frame_place_nr_rows)

static struct kunit_case frames_cases[] = {
	KUNIT_CASE_PARAM(frame_row_test, frames_gen_params),
	KUNIT_CASE_PARAM(frame_place_test, places_gen_params),
	KUNIT_CASE(frame_byte_test),
	{ }
};

static struct kunit_suite frames_suite = {
	.name = "btf_extra_frames",
	.init = frames_init,
	.test_cases = frames_cases,
};

kunit_test_suite(frames_suite);
