/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of tests/core as the parameters of a KUnit case. */
#ifndef BTF_EXTRA_TESTS_ROWS_PARAM_H
#define BTF_EXTRA_TESTS_ROWS_PARAM_H

#include <kunit/test.h>

/* The same as KUNIT_ARRAY_PARAM_DESC(), where another file knows how many rows there are. */
#define ROWS_PARAM(prefix, type, rows, nr_rows, member)						\
	static const void *prefix##_gen_params(struct kunit *test, const void *prev, char *desc)	\
	{											\
		const type *row = prev ? (const type *)prev + 1 : (rows);			\
												\
		if (row == (rows) + (nr_rows))							\
			return NULL;								\
		strscpy(desc, row->member[0] ? row->member : "(empty)", KUNIT_PARAM_DESC_SIZE);	\
		return row;									\
	}

#endif
