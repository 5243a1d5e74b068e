// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* Offsets are worked out by hand from the sections in frame_images.c. Values are little-endian. */
#include "frame_images.h"

#define TAKEN .code = BTF_FAULT_NONE
#define REFUSED(fault_code, at) .code = BTF_FAULT_FRAMES_##fault_code, .offset = (at)
#define PATCH(...) .patches = { __VA_ARGS__ }
/* A section of these records, which begin at 124, or at 132 if both sections have pieces. */
#define SMALL(...) \
	.build = frame_image_small, .records = { __VA_ARGS__ }, \
	.nr_records = sizeof((u8[]){ __VA_ARGS__ })
/* A byte of the plain section's records. */
#define R(n) (144 + (n))

const struct frame_row frame_rows[] = {
	/* sections that are taken */
	{ "plain section", TAKEN },
	{ "one body", SMALL(0, 24, 1, 0), TAKEN },
	{ "a number in five bytes", SMALL(0, 0x98, 0x80, 0x80, 0x80, 0, 1, 0), TAKEN },
	{ "a body of two pieces", SMALL(0, 26, 4, 1, 1, 0, 4, 0, 0, 1, 4, 0),
	  .nr_pieces = { 1, 1 }, .second = 8, TAKEN },
	{ "a body of three pieces", SMALL(0, 26, 4, 2, 1, 0, 4, 1, 8, 4, 0, 0, 1, 4, 0, 4, 1, 4, 0),
	  .nr_pieces = { 1, 2 }, .second = 11, TAKEN },
	{ "4 bodies", .build = frame_image_many, .nr = 4, TAKEN },
	{ "5 bodies", .build = frame_image_many, .nr = 5, TAKEN },
	{ "8 bodies", .build = frame_image_many, .nr = 8, TAKEN },
	{ "8 pieces", .build = frame_image_pieces, .nr = 1, TAKEN },
	/* No block takes longer to search, and 28 pieces have their bodies in it. */
	{ "4 bodies of 8 pieces", .build = frame_image_pieces, .nr = 4, TAKEN },
	/* The number of blocks that the search halves first. */
	{ "8 bodies of 8 pieces", .build = frame_image_pieces, .nr = 8, TAKEN },
	{ "pages", .build = frame_image_paged, TAKEN },
	{ "63 calls in one another", .build = frame_image_deep, .nr = 63, TAKEN },
	{ "the most bytes of instances", .build = frame_image_long, .nr = INLINE_FRAMES_BODY_MAX,
	  TAKEN },
	{ "an instance up to the end of its caller", PATCH({ 1, R(41), 0x14 }), TAKEN },
	{ "instances that overlap", PATCH({ 1, R(19), 22 }), TAKEN },
	{ "a block that touches the one before it", .build = frame_image_many, .nr = 8,
	  PATCH({ 4, 72, 28 }), TAKEN },
	{ "letters of 2 bytes in the name of a file", PATCH({ 2, 139, 0xa9c3 }), TAKEN },

	/* header */
	{ "no byte", .cut = 0xffffffff, REFUSED(HEADER, 0) },
	{ "cut in the header", .cut = 47, REFUSED(HEADER, 0) },
	{ "cut after the header", .cut = 48, REFUSED(HEADER, 0) },
	{ "cut by a byte", .cut = 211, REFUSED(HEADER, 0) },
	{ "magic", PATCH({ 1, 3, 'S' }), REFUSED(HEADER, 0) },
	{ "version", PATCH({ 4, 4, 2 }), REFUSED(HEADER, 0) },
	{ "pages that are missing", PATCH({ 4, 44, 1 }), REFUSED(HEADER, 0) },
	{ "pages of 4 GiB", PATCH({ 4, 44, 32 }), REFUSED(HEADER, 0) },
	{ "pages that are not told", .build = frame_image_paged, PATCH({ 4, 44, 0 }),
	  REFUSED(HEADER, 0) },
	{ "pages of twice the bytes", .build = frame_image_paged, PATCH({ 4, 44, 5 }),
	  REFUSED(HEADER, 0) },
	{ "65 sections", PATCH({ 4, 8, 65 }), REFUSED(HEADER, 0) },
	{ "4 Gi sections", PATCH({ 4, 8, 0xffffffff }), REFUSED(HEADER, 0) },
	{ "4 Gi blocks", PATCH({ 4, 12, 0xffffffff }), REFUSED(HEADER, 0) },
	{ "4 Gi calls", PATCH({ 4, 16, 0xffffffff }), REFUSED(HEADER, 0) },
	{ "4 Gi functions", PATCH({ 4, 20, 0xffffffff }), REFUSED(HEADER, 0) },
	{ "4 Gi files", PATCH({ 4, 24, 0xffffffff }), REFUSED(HEADER, 0) },
	{ "4 GiB of strings", PATCH({ 4, 28, 0xfffffffc }), REFUSED(HEADER, 0) },
	{ "4 GiB of records", PATCH({ 4, 32, 0xffffffff }), REFUSED(HEADER, 0) },
	{ "a byte beyond the records", PATCH({ 4, 32, 67 }), REFUSED(HEADER, 0) },
	{ "a block too many", PATCH({ 4, 12, 3 }, { 4, 16, 1 }), REFUSED(HEADER, 0) },
	{ "a block without pieces", PATCH({ 4, 60, 0 }), REFUSED(HEADER, 0) },
	{ "pieces of another block", PATCH({ 4, 52, 5 }), REFUSED(HEADER, 0) },
	{ "4 Gi pieces", PATCH({ 4, 52, 0xffffffff }), REFUSED(HEADER, 0) },
	{ "a piece too few", PATCH({ 4, 60, 2 }, { 4, 36, 4 }), REFUSED(HEADER, 0) },
	{ "a body too many", PATCH({ 4, 36, 6 }), REFUSED(HEADER, 0) },
	{ "a body too few", PATCH({ 4, 36, 4 }), REFUSED(HEADER, 0) },
	{ "an instance too many", PATCH({ 4, 40, 9 }), REFUSED(HEADER, 0) },
	{ "an instance too few", PATCH({ 4, 40, 7 }), REFUSED(HEADER, 0) },
	{ "a piece that is missing", SMALL(0, 26, 4, 1, 1, 0, 4, 0), REFUSED(HEADER, 0) },
	{ "a piece twice in its body", SMALL(0, 26, 4, 2, 1, 0, 4, 1, 0, 4, 0, 0, 1, 4, 0),
	  .nr_pieces = { 1, 1 }, .second = 11, REFUSED(HEADER, 0) },
	{ "the first piece once more", SMALL(0, 26, 4, 1, 0, 0, 4, 0), REFUSED(HEADER, 0) },

	/* strings */
	{ "29 bytes of strings", PATCH({ 4, 28, 29 }, { 4, 32, 67 }), REFUSED(STRINGS, 116) },
	{ "strings without a NUL at the end", PATCH({ 1, 143, 'x' }), REFUSED(STRINGS, 116) },
	{ "a tab", PATCH({ 1, 118, '\t' }), REFUSED(STRINGS, 118) },
	{ "no UTF-8", PATCH({ 1, 139, 0xff }), REFUSED(STRINGS, 139) },
	{ "file beyond the strings", PATCH({ 4, 112, 28 }), REFUSED(STRINGS, 112) },
	{ "highest file", PATCH({ 4, 108, 0xffffffff }), REFUSED(STRINGS, 108) },
	{ "file that begins within a letter", PATCH({ 2, 138, 0xa9c3 }, { 4, 112, 23 }),
	  REFUSED(STRINGS, 112) },
	{ "section beyond the strings", PATCH({ 4, 48, 28 }), REFUSED(STRINGS, 48) },
	{ "section that begins within a letter", PATCH({ 2, 138, 0xa9c3 }, { 4, 56, 23 }),
	  REFUSED(STRINGS, 56) },

	/* sections */
	{ "a section that the object lacks", PATCH({ 1, 121, 'u' }), REFUSED(SECTION, 48) },
	{ "a section without a name", PATCH({ 4, 56, 0 }), REFUSED(SECTION, 56) },
	{ "a section twice", PATCH({ 4, 56, 1 }), REFUSED(SECTION, 56) },
	{ "a section that is not executable", PATCH({ 8, 123, 0x00617461646f722e }),
	  REFUSED(SECTION, 56) },

	/* functions and files of the tables */
	{ "list with a prototype", PATCH({ 4, 96, 5 }), REFUSED(FUNC, 96) },
	{ "list with void", PATCH({ 4, 100, 0 }), REFUSED(FUNC, 100) },
	{ "list with the highest id", PATCH({ 4, 100, 0xffffffff }), REFUSED(FUNC, 100) },
	{ "list with a file after the last", PATCH({ 2, 104, 3 }), REFUSED(FILE, 104) },
	{ "list with the highest file", PATCH({ 2, 106, 0xffff }), REFUSED(FILE, 106) },
	{ "call in a file after the last", PATCH({ 2, 84, 3 }), REFUSED(FILE, 84) },
	{ "last call in the highest file", PATCH({ 2, 92, 0xffff }), REFUSED(FILE, 92) },

	/* blocks */
	{ "block beyond the records", PATCH({ 4, 76, 68 }), REFUSED(PIECE, 76) },
	{ "block at the highest record", PATCH({ 4, 68, 0xffffffff }), REFUSED(PIECE, 68) },
	{ "block within a record", PATCH({ 4, 76, 57 }), REFUSED(PIECE, 76) },
	{ "block one record back", PATCH({ 4, 76, 47 }), REFUSED(PIECE, 76) },
	{ "first record of a block with a distance", PATCH({ 1, R(56), 1 }), REFUSED(PIECE, 76) },
	{ "first record of a block with 0 in two bytes", SMALL(0x80, 0, 24, 1, 0),
	  REFUSED(PIECE, 68) },
	{ "block that overlaps the one before it", .build = frame_image_many, .nr = 8,
	  PATCH({ 4, 72, 27 }), REFUSED(PIECE, 72) },
	{ "block before the one before it", .build = frame_image_many, .nr = 8,
	  PATCH({ 4, 72, 0 }), REFUSED(PIECE, 72) },
	{ "block of the records of another", .build = frame_image_many, .nr = 8,
	  PATCH({ 4, 76, 0 }), REFUSED(PIECE, 76) },
	{ "a piece too many", PATCH({ 4, 60, 4 }), REFUSED(NUMBER, 212) },

	/* pages */
	{ "page that counts a block of its own", .build = frame_image_paged, PATCH({ 4, 96, 1 }),
	  REFUSED(PAGE, 96) },
	{ "page that lacks a block", .build = frame_image_paged, PATCH({ 4, 100, 0 }),
	  REFUSED(PAGE, 100) },
	{ "page with the highest count", .build = frame_image_paged,
	  PATCH({ 4, 108, 0xffffffff }), REFUSED(PAGE, 108) },
	{ "page that counts blocks of another section", .build = frame_image_paged,
	  PATCH({ 4, 112, 2 }), REFUSED(PAGE, 112) },
	{ "last page with all blocks", .build = frame_image_paged, PATCH({ 4, 120, 2 }),
	  REFUSED(PAGE, 120) },

	/* pieces */
	{ "piece that ends after its section", PATCH({ 1, R(66), 0x11 }),
	  REFUSED(PIECE, R(64)) },
	{ "piece that begins at the end of its section", PATCH({ 1, R(64), 0x50 }),
	  REFUSED(PIECE, R(64)) },
	{ "piece within the other's body", PATCH({ 1, R(63), 0x11 }), REFUSED(PIECE, R(60)) },
	{ "piece of a body that lacks it", PATCH({ 1, R(63), 0x58 }), REFUSED(PIECE, R(60)) },
	{ "piece of no body", PATCH({ 1, R(63), 0x50 }), REFUSED(PIECE, R(60)) },
	{ "piece of the body before it", PATCH({ 1, R(61), 5 }, { 1, R(63), 0 }),
	  REFUSED(PIECE, R(60)) },
	{ "piece of itself", PATCH({ 1, R(61), 5 }, { 1, R(63), 0x20 }), REFUSED(PIECE, R(60)) },
	{ "piece of a later body", PATCH({ 1, R(61), 5 }, { 1, R(63), 0x70 }),
	  REFUSED(PIECE, R(60)) },
	{ "piece of no section", PATCH({ 1, R(61), 9 }), REFUSED(PIECE, R(60)) },
	{ "piece of a later section", SMALL(0, 5, 4, 0, 0, 26, 4, 1, 0, 0, 4, 0),
	  .nr_pieces = { 1, 1 }, .second = 4, REFUSED(PIECE, 132) },
	{ "first piece of itself", SMALL(0, 1, 4, 0), REFUSED(PIECE, 124) },
	{ "piece of a piece that is elsewhere",
	  SMALL(0, 26, 4, 2, 1, 0, 4, 1, 8, 4, 0, 0, 1, 4, 0, 4, 5, 4, 0),
	  .nr_pieces = { 1, 2 }, .second = 11, REFUSED(PIECE, 147) },
	/* It is after 4 records of 26 bytes and 27 of 4. */
	{ "last piece of 4 bodies of 8 pieces of another body", .build = frame_image_pieces,
	  .nr = 4, PATCH({ 1, 148 + 4 * 26 + 27 * 4 + 3, 0 }),
	  REFUSED(PIECE, 148 + 4 * 26 + 27 * 4) },
	{ "piece that is shorter than the body says", PATCH({ 1, R(62), 15 }),
	  REFUSED(PIECE, R(60)) },
	{ "piece that is longer than the body says", PATCH({ 1, R(6), 15 }),
	  REFUSED(PIECE, R(60)) },
	{ "piece at another offset than the body says", PATCH({ 1, R(5), 0x1f }),
	  REFUSED(PIECE, R(60)) },
	{ "empty piece", PATCH({ 1, R(45), 0 }), REFUSED(RANGE, R(43)) },
	{ "empty piece in a body", PATCH({ 1, R(6), 0 }), REFUSED(RANGE, R(0)) },
	{ "distance of 4 GiB", SMALL(0, 24, 1, 0, 0xff, 0xff, 0xff, 0xff, 15, 24, 1, 0),
	  .nr_pieces = { 2 }, .nr = 2, REFUSED(RANGE, 128) },
	{ "piece of 4 GiB", SMALL(0, 24, 0xff, 0xff, 0xff, 0xff, 15, 0), REFUSED(RANGE, 124) },
	{ "piece of 4 GiB less a byte", SMALL(0, 24, 0xfe, 0xff, 0xff, 0xff, 15, 0),
	  REFUSED(PIECE, 124) },
	{ "4 GiB of code", SMALL(0, 26, 4, 1, 1, 0, 0xfb, 0xff, 0xff, 0xff, 15, 0),
	  REFUSED(RANGE, 124) },
	{ "9 pieces", PATCH({ 1, R(3), 8 }), REFUSED(SIZE, R(0)) },
	{ "body of an INT", PATCH({ 1, R(44), 1 << 2 }), REFUSED(FUNC, R(43)) },
	{ "body of void", PATCH({ 1, R(44), 0 }), REFUSED(FUNC, R(43)) },
	{ "body of a LOC_PARAM", PATCH({ 1, R(44), 11 << 2 }), REFUSED(FUNC, R(43)) },
	{ "body of the id after the last", PATCH({ 1, R(44), 20 << 2 }), REFUSED(FUNC, R(43)) },
	{ "body with calls in a file after the last", PATCH({ 1, R(8), 3 }),
	  REFUSED(FILE, R(0)) },
	{ "instances that end beyond the records", PATCH({ 1, R(7), 60 }), REFUSED(SIZE, R(0)) },
	{ "a byte too many of instances", .build = frame_image_long,
	  .nr = INLINE_FRAMES_BODY_MAX + 1, REFUSED(SIZE, 124) },

	/* numbers */
	{ "record cut after the distance", SMALL(0), REFUSED(NUMBER, 124) },
	{ "record cut in the head", SMALL(0, 0x98), REFUSED(NUMBER, 124) },
	{ "record cut after the head", SMALL(0, 24), REFUSED(NUMBER, 124) },
	{ "record cut after the size", SMALL(0, 24, 1), REFUSED(NUMBER, 124) },
	{ "record cut before the file", SMALL(0, 24, 1, 1), REFUSED(NUMBER, 124) },
	{ "record cut before the pieces", SMALL(0, 26, 1), REFUSED(NUMBER, 124) },
	{ "record cut in a piece", SMALL(0, 26, 1, 1, 1, 0), REFUSED(NUMBER, 124) },
	{ "record cut before the body", SMALL(0, 1, 4), REFUSED(NUMBER, 124) },
	{ "a number in six bytes", SMALL(0, 0x98, 0x80, 0x80, 0x80, 0x80, 0, 1, 0),
	  REFUSED(NUMBER, 124) },
	{ "a number of 33 bits", SMALL(0, 0x98, 0x80, 0x80, 0x80, 16, 1, 0),
	  REFUSED(NUMBER, 124) },
	{ "instance cut before the line", PATCH({ 1, R(7), 33 }), REFUSED(NUMBER, R(39)) },
	{ "instance in another cut before the line", PATCH({ 1, R(16), 11 }),
	  REFUSED(NUMBER, R(25)) },
	{ "instance cut in its ranges", PATCH({ 1, R(12), 31 }, { 1, R(7), 9 }),
	  REFUSED(NUMBER, R(9)) },
	{ "instance whose line has six bytes", PATCH({ 8, R(34), 0x808080808080 }),
	  REFUSED(NUMBER, R(29)) },

	/* instances */
	{ "empty instance", PATCH({ 1, R(33), 0 }), REFUSED(RANGE, R(29)) },
	{ "instance that ends after its caller", PATCH({ 1, R(41), 0x15 }),
	  REFUSED(RANGE, R(39)) },
	{ "instance that begins at the end of its caller", PATCH({ 1, R(40), 0x28 }),
	  REFUSED(RANGE, R(39)) },
	{ "instance that begins after its caller", PATCH({ 1, R(40), 0x29 }),
	  REFUSED(RANGE, R(39)) },
	{ "instance that ends after an instance", PATCH({ 1, R(19), 23 }),
	  REFUSED(RANGE, R(17)) },
	{ "ranges that touch", PATCH({ 1, R(13), 0 }), REFUSED(RANGE, R(9)) },
	{ "empty range", PATCH({ 1, R(14), 0 }), REFUSED(RANGE, R(9)) },
	{ "range that ends after the caller", PATCH({ 1, R(14), 0x41 }), REFUSED(RANGE, R(9)) },
	{ "range that begins after the caller", PATCH({ 1, R(13), 0x45 }),
	  REFUSED(RANGE, R(9)) },
	{ "instance of an INT", PATCH({ 1, R(17), 3 << 3 | 4 }), REFUSED(FUNC, R(17)) },
	{ "instance of void", PATCH({ 1, R(17), 2 << 3 | 4 }), REFUSED(FUNC, R(17)) },
	{ "call after the last", PATCH({ 1, R(36), 2 << 3 | 1 }), REFUSED(FUNC, R(36)) },
	{ "call of a prototype", PATCH({ 4, 88, 2 + 4 }), REFUSED(FUNC, R(36)) },
	{ "call of the highest function", PATCH({ 4, 88, 0xffffffff }), REFUSED(FUNC, R(36)) },
	{ "instance with a file after the last", PATCH({ 1, R(32), 3 }), REFUSED(FILE, R(29)) },
	{ "calls that end after their caller's", PATCH({ 1, R(16), 27 }), REFUSED(SIZE, R(9)) },
	/* It is 7 bytes of the body and 63 times 5 after the begin of the records. */
	{ "64 calls in one another", .build = frame_image_deep, .nr = 64,
	  REFUSED(DEPTH, 124 + 7 + 63 * 5) },
};

