// SPDX-License-Identifier: GPL-2.0
/*
 * Looks up sites in two objects, "one" and "two", which sample_objects.h describes. Expected sites
 * are written as (number of the object) * 10 + number.
 */
#include <kunit/test.h>
#include <linux/btf_extra.h>

#include "objects/object_registry.h"
#include "tests/sample_objects.h"

#define MAX_FOUND 24

struct query_row {
	const char *name;
	struct btf_extra_query query;
	int error;
	u8 sites[MAX_FOUND];	/* the first 0 ends them */
};

#define BY_ID .by = BTF_EXTRA_BY_ID
#define BY_NAME .by = BTF_EXTRA_BY_NAME
#define BY_ADDRESS .by = BTF_EXTRA_BY_ADDRESS
#define CLASSES (BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_BODY_ONLY)

static const struct query_row query_rows[] = {
	{ "id", { BY_ID, .object = "one", .func_id = 6 }, 0, { 11, 12, 15, 17 } },
	{ "id in the other object", { BY_ID, .object = "two", .func_id = 6 }, 0,
	  { 21, 22, 25, 27 } },
	{ "id of the base", { BY_ID, .object = "one", .func_id = 3 }, 0, { 10 } },
	{ "id, inlined", { BY_ID, .object = "one", .func_id = 6, .flags = BTF_EXTRA_INLINE_ONLY },
	  0, { 11, 12, 17 } },
	{ "id, bodies", { BY_ID, .object = "one", .func_id = 6, .flags = BTF_EXTRA_BODY_ONLY },
	  0, { 15 } },
	{ "id without a body", { BY_ID, .object = "one", .func_id = 7,
	  .flags = BTF_EXTRA_BODY_ONLY }, -ENOENT },
	{ "id of a FUNC_PROTO", { BY_ID, .object = "one", .func_id = 5 }, -ENOENT },
	{ "id 0", { BY_ID, .object = "one" }, -ENOENT },
	{ "id after the last", { BY_ID, .object = "one", .func_id = 20 }, -ENOENT },
	{ "highest id", { BY_ID, .object = "one", .func_id = U32_MAX }, -ENOENT },
	{ "id in no object", { BY_ID, .object = "three", .func_id = 6 }, -ENOENT },
	{ "id in an object without a name", { BY_ID, .object = "", .func_id = 6 }, -ENOENT },
	{ "id in all objects", { BY_ID, .func_id = 6 }, -EINVAL },
	{ "id and both classes", { BY_ID, .object = "one", .func_id = 6, .flags = CLASSES },
	  -EINVAL },
	{ "id and a flag of later days", { BY_ID, .object = "one", .func_id = 6, .flags = 4 },
	  -EINVAL },

	{ "name", { BY_NAME, .name = "apple" }, 0, { 11, 12, 15, 17, 21, 22, 25, 27 } },
	{ "name in one object", { BY_NAME, .name = "apple", .object = "two" }, 0,
	  { 21, 22, 25, 27 } },
	{ "name of two functions", { BY_NAME, .name = "pear" }, 0,
	  { 13, 14, 16, 23, 24, 26 } },
	{ "name in a file", { BY_NAME, .name = "pear", .file = "a.c" }, 0, { 13, 23 } },
	{ "name in the other file", { BY_NAME, .name = "pear", .file = "b.c", .object = "one" },
	  0, { 14, 16 } },
	{ "name in a file, bodies", { BY_NAME, .name = "pear", .file = "b.c", .object = "one",
	  .flags = BTF_EXTRA_BODY_ONLY }, 0, { 16 } },
	{ "end of a file's name", { BY_NAME, .name = "pear", .file = ".c" }, -ENOENT },
	{ "a longer path", { BY_NAME, .name = "pear", .file = "x/a.c" }, -ENOENT },
	{ "file of no name", { BY_NAME, .name = "pear", .file = "" }, -ENOENT },
	{ "function whose file is not known", { BY_NAME, .name = "apple", .file = "a.c" },
	  -ENOENT },
	{ "name of the base", { BY_NAME, .name = "base_func" }, 0, { 10, 20 } },
	{ "shorter name", { BY_NAME, .name = "appl" }, -ENOENT },
	{ "longer name", { BY_NAME, .name = "apples" }, -ENOENT },
	{ "name of a type", { BY_NAME, .name = "int" }, -ENOENT },
	{ "name in no object", { BY_NAME, .name = "apple", .object = "three" }, -ENOENT },
	{ "suffix, no symbol there", { BY_NAME, .name = "apple.isra.0" }, -ENOENT },
	{ "a dot that is no suffix", { BY_NAME, .name = "apple.bar" }, -ENOENT },
	{ "no name", { BY_NAME }, -EINVAL },
	{ "empty name", { BY_NAME, .name = "" }, -EINVAL },
	{ "name and both classes", { BY_NAME, .name = "apple", .flags = CLASSES }, -EINVAL },

	{ "address of four sites", { BY_ADDRESS, .address = 0x101010 }, 0, { 10, 11, 13, 15 } },
	{ "address in the other object", { BY_ADDRESS, .address = 0x201010 }, 0,
	  { 20, 21, 23, 25 } },
	{ "address, inlined", { BY_ADDRESS, .address = 0x101010,
	  .flags = BTF_EXTRA_INLINE_ONLY }, 0, { 10, 11, 13 } },
	{ "address, bodies", { BY_ADDRESS, .address = 0x101030, .flags = BTF_EXTRA_BODY_ONLY }, 0,
	  { 16 } },
	{ "address in .init.text", { BY_ADDRESS, .address = 0x104010 }, 0, { 17 } },
	{ "address in its object", { BY_ADDRESS, .address = 0x104010, .object = "one" }, 0,
	  { 17 } },
	{ "address in another object", { BY_ADDRESS, .address = 0x104010, .object = "two" },
	  -ENOENT },
	{ "address after a site", { BY_ADDRESS, .address = 0x101011 }, -ENOENT },
	{ "address before a site", { BY_ADDRESS, .address = 0x10100f }, -ENOENT },
	{ "first address", { BY_ADDRESS, .address = 0x101000 }, -ENOENT },
	{ "last address", { BY_ADDRESS, .address = 0x1010ff }, -ENOENT },
	{ "address between sections", { BY_ADDRESS, .address = 0x102010 }, -ENOENT },
	{ "address 0", { BY_ADDRESS }, -ENOENT },
	{ "highest address", { BY_ADDRESS, .address = ULONG_MAX }, -ENOENT },
	{ "address and a flag of later days", { BY_ADDRESS, .address = 0x101010,
	  .flags = 0x80000000 }, -EINVAL },

	{ "by nothing", { .object = "one", .func_id = 6, .name = "apple" }, -EINVAL },
	{ "by what later days know", { .by = 4, .object = "one", .name = "apple" }, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(query, query_rows, name);

struct found {
	struct btf_extra_site sites[MAX_FOUND];
	u32 nr;
	u32 stop_at;		/* 0: never */
};

static int find(const struct btf_extra_site *site, void *data)
{
	struct found *found = data;

	if (found->nr < MAX_FOUND)
		found->sites[found->nr] = *site;
	found->nr++;
	return found->nr == found->stop_at ? 7 : 0;
}

static u32 ids[2];

static int query_init(struct kunit *test)
{
	static const char *const names[] = { "one", "two" };
	u32 i;

	sample_init(test);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct extra_object *object = sample_create(test->priv, names[i], i + 1);

		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
		KUNIT_ASSERT_EQ(test, registry_add(object), 0);
		ids[i] = object->id;
	}
	return 0;
}

static void query_exit(struct kunit *test)
{
	extra_object_destroy(registry_remove("one", NULL));
	extra_object_destroy(registry_remove("two", NULL));
	sample_exit(test);
}

/* Compares every field of a site with sample_objects.h. */
static void expect_site(struct kunit *test, const struct btf_extra_site *site, u32 object,
			u32 number)
{
	static const u32 funcs[] = { 3, 6, 6, 7, 8, 6, 8, 6 };
	static const u32 protos[] = { 13, 14, 14, 14, 15, 16, 15, 14 };
	static const u32 offsets[] = {
		0x1010, 0x1010, 0x1020, 0x1010, 0x1040, 0x1010, 0x1030, 0x4010
	};

	KUNIT_EXPECT_EQ(test, site->object, ids[object - 1]);
	KUNIT_EXPECT_EQ(test, site->number, number);
	KUNIT_EXPECT_EQ(test, site->func_id, funcs[number]);
	KUNIT_EXPECT_EQ(test, site->loc_proto, protos[number]);
	KUNIT_EXPECT_EQ(test, site->address, object * 0x100000 + offsets[number]);
	KUNIT_EXPECT_EQ(test, site->site_class,
			number == 5 || number == 6 ? BTF_EXTRA_CLASS_BODY :
						     BTF_EXTRA_CLASS_INLINE);
	KUNIT_EXPECT_EQ(test, site->flags, 0);
}

static void query_row_test(struct kunit *test)
{
	const struct query_row *row = test->param_value;
	struct found found = {};
	u32 total = 77;
	u32 i;

	KUNIT_EXPECT_EQ(test, btf_extra_for_each_site(&row->query, find, &found, &total),
			row->error);
	for (i = 0; i < MAX_FOUND && row->sites[i]; i++)
		if (i < found.nr)
			expect_site(test, &found.sites[i], row->sites[i] / 10,
				    row->sites[i] % 10);
	KUNIT_EXPECT_EQ(test, found.nr, i);
	KUNIT_EXPECT_EQ(test, total, row->error == -EINVAL ? 77 : i);
	KUNIT_EXPECT_EQ(test, btf_extra_for_each_site(&row->query, NULL, NULL, NULL), row->error);
}

static void query_stop_test(struct kunit *test)
{
	const struct btf_extra_query query = { BY_NAME, .name = "apple" };
	struct found found;
	u32 total, i;

	for (i = 1; i <= 8; i++) {
		found = (struct found){ .stop_at = i };
		total = 77;
		KUNIT_EXPECT_EQ(test, btf_extra_for_each_site(&query, find, &found, &total), 7);
		KUNIT_EXPECT_EQ(test, found.nr, i);
		KUNIT_EXPECT_EQ(test, total, 77);
	}
}

static void query_func_name_test(struct kunit *test)
{
	char name[16];

	KUNIT_EXPECT_EQ(test, btf_extra_func_name(ids[0], 6, name, sizeof(name)), 5);
	KUNIT_EXPECT_STREQ(test, name, "apple");
	KUNIT_EXPECT_EQ(test, btf_extra_func_name(ids[1], 3, name, sizeof(name)), 9);
	KUNIT_EXPECT_STREQ(test, name, "base_func");
	KUNIT_EXPECT_EQ(test, btf_extra_func_name(ids[0], 6, name, 6), 5);
	KUNIT_EXPECT_EQ(test, btf_extra_func_name(ids[0], 6, name, 5), -E2BIG);
	KUNIT_EXPECT_EQ(test, btf_extra_func_name(ids[0], 0, name, sizeof(name)), -ENOENT);
	KUNIT_EXPECT_EQ(test, btf_extra_func_name(ids[0], 1, name, sizeof(name)), -ENOENT);
	KUNIT_EXPECT_EQ(test, btf_extra_func_name(ids[0], 5, name, sizeof(name)), -ENOENT);
	KUNIT_EXPECT_EQ(test, btf_extra_func_name(ids[0], 20, name, sizeof(name)), -ENOENT);
	KUNIT_EXPECT_EQ(test, btf_extra_func_name(0, 6, name, sizeof(name)), -ENOENT);
	KUNIT_EXPECT_EQ(test, btf_extra_func_name(ids[1] + 1, 6, name, sizeof(name)), -ENOENT);
}

/*
 * vmlinux's freed text is not used again, so its sites keep their addresses. A module's freed text
 * may belong to another module.
 */
static void query_freed_test(struct kunit *test)
{
	const struct btf_extra_query by_name = { BY_NAME, .name = "apple", .object = "three" };
	const struct btf_extra_query by_address = { BY_ADDRESS, .address = 0x304010 };
	const struct module *modules[] = { NULL, THIS_MODULE };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(modules); i++) {
		struct extra_object *object = sample_create(test->priv, "three", 3);
		struct found found = {};

		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
		object->module = modules[i];
		object->sections[1].freed = true;
		KUNIT_EXPECT_EQ(test, registry_add(object), 0);
		KUNIT_EXPECT_EQ(test, btf_extra_for_each_site(&by_name, find, &found, NULL), 0);
		KUNIT_EXPECT_EQ(test, found.nr, 4);
		KUNIT_EXPECT_EQ(test, found.sites[2].flags, 0);
		KUNIT_EXPECT_EQ(test, found.sites[3].flags, BTF_EXTRA_SITE_FREED);
		KUNIT_EXPECT_EQ(test, found.sites[3].address, modules[i] ? 0 : 0x304010);
		KUNIT_EXPECT_EQ(test, btf_extra_for_each_site(&by_address, NULL, NULL, NULL),
				modules[i] ? -ENOENT : 0);
		KUNIT_EXPECT_PTR_EQ(test, registry_remove("three", modules[i]), object);
		extra_object_destroy(object);
	}
}

static struct kunit_case query_cases[] = {
	KUNIT_CASE_PARAM(query_row_test, query_gen_params),
	KUNIT_CASE(query_stop_test),
	KUNIT_CASE(query_func_name_test),
	KUNIT_CASE(query_freed_test),
	{ }
};

static struct kunit_suite query_suite = {
	.name = "btf_extra_query",
	.init = query_init,
	.exit = query_exit,
	.test_cases = query_cases,
};

kunit_test_suite(query_suite);
