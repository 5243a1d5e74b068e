// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "frame_record.h"
#include "range_search.h"

/* Returns where the number ends, or NULL if there is none. */
static const u8 *long_number(const u8 *at, const u8 *end, u32 *value)
{
	u32 shift;

	*value = 0;
	for (shift = 0; shift < 35 && at != end; shift += 7) {
		u8 byte = *at++;

		if (shift == 28 && byte > 15)
			return NULL;
		*value |= (u32)(byte & 127) << shift;
		if (byte < 128)
			return at;
	}
	return NULL;
}

/* Nearly all numbers have one byte to three. */
static inline bool record_number(struct frame_cursor *from, u32 *value)
{
	const u8 *at = from->at;
	u32 longer;

	if (at != from->end && at[0] < 128) {
		*value = at[0];
		from->at = at + 1;
		return true;
	}
	if (from->end - at > 1 && at[1] < 128) {
		*value = (at[0] & 127) | (u32)at[1] << 7;
		from->at = at + 2;
		return true;
	}
	if (from->end - at > 2 && at[2] < 128) {
		*value = (at[0] & 127) | (at[1] & 127) << 7 | (u32)at[2] << 14;
		from->at = at + 3;
		return true;
	}
	at = long_number(at, from->end, &longer);
	*value = longer;
	if (!at)
		return false;
	from->at = at;
	return true;
}

static bool record_take(struct frame_cursor *from, u32 size, struct frame_cursor *part)
{
	if (size > (u32)(from->end - from->at))
		return false;
	part->at = from->at;
	part->end = from->at + size;
	from->at += size;
	return true;
}

/* ---- instances ---- */

/* Returns false if the range is not in the code of the caller. */
static bool cover_range(struct frame_instance *in, const struct frame_calls *calls, u32 start,
			u32 size, u32 wanted)
{
	if (!size || start > calls->code_size || size > calls->code_size - start)
		return false;
	if (wanted - start < size)
		in->within = in->code_size + (wanted - start);
	in->code_size += size;
	return true;
}

static enum btf_fault_code read_more_ranges(struct frame_calls *calls, u32 end, u32 wanted,
					    struct frame_instance *in)
{
	u32 nr, gap, size;

	if (!record_number(&calls->rest, &nr))
		return BTF_FAULT_FRAMES_NUMBER;
	for (; nr; nr--) {
		if (!record_number(&calls->rest, &gap) || !record_number(&calls->rest, &size))
			return BTF_FAULT_FRAMES_NUMBER;
		if (!gap || gap > calls->code_size - end ||
		    !cover_range(in, calls, end + gap, size, wanted))
			return BTF_FAULT_FRAMES_RANGE;
		end += gap + size;
	}
	return BTF_FAULT_NONE;
}

/* Reads the position of an instance, and the file of its call if the record has it. */
static enum btf_fault_code read_ranges(const struct inline_frames *frames,
				       struct frame_calls *calls, bool several, u32 wanted,
				       struct frame_instance *in)
{
	u32 step, size;

	if (!record_number(&calls->rest, &step))
		return BTF_FAULT_FRAMES_NUMBER;
	if (step > calls->code_size - calls->start)
		return BTF_FAULT_FRAMES_RANGE;
	calls->start += step;
	in->start = calls->start;
	/* They are in order of where they begin. */
	if (in->start > wanted)
		return BTF_FAULT_NONE;
	if (!record_number(&calls->rest, &size))
		return BTF_FAULT_FRAMES_NUMBER;
	if (!size) {
		if (!record_number(&calls->rest, &calls->file) ||
		    !record_number(&calls->rest, &size))
			return BTF_FAULT_FRAMES_NUMBER;
		if (calls->file > frames->counts.nr_files)
			return BTF_FAULT_FRAMES_FILE;
	}
	if (!cover_range(in, calls, in->start, size, wanted))
		return BTF_FAULT_FRAMES_RANGE;
	return several ? read_more_ranges(calls, in->start + size, wanted, in) : BTF_FAULT_NONE;
}

/* Reads which function was called from where. */
static enum btf_fault_code read_call(const struct inline_frames *frames,
				     struct frame_calls *calls, u32 head)
{
	u32 step;