const u32 frame_nr_rows = sizeof(frame_rows) / sizeof(frame_rows[0]);

u32 frame_row_bytes(const struct frame_row *row, u8 *bytes)
{
	const u32 size = (row->build ? row->build : frame_image_plain)(row, bytes);
	u32 i;

	for (i = 0; i < FRAME_MAX_PATCHES; i++)
		memcpy(bytes + row->patches[i].at, &row->patches[i].value, row->patches[i].size);
	if (row->cut == 0xffffffff)
		return 0;
	return row->cut ? row->cut : size;
}

const char *frame_row_verdict(const struct frame_row *row, const struct frame_outcome *run)
{
	if (run->broken)
		return run->broken;
	if (row->code == BTF_FAULT_NONE)
		return run->error ? "it is refused" : NULL;
	if (!run->error)
		return "it is taken";
	if (run->fault.code != row->code)
		return "the fault is another one";
	return run->fault.offset == row->offset ? NULL : "the fault is at another offset";
}

/* ---- places ---- */

/* The functions of the plain section, by the offsets of their records: FUNC, file, line. */
#define F0 { 6, 0, 0 }
#define F9 { 7, 1, 10 }
#define F17 { 3, 2, 5 }
#define F22 { 8, 1, 40 }
#define F25 { 8, 2, 3 }
#define F29 { 8, 2, 300 }
#define F36 { 3, 2, 9 }
#define F39 { 6, 2, 12 }
#define F43 { 3, 0, 0 }
#define F47 { 7, 0, 0 }
#define F52 { 8, 0, 1 }
#define F56 { 8, 0, 0 }
#define NOTHING .nr = 0
#define CHAIN(...) \
	.nr = sizeof((struct inline_frame[]){ __VA_ARGS__ }) / sizeof(struct inline_frame), \
	.chain = { __VA_ARGS__ }
