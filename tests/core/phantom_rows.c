// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "phantom_rows.h"

/* strings: "" at 0, "vmlinux" at 1, "xfs" at 9, "ab" at 13, "ac" at 16, "9z" at 19, "a-" at 22 */
static const char strings[] = "\0vmlinux\0xfs\0ab\0ac\09z\0a-";

#define SIZE ((u32)(27 * sizeof(u32) + sizeof(strings)))

static const u32 good[27] = {
	PHANTOM_MAGIC, PHANTOM_VERSION, SIZE, 0, 2, 2, 3, sizeof(strings),
	/* objects: vmlinux, xfs */
	1, 1000, 0x1234, 9, 2000, 0x5678,
	/* stubs: ab with two functions, ac with one */
	13, 2, 16, 1,
	/* functions */
	0, 77, 0, 1, 78, 1, 0, 79, 0,
};

#define HEADER "its parts do not fill it"
#define NAME "the name of a stub is not an identifier"
#define ORDER "stub names are not sorted"
#define FUNCS "the stubs do not have all functions"

const struct phantom_row phantom_rows[] = {
	{ "right", 0, PHANTOM_MAGIC, 0, NULL },
	{ "no bytes", 0, PHANTOM_MAGIC, 1, "it is shorter than its header" },
	{ "a header that is cut", 0, PHANTOM_MAGIC, 31, "it is shorter than its header" },
	{ "another magic", 0, PHANTOM_MAGIC + 1, 0, "it is not a table of stubs" },
	{ "another version", 1, PHANTOM_VERSION + 1, 0, "it is of another version" },
	{ "its size is too small", 2, SIZE - 1, 0, HEADER },
	{ "its size is too large", 2, SIZE + 1, 0, HEADER },
	{ "the last byte is missing", 0, PHANTOM_MAGIC, SIZE - 1, HEADER },
	{ "an object too many", 4, 3, 0, HEADER },
	{ "an object too few", 4, 1, 0, HEADER },
	{ "objects beyond 4 GiB", 4, 0xffffffff, 0, HEADER },
	{ "a stub too many", 5, 3, 0, HEADER },
	{ "stubs beyond 4 GiB", 5, 0xffffffff, 0, HEADER },
	{ "a function too many", 6, 4, 0, HEADER },
	{ "strings too short", 7, sizeof(strings) - 1, 0, HEADER },
	{ "a control character", 27, 0x6c6d7601, 0, "its strings are not plain text" },
	{ "no NUL at the end", 33, 0x61, 0, "its strings are not plain text" },
	{ "no stubs", 5, 0, 0, HEADER },
	{ "an object whose name is outside", 8, sizeof(strings), 0, "an object has no name" },
	{ "an object whose name is empty", 8, 0, 0, "an object has no name" },
	{ "a stub whose name is outside", 14, 0xffffffff, 0, NAME },
	{ "a stub whose name is empty", 14, 0, 0, NAME },
	{ "a stub whose name begins with a digit", 14, 19, 0, NAME },
	{ "a stub whose name has a dash", 14, 22, 0, NAME },
	{ "two stubs of one name", 14, 16, 0, ORDER },
	{ "a later name first", 14, 9, 0, ORDER },
	{ "a stub without functions", 15, 0, 0, "a stub has no function" },
	{ "a stub with too many functions", 15, 3, 0, FUNCS },
	{ "a stub with too few functions", 15, 1, 0, FUNCS },
	{ "a stub with 4 Gi functions", 15, 0xffffffff, 0, FUNCS },
	{ "a function of no object", 18, 2, 0, "a function has no object" },
	{ "the last function of no object", 24, 2, 0, "a function has no object" },
};

const u32 phantom_nr_rows = sizeof(phantom_rows) / sizeof(phantom_rows[0]);

u32 phantom_row_table(const struct phantom_row *row, u32 *table)
{
	memcpy(table, good, sizeof(good));
	memcpy((u8 *)table + sizeof(good), strings, sizeof(strings));
	table[row->word] = row->value;
	return row->size ? row->size : SIZE;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

const char *phantom_row_verdict(const struct phantom_row *row)
{
	u32 table[PHANTOM_ROW_WORDS];
	u32 size = phantom_row_table(row, table);
	struct phantom_parts parts;
	const char *wrong = phantom_table_open(table, size, &parts);

	if (!same(wrong, row->wrong))
		return wrong ? wrong : "taken";
	if (wrong)
		return NULL;
	if (parts.nr_objects != 2 || parts.nr_stubs != 2 || parts.nr_funcs != 3)
		return "counts";
	if (parts.objects[1].func_info_crc32 != 0x5678 || parts.funcs[1].without != 1 ||
	    strcmp(parts.strings + parts.objects[1].name, "xfs"))
		return "parts";
	return NULL;
}
