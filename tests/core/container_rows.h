/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The named rows for the container, and for its sections together with the blobs. They run in KUnit
 * and in GoogleTest.
 */
#ifndef BTF_EXTRA_TESTS_CONTAINER_ROWS_H
#define BTF_EXTRA_TESTS_CONTAINER_ROWS_H

#include "container_run.h"
#include "core_rows.h"

/* 1025 section headers and some bytes. */
#define CONTAINER_MAX_SIZE 67072

#define CONTAINER_MAX_PATCHES 4

/* Overwrites bytes of the file. */
struct container_patch {
	u32 size;		/* 1, 2, 4, 8; 0: no more patches */
	u32 at;
	u64 value;
};

struct container_row {
	const char *name;
	const char *core_row;	/* whose blobs are in the file; NULL: the first */
	/* Writes the file and returns its size; NULL: writes the plain file. */
	u32 (*build)(u8 *file, const struct core_input *blobs);
	struct container_patch patches[CONTAINER_MAX_PATCHES];
	u32 cut;		/* bytes of the file; 0: all */
	u32 shift;		/* distance to the next lower aligned address */

	/* the expected result: */
	enum btf_fault_code code;	/* BTF_FAULT_NONE: the file is accepted */
	u32 offset;
	/* What extra_blobs_open() refuses then, over the base of the blobs. */
	enum btf_fault_code whole;
};

/* Names the level of base BTF that the blobs are over. */
struct extra_base container_base(const struct core_input *blobs);

/* Computes a CRC-32 bit by bit, apart from the kernel's and zlib's. */
u32 container_crc32(const u8 *data, size_t size);

extern const struct container_row container_rows[];
extern const u32 container_nr_rows;

/*
 * Writes the plain file from the blobs that core_row_input() made: a file of vmlinux, with
 * everything but the base.
 */
u32 container_plain(u8 *file, const struct core_input *blobs);

/* The contents of the plain file. */
#define CONTAINER_TEXT 0x1000
#define CONTAINER_TEXT_SIZE 0x100
#define CONTAINER_INIT_TEXT 0x4000
#define CONTAINER_INIT_TEXT_SIZE 0x80
#define CONTAINER_BUILD_ID "the running kernel."	/* with its NUL */
#define CONTAINER_BUILD_ID_SIZE 20

/* Writes the plain file with other sums of the base. */
u32 container_over(u8 *file, const struct core_input *blobs, const struct extra_base *bases,
		   u32 nr_bases);

/* Writes 1024 headers with all required parts. The headers from 5 on are free. */
u32 container_most_headers(u8 *file, const struct core_input *blobs);

/*
 * Writes the file of a row at file + row->shift and returns its size; 0: the row itself is wrong.
 * file has CONTAINER_MAX_SIZE bytes and is aligned to 8.
 */
u32 container_row_file(const struct container_row *row, struct core_row_images *images, u8 *file);

/* Returns NULL, or what differs from the row. */
const char *container_row_verdict(const struct container_row *row,
				  const struct container_outcome *run);

/* ---- sites against the sections of their object ---- */

struct bounds_row {
	const char *name;
	const char *text;	/* in place of ".text"; NULL: ".text" */
	u32 type;		/* of the header of .text; 0: no bytes */
	u64 flags, size;	/* of .text */
	u64 init_size;		/* of .init.text */
	struct core_patch patches[2];	/* of the blobs */

	/* the expected result: */
	bool accepted;
	u32 type_id;
	u32 offset;		/* in func_info */
};

extern const struct bounds_row bounds_rows[];
extern const u32 bounds_nr_rows;

/* Does the same as container_row_file(), and also makes the blobs of the row. */
u32 bounds_row_file(const struct bounds_row *row, struct core_row_images *images,
		    struct core_input *blobs, u8 *file);

/* Returns NULL, or what differs from the row. core is the result of core_run() for the blobs. */
const char *bounds_row_verdict(const struct bounds_row *row, const struct core_outcome *core,
			       const struct container_outcome *run);

/* ---- marks against the number of sites ---- */

struct marks_row {
	const char *name;
	u32 marks[6];
	u32 nr;			/* number of marks */
	u32 nr_sites;

	/* the expected result: */
	bool accepted;
	u32 offset;		/* offset of the fault in marks */
};

extern const struct marks_row marks_rows[];
extern const u32 marks_nr_rows;

/* Returns NULL, or what differs from the row. */
const char *marks_row_verdict(const struct marks_row *row);

/* ---- suffixes of symbols ---- */

struct suffix_row {
	const char *symbol;
	u32 length;		/* length of the source name in it */
	u32 meaning;		/* FUNC_SUFFIX_* of what follows the source name */
};

extern const struct suffix_row suffix_rows[];
extern const u32 suffix_nr_rows;

#endif
