// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "frame_images.h"

struct image {
	u8 *bytes;
	u32 size;
};

static void put(struct image *image, const void *bytes, u32 size)
{
	memcpy(image->bytes + image->size, bytes, size);
	image->size += size;
}

static void put_byte(struct image *image, u32 byte)
{
	image->bytes[image->size++] = (u8)byte;
}

/* Puts a number in two bytes, also if one suffices. */
static void put_two(struct image *image, u32 number)
{
	put_byte(image, (number & 127) | 128);
	put_byte(image, number >> 7);
}

static void put_three(struct image *image, u32 number)
{
	put_byte(image, (number & 127) | 128);
	put_two(image, number >> 7);
}

/* ---- the plain section; the offset of each part and of each record is beside it ---- */

/* "" at 0, ".text" at 1, ".init.text" at 7, "a.c" at 18 and "b.h" at 22 */
static const char strings[28] = "\0.text\0.init.text\0a.c\0b.h\0";

static const u32 plain_words[] = {
	INLINE_FRAMES_MAGIC, 1, 2, 2, 2, 2, 2, sizeof(strings), 68, 5, 8, 0,
	1, 3, 7, 3,			/* 48: sections: .text, .init.text */
	0x10, 0, 0, 56,			/* 64: blocks */
	1, 40 << 16 | 1, 2 + 3, 9 << 16 | 2,	/* 80: calls: 8 at a.c:40, 3 at b.h:9 */
	7, 8,				/* 96: functions */
	0 << 16 | 2,			/* 104: their files: b.h, none */
	18, 22,				/* 108: files: a.c, b.h */
};					/* 116: strings */

/* They begin at 144. A head is a number << 2 of a piece, and << 3 of an instance. */
static const u8 plain_records[] = {
	/* 0: FUNC 6 at .text+0x10, 0x40 bytes, and one more piece */
	0, 6 << 2 | 2, 0x40, 1,
	/* at .init.text+0x20, 0x10 bytes; 34 bytes of instances, calls in a.c */
	1, 0x20, 0x10, 34, 1,
	/* 9: FUNC 7 in [4, 12) and [16, 32), line 10, 12 bytes of instances */
	0 << 3 | 6, 4, 8, 1, 4, 16, 10 << 1, 12,
	/* 17: in these, FUNC 3 in [2, 14), line 5, 3 bytes of instances */
	5 << 3 | 4, 2, 12, 5 << 1, 3,
	/* 22: in these, FUNC 8 in [4, 8), called at a.c:40 */
	0 << 3 | 1, 4, 4,
	/* 25: beside 17, FUNC 8 in [14, 16), line 3 */
	1 << 3, 12, 2, 1 << 1 | 1,
	/* 29: beside 9, FUNC 8 in [0x24, 0x28), called at b.h:300 */
	1 << 3, 0x20, 0, 2, 4, 580 % 128 + 128, 580 / 128,
	/* 36: FUNC 3 in [0x28, 0x2c), called at b.h:9 */
	1 << 3 | 1, 4, 4,
	/* 39: FUNC 6 in [0x3c, 0x44), line 12 */
	8 << 3, 0x14, 8, 3 << 1,
	/* 43: FUNC 3 at 0x58, 8 bytes */
	8, 3 << 2, 8, 0,
	/* 47: FUNC 7 at 0x60, 0x10 bytes, called in no known file: FUNC 8 in all of it, line 1 */
	0, 7 << 2, 0x10, 4, 0,
	1 << 3, 0, 0x10, 1 << 1,
	/* 56: FUNC 8 at .init.text, 0x20 bytes */
	0, 8 << 2, 0x20, 0,
	/* 60: the other piece of .text+0x10 */
	0, 0 << 2 | 1, 0x10, 0x10,
	/* 64: FUNC 6 at 0x70, 0x10 bytes */
	0x40, 6 << 2, 0x10, 0,
};

