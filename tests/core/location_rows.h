/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* Named rows of the decoder of LOC_PARAM, for KUnit and for GoogleTest. */
#ifndef BTF_EXTRA_TESTS_LOCATION_ROWS_H
#define BTF_EXTRA_TESTS_LOCATION_ROWS_H

#include "../../kernel/core/loc_location.h"

struct location_row {
	const char *name;
	u32 size;
	u32 flags;
	u32 nr_values;
	u32 values[4];

	/* what must come out: */
	enum btf_fault_code code;
	struct loc_location location;	/* where there is no fault */
};

extern const struct location_row location_rows[];
extern const u32 location_nr_rows;

/* NULL, or what is not as the row wants it. */
const char *location_row_verdict(const struct location_row *row);

#endif
