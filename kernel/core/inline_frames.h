/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The functions that an address is in: the inlined instances that cover it, and the body around
 * them. They are in the section .btf_extra.frames of a container, which FORMAT.md describes.
 */
#ifndef BTF_EXTRA_INLINE_FRAMES_H
#define BTF_EXTRA_INLINE_FRAMES_H

#include "extra_elf.h"

#define INLINE_FRAMES_MAGIC	0x52465842u	/* "BXFR" */
#define INLINE_FRAMES_VERSION	1u

/* The maximum number of functions in a chain. */
#define INLINE_FRAMES_DEPTH	64u
/* The maximum size of the instances of a body in bytes. A look-up reads no others. */
#define INLINE_FRAMES_BODY_MAX	(1u << 18)
/*
 * These bound the work of a search, and so of the check of a piece whose body is elsewhere: the
 * number of pieces in a block, and the number of other pieces that each names.
 */
#define INLINE_FRAMES_BLOCK	4u	/* pieces */
#define INLINE_FRAMES_PIECES	8u	/* of one body */
#define INLINE_FRAMES_SECTIONS	64u

/* The section begins with it. The parts that it counts follow in this order and without gaps. */
struct inline_frames_header {
	u32 magic, version;
	u32 nr_sections;	/* struct inline_frames_section [] */
	u32 nr_blocks;		/* struct inline_frames_block [] */
	u32 nr_calls;		/* struct inline_frames_call [] */
	u32 nr_funcs;		/* u32 [] of FUNC ids, and u16 [] of files, to a multiple of 4 */
	u32 nr_files;		/* u32 [] of names in the strings */
	u32 strings_size;	/* a multiple of 4; each has its NUL */
	u32 records_size;	/* of bodies and what is inlined in them */
	u32 nr_bodies;
	u32 nr_instances;	/* inlined ones */
	u32 page_bits;		/* see pages of struct inline_frames */
};

/* An executable section of the object. */
struct inline_frames_section {
	u32 name;		/* in the strings */
	u32 nr_pieces;
};

/* The first of INLINE_FRAMES_BLOCK pieces of a section, of which the last block may have fewer. */
struct inline_frames_block {
	u32 offset;		/* in the section */
	u32 record;		/* in the records */
};

/*
 * A call that was inlined several times. A function is given by its number in the list, or by the
 * id of its FUNC + nr_funcs. One in the list has a file that most of the calls in it are in.
 */
struct inline_frames_call {
	u32 func;		/* that is called */
	u16 file, line;		/* as in struct inline_frame */
};

/* Bits of the heads of records: of a piece the lower two, of an instance the lower three. */
#define INLINE_FRAMES_ELSEWHERE		1u
#define INLINE_FRAMES_SEVERAL		2u
#define INLINE_FRAMES_PIECE_BITS	2
#define INLINE_FRAMES_KNOWN		1u
#define INLINE_FRAMES_RANGES		2u
#define INLINE_FRAMES_CALLS		4u
#define INLINE_FRAMES_INSTANCE_BITS	3

struct inline_frames {
	struct inline_frames_header counts;
	const struct inline_frames_section *sections;	/* NULL: there are no frames */
	const struct inline_frames_block *blocks;
	/*
	 * By section and page of 1 << page_bits bytes, except the first page, up to the last in
	 * which a block begins: how many blocks of the section begin before the page. 0 bits: there
	 * are no pages.
	 */
	const u32 *pages;
	const struct inline_frames_call *calls;
	const u32 *func_ids;
	const u16 *func_files;
	const u32 *files;
	const char *strings;
	const u8 *records;
};

/* One function of a chain. */
struct inline_frame {
	u32 func;		/* id of its FUNC */
	u32 call_file;		/* where it is called from: number of the file + 1; 0: not known */
	u32 call_line;		/* 0: not known, and of a body */
};

/*
 * Checks the whole section and locates its parts. bytes are aligned to 4 and must stay. func_info
 * has the FUNCs. The pieces must lie in the executable sections of elf, if it has a file. Returns
 * 0, or -EINVAL with *fault: BTF_FAULT_FRAMES_* and the offset in bytes.
 */
int inline_frames_open(struct inline_frames *frames, const struct extra_bytes *bytes,
		       const struct btf_blob *func_info, const struct extra_elf *elf,
		       struct btf_fault *fault);

/* Returns the number of a section; -1: it has no bodies. */
int inline_frames_find_section(const struct inline_frames *frames, const char *name);

/* Returns the name of a file, by a call_file that is not 0. */
const char *inline_frames_file(const struct inline_frames *frames, u32 call_file);

/*
 * Finds the chain at an offset of a section, the innermost first and the body last. Returns the
 * number of functions in the chain; 0: the address is in no body. If these are more than capacity,
 * found has the innermost ones. It takes no lock, allocates no memory, and is safe in any context.
 */
u32 inline_frames_at(const struct inline_frames *frames, u32 section, u32 offset,
		     struct inline_frame *found, u32 capacity);

/*
 * Returns the file that most calls of the body at an offset of a section are in, as a call_file; 0:
 * nothing is inlined in the body, or the address is in no body.
 */
u32 inline_frames_body_file(const struct inline_frames *frames, u32 section, u32 offset);

#endif
