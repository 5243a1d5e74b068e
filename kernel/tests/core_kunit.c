// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the core as the kernel compiles it. Every row of tests/core is a parameter with the row's
 * name. The two layouts are also cut at every length and run with every byte changed. Images and
 * tables are allocated with exactly their size, so that KASAN sees an access beyond the end.
 */
#include <kunit/test.h>

#include "../../tests/core/phantom_rows.h"
#include "../../tests/core/query_rows.h"
#include "tests/rows_param.h"

#define NR_IMAGES 3

struct core_fixture {
	struct core_row_images *images;
	struct core_outcome *outcome;
	struct core_input input;
	struct core_arena arena;
};

static struct core_image *image_of(struct core_fixture *fixture, u32 i)
{
	struct core_image *images[NR_IMAGES] = {
		&fixture->input.base, &fixture->input.types, &fixture->input.func_info
	};

	return images[i];
}

/*
 * Replaces the image by a copy of its first size bytes. A copy of an unaligned image is unaligned
 * too.
 */
static u8 *copy_image(struct kunit *test, struct core_image *image, u32 size)
{
	size_t shift = (unsigned long)image->data % sizeof(u32);
	u8 *copy = kunit_kmalloc(test, shift + size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy + shift, image->data, size);
	image->data = copy + shift;
	image->size = size;
	return copy;
}

static int core_init(struct kunit *test)
{
	struct core_fixture *fixture = kunit_kzalloc(test, sizeof(*fixture), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, fixture);
	test->priv = fixture;
	fixture->images = kunit_kzalloc(test, sizeof(*fixture->images), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fixture->images);
	fixture->outcome = kunit_kzalloc(test, sizeof(*fixture->outcome), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fixture->outcome);

	KUNIT_ASSERT_TRUE_MSG(test, core_row_input(test->param_value, fixture->images,
						   &fixture->input), "the row itself is wrong");
	for (i = 0; i < NR_IMAGES; i++) {
		struct core_image *image = image_of(fixture, i);

		if (image->data)
			copy_image(test, image, image->size);
	}
	fixture->arena.size = core_run_memory(&fixture->input);
	fixture->arena.memory = kunit_kzalloc(test, fixture->arena.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fixture->arena.memory);
	return 0;
}

static void run(struct core_fixture *fixture)
{
	fixture->arena.used = 0;
	core_run(fixture->outcome, &fixture->input, &fixture->arena);
}

static void core_row_test(struct kunit *test)
{
	struct core_fixture *fixture = test->priv;
	struct core_outcome *outcome = fixture->outcome;
	const char *wrong;

	run(fixture);
	wrong = core_row_verdict(test->param_value, outcome);
	KUNIT_EXPECT_NULL_MSG(test, wrong, "%s: step %d, error %d, %s, type %u, offset %u", wrong,
			      outcome->step, outcome->error, btf_fault_text(outcome->fault.code),
			      outcome->fault.type_id, outcome->fault.offset);
}

/* A blob that is cut anywhere is refused. */
static void core_cut_test(struct kunit *test)
{
	struct core_fixture *fixture = test->priv;
	u32 i, size;

	for (i = 0; i < NR_IMAGES; i++) {
		struct core_image *image = image_of(fixture, i);
		struct core_image whole = *image;

		for (size = 0; whole.data && size < whole.size; size++) {
			u8 *copy = copy_image(test, image, size);

			run(fixture);
			KUNIT_ASSERT_NULL_MSG(test, fixture->outcome->broken,
					      "image %u cut at %u: %s", i, size,
					      fixture->outcome->broken);
			KUNIT_ASSERT_EQ_MSG(test, fixture->outcome->error, -EINVAL,
					    "image %u cut at %u", i, size);
			*image = whole;
			kunit_kfree(test, copy);
		}
	}
}

