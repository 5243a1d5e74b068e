// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "core_images.h"
#include "blob_writer.h"

/* A blob that is not a base itself may be over another one. */
static void begin(struct blob_writer *w, struct core_row_images *images, u32 first_id,
		  u32 first_string)
{
	const bool over = first_id > 1;

	blob_begin(w, images->records, CORE_ROW_IMAGE_WORDS, images->strings,
		   sizeof(images->strings), first_id + (over ? images->more_ids : 0),
		   first_string + (over ? images->more_strings : 0));
}

static void finish(const struct blob_writer *w, u32 nr_layout, u32 *words, struct core_image *image)
{
	image->data = words;
	image->size = blob_finish(w, nr_layout, words, CORE_ROW_IMAGE_WORDS * 4);
}

static void site(struct blob_writer *w, u32 func, u32 loc_proto, u32 offset)
{
	blob_word(w, func);
	blob_word(w, loc_proto);
	blob_word(w, offset);
}

/* ---- the plain images; the offset of each record is beside it ---- */

/* The ids are 1..3, the strings 0..14. The header has 24 bytes. */
static void plain_base(struct core_row_images *images, struct core_input *input)
{
	struct blob_writer w;

	begin(&w, images, 1, 0);
	blob_string(&w, "");					/* 0 */
	blob_type(&w, blob_string(&w, "int"), INT, 0, 4);	/* 1 at 24 */
	blob_word(&w, 0x01000020);
	blob_type(&w, 0, FUNC_PROTO, 0, 0);			/* 2 at 40 */
	blob_type(&w, blob_string(&w, "base_func"), FUNC, 1, 2); /* 3 at 52, up to 64 */
	finish(&w, 0, images->base, &input->base);
}

/* The ids are 4..10, the strings 15..46. The header has 24 bytes. */
static void plain_types(struct core_row_images *images, struct core_input *input)
{
	struct blob_writer w;
	const u32 id = images->more_ids;
	u32 a, pear;

	begin(&w, images, 4, 15);
	blob_string(&w, "");					/* 15 */
	a = blob_string(&w, "a");				/* 16 */
	blob_type(&w, 0, FUNC_PROTO, 1, 1);			/* 4 at 24 */
	blob_word(&w, a);
	blob_word(&w, 1);
	blob_type(&w, 0, FUNC_PROTO, 2, 1);			/* 5 at 44 */
	blob_word(&w, a);
	blob_word(&w, 1);
	blob_word(&w, 0);
	blob_word(&w, 0);
	blob_type(&w, blob_string(&w, "apple"), FUNC, 0, id + 4);	/* 6 at 72; string 18 */
	pear = blob_string(&w, "pear");				/* 24 */
	blob_type(&w, pear, FUNC, 0, id + 4);			/* 7 at 84 */
	blob_type(&w, pear, FUNC, 0, id + 5);			/* 8 at 96 */
	blob_type(&w, blob_string(&w, "file:a.c"), DECL_TAG, 0, id + 7);	/* 9 at 108 */
	blob_word(&w, 0xffffffff);
	blob_type(&w, blob_string(&w, "file:b.c"), DECL_TAG, 0, id + 8);	/* 10 at 124 */
	blob_word(&w, 0xffffffff);					/* up to 140 */
	finish(&w, 0, images->types, &input->types);
}

