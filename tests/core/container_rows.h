/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The named rows of the container and of what it says together with the blobs,
 * for KUnit and for GoogleTest.
 */
#ifndef BTF_EXTRA_TESTS_CONTAINER_ROWS_H
#define BTF_EXTRA_TESTS_CONTAINER_ROWS_H

#include "container_run.h"
#include "core_rows.h"

/* 1025 section headers and some bytes. */
#define CONTAINER_MAX_SIZE 67072

#define CONTAINER_MAX_PATCHES 4

/* Bytes of the file, overwritten. */
struct container_patch {
	u32 size;		/* 1, 2, 4, 8; 0: no more patches */
	u32 at;
	u64 value;
};

struct container_row {
	const char *name;
	/* Writes the file, returns its size; NULL: the plain one. */
	u32 (*build)(u8 *file, const struct core_input *blobs);
	struct container_patch patches[CONTAINER_MAX_PATCHES];
	u32 cut;		/* bytes of the file; 0: all */
	u32 shift;		/* bytes that the file lies beside its alignment */

	/* what must come out: */
	enum btf_fault_code code;	/* BTF_FAULT_NONE: accepted */
	u32 offset;
};

extern const struct container_row container_rows[];
extern const u32 container_nr_rows;

/* The plain file, with what core_row_input() made: all of it but the base, as vmlinux has it. */
u32 container_plain(u8 *file, const struct core_input *blobs);

/* What the plain file says of its object. */
#define CONTAINER_TEXT 0x1000
#define CONTAINER_TEXT_SIZE 0x100
#define CONTAINER_INIT_TEXT 0x4000
#define CONTAINER_INIT_TEXT_SIZE 0x80
#define CONTAINER_BUILD_ID "the running kernel."	/* with its NUL */
#define CONTAINER_BUILD_ID_SIZE 20

/* The plain file with other sums of the base. */
u32 container_over(u8 *file, const struct core_input *blobs, const struct extra_base *bases,
		   u32 nr_bases);

/* 1024 headers, of which those from 5 on are free, and all parts that must be there. */
u32 container_most_headers(u8 *file, const struct core_input *blobs);

/*
 * The file of a row, at file + row->shift; its size, 0: the row itself is wrong.
 * file has CONTAINER_MAX_SIZE bytes, aligned to 8.
 */
u32 container_row_file(const struct container_row *row, struct core_row_images *images, u8 *file);

/* NULL, or what is not as the row wants it. */
const char *container_row_verdict(const struct container_row *row,
				  const struct container_outcome *run);

/* ---- sites against the sections of their object ---- */

struct bounds_row {
	const char *name;
	const char *text;	/* in place of ".text"; NULL: that */
	u32 type;		/* of the header of .text; 0: no bytes */
	u64 flags, size;	/* of .text */
	u64 init_size;		/* of .init.text */
	struct core_patch patches[2];	/* of the blobs */

	/* what must come out: */
	bool accepted;
	u32 type_id;
	u32 offset;		/* in func_info */
};

extern const struct bounds_row bounds_rows[];
extern const u32 bounds_nr_rows;

/* As container_row_file(), and the blobs of the row. */
u32 bounds_row_file(const struct bounds_row *row, struct core_row_images *images,
		    struct core_input *blobs, u8 *file);

/* NULL, or what is not as the row wants it; core is what core_run() made of the blobs. */
const char *bounds_row_verdict(const struct bounds_row *row, const struct core_outcome *core,
			       const struct container_outcome *run);

/* ---- marks against the number of sites ---- */

struct marks_row {
	const char *name;
	u32 marks[6];
	u32 nr;			/* of marks */
	u32 nr_sites;

	/* what must come out: */
	bool accepted;
	u32 offset;		/* of the fault, from marks */
};

extern const struct marks_row marks_rows[];
extern const u32 marks_nr_rows;

/* NULL, or what is not as the row wants it. */
const char *marks_row_verdict(const struct marks_row *row);

/* ---- suffixes of symbols ---- */

struct suffix_row {
	const char *symbol;
	u32 length;		/* of the source name in it */
};

extern const struct suffix_row suffix_rows[];
extern const u32 suffix_nr_rows;

#endif
