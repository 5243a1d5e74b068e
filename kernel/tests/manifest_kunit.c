// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>

#include "sources/manifest.h"

#define ID "0123456789abcdefABCDEF0123456789abcdef01"	/* 20 bytes */

struct manifest_row {
	const char *name;
	const char *text;
	size_t size;		/* 0: the whole text */
	int error;
	u32 line;		/* line of the fault */
	u32 nr_names;
	const char *names[3];	/* in order */
};

static const struct manifest_row manifest_rows[] = {
	{ "two objects", "vmlinux " ID "\next4 00\n", .nr_names = 2,
	  .names = { "ext4", "vmlinux" } },
	{ "empty", "" },
	{ "one object", "vmlinux " ID "\n", .nr_names = 1, .names = { "vmlinux" } },
	{ "names not in order", "zram 00\next4 00\nloop 00\n", .nr_names = 3,
	  .names = { "ext4", "loop", "zram" } },
	{ "a name twice", "loop 00\nloop 11\n", .nr_names = 2, .names = { "loop", "loop" } },
	{ "no newline at the end", "vmlinux 00\next4 00", .error = -EINVAL },
	{ "a newline alone", "\n", .error = -EINVAL, .line = 1 },
	{ "line without an id", "vmlinux 00\next4\n", .error = -EINVAL, .line = 2 },
	{ "id of no digit", "vmlinux\x20\n", .error = -EINVAL, .line = 1 },
	{ "no name", " 00\n", .error = -EINVAL, .line = 1 },
	{ "odd number of digits", "vmlinux 000\n", .error = -EINVAL, .line = 1 },
	{ "a digit that is none", "vmlinux 0g\n", .error = -EINVAL, .line = 1 },
	{ "two spaces", "vmlinux  00\n", .error = -EINVAL, .line = 1 },
	{ "text after the id", "vmlinux 00 11\n", .error = -EINVAL, .line = 1 },
	{ "space after the id", "vmlinux 00\x20\n", .error = -EINVAL, .line = 1 },
	{ "carriage return", "vmlinux 00\r\n", .error = -EINVAL, .line = 1 },
	{ "id of 21 bytes", "vmlinux " ID "00\n", .error = -EINVAL, .line = 1 },
	{ "empty line between", "vmlinux 00\n\next4 00\n", .error = -EINVAL, .line = 2 },
	{ "NUL inside", "vmlinux 00\nex\0t4 00\n", .size = 20, .error = -EINVAL },
	{ "NUL at the end", "vmlinux 00\n", .size = 12, .error = -EINVAL },
	{ "NUL alone", "", .size = 1, .error = -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(manifest, manifest_rows, name);

static void manifest_row_test(struct kunit *test)
{
	const struct manifest_row *row = test->param_value;
	size_t size = row->size ?: strlen(row->text);
	struct manifest manifest = {};
	char *text = kunit_kmalloc(test, size, GFP_KERNEL);
	u32 line = 77;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, text);
	memcpy(text, row->text, size);
	KUNIT_EXPECT_EQ(test, manifest_parse(&manifest, text, size, &line), row->error);
	if (row->error) {
		KUNIT_EXPECT_EQ(test, line, row->line);
		KUNIT_EXPECT_NULL(test, manifest.text);
		KUNIT_EXPECT_NULL(test, manifest.names);
	}
	KUNIT_EXPECT_EQ(test, manifest.nr_names, row->nr_names);
	for (i = 0; i < min(manifest.nr_names, row->nr_names); i++) {
		KUNIT_EXPECT_STREQ(test, manifest.names[i], row->names[i]);
		KUNIT_EXPECT_TRUE(test, manifest_has(&manifest, row->names[i]));
	}
	KUNIT_EXPECT_FALSE(test, manifest_has(&manifest, ""));
	KUNIT_EXPECT_FALSE(test, manifest_has(&manifest, "vmlinu"));
	KUNIT_EXPECT_FALSE(test, manifest_has(&manifest, "vmlinux0"));
	KUNIT_EXPECT_FALSE(test, manifest_has(&manifest, "zzz"));
	manifest_free(&manifest);
	KUNIT_EXPECT_FALSE(test, manifest_has(&manifest, "vmlinux"));
}

static struct kunit_case manifest_cases[] = {
	KUNIT_CASE_PARAM(manifest_row_test, manifest_gen_params),
	{ }
};

static struct kunit_suite manifest_suite = {
	.name = "btf_extra_manifest",
	.test_cases = manifest_cases,
};

kunit_test_suite(manifest_suite);