/* The ids are 11..19, the strings begin at 47. The header has 32 bytes. */
static void plain_func_info(struct core_row_images *images, struct core_input *input)
{
	const u32 id = images->more_ids;
	struct blob_writer w;

	begin(&w, images, 11, 47);
	blob_type(&w, 0, PARAM, 1, 4);				/* 11 at 32 */
	blob_word(&w, LOC_REG);
	blob_word(&w, 5);
	blob_type(&w, 0, PARAM, 1, 4);				/* 12 at 52 */
	blob_word(&w, LOC_CONST);
	blob_word(&w, 7);
	blob_type(&w, 0, PROTO, 0, 0);				/* 13 at 72 */
	blob_type(&w, 0, PROTO, 1, 0);				/* 14 at 84 */
	blob_word(&w, id + 11);
	blob_type(&w, 0, PROTO, 2, 0);				/* 15 at 100 */
	blob_word(&w, id + 11);
	blob_word(&w, 0);
	blob_type(&w, 0, PROTO, 1, 0);				/* 16 at 120 */
	blob_word(&w, id + 12);
	blob_type(&w, blob_string(&w, "inline.text"), LOCSEC, 5, 0);	/* 17 at 136; string 47 */
	site(&w, images->more_func + 3, id + 13, 0x10);			/* at 148 */
	site(&w, id + 6, id + 14, 0x10);				/* at 160 */
	site(&w, id + 6, id + 14, 0x20);				/* at 172 */
	site(&w, id + 7, id + 14, 0x10);				/* at 184 */
	site(&w, id + 8, id + 15, 0x40);				/* at 196 */
	blob_type(&w, blob_string(&w, "func.text"), LOCSEC, 2, 0);	/* 18 at 208; string 59 */
	site(&w, id + 6, id + 16, 0x10);				/* at 220 */
	site(&w, id + 8, id + 15, 0x30);				/* at 232 */
	blob_type(&w, blob_string(&w, ".init.text"), LOCSEC, 1, 0);	/* 19 at 244; string 69 */
	site(&w, id + 6, id + 14, 0x10);				/* at 256, up to 268 */
	/* layout at 268, strings at 360, up to 393 */
	finish(&w, ALL_KINDS, images->func_info, &input->func_info);
}

void image_plain(const struct core_row *row, struct core_row_images *images,
		 struct core_input *input)
{
	(void)row;
	plain_base(images, input);
	plain_types(images, input);
	plain_func_info(images, input);
}

/* ---- other images ---- */

void image_counts_only(const struct core_row *row, struct core_row_images *images,
		       struct core_input *input)
{
	image_plain(row, images, input);
	input->base.data = NULL;
	input->base_last_id = 3;
	input->base_strings_len = 15;
}

void image_most_ids(const struct core_row *row, struct core_row_images *images,
		    struct core_input *input)
{
	image_counts_only(row, images, input);
	input->base_last_id = 0xffffffff - 7;	/* ids of types: 0xfffffff9..0xffffffff */
}

void image_all_ids(const struct core_row *row, struct core_row_images *images,
		   struct core_input *input)
{
	image_counts_only(row, images, input);
	input->base_last_id = 0xffffffff;
}

void image_most_strings(const struct core_row *row, struct core_row_images *images,
			struct core_input *input)
{
	image_counts_only(row, images, input);
	input->base_strings_len = 0xffffffff - 31;	/* types has 32 */
}

/* This is one blob on the base. Ids begin at 4, strings at 15, and the header has 32 bytes. */
void image_inline_layout(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input)
{
	struct blob_writer w;

	(void)row;
	plain_base(images, input);
	begin(&w, images, 4, 15);
	blob_type(&w, blob_string(&w, "one"), FUNC, 0, 2);	/* 4 at 32 */
	blob_type(&w, blob_string(&w, "two"), FUNC, 0, 2);	/* 5 at 44; string 19 */
	blob_type(&w, 0, PROTO, 0, 0);				/* 6 at 56 */
	blob_type(&w, blob_string(&w, "inline.text"), LOCSEC, 2, 0);	/* 7 at 68 */
	site(&w, 4, 6, 0);
	site(&w, 5, 6, 0xffffffff);
	finish(&w, ALL_KINDS, images->func_info, &input->func_info);
}

/* Uses the blob of the inline layout as the types of the split layout. */
void image_inline_as_types(const struct core_row *row, struct core_row_images *images,
			   struct core_input *input)
{
	image_plain(row, images, input);
	image_inline_layout(row, images, input);
	memcpy(images->types, images->func_info, input->func_info.size);
	input->types.size = input->func_info.size;
}

void image_no_types_at_all(const struct core_row *row, struct core_row_images *images,
			   struct core_input *input)
{
	struct blob_writer w;

	(void)row;
	plain_base(images, input);
	begin(&w, images, 4, 15);
	finish(&w, 0, images->types, &input->types);
	finish(&w, ALL_KINDS, images->func_info, &input->func_info);
}

/* There are LOCSECs without entries before, between and after the one site. */
void image_empty_sections(const struct core_row *row, struct core_row_images *images,
			  struct core_input *input)
{
	struct blob_writer w;

