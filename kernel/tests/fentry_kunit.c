// SPDX-License-Identifier: GPL-2.0
/* Tests what an fentry program attaches to, by id. */
#include <kunit/test.h>

#include "../../tests/core/blob_writer.h"
#include "fentry/fentry_report.h"
#include "objects/kernel_symbol.h"
#include "objects/object_registry.h"
#include "query/site_query.h"
#include "tests/fentry_rows.h"
#include "tests/rows_param.h"
#include "tests/sample_objects.h"

ROWS_PARAM(fentry, struct fentry_row, fentry_rows, fentry_nr_rows)

/* ---- the object of a row ---- */

static const struct fentry_row *current_row;

static bool symbol_of_row(unsigned long address, char *symbol)
{
	u32 i;

	for (i = 0; i < FENTRY_ROW_BODIES && current_row->bodies[i].func; i++) {
		if (address != sample_text(1) + current_row->bodies[i].offset ||
		    !current_row->bodies[i].symbol)
			continue;
		strscpy(symbol, current_row->bodies[i].symbol, KSYM_SYMBOL_LEN);
		return true;
	}
	return false;
}

static bool stub_of_row(const struct extra_object *object, u32 func_id,
			struct phantom_found *found)
{
	*found = (struct phantom_found){
		.name = current_row->stub,
		.address = sample_text(1) + FENTRY_ROW_STUB,
		.whole = !current_row->without,
	};
	return current_row->stub;
}

static void put_proto(struct blob_writer *w, u32 result, u32 nr, const u32 *names,
		      const u32 *types)
{
	u32 i;

	blob_type(w, 0, BTF_KIND_FUNC_PROTO, nr, result);
	for (i = 0; i < nr; i++) {
		blob_word(w, names[i]);
		blob_word(w, types[i]);
	}
}

static void put_types(struct blob_writer *w)
{
	u32 a = blob_string(w, "a"), b = blob_string(w, "b"), none = 0;
	u32 base_func = 5;	/* in the strings of the base */
	u32 tags[] = { blob_string(w, "file:a.c"), blob_string(w, "file:b.c") };

	put_proto(w, 1, 1, &a, (const u32 []){ 1 });
	put_proto(w, 0, 2, (const u32 []){ a, b }, (const u32 []){ 1, 1 });
	put_proto(w, 0, 1, &b, (const u32 []){ 1 });
	put_proto(w, 0, 2, (const u32 []){ none, b }, (const u32 []){ INT128, 1 });
	blob_type(w, blob_string(w, "__int128"), BTF_KIND_INT, 0, 16);
	blob_word(w, 128);
	blob_type(w, blob_string(w, "apple"), BTF_KIND_FUNC, 0, PROTO_AB);
	blob_type(w, blob_string(w, "apple.isra.0"), BTF_KIND_FUNC, 0, PROTO_B);
	blob_type(w, base_func, BTF_KIND_FUNC, 0, PROTO_A);
	blob_type(w, base_func, BTF_KIND_FUNC, 0, PROTO_AB);
	blob_type(w, blob_string(w, "fig"), BTF_KIND_FUNC, 0, PROTO_A);
	blob_type(w, blob_string(w, "plum"), BTF_KIND_FUNC, 0, PROTO_PAIR);
	blob_type(w, tags[0], BTF_KIND_DECL_TAG, 0, BASE_A);
	blob_word(w, -1);
	blob_type(w, tags[1], BTF_KIND_DECL_TAG, 0, BASE_B);
	blob_word(w, -1);
}

static void put_param(struct blob_writer *w, u32 size, u32 flags, u32 nr, const u32 *values)
{
	u32 i;

	blob_type(w, 0, LOC_KIND_PARAM, nr, size);
	blob_word(w, flags);
	for (i = 0; i < nr; i++)
		blob_word(w, values[i]);
}

static void put_loc_proto(struct blob_writer *w, u32 nr, u32 first, u32 second)
{
	blob_type(w, 0, LOC_KIND_PROTO, nr, 0);
	if (nr)
		blob_word(w, first);
	if (nr > 1)
		blob_word(w, second);
}

/* The order is that of their enum. Registers have DWARF numbers. */
static void put_locations(struct blob_writer *w)
{
	put_param(w, 4, LOC_REG, 1, (const u32 []){ 5 });
	put_param(w, 4, LOC_REG, 1, (const u32 []){ 4 });
	put_param(w, 4, LOC_REG, 1, (const u32 []){ 1 });
	put_param(w, 4, LOC_CONST, 1, (const u32 []){ 7 });
	put_param(w, 4, LOC_REG | LOC_DEREF | LOC_OFFSET | LOC_SIGNED, 2, (const u32 []){ 7, 8 });
	put_param(w, 4, LOC_REG | LOC_OFFSET | LOC_SIGNED, 2, (const u32 []){ 4, -4 });
	put_param(w, 16, LOC_REG, 2, (const u32 []){ 5, 4 });
	put_loc_proto(w, 0, 0, 0);
	put_loc_proto(w, 1, IN_DI, 0);
	put_loc_proto(w, 1, IN_SI, 0);
	put_loc_proto(w, 1, 0, 0);
	put_loc_proto(w, 1, SEVEN, 0);
	put_loc_proto(w, 2, IN_DI, IN_SI);
	put_loc_proto(w, 2, 0, IN_DI);
	put_loc_proto(w, 2, 0, IN_SI);
	put_loc_proto(w, 2, IN_DI, IN_MEMORY);
	put_loc_proto(w, 2, IN_DI, SUM);
	put_loc_proto(w, 2, IN_DI_SI, IN_DX);
	put_loc_proto(w, 2, IN_DI_SI, IN_SI);
}