u32 frame_image_plain(const struct frame_row *row, u8 *bytes)
{
	struct image image = { .bytes = bytes };

	(void)row;
	put(&image, plain_words, sizeof(plain_words));
	put(&image, strings, sizeof(strings));
	put(&image, plain_records, sizeof(plain_records));
	return image.size;
}

/* ---- the same for a section with pages of 16 bytes ---- */

static const u32 paged_words[] = {
	INLINE_FRAMES_MAGIC, 1, 2, 4, 0, 0, 0, sizeof(strings), 40, 10, 0, 4,
	1, 5, 7, 5,			/* 48: sections: .text, .init.text */
	0x10, 0, 0x48, 16,		/* 64: blocks of .text */
	0x20, 20, 0x3c, 36,		/* 80: of .init.text */
	0, 1, 1, 1,			/* 96: pages of .text from 0x10, 0x20, 0x30 and 0x40 on */
	0, 0, 1,			/* 112: of .init.text from 0x10, 0x20 and 0x30 on */
};					/* 124: strings; 152: records */

u32 frame_image_paged(const struct frame_row *row, u8 *bytes)
{
	struct image image = { .bytes = bytes };
	u32 i;

	(void)row;
	put(&image, paged_words, sizeof(paged_words));
	put(&image, strings, sizeof(strings));
	for (i = 0; i < 10; i++) {
		put_byte(&image, i % 5 % 4 ? 4 : 0);
		put_byte(&image, (6 + i % 2) << 2);
		put_byte(&image, 4);
		put_byte(&image, 0);
	}
	return image.size;
}

/* ---- others, with one call, one function and the strings of the plain one ---- */

/* The contents of the header and of the tables. */
struct small {
	u32 nr_pieces[2];
	u32 second_offset;	/* of the second block */
	u32 second;		/* its record */
	u32 nr_bodies, nr_instances;
};

static u32 blocks_of(u32 nr_pieces)
{
	return (nr_pieces + 3) / 4;
}

/* The records are at 124 if there is one block, and at 132 if there are two. */
static struct image begin_small(const struct small *small, u8 *bytes)
{
	struct image image = { .bytes = bytes };
	const u32 nr_blocks = blocks_of(small->nr_pieces[0]) + blocks_of(small->nr_pieces[1]);
	const u32 head[] = {
		INLINE_FRAMES_MAGIC, 1, 2, nr_blocks, 1, 1, 2, sizeof(strings),
		0, small->nr_bodies, small->nr_instances, 0,
		1, small->nr_pieces[0], 7, small->nr_pieces[1],	/* 48: sections */
		0, 0,						/* 64: first block */
	};
	const u32 second[] = { small->second_offset, small->second };	/* 72, if it is there */
	const u32 tables[] = {
		0, 100 << 16 | 2,	/* a call of FUNC 6 at b.h:100 */
		6,			/* a function */
		1,			/* its file: a.c */
		18, 22,			/* the files */
	};

	put(&image, head, sizeof(head));
	if (nr_blocks == 2)
		put(&image, second, sizeof(second));
	put(&image, tables, sizeof(tables));
	put(&image, strings, sizeof(strings));
	return image;
}

static u32 finish_small(const struct image *image, u32 begin)
{
	const u32 size = image->size - begin;

	memcpy(image->bytes + 32, &size, sizeof(size));
	return image->size;
}

u32 frame_image_small(const struct frame_row *row, u8 *bytes)
{
	const struct small small = {
		.nr_pieces = { row->nr_pieces[0] ? row->nr_pieces[0] : 1, row->nr_pieces[1] },
		.second = row->second,
		.nr_bodies = row->nr ? row->nr : 1,
	};
	struct image image = begin_small(&small, bytes);
	const u32 begin = image.size;

	put(&image, row->records, row->nr_records);
	return finish_small(&image, begin);
}