/* A blob with any byte changed is refused or keeps all promises. */
static void core_byte_test(struct kunit *test)
{
	struct core_fixture *fixture = test->priv;
	u32 i, at, v;

	for (i = 0; i < NR_IMAGES; i++) {
		struct core_image *image = image_of(fixture, i);
		u8 *bytes = (u8 *)image->data;

		for (at = 0; bytes && at < image->size; at++) {
			const u8 old = bytes[at];
			const u8 values[] = { 0, 0x7f, 0x80, 0xff, old + 1, old - 1, old ^ 4 };

			for (v = 0; v < ARRAY_SIZE(values); v++) {
				bytes[at] = values[v];
				run(fixture);
				KUNIT_ASSERT_NULL_MSG(test, fixture->outcome->broken,
						      "image %u, byte %u = %u: %s", i, at,
						      values[v], fixture->outcome->broken);
			}
			bytes[at] = old;
		}
	}
}

ROWS_PARAM(all_rows, struct core_row, core_rows, core_nr_rows)
/* The first rows are the two layouts, complete and with every kind of record. */
ROWS_PARAM(layouts, struct core_row, core_rows, 2)

static struct kunit_case core_cases[] = {
	KUNIT_CASE_PARAM(core_row_test, all_rows_gen_params),
	KUNIT_CASE_PARAM(core_cut_test, layouts_gen_params),
	KUNIT_CASE_PARAM(core_byte_test, layouts_gen_params),
	{ }
};

static struct kunit_suite core_suite = {
	.name = "btf_extra_core",
	.init = core_init,
	.test_cases = core_cases,
};

/* ---- queries ---- */

static int queries_init(struct kunit *test)
{
	struct core_fixture *fixture = kunit_kzalloc(test, sizeof(*fixture), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fixture);
	test->priv = fixture;
	fixture->images = kunit_kzalloc(test, sizeof(*fixture->images), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fixture->images);
	fixture->outcome = kunit_kzalloc(test, sizeof(*fixture->outcome), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fixture->outcome);
	query_rows_input(fixture->images, &fixture->input);
	fixture->arena.size = core_run_memory(&fixture->input);
	fixture->arena.memory = kunit_kzalloc(test, fixture->arena.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fixture->arena.memory);
	run(fixture);
	KUNIT_ASSERT_EQ(test, fixture->outcome->step, CORE_DONE);
	return 0;
}

static void query_row_test(struct kunit *test)
{
	struct core_fixture *fixture = test->priv;
	const char *wrong = query_row_verdict(test->param_value, &fixture->outcome->index);

	KUNIT_EXPECT_NULL_MSG(test, wrong, "%s", wrong);
}

ROWS_PARAM(queries, struct query_row, query_rows, query_nr_rows)

static void glob_rows_test(struct kunit *test)
{
	u32 i;

	for (i = 0; i < glob_nr_rows; i++) {
		const struct glob_row *row = &glob_rows[i];

		KUNIT_EXPECT_EQ_MSG(test, name_glob_matches(row->pattern, strlen(row->pattern),
							    row->name), row->matches,
				    "%s %s", row->pattern, row->name);
	}
}

static struct kunit_case query_cases[] = {
	KUNIT_CASE_PARAM(query_row_test, queries_gen_params),
	KUNIT_CASE(glob_rows_test),
	{ }
};

static struct kunit_suite query_suite = {
	.name = "btf_extra_core_queries",
	.init = queries_init,
	.test_cases = query_cases,
};

static void phantom_row_test(struct kunit *test)
{
	const char *wrong = phantom_row_verdict(test->param_value);

	KUNIT_EXPECT_NULL_MSG(test, wrong, "%s", wrong);
}

ROWS_PARAM(phantoms, struct phantom_row, phantom_rows, phantom_nr_rows)

static struct kunit_case phantom_cases[] = {
	KUNIT_CASE_PARAM(phantom_row_test, phantoms_gen_params),
	{ }
};

static struct kunit_suite phantom_suite = {
	.name = "btf_extra_core_phantoms",
	.test_cases = phantom_cases,
};

kunit_test_suites(&core_suite, &query_suite, &phantom_suite);