	image_plain(row, images, input);
	begin(&w, images, 11, 47);
	blob_type(&w, 0, PROTO, 0, 0);
	blob_type(&w, blob_string(&w, "inline.a"), LOCSEC, 0, 0);
	blob_type(&w, blob_string(&w, "inline.b"), LOCSEC, 0, 0);
	blob_type(&w, blob_string(&w, "func.b"), LOCSEC, 1, 0);
	site(&w, 3, 11, 0xffffffff);
	blob_type(&w, blob_string(&w, "func.a"), LOCSEC, 0, 0);
	blob_type(&w, blob_string(&w, "inline.c"), LOCSEC, 0, 0);
	finish(&w, ALL_KINDS, images->func_info, &input->func_info);
}

/* One function has many sites at one offset, of both classes. */
void image_equal_offsets(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input)
{
	struct blob_writer w;
	u32 i;

	image_plain(row, images, input);
	begin(&w, images, 11, 47);
	for (i = 0; i < 100; i++)
		blob_type(&w, 0, PROTO, 0, 0);
	blob_type(&w, blob_string(&w, "func.text"), LOCSEC, 100, 0);
	for (i = 0; i < 100; i++)
		site(&w, 3, 11 + i, 0x1000);
	blob_type(&w, blob_string(&w, "inline.text"), LOCSEC, 100, 0);
	for (i = 0; i < 100; i++)
		site(&w, 3, 11 + i, 0x1000);
	finish(&w, ALL_KINDS, images->func_info, &input->func_info);
}

/* There are words[0] LOCSECs, and each has a site. */
void image_many_sections(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input)
{
	struct blob_writer w;
	char name[] = "func.AA";
	u32 i;

	image_plain(row, images, input);
	begin(&w, images, 11, 47);
	blob_type(&w, 0, PROTO, 0, 0);
	for (i = 0; i < row->words[0]; i++) {
		name[5] = (char)('A' + i / 16);
		name[6] = (char)('A' + i % 16);
		blob_type(&w, blob_string(&w, name), LOCSEC, 1, 0);
		site(&w, images->more_func + 3, images->more_ids + 11, i);
	}
	finish(&w, ALL_KINDS, images->func_info, &input->func_info);
}

/* FUNC 4 has a name of words[0] bytes, and it has a site. */
void image_long_name(const struct core_row *row, struct core_row_images *images,
		     struct core_input *input)
{
	char name[BTF_FUNC_NAME_MAX + 2];
	struct blob_writer w;

	plain_base(images, input);
	memset(name, 'n', sizeof(name));
	name[row->words[0]] = 0;
	begin(&w, images, 4, 15);
	blob_type(&w, blob_string(&w, name), FUNC, 0, 2);	/* 4 at 32 */
	blob_type(&w, 0, PROTO, 0, 0);				/* 5 at 44 */
	blob_type(&w, blob_string(&w, "inline.text"), LOCSEC, 1, 0);	/* 6 at 56 */
	site(&w, 4, 5, 0);
	finish(&w, ALL_KINDS, images->func_info, &input->func_info);
}

/* Only types: the VAR is 4 at 24. */
void image_variable(const struct core_row *row, struct core_row_images *images,
		    struct core_input *input)
{
	char name[BTF_FUNC_NAME_MAX + 2];
	struct blob_writer w;

	plain_base(images, input);
	memset(name, 'n', sizeof(name));
	name[row->words[1]] = (char)row->words[2];
	name[row->words[0]] = 0;
	begin(&w, images, 4, 15);
	blob_type(&w, blob_string(&w, name), VAR, 0, 1);
	blob_word(&w, BTF_VAR_STATIC);
	finish(&w, 0, images->types, &input->types);
	begin(&w, images, 5, 15 + row->words[0] + 1);
	finish(&w, ALL_KINDS, images->func_info, &input->func_info);
}

