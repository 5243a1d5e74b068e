// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that types in types, which no compiler makes, do not keep a processor busy: the search for
 * the places of parameters gives up. Each row takes its own number of words.
 */
#include <kunit/test.h>
#include <linux/mm.h>

#include "../../tests/core/blob_writer.h"
#include "core/loc_entry.h"
#include "core/loc_validate.h"
#include "kloc/site_args.h"
#include "tests/rows_param.h"

struct nested_row {
	const char *name;
	u32 levels, width;	/* unions in each other, members of each */
	u32 typedefs;		/* in front of each member */
	bool bit_fields;
	bool told;		/* the places of the parameters are known */
};

static const struct nested_row nested_rows[] = {
	{ "8 levels of 2", 8, 2, 0, false, true },
	{ "8 levels of 3", 8, 3, 0, false, false },
	{ "14 levels of 16", 14, 16, 0, false, false },
	{ "15 levels of 1", 15, 1, 0, false, true },
	{ "16 levels of 1", 16, 1, 0, false, false },
	{ "1000 typedefs", 1, 1, 1000, false, true },
	{ "3000 typedefs", 1, 1, 3000, false, false },
	{ "100 bit fields", 1, 100, 0, true, true },
	{ "3000 bit fields", 1, 3000, 0, true, false },
};

#define NESTED_WORDS 16384

struct nested_world {
	u32 words[NESTED_WORDS];
	char strings[64];
	u8 image[4 * NESTED_WORDS + 1024] __aligned(8);
	u32 offsets[1024];
	struct btf_blob blob;
};

/* The innermost type is an int; the function takes the outermost, and another int. */
static u32 write_nested(const struct nested_row *row, struct blob_writer *writer)
{
	u32 inner = 1, name, proto, level, i;

	blob_string(writer, "");
	name = blob_string(writer, "t");
	blob_type(writer, blob_string(writer, "i"), BTF_KIND_INT, 0, 4);
	blob_word(writer, 32);
	for (level = 0; level < row->levels; level++) {
		u32 at;

		for (i = 0; i < row->typedefs; i++)
			inner = blob_type(writer, name, BTF_KIND_TYPEDEF, 0, inner);
		at = writer->nr_words;
		inner = blob_type(writer, 0, BTF_KIND_UNION, row->width, 4);
		writer->types[at + 1] |= (u32)row->bit_fields << 31;
		for (i = 0; i < row->width; i++) {
			blob_word(writer, 0);
			blob_word(writer, inner - 1);
			blob_word(writer, row->bit_fields ? 3u << 24 : 0);
		}
	}
	proto = blob_type(writer, 0, BTF_KIND_FUNC_PROTO, 2, 0);
	blob_word(writer, 0);
	blob_word(writer, inner);
	blob_word(writer, 0);
	blob_word(writer, 1);
	return blob_type(writer, blob_string(writer, "foo"), BTF_KIND_FUNC, 0, proto);
}

/* A blob that passes every check does not keep a processor busy. */
static void nested_row_test(struct kunit *test)
{
	struct nested_world *world = kvzalloc(sizeof(*world), GFP_KERNEL);
	const struct nested_row *row = test->param_value;
	struct arg_place places[2];
	struct blob_writer writer;
	struct btf_fault fault;
	u32 func, size;

	KUNIT_ASSERT_NOT_NULL(test, world);
	blob_begin(&writer, world->words, ARRAY_SIZE(world->words), world->strings,
		   sizeof(world->strings), 1, 0);
	func = write_nested(row, &writer);
	size = blob_finish(&writer, LOC_KIND_COUNT, world->image, sizeof(world->image));
	KUNIT_EXPECT_NE(test, size, 0);
	KUNIT_EXPECT_EQ(test, btf_blob_open(&world->blob, world->image, size, NULL, &fault), 0);
	KUNIT_EXPECT_LE(test, btf_blob_nr_offsets(&world->blob), ARRAY_SIZE(world->offsets));
	btf_blob_index(&world->blob, world->offsets);
	KUNIT_EXPECT_EQ(test, loc_validate_types(&world->blob, &fault), 0);
	KUNIT_EXPECT_EQ(test, arg_places(loc_arch_running(), &world->blob, func, places, 2),
			row->told ? 2 : -EINVAL);
	if (row->told)
		KUNIT_EXPECT_EQ(test, places[1].first_register, 1);
	kvfree(world);
}

ROWS_PARAM(nested, struct nested_row, nested_rows, ARRAY_SIZE(nested_rows))

static struct kunit_case nested_cases[] = {
	KUNIT_CASE_PARAM(nested_row_test, nested_gen_params),
	{ }
};

static struct kunit_suite nested_suite = {
	.name = "btf_extra_nested",
	.test_cases = nested_cases,
};

kunit_test_suite(nested_suite);