u32 frame_image_many(const struct frame_row *row, u8 *bytes)
{
	const struct small small = {
		.nr_pieces = { row->nr, 0 },
		.second_offset = 4 * 8,
		.second = 4 * 4,
		.nr_bodies = row->nr,
	};
	struct image image = begin_small(&small, bytes);
	const u32 begin = image.size;
	u32 i;

	for (i = 0; i < row->nr; i++) {
		put_byte(&image, i % 4 ? 4 : 0);
		put_byte(&image, (6 + i % 2) << 2);
		put_byte(&image, 4);
		put_byte(&image, 0);
	}
	return finish_small(&image, begin);
}

/* Piece k is at 2 * k. It is of body k % row->nr, which stands at the first of its pieces. */
u32 frame_image_pieces(const struct frame_row *row, u8 *bytes)
{
	const u32 nr = row->nr, nr_pieces = 8 * nr;
	const u32 head[] = {
		INLINE_FRAMES_MAGIC, 1, 1, nr_pieces / 4, 0, 0, 0, sizeof(strings), 0, nr, 0, 0,
		1, nr_pieces,
	};
	struct image image = { .bytes = bytes };
	u32 begin, i, k;

	put(&image, head, sizeof(head));
	for (k = 0; k < nr_pieces; k += 4) {
		/* The record of a body takes 26 bytes, that of another piece takes 4. */
		const u32 block[] = { 2 * k, k < nr ? 26 * k : 26 * nr + 4 * (k - nr) };

		put(&image, block, sizeof(block));
	}
	put(&image, strings, sizeof(strings));
	begin = image.size;
	for (k = 0; k < nr_pieces; k++) {
		put_byte(&image, k % 4 ? 1 : 0);
		put_byte(&image, k < nr ? (6 + k % 2) << 2 | 2 : 1);
		put_byte(&image, 1);
		if (k >= nr) {
			put_byte(&image, 2 * (k % nr));
			continue;
		}
		put_byte(&image, 7);
		for (i = k + nr; i < nr_pieces; i += nr) {
			put_byte(&image, 0);
			put_byte(&image, 2 * i);
			put_byte(&image, 1);
		}
		put_byte(&image, 0);
	}
	return finish_small(&image, begin);
}

/* A body of 2 bytes, whose instances take that many bytes; 7 bytes. */
static void put_body(struct image *image, u32 size)
{
	put_byte(image, 0);
	put_byte(image, 6 << 2);
	put_byte(image, 2);
	put_three(image, size);
	put_byte(image, 0);
}

u32 frame_image_deep(const struct frame_row *row, u8 *bytes)
{
	const struct small small = {
		.nr_pieces = { 1, 0 }, .nr_bodies = 1, .nr_instances = row->nr
	};
	struct image image = begin_small(&small, bytes);
	const u32 begin = image.size;
	u32 i;

	put_body(&image, 5 * (row->nr - 1) + 3);
	for (i = 1; i <= row->nr; i++) {
		put_byte(&image, i < row->nr ? 5 : 1);
		put_byte(&image, 0);
		put_byte(&image, 1);
		if (i < row->nr)
			put_two(&image, 5 * (row->nr - 1 - i) + 3);
	}
	return finish_small(&image, begin);
}

/* An instance takes 3 bytes, or 4 with a line: as many of those that the sum is right. */
u32 frame_image_long(const struct frame_row *row, u8 *bytes)
{
	const u32 nr_lines = row->nr % 3;
	const struct small small = {
		.nr_pieces = { 1, 0 }, .nr_bodies = 1, .nr_instances = row->nr / 3
	};
	struct image image = begin_small(&small, bytes);
	const u32 begin = image.size;
	u32 i;

	put_body(&image, row->nr);
	for (i = 0; i < small.nr_instances; i++) {
		put_byte(&image, i < nr_lines ? 0 : 1);
		put_byte(&image, 0);
		put_byte(&image, 1);
		if (i < nr_lines)
			put_byte(&image, 2);
	}
	return finish_small(&image, begin);
}