/* Only types: words[0] unions in each other, the innermost of int, of words[1] members each. */
void image_nested_unions(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input)
{
	struct blob_writer w;
	u32 inner = 1;
	u32 level, i;

	plain_base(images, input);
	begin(&w, images, 4, 15);
	for (level = 0; level < row->words[0]; level++) {
		u32 outer = blob_type(&w, 0, UNION, row->words[1], 4);

		for (i = 0; i < row->words[1]; i++) {
			blob_word(&w, 0);
			blob_word(&w, inner);
			blob_word(&w, 0);
		}
		inner = outer;
	}
	finish(&w, 0, images->types, &input->types);
	begin(&w, images, w.next_id, 15);
	finish(&w, ALL_KINDS, images->func_info, &input->func_info);
}

/* There are words[0] functions of one name, with bodies at two places; inline layout. */
void image_namesakes(const struct core_row *row, struct core_row_images *images,
		     struct core_input *input)
{
	struct blob_writer w;
	u32 name, proto, i;

	plain_base(images, input);
	begin(&w, images, 4, 15);
	name = blob_string(&w, "pear");
	for (i = 0; i < row->words[0]; i++)
		blob_type(&w, name, FUNC, 0, 2);
	proto = blob_type(&w, 0, PROTO, 0, 0);
	blob_type(&w, blob_string(&w, "func.text"), LOCSEC, 2 * row->words[0], 0);
	for (i = 0; i < 2 * row->words[0]; i++)
		site(&w, 4 + i / 2, proto, i % 2);
	finish(&w, ALL_KINDS, images->func_info, &input->func_info);
}

/* words is the only record in func_info: id 11 at 32. The name "x" is string 47. */
void image_one_location(const struct core_row *row, struct core_row_images *images,
			struct core_input *input)
{
	struct blob_writer w;
	u32 i;

	image_plain(row, images, input);
	begin(&w, images, 11, 47);
	blob_string(&w, "x");
	for (i = 0; i < row->nr_words; i++)
		blob_word(&w, row->words[i]);
	finish(&w, ALL_KINDS, images->func_info, &input->func_info);
}

/*
 * words is the only record in types: id 4 at 24. The name "x" is string 15, and 17 is after the
 * strings.
 */
void image_one_type(const struct core_row *row, struct core_row_images *images,
		    struct core_input *input)
{
	struct blob_writer w;
	u32 i;

	plain_base(images, input);
	begin(&w, images, 4, 15);
	blob_string(&w, "x");
	for (i = 0; i < row->nr_words; i++)
		blob_word(&w, row->words[i]);
	finish(&w, 0, images->types, &input->types);
	begin(&w, images, 5, 17);
	finish(&w, ALL_KINDS, images->func_info, &input->func_info);
}

/* There are two records of a kind 23 that only the layout knows: {4, 8}, each with a vlen of 2. */
void image_later_kind(const struct core_row *row, struct core_row_images *images,
		      struct core_input *input)
{
	struct blob_writer w;
	u32 i, j;

	image_plain(row, images, input);
	begin(&w, images, 11, 47);
	for (i = 0; i < 2; i++) {
		blob_type(&w, 0x7fffffff, 23, 2, 0x7fffffff);	/* 11 at 32, 12 at 64 */
		for (j = 0; j < 5; j++)
			blob_word(&w, 0xffffffff);
	}
	blob_type(&w, 0, PROTO, 0, 0);				/* 13 at 96 */
	blob_type(&w, blob_string(&w, "inline.text"), LOCSEC, 1, 0);	/* 14 at 108 */
	site(&w, 3, 13, 0);					/* at 120, up to 132 */
	finish(&w, 24, images->func_info, &input->func_info);	/* layout at 132, of 23 at 224 */
	images->func_info[224 / 4] = 0;
	memcpy(&images->func_info[224 / 4], "\4\10", 2);
}

void image_short_memory(const struct core_row *row, struct core_row_images *images,
			struct core_input *input)
{
	image_plain(row, images, input);
	input->memory_short = 1;
}

void image_short_scratch(const struct core_row *row, struct core_row_images *images,
			 struct core_input *input)
{
	image_plain(row, images, input);
	input->scratch_short = 1;
}

void image_unaligned(const struct core_row *row, struct core_row_images *images,
		     struct core_input *input)
{
	image_plain(row, images, input);
	input->func_info.data = (const u8 *)input->func_info.data + 2;
	input->func_info.size -= 2;
}