/* A chain in the body whose calls are in a.c. */
#define IN_A_C(...) CHAIN(__VA_ARGS__), .body_file = 1
#define TEXT 0
#define INIT 1

const struct frame_place_row frame_place_rows[] = {
	{ "the first byte of .text", NULL, TEXT, 0, NOTHING },
	{ "before the first body", NULL, TEXT, 0x0f, NOTHING },
	{ "the first byte of a body", NULL, TEXT, 0x10, IN_A_C(F0) },
	{ "before the first instance", NULL, TEXT, 0x13, IN_A_C(F0) },
	{ "the first byte of an instance", NULL, TEXT, 0x14, IN_A_C(F9, F0) },
	{ "the last byte before a nested one", NULL, TEXT, 0x15, IN_A_C(F9, F0) },
	{ "the first byte of a nested one", NULL, TEXT, 0x16, IN_A_C(F17, F9, F0) },
	{ "the last byte before one in that", NULL, TEXT, 0x19, IN_A_C(F17, F9, F0) },
	{ "the first byte of one in that", NULL, TEXT, 0x1a, IN_A_C(F22, F17, F9, F0) },
	{ "the last byte of the first range", NULL, TEXT, 0x1b, IN_A_C(F22, F17, F9, F0) },
	{ "the first byte between ranges", NULL, TEXT, 0x1c, IN_A_C(F0) },
	{ "the last byte between ranges", NULL, TEXT, 0x1f, IN_A_C(F0) },
	{ "the first byte of the second range", NULL, TEXT, 0x20, IN_A_C(F22, F17, F9, F0) },
	{ "the last byte of the innermost", NULL, TEXT, 0x21, IN_A_C(F22, F17, F9, F0) },
	{ "after the innermost", NULL, TEXT, 0x22, IN_A_C(F17, F9, F0) },
	{ "the last byte of a nested one", NULL, TEXT, 0x25, IN_A_C(F17, F9, F0) },
	{ "the first byte of its neighbour", NULL, TEXT, 0x26, IN_A_C(F25, F9, F0) },
	{ "the last byte of its neighbour", NULL, TEXT, 0x27, IN_A_C(F25, F9, F0) },
	{ "after all nested ones", NULL, TEXT, 0x28, IN_A_C(F9, F0) },
	{ "the last byte of the last range", NULL, TEXT, 0x2f, IN_A_C(F9, F0) },
	{ "after the last range", NULL, TEXT, 0x30, IN_A_C(F0) },
	{ "before the second instance", NULL, TEXT, 0x33, IN_A_C(F0) },
	{ "the first byte of a call in another file", NULL, TEXT, 0x34, IN_A_C(F29, F0) },
	{ "the last byte of a call in another file", NULL, TEXT, 0x37, IN_A_C(F29, F0) },
	{ "the first byte of a known call", NULL, TEXT, 0x38, IN_A_C(F36, F0) },
	{ "the last byte of a known call", NULL, TEXT, 0x3b, IN_A_C(F36, F0) },
	{ "after a known call", NULL, TEXT, 0x3c, IN_A_C(F0) },
	{ "before an instance in two pieces", NULL, TEXT, 0x4b, IN_A_C(F0) },
	{ "the first byte of an instance in two pieces", NULL, TEXT, 0x4c, IN_A_C(F39, F0) },
	{ "the last byte of the first piece", NULL, TEXT, 0x4f, IN_A_C(F39, F0) },
	{ "the first byte of padding", NULL, TEXT, 0x50, NOTHING },
	{ "the last byte of padding", NULL, TEXT, 0x57, NOTHING },
	{ "the first byte of a body without instances", NULL, TEXT, 0x58, CHAIN(F43) },
	{ "the last byte of a body without instances", NULL, TEXT, 0x5f, CHAIN(F43) },
	{ "the first byte of an instance as large as its body", NULL, TEXT, 0x60,
	  CHAIN(F52, F47) },
	{ "the last byte of an instance as large as its body", NULL, TEXT, 0x6f,
	  CHAIN(F52, F47) },
	{ "after the last body", NULL, TEXT, 0x70, NOTHING },
	{ "the last byte of .text", NULL, TEXT, 0xff, NOTHING },
	{ "the highest offset", NULL, TEXT, 0xffffffff, NOTHING },
	{ "the first byte of .init.text", NULL, INIT, 0, CHAIN(F56) },
	{ "the last byte before a second piece", NULL, INIT, 0x1f, CHAIN(F56) },
	{ "the first byte of a second piece", NULL, INIT, 0x20, IN_A_C(F39, F0) },
	{ "the last byte of an instance in a second piece", NULL, INIT, 0x23, IN_A_C(F39, F0) },
	{ "after an instance in a second piece", NULL, INIT, 0x24, IN_A_C(F0) },
	{ "the last byte of a second piece", NULL, INIT, 0x2f, IN_A_C(F0) },
	{ "after a second piece", NULL, INIT, 0x30, NOTHING },
	{ "before the last body", NULL, INIT, 0x6f, NOTHING },
	{ "the first byte of the last body", NULL, INIT, 0x70, CHAIN(F0) },
	{ "the last byte of a section", NULL, INIT, 0x7f, CHAIN(F0) },
	{ "after a section", NULL, INIT, 0x80, NOTHING },

	{ "the last body of a block", "8 bodies", TEXT, 0x18, CHAIN({ 7, 0, 0 }) },
	{ "its last byte", "8 bodies", TEXT, 0x1b, CHAIN({ 7, 0, 0 }) },
	{ "between two blocks", "8 bodies", TEXT, 0x1c, NOTHING },
	{ "the last byte between two blocks", "8 bodies", TEXT, 0x1f, NOTHING },
	{ "the first body of a block", "8 bodies", TEXT, 0x20, CHAIN({ 6, 0, 0 }) },
	{ "the second body of a block", "8 bodies", TEXT, 0x28, CHAIN({ 7, 0, 0 }) },
	{ "the last body of all", "8 bodies", TEXT, 0x3b, CHAIN({ 7, 0, 0 }) },
	{ "after the last body of all", "8 bodies", TEXT, 0x3c, NOTHING },
	{ "a section without pieces", "8 bodies", INIT, 0, NOTHING },
	{ "a block of one", "5 bodies", TEXT, 0x20, CHAIN({ 6, 0, 0 }) },
	{ "after a block of one", "5 bodies", TEXT, 0x28, NOTHING },
	{ "the last of 8 pieces", "8 pieces", TEXT, 14, CHAIN({ 6, 0, 0 }) },
	{ "between pieces of one body", "8 pieces", TEXT, 13, NOTHING },
	{ "the last piece of the last of 4 bodies", "4 bodies of 8 pieces", TEXT, 62,
	  CHAIN({ 7, 0, 0 }) },
	{ "the second piece of the first of 4 bodies", "4 bodies of 8 pieces", TEXT, 8,
	  CHAIN({ 6, 0, 0 }) },
	{ "the last of 64 pieces", "8 bodies of 8 pieces", TEXT, 126, CHAIN({ 7, 0, 0 }) },
	{ "after 64 pieces", "8 bodies of 8 pieces", TEXT, 127, NOTHING },
	{ "a page before all blocks", "pages", TEXT, 0, NOTHING },
	{ "the last byte of a page before all blocks", "pages", TEXT, 0x0f, NOTHING },
	{ "the first body of a page", "pages", TEXT, 0x10, CHAIN({ 6, 0, 0 }) },
	{ "a body of a block in the page before", "pages", TEXT, 0x2b, CHAIN({ 7, 0, 0 }) },
	{ "a page without blocks", "pages", TEXT, 0x30, NOTHING },
	{ "before the block of a page", "pages", TEXT, 0x47, NOTHING },
	{ "the block of a page", "pages", TEXT, 0x48, CHAIN({ 6, 0, 0 }) },
	{ "after the last block of the pages", "pages", TEXT, 0x4c, NOTHING },
	{ "after the last page", "pages", TEXT, 0x50, NOTHING },
	{ "before the blocks of a second section", "pages", INIT, 0x1f, NOTHING },
	{ "the first block of a second section", "pages", INIT, 0x20, CHAIN({ 7, 0, 0 }) },
	{ "the last body of a block before a page", "pages", INIT, 0x3b, CHAIN({ 6, 0, 0 }) },
	{ "the second block of a second section", "pages", INIT, 0x3c, CHAIN({ 7, 0, 0 }) },
	{ "after a second section's blocks", "pages", INIT, 0x40, NOTHING },
	{ "the longest chain", "63 calls in one another", TEXT, 0, 64,
	  { { 6, 2, 100 }, { 6, 2, 100 }, { 6, 2, 100 }, { 6, 2, 100 } }, 0 },
	{ "after the longest chain", "63 calls in one another", TEXT, 1, CHAIN(F0) },
	{ "the first of the most instances", "the most bytes of instances", TEXT, 0,
	  CHAIN({ 6, 0, 1 }, F0) },
	{ "after the most instances", "the most bytes of instances", TEXT, 1, CHAIN(F0) },
};