	calls->known = head & INLINE_FRAMES_KNOWN;
	calls->func = head >> INLINE_FRAMES_INSTANCE_BITS;
	if (calls->known) {
		if (calls->func >= frames->counts.nr_calls)
			return BTF_FAULT_FRAMES_FUNC;
		calls->line_from = calls->func;
		calls->line = 0;
	} else {
		if (!record_number(&calls->rest, &step))
			return BTF_FAULT_FRAMES_NUMBER;
		calls->line += (step >> 1) ^ -(step & 1);
	}
	return BTF_FAULT_NONE;
}

static enum btf_fault_code read_instance(const struct inline_frames *frames,
					 struct frame_calls *calls, u32 wanted,
					 struct frame_instance *in)
{
	u32 head, size = 0;
	enum btf_fault_code wrong;

	if (!record_number(&calls->rest, &head))
		return BTF_FAULT_FRAMES_NUMBER;
	in->code_size = 0;
	in->within = FRAME_OUTSIDE;
	wrong = read_ranges(frames, calls, head & INLINE_FRAMES_RANGES, wanted, in);
	if (wrong || in->start > wanted)
		return wrong;
	wrong = read_call(frames, calls, head);
	if (wrong)
		return wrong;
	if ((head & INLINE_FRAMES_CALLS) && !record_number(&calls->rest, &size))
		return BTF_FAULT_FRAMES_NUMBER;
	return record_take(&calls->rest, size, &in->inner) ? BTF_FAULT_NONE : BTF_FAULT_FRAMES_SIZE;
}

enum btf_fault_code frame_instance_read(const struct inline_frames *frames,
					struct frame_calls *calls, u32 wanted,
					struct frame_instance *in)
{
	/* Copies stay in registers, and each number gives the start of the next one. */
	struct frame_calls now = *calls;
	struct frame_instance read = { .within = FRAME_OUTSIDE };
	enum btf_fault_code wrong;

	do
		wrong = read_instance(frames, &now, wanted, &read);
	while (!wrong && wanted != FRAME_OUTSIDE && read.within == FRAME_OUTSIDE &&
	       read.start <= wanted && now.rest.at != now.rest.end);
	*calls = now;
	*in = read;
	return wrong;
}

struct frame_call frame_calls_last(const struct inline_frames *frames,
				   const struct frame_calls *calls)
{
	const struct inline_frames_call *known = calls->known ? &frames->calls[calls->func] : NULL;
	u32 from = calls->line_from;
	u32 func = known ? known->func : calls->func;
	bool listed = func < frames->counts.nr_funcs;

	return (struct frame_call){
		.func = listed ? frames->func_ids[func] : func - frames->counts.nr_funcs,
		.file = known ? known->file : calls->file,
		.line = calls->line + (from == FRAME_NO_CALL ? 0 : frames->calls[from].line),
		.inner_file = listed ? frames->func_files[func] : 0,
	};
}

/* ---- pieces and bodies ---- */

static bool add_piece(struct frames_record *record, const struct frame_place *piece, u32 size,
		      const struct frame_place *wanted)
{
	if (!size || size > FRAME_OUTSIDE - 1 - record->code_size ||
	    size > FRAME_OUTSIDE - piece->offset)
		return false;
	if (wanted->section == piece->section && wanted->offset >= piece->offset &&
	    wanted->offset - piece->offset < size) {
		record->within = record->code_size + (wanted->offset - piece->offset);
		record->found.begin = piece->offset;
		record->found.size = size;
	}
	record->code_size += size;
	return true;
}

static enum btf_fault_code read_more_pieces(struct frame_cursor *from,
					    const struct frame_place *wanted,
					    struct frames_record *record)
{
	struct frame_place piece;
	u32 nr, size;

	if (!record_number(from, &nr))
		return BTF_FAULT_FRAMES_NUMBER;
	if (nr >= INLINE_FRAMES_PIECES)
		return BTF_FAULT_FRAMES_SIZE;
	record->nr_pieces += nr;
	for (; nr; nr--) {
		if (!record_number(from, &piece.section) || !record_number(from, &piece.offset) ||
		    !record_number(from, &size))
			return BTF_FAULT_FRAMES_NUMBER;
		if (!add_piece(record, &piece, size, wanted))
			return BTF_FAULT_FRAMES_RANGE;
	}
	return BTF_FAULT_NONE;
}

static enum btf_fault_code read_body(const struct inline_frames *frames, struct frame_cursor *from,
				     bool several, const struct frame_place *wanted,
				     struct frames_record *record)
{
	enum btf_fault_code wrong = BTF_FAULT_NONE;
	u32 size;

