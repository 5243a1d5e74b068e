/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of tests/core as the parameters of a KUnit case. A row's first member is its name. */
#ifndef BTF_EXTRA_TESTS_ROWS_PARAM_H
#define BTF_EXTRA_TESTS_ROWS_PARAM_H

#include <kunit/test.h>

static inline const void *next_row(const void *prev, const void *rows, u32 nr, size_t size,
				   char *desc)
{
	const void *row = prev ? prev + size : rows;
	const char *name;

	if (row == rows + nr * size)
		return NULL;
	name = *(const char *const *)row;
	strscpy(desc, *name ? name : "(empty)", KUNIT_PARAM_DESC_SIZE);
	return row;
}

/* The same as KUNIT_ARRAY_PARAM_DESC(), where another file knows how many rows there are. */
#define ROWS_PARAM(prefix, type, rows, nr)						\
	static const void *prefix##_gen_params(struct kunit *test, const void *prev,	\
					       char *desc)				\
	{										\
		return next_row(prev, rows, nr, sizeof(type), desc);			\
	}

#endif
