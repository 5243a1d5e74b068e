// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "suffix_rows.h"

const struct suffix_row suffix_rows[] = {
	{ "", 0, 0 },
	{ "f", 1, 0 },
	{ "foo", 3, 0 },
	{ "foo.isra.0", 3, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ "f.isra.0", 1, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ "foo.isra.12345", 3, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ "foo.constprop.1.isra.2", 3, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ "foo.part.3.cold", 3, FUNC_SUFFIX_PART | FUNC_SUFFIX_COLD },
	{ "foo.constprop.1", 3, FUNC_SUFFIX_PARAMS },
	{ "foo.part.2", 3, FUNC_SUFFIX_PART },
	{ "foo.cold", 3, FUNC_SUFFIX_COLD },
	{ "foo.cold.1", 3, FUNC_SUFFIX_COLD },
	{ "foo.cold.cold", 3, FUNC_SUFFIX_COLD },
	{ "foo.llvm.123", 3, 0 },
	{ "foo.lto_priv.0", 3, 0 },
	{ "foo.isra.0.isra.1", 3, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	/* a dot in the source name stays */
	{ "foo.bar", 7, 0 },
	{ "foo.bar.isra.0", 7, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ "foo..isra.0", 4, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ ".isra.0", 7, 0 },
	{ ".isra.0.isra.1", 7, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	/* these are not suffixes */
	{ "foo.", 4, 0 },
	{ "foo.isra", 8, 0 },
	{ "foo.isra.", 9, 0 },
	{ "foo.isra.x", 10, 0 },
	{ "foo.isra.0x", 11, 0 },
	{ "foo.israel.0", 12, 0 },
	{ "foo.coldest", 11, 0 },
	{ "foo.cold.", 9, 0 },
	{ "foo.cold.extra", 14, 0 },
	{ "foo.isra.0.bar", 14, 0 },
	{ "foo.isra.0.bar.cold", 14, FUNC_SUFFIX_COLD },
	{ "foo.llvm.deadbeef", 17, 0 },
	{ "foo.ISRA.0", 10, 0 },
	{ "foo isra.0", 10, 0 },
};

const u32 suffix_nr_rows = sizeof(suffix_rows) / sizeof(suffix_rows[0]);
