/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Reads the records of .btf_extra.frames one by one: pieces of code with their bodies, and inlined
 * instances. FORMAT.md describes them. Any bytes are safe if the blocks are in their bounds.
 */
#ifndef BTF_EXTRA_FRAME_RECORD_H
#define BTF_EXTRA_FRAME_RECORD_H

#include "inline_frames.h"

#define FRAME_OUTSIDE ((u32)-1)
#define FRAME_NO_CALL ((u32)-1)

struct frame_cursor {
	const u8 *at, *end;
};

/* The requested place in the code. */
struct frame_place {
	u32 section, offset;
};

/* A piece, and its body if that is stored here. */
struct frames_record {
	u32 begin, size;
	bool elsewhere;		/* the body is that of the piece at home */
	struct frame_place home;

	u32 func, file;
	u32 nr_pieces;
	u32 code_size;		/* of all pieces */
	u32 within;		/* the place asked for, in the code; FRAME_OUTSIDE: not in it */
	struct {
		u32 begin, size;
	} found;		/* the piece that it is in */
	struct frame_cursor inner;	/* the instances */
};

/*
 * The instances that are called by one function, as far as they have been read. A search skips most
 * of them, so a call is looked up in the lists only on request.
 */
struct frame_calls {
	struct frame_cursor rest;
	u32 code_size;		/* of the caller */
	u32 start;		/* of the instance that was read last */
	bool known;		/* its call is */
	u32 func;		/* the number of that known call, or of its function */
	u32 file;		/* of calls that are not known */
	/* The line of its call is so much after that of a known call; FRAME_NO_CALL: after 0. */
	u32 line, line_from;
};

struct frame_instance {
	u32 start;		/* in the code of its caller */
	u32 code_size;
	u32 within;		/* as in a record */
	struct frame_cursor inner;
};

/* A call: which function was called, and from where. */
struct frame_call {
	u32 func;		/* id of its FUNC */
	u32 file, line;
	u32 inner_file;		/* of the calls in it, before the first one */
};

/* These return BTF_FAULT_NONE, or what is wrong with the record that was read. */

/*
 * Reads the next record of a section. end is where the piece before it ends. wanted is the place
 * that the record must contain.
 */
enum btf_fault_code frame_record_read(const struct inline_frames *frames,
				      struct frame_cursor *from, u32 section, u32 end,
				      const struct frame_place *wanted,
				      struct frames_record *record);

/*
 * Reads the next of calls, of which there are some. If wanted is a place, counted in the code of
 * the caller, it goes on to the one that holds it; if none does, in->within is FRAME_OUTSIDE. It
 * reads nothing after the place.
 */
enum btf_fault_code frame_instance_read(const struct inline_frames *frames,
					struct frame_calls *calls, u32 wanted,
					struct frame_instance *in);

/* Returns the call of the instance that was read last. */
struct frame_call frame_calls_last(const struct inline_frames *frames,
				   const struct frame_calls *calls);

/* Finds the record of the piece that the place at is in. */
bool frame_record_find(const struct inline_frames *frames, struct frame_place at,
		       const struct frame_place *wanted, struct frames_record *record);

/* Returns how many blocks the pieces of a section are in. */
static inline u32 frame_blocks_of(const struct inline_frames_section *section)
{
	return section->nr_pieces / INLINE_FRAMES_BLOCK +
	       (section->nr_pieces % INLINE_FRAMES_BLOCK != 0);
}

/* Returns how many pages inline_frames.pages has of a section with these blocks. */
static inline u32 frame_pages_of(const struct inline_frames *frames,
				 const struct inline_frames_block *blocks, u32 nr)
{
	u32 bits = frames->counts.page_bits;

	return nr && bits ? blocks[nr - 1].offset >> bits : 0;
}

static inline struct frame_calls frame_calls_of_body(const struct frames_record *body)
{
	return (struct frame_calls){ .rest = body->inner,
				     .code_size = body->code_size,
				     .file = body->file,
				     .line_from = FRAME_NO_CALL };
}

static inline struct frame_calls frame_calls_of_instance(const struct frame_instance *in,
							 const struct frame_call *call)
{
	return (struct frame_calls){ .rest = in->inner,
				     .code_size = in->code_size,
				     .file = call->inner_file,
				     .line_from = FRAME_NO_CALL };
}

#endif
