/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The images that rows begin with. Each function can be core_row.build. core_images.c says beside
 * the code what is in an image, and where.
 */
#ifndef BTF_EXTRA_TESTS_CORE_IMAGES_H
#define BTF_EXTRA_TESTS_CORE_IMAGES_H

#include "core_rows.h"

#define INFO(kind, vlen) ((u32)(kind) << 24 | (vlen))
#define KIND_FLAG 0x80000000u
#define ALL_KINDS LOC_KIND_COUNT

enum {
	INT = 1, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT,
	FUNC, FUNC_PROTO, VAR, DATASEC, FLOAT, DECL_TAG, TYPE_TAG, ENUM64,
	PARAM, PROTO, LOCSEC
};

/* Makes a base, types and func_info of the split layout. */
void image_plain(const struct core_row *row, struct core_row_images *images,
		 struct core_input *input);
/* Makes the same, but gives only the counts of the base. */
void image_counts_only(const struct core_row *row, struct core_row_images *images,
		       struct core_input *input);
/* ... which leave one id less than types needs. */
void image_most_ids(const struct core_row *row, struct core_row_images *images,
		    struct core_input *input);
/* ... which leave no id. */
void image_all_ids(const struct core_row *row, struct core_row_images *images,
		   struct core_input *input);
/* ... which leave one byte less than the strings of types need. */
void image_most_strings(const struct core_row *row, struct core_row_images *images,
			struct core_input *input);
/* Makes one blob for types and locations, on the base. */
void image_inline_layout(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input);
/* Uses that blob as the types. */
void image_inline_as_types(const struct core_row *row, struct core_row_images *images,
			   struct core_input *input);
/* Makes types and func_info without a record and without strings. */
void image_no_types_at_all(const struct core_row *row, struct core_row_images *images,
			   struct core_input *input);
/* Makes LOCSECs without entries before, between and after the one site. */
void image_empty_sections(const struct core_row *row, struct core_row_images *images,
			  struct core_input *input);
/* Makes many sites of one function at one offset, of both classes. */
void image_equal_offsets(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input);
/* Makes words[0] LOCSECs, each with a site. */
void image_many_sections(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input);
/* Gives FUNC 4 a name of words[0] bytes and a site; inline layout. */
void image_long_name(const struct core_row *row, struct core_row_images *images,
		     struct core_input *input);
/* Makes a VAR whose name has words[0] letters; byte words[1] is words[2]. */
void image_variable(const struct core_row *row, struct core_row_images *images,
		    struct core_input *input);
/* Makes types of words[0] unions in each other, with words[1] members each. */
void image_nested_unions(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input);
/* Makes words[0] functions of one name, with bodies at two places. */
void image_namesakes(const struct core_row *row, struct core_row_images *images,
		     struct core_input *input);
/* Makes words the only record in func_info: id 11 at 32. The name "x" is string 47. */
void image_one_location(const struct core_row *row, struct core_row_images *images,
			struct core_input *input);
/*
 * Makes words the only record in types: id 4 at 24. The name "x" is string 15, and 17 is after the
 * strings.
 */
void image_one_type(const struct core_row *row, struct core_row_images *images,
		    struct core_input *input);
/* Makes two records of a kind 23 that only the layout knows. */
void image_later_kind(const struct core_row *row, struct core_row_images *images,
		      struct core_input *input);
/* Makes the plain images, with one byte too little for the tables, ... */
void image_short_memory(const struct core_row *row, struct core_row_images *images,
			struct core_input *input);
/* ... or for the scratch space. */
void image_short_scratch(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input);
/* Puts func_info at an address that is not a multiple of 4. */
void image_unaligned(const struct core_row *row, struct core_row_images *images,
		     struct core_input *input);

#endif
