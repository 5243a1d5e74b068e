/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* The rows of the suffixes of symbols. */
#ifndef BTF_EXTRA_TESTS_SUFFIX_ROWS_H
#define BTF_EXTRA_TESTS_SUFFIX_ROWS_H

#include "../../kernel/core/func_suffix.h"

struct suffix_row {
	const char *symbol;
	u32 length;		/* length of the source name in it */
	u32 meaning;		/* FUNC_SUFFIX_* of what follows the source name */
};

extern const struct suffix_row suffix_rows[];
extern const u32 suffix_nr_rows;

#endif