	if (several)
		wrong = read_more_pieces(from, wanted, record);
	if (wrong)
		return wrong;
	if (!record_number(from, &size) || (size && !record_number(from, &record->file)))
		return BTF_FAULT_FRAMES_NUMBER;
	if (record->file > frames->counts.nr_files)
		return BTF_FAULT_FRAMES_FILE;
	if (size > INLINE_FRAMES_BODY_MAX || !record_take(from, size, &record->inner))
		return BTF_FAULT_FRAMES_SIZE;
	return BTF_FAULT_NONE;
}

enum btf_fault_code frame_record_read(const struct inline_frames *frames,
				      struct frame_cursor *from, u32 section, u32 end,
				      const struct frame_place *wanted,
				      struct frames_record *record)
{
	struct frame_place piece = { .section = section };
	u32 gap, head, size;

	if (!record_number(from, &gap) || !record_number(from, &head) ||
	    !record_number(from, &size))
		return BTF_FAULT_FRAMES_NUMBER;
	if (gap > FRAME_OUTSIDE - end)
		return BTF_FAULT_FRAMES_RANGE;
	piece.offset = end + gap;
	*record = (struct frames_record){ .begin = piece.offset,
				   .size = size,
				   .nr_pieces = 1,
				   .within = FRAME_OUTSIDE };
	if (!add_piece(record, &piece, size, wanted))
		return BTF_FAULT_FRAMES_RANGE;
	if (head & INLINE_FRAMES_ELSEWHERE) {
		record->elsewhere = true;
		record->home.section = head >> INLINE_FRAMES_PIECE_BITS;
		return record_number(from, &record->home.offset) ? BTF_FAULT_NONE
							  : BTF_FAULT_FRAMES_NUMBER;
	}
	record->func = head >> INLINE_FRAMES_PIECE_BITS;
	return read_body(frames, from, head & INLINE_FRAMES_SEVERAL, wanted, record);
}

/* ---- search ---- */

struct block_key {
	const struct inline_frames_block *blocks;
	u32 offset;
};

static int compare_block(const void *key, u32 i)
{
	const struct block_key *wanted = key;
	u32 offset = wanted->blocks[i].offset;

	return offset < wanted->offset ? -1 : offset > wanted->offset;
}

/*
 * So few blocks are looked at one after the other: the processor predicts that loop, unlike the
 * halves of a search.
 */
#define FEW_BLOCKS 15u

/* Sets *blocks to those of a section and returns how many begin up to the place. */
static u32 count_blocks(const struct inline_frames *frames, const struct frame_place *at,
			const struct inline_frames_block **blocks)
{
	struct block_key key = { .blocks = frames->blocks, .offset = at->offset };
	const u32 *pages = frames->pages;
	u32 i, page, nr, nr_pages, first = 0;

	for (i = 0; i < at->section; i++) {
		nr = frame_blocks_of(&frames->sections[i]);
		pages += frame_pages_of(frames, key.blocks, nr);
		key.blocks += nr;
	}
	*blocks = key.blocks;
	nr = frame_blocks_of(&frames->sections[at->section]);
	nr_pages = frame_pages_of(frames, key.blocks, nr);
	if (nr_pages) {
		page = at->offset >> frames->counts.page_bits;
		if (page < nr_pages)
			nr = pages[page];
		if (page)
			first = pages[(page < nr_pages ? page : nr_pages) - 1];
	}
	if (nr - first > FEW_BLOCKS)
		return lower_bound(first, nr, 1, compare_block, &key);
	while (first < nr && key.blocks[first].offset <= at->offset)
		first++;
	return first;
}

bool frame_record_find(const struct inline_frames *frames, struct frame_place at,
		       const struct frame_place *wanted, struct frames_record *record)
{
	const struct inline_frames_block *blocks;
	struct frame_cursor from = { .end = frames->records + frames->counts.records_size };
	u32 i, end, nr;

	i = count_blocks(frames, &at, &blocks);
	if (!i)
		return false;
	nr = frames->sections[at.section].nr_pieces - (i - 1) * INLINE_FRAMES_BLOCK;
	if (nr > INLINE_FRAMES_BLOCK)
		nr = INLINE_FRAMES_BLOCK;
	end = blocks[i - 1].offset;
	for (from.at = frames->records + blocks[i - 1].record; nr; nr--) {
		if (frame_record_read(frames, &from, at.section, end, wanted, record) ||
		    record->begin > at.offset)
			return false;
		if (at.offset - record->begin < record->size)
			return true;
		end = record->begin + record->size;
	}
	return false;
}
