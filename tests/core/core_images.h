/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The images that rows begin with, each a function for core_row.build. What is
 * in them, and where, stands beside the code in core_images.c.
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

/* A base, types and func_info of the split layout. */
void image_plain(const struct core_row *row, struct core_row_images *images,
		 struct core_input *input);
/* The same, and only the counts of the base. */
void image_counts_only(const struct core_row *row, struct core_row_images *images,
		       struct core_input *input);
/* ... which leave room for the ids of types, less one. */
void image_most_ids(const struct core_row *row, struct core_row_images *images,
		    struct core_input *input);
/* ... which leave no id. */
void image_all_ids(const struct core_row *row, struct core_row_images *images,
		   struct core_input *input);
/* ... which leave room for the strings of types, less one byte. */
void image_most_strings(const struct core_row *row, struct core_row_images *images,
			struct core_input *input);
/* One blob for types and locations, on the base. */
void image_inline_layout(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input);
/* That blob in place of the types. */
void image_inline_as_types(const struct core_row *row, struct core_row_images *images,
			   struct core_input *input);
/* Types and func_info without a record and without strings. */
void image_no_types_at_all(const struct core_row *row, struct core_row_images *images,
			   struct core_input *input);
/* LOCSECs without entries before, between and after the one site. */
void image_empty_sections(const struct core_row *row, struct core_row_images *images,
			  struct core_input *input);
/* Many sites of one function at one offset, of both classes. */
void image_equal_offsets(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input);
/* words[0] LOCSECs, each with a site. */
void image_many_sections(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input);
/* FUNC 4 with a name of words[0] bytes, and a site of it; inline layout. */
void image_long_name(const struct core_row *row, struct core_row_images *images,
		     struct core_input *input);
/* The record in words, alone in func_info: id 11 at 32; the name "x" is string 47. */
void image_one_location(const struct core_row *row, struct core_row_images *images,
			struct core_input *input);
/* The record in words, alone in types: id 4 at 24; the name "x" is string 15, 17 is behind. */
void image_one_type(const struct core_row *row, struct core_row_images *images,
		    struct core_input *input);
/* Two records of a kind 23 that only the layout knows. */
void image_later_kind(const struct core_row *row, struct core_row_images *images,
		      struct core_input *input);
/* The plain ones, and a byte too little for the tables; */
void image_short_memory(const struct core_row *row, struct core_row_images *images,
			struct core_input *input);
/* ... or for the scratch space. */
void image_short_scratch(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input);
/* func_info not on 4 bytes. */
void image_unaligned(const struct core_row *row, struct core_row_images *images,
		     struct core_input *input);

#endif