static void put_sites(struct blob_writer *w, const struct fentry_row *row)
{
	static const u32 any_proto[] = {
		[BASE_FUNC] = NOTHING, [APPLE] = DI_SI, [FIG] = DI,
	};
	u32 nr = 0, i;

	while (nr < FENTRY_ROW_BODIES && row->bodies[nr].func)
		nr++;
	blob_type(w, blob_string(w, "func.text"), LOC_KIND_SEC, nr + row->more, 0);
	for (i = 0; i < nr; i++) {
		blob_word(w, row->bodies[i].func);
		blob_word(w, row->bodies[i].proto);
		blob_word(w, row->bodies[i].offset);
	}
	for (i = 0; i < row->more; i++) {
		blob_word(w, row->bodies[0].func);
		blob_word(w, row->bodies[0].proto);
		blob_word(w, 0x20 + i);
	}
	blob_type(w, blob_string(w, "inline.text"), LOC_KIND_SEC, row->inlined, 0);
	for (i = 0; i < row->inlined; i++) {
		blob_word(w, row->asked);
		blob_word(w, row->inline_proto ?: any_proto[row->asked]);
		blob_word(w, 0x40 + i);
	}
}

static void write_row(struct kunit *test, const struct fentry_row *row)
{
	struct sample_world *world = test->priv;
	struct core_row_images *images = &world->images;
	const u32 room = CORE_ROW_IMAGE_WORDS;
	struct core_image *types = &world->blobs.types, *func_info = &world->blobs.func_info;
	struct blob_writer w;

	blob_begin(&w, images->records, room, images->strings, sizeof(images->strings), 4, 15);
	put_types(&w);
	KUNIT_ASSERT_EQ(test, w.next_id, FIRST_LOCATION);
	types->data = images->types;
	types->size = blob_finish(&w, 0, images->types, sizeof(images->types));
	blob_begin(&w, images->records, room, images->strings, sizeof(images->strings),
		   FIRST_LOCATION, 15 + w.strings_len);
	put_locations(&w);
	KUNIT_ASSERT_EQ(test, w.next_id, NR_IDS);
	put_sites(&w, row);
	func_info->data = images->func_info;
	func_info->size = blob_finish(&w, LOC_KIND_COUNT, images->func_info,
				      sizeof(images->func_info));
	sample_write(world);
}

/* ---- rows ---- */

/* A module that stands for the owner of the types. Only its name is used. */
static struct module kunit_btf = { .name = "kunit_btf" };

/*
 * The lines of a report. KUnit allocates memory, and may sleep, to report a difference: so they are
 * compared after the RCU read-side section.
 */
struct told {
	u32 nr_lines;
	char lines[FENTRY_ROW_LINES + 1][160];
};

static void keep_line(const char *line, void *data)
{
	struct told *told = data;

	if (told->nr_lines < ARRAY_SIZE(told->lines))
		strscpy(told->lines[told->nr_lines++], line, sizeof(told->lines[0]));
}

static void expect_lines(struct kunit *test, const struct fentry_row *row,
			 const struct told *told)
{
	u32 i;

	for (i = 0; i < told->nr_lines; i++) {
		if (i < FENTRY_ROW_LINES && row->lines[i])
			KUNIT_EXPECT_STREQ(test, told->lines[i], row->lines[i]);
		else
			KUNIT_FAIL(test, "another line: %s", told->lines[i]);
	}
	if (told->nr_lines < FENTRY_ROW_LINES)
		KUNIT_EXPECT_NULL(test, row->lines[told->nr_lines]);
}

static void keep_ids(struct fentry_query *query, u32 *ids)
{
	u32 i, j;

	for (i = 0; i < query->object->blobs.index.nr_sections; i++) {
		const struct loc_section *section = &query->object->blobs.index.sections[i];

		if (section->loc_class != LOC_CLASS_BODY)
			continue;
		for (j = 0; j < section->nr_sites; j++) {
			const struct found_site found =
				site_query_site(&query->object->tables, section->first_site + j);
			const struct btf_extra_site body =
				site_query_describe(query->object, &found);
			enum fentry_answer answer;

			ids[j] = fentry_id_of_body(query, &body, &answer);
		}
	}
}

/* A list of marks with one site. */
struct one_mark {
	u32 page;
	u8 gap, flags;
};

/* The object of a row, in the registry. */
static struct extra_object *remember_row(struct kunit *test, const struct fentry_row *row,
					 struct one_mark *mark)
{
	struct extra_object *object;