const u32 frame_place_nr_rows = sizeof(frame_place_rows) / sizeof(frame_place_rows[0]);

const struct frame_row *frame_place_section(const struct frame_place_row *place)
{
	u32 i;

	if (!place->row)
		return &frame_rows[0];
	for (i = 0; i < frame_nr_rows; i++)
		if (!strcmp(frame_rows[i].name, place->row) && !frame_rows[i].code)
			return &frame_rows[i];
	return NULL;
}

static u32 lower(u32 a, u32 b)
{
	return a < b ? a : b;
}

/* Asks with room for that many functions. */
static const char *verdict_with(const struct frame_place_row *place,
				const struct inline_frames *frames, u32 capacity)
{
	struct inline_frame chain[INLINE_FRAMES_DEPTH + 2], untouched;
	const u32 nr = lower(place->nr, capacity);
	u32 i;

	memset(chain, 0xa5, sizeof(chain));
	memset(&untouched, 0xa5, sizeof(untouched));
	if (inline_frames_at(frames, place->section, place->offset, chain, capacity) != place->nr)
		return "the chain has another length";
	if (memcmp(chain, place->chain, lower(nr, FRAME_MAX_CHAIN) * sizeof(chain[0])))
		return "the chain is another one";
	for (i = nr; i < INLINE_FRAMES_DEPTH + 2; i++)
		if (memcmp(&chain[i], &untouched, sizeof(untouched)))
			return "more is written than there is";
	return NULL;
}

const char *frame_place_verdict(const struct frame_place_row *place,
				const struct inline_frames *frames)
{
	const char *wrong = verdict_with(place, frames, 0);

	if (!wrong)
		wrong = verdict_with(place, frames, 1);
	if (!wrong && place->nr)
		wrong = verdict_with(place, frames, place->nr - 1);
	if (!wrong)
		wrong = verdict_with(place, frames, place->nr);
	if (!wrong)
		wrong = verdict_with(place, frames, place->nr + 1);
	if (!wrong && place->body_file !=
			      inline_frames_body_file(frames, place->section, place->offset))
		wrong = "the file of the body is another one";
	return wrong;
}