	current_row = row;
	write_row(test, row);
	object = sample_create(test->priv, "kunit", 1);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
	object->sections[0].freed = row->freed;
	object->types_module = row->firmware ? NULL : &kunit_btf;
	if (row->part) {
		/* One page, and in it one run of one site. */
		mark->page = offsetof(struct one_mark, gap);
		mark->gap = row->part - 1;
		mark->flags = 1 << SITE_MARK_LENGTH_SHIFT | (row->mark ?: SITE_MARK_PART);
		object->tables.marks = (const u8 *)mark;
		object->tables.marks_size = offsetofend(struct one_mark, flags);
	}
	KUNIT_EXPECT_EQ(test, registry_add(object), 0);
	return object;
}

/* Compares all but the lines, which it hands to line(). */
static void expect_row(struct kunit *test, const struct fentry_row *row, bool addresses,
		       void (*line)(const char *line, void *data), void *data)
{
	struct fentry_query *query = kunit_kzalloc(test, sizeof(*query), GFP_KERNEL);
	u32 ids[FENTRY_ROW_BODIES] = {};
	struct fentry_target target;
	struct extra_object *object;
	struct one_mark mark;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, query);
	object = remember_row(test, row, &mark);
	query->object = object;
	query->symbol_at = symbol_of_row;
	query->stub_of = stub_of_row;
	query->strict = row->strict;
	query->stubs = row->stubs;
	query->complete = row->complete;
	rcu_read_lock();
	fentry_target_of(query, row->asked, &target);
	fentry_report(query, row->asked, &target, addresses, line, data);
	if (!row->more)
		keep_ids(query, ids);
	rcu_read_unlock();
	for (i = 0; i < FENTRY_ROW_BODIES && !row->more; i++)
		KUNIT_EXPECT_EQ_MSG(test, ids[i], row->ids[i], "body %u", i);
	KUNIT_EXPECT_EQ(test, target.answer, row->answer);
	KUNIT_EXPECT_EQ(test, fentry_target_accepted(query, &target), !row->refused);
	KUNIT_EXPECT_EQ(test, target.address, row->offset ? sample_text(1) + row->offset : 0);
	KUNIT_EXPECT_EQ(test, target.nr_inlined, row->inlined);
	KUNIT_EXPECT_PTR_EQ(test, registry_remove("kunit", NULL), object);
	extra_object_destroy(object);
}

static void fentry_row_test(struct kunit *test)
{
	const struct fentry_row *row = test->param_value;
	struct told *told = kunit_kzalloc(test, sizeof(*told), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, told);
	expect_row(test, row, true, keep_line, told);
	expect_lines(test, row, told);
}

/* There are more bodies than are listed, and the reader may not see addresses. */
static void count_line(const char *line, void *data)
{
	u32 *nr = data;

	switch ((*nr)++) {
	case 1:
		*nr += !strcmp(line, "  (hidden) fig: no id of its own") ? 100 : 0;
		break;
	case 117:
		*nr += !strcmp(line, "  and 4 more") ? 1000 : 0;
		break;
	}
}

static void fentry_many_test(struct kunit *test)
{
	static const struct fentry_row row = {
		"many bodies", FIG, { { FIG, DI, 0x10, "fig" } }, .more = FENTRY_MAX_LISTED + 3,
		.answer = FENTRY_SEVERAL, .refused = true,
	};
	u32 nr = 0;

	expect_row(test, &row, false, count_line, &nr);
	/* The lines are a heading, 16 bodies, the number of the others, and what to do. */
	KUNIT_EXPECT_EQ(test, nr, 1 + FENTRY_MAX_LISTED + 2 + 100 + 1000);
}

/* Nothing is cut that a user may have to type. */
static char long_symbol[201];

static void find_long_line(const char *line, void *data)
{
	bool *found = data;
	size_t indent = strlen("  (hidden) ");
	size_t length = strlen(long_symbol);

	*found |= strlen(line) > indent && !strncmp(line + indent, long_symbol, length) &&
		  !strcmp(line + indent + length, ": no id of its own");
}

static void fentry_long_test(struct kunit *test)
{
	static const struct fentry_row row = {
		"a long symbol", FIG, { { FIG, DI, 0x10, "fig" }, { FIG, DI, 0x20, long_symbol } },
		.answer = FENTRY_SEVERAL, .refused = true,
	};
	bool found = false;

	memset(long_symbol, 'f', sizeof(long_symbol) - 1);
	expect_row(test, &row, false, find_long_line, &found);
	KUNIT_EXPECT_TRUE(test, found);
}

static struct kunit_case fentry_cases[] = {
	KUNIT_CASE_PARAM(fentry_row_test, fentry_gen_params),
	KUNIT_CASE(fentry_many_test),
	KUNIT_CASE(fentry_long_test),
	{ }
};

static struct kunit_suite fentry_suite = {
	.name = "btf_extra_fentry",
	.init = sample_init,
	.exit = sample_exit,
	.test_cases = fentry_cases,
};

kunit_test_suite(fentry_suite);
