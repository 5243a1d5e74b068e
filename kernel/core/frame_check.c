// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "byte_view.h"
#include "frame_record.h"
#include "loc_entry.h"
#include "plain_text.h"

/* The check has seen this so far. */
struct check {
	struct inline_frames *frames;
	const u8 *data;
	const struct btf_blob *func_info;
	struct btf_fault *fault;
	struct frame_cursor from;		/* the records that are left */
	u32 nr_blocks, nr_bodies, nr_instances;
	u32 nr_elsewhere, nr_more;	/* further pieces, as they and as bodies say */
};

static int frame_refuse(const struct check *check, enum btf_fault_code code, const void *at)
{
	check->fault->code = code;
	check->fault->type_id = 0;
	check->fault->offset = (u32)((const u8 *)at - check->data);
	return -EINVAL;
}

/* A base of which only the counts are known is trusted. */
static bool is_func(const struct check *check, u32 id)
{
	const struct btf_blob *level = btf_blob_level(check->func_info, id);
	const struct btf_type *type = btf_blob_type(check->func_info, id);

	return type ? loc_kind(type) == BTF_KIND_FUNC : level && !level->data;
}

/* Returns false if sections have more blocks than there are, or fewer. */
static bool count_pages(const struct inline_frames *frames, u32 *nr_pages)
{
	u64 nr = 0, nr_blocks = 0;
	u32 i;

	for (i = 0; i < frames->counts.nr_sections; i++) {
		const struct inline_frames_block *blocks = frames->blocks + nr_blocks;
		u32 more = frame_blocks_of(&frames->sections[i]);

		nr_blocks += more;
		if (nr_blocks > frames->counts.nr_blocks)
			return false;
		nr += frame_pages_of(frames, blocks, more);
	}
	*nr_pages = (u32)nr;
	return nr_blocks == frames->counts.nr_blocks && nr <= 0xffffffff;
}

static int take_parts(struct check *check, const struct extra_bytes *bytes)
{
	struct inline_frames *frames = check->frames;
	struct inline_frames_header *counts = &frames->counts;
	struct byte_view view = byte_view_of(bytes->data, bytes->size, 0);
	u32 nr_pages;

	if (!byte_view_read(&view, counts, sizeof(*counts)) ||
	    counts->magic != INLINE_FRAMES_MAGIC || counts->version != INLINE_FRAMES_VERSION ||
	    counts->nr_sections > INLINE_FRAMES_SECTIONS || counts->page_bits > 31)
		return frame_refuse(check, BTF_FAULT_FRAMES_HEADER, check->data);
	frames->sections = byte_view_take(&view, byte_array_size(counts->nr_sections,
								 sizeof(*frames->sections)));
	frames->blocks = byte_view_take(&view, byte_array_size(counts->nr_blocks,
							       sizeof(*frames->blocks)));
	if (!frames->sections || !frames->blocks || !count_pages(frames, &nr_pages))
		return frame_refuse(check, BTF_FAULT_FRAMES_HEADER, check->data);
	frames->pages = byte_view_take(&view, byte_array_size(nr_pages, sizeof(*frames->pages)));
	frames->calls = byte_view_take(&view, byte_array_size(counts->nr_calls,
							      sizeof(*frames->calls)));
	frames->func_ids = byte_view_take(&view, byte_array_size(counts->nr_funcs, sizeof(u32)));
	frames->func_files = byte_view_take(&view, byte_array_size(counts->nr_funcs / 2, 4) +
						   counts->nr_funcs % 2 * 4);
	frames->files = byte_view_take(&view, byte_array_size(counts->nr_files, sizeof(u32)));
	frames->strings = byte_view_take(&view, counts->strings_size);
	frames->records = byte_view_take(&view, counts->records_size);
	if (!frames->pages || !frames->calls || !frames->func_ids || !frames->func_files ||
	    !frames->files || !frames->strings || !frames->records || view.at != bytes->size)
		return frame_refuse(check, BTF_FAULT_FRAMES_HEADER, check->data);
	check->from.at = frames->records;
	check->from.end = frames->records + counts->records_size;
	return 0;
}

/* The strings are plain text, so a name is if it begins well. */
static bool is_name(const struct inline_frames *frames, u32 at)
{
	return at < frames->counts.strings_size && !plain_text_continues((u8)frames->strings[at]);
}

static int frame_check_strings(const struct check *check)
{
	const struct inline_frames *frames = check->frames;
	u32 size = frames->counts.strings_size;
	u32 text = plain_text_size(frames->strings, size);
	u32 i;

	if (size % 4 || (size && frames->strings[size - 1]))
		return frame_refuse(check, BTF_FAULT_FRAMES_STRINGS, frames->strings);
	if (text != size)
		return frame_refuse(check, BTF_FAULT_FRAMES_STRINGS, frames->strings + text);
	for (i = 0; i < frames->counts.nr_files; i++)
		if (!is_name(frames, frames->files[i]))
			return frame_refuse(check, BTF_FAULT_FRAMES_STRINGS, &frames->files[i]);
	for (i = 0; i < frames->counts.nr_sections; i++)
		if (!is_name(frames, frames->sections[i].name))
			return frame_refuse(check, BTF_FAULT_FRAMES_STRINGS, &frames->sections[i]);
	return 0;
}

static int check_funcs(const struct check *check)
{
	const struct inline_frames *frames = check->frames;
	const struct inline_frames_header *counts = &frames->counts;
	u32 i;

	for (i = 0; i < counts->nr_funcs; i++) {
		if (!is_func(check, frames->func_ids[i]))
			return frame_refuse(check, BTF_FAULT_FRAMES_FUNC, &frames->func_ids[i]);
		if (frames->func_files[i] > counts->nr_files)
			return frame_refuse(check, BTF_FAULT_FRAMES_FILE, &frames->func_files[i]);
	}
	for (i = 0; i < counts->nr_calls; i++) {
		if (frames->calls[i].file > counts->nr_files)
			return frame_refuse(check, BTF_FAULT_FRAMES_FILE, &frames->calls[i].file);
	}
	return 0;
}

/* The check must know this of a caller to go on after the functions that it calls. */
struct caller {
	u32 end;	/* of the records of its instances */
	u32 code_size, start;
};

static int check_instances(struct check *check, const struct frames_record *body)
{
	const struct inline_frames *frames = check->frames;
	struct caller around[INLINE_FRAMES_DEPTH];
	struct frame_calls calls = frame_calls_of_body(body);
	u32 depth = 1;	/* of the caller */

	for (;;) {
		enum btf_fault_code wrong;
		struct frame_instance in;
		struct frame_call call;
		const u8 *at = calls.rest.at;

		if (at == calls.rest.end) {
			if (!--depth)
				return 0;
			calls.rest.end = frames->records + around[depth].end;
			calls.code_size = around[depth].code_size;
			calls.start = around[depth].start;
			continue;
		}
		wrong = frame_instance_read(frames, &calls, FRAME_OUTSIDE, &in);
		if (wrong)
			return frame_refuse(check, wrong, at);
		call = frame_calls_last(frames, &calls);
		if (!is_func(check, call.func))
			return frame_refuse(check, BTF_FAULT_FRAMES_FUNC, at);
		if (depth == INLINE_FRAMES_DEPTH)
			return frame_refuse(check, BTF_FAULT_FRAMES_DEPTH, at);
		check->nr_instances++;
		if (in.inner.at == in.inner.end)
			continue;
		around[depth++] = (struct caller){ .end = (u32)(calls.rest.end - frames->records),
						   .code_size = calls.code_size,
						   .start = calls.start };
		calls = frame_calls_of_instance(&in, &call);
	}
}

/* Returns true if the body of a piece that has it elsewhere knows the piece. */
static bool is_piece_of_body(const struct check *check, u32 section,
			     const struct frames_record *record)
{
	const struct frame_place begin = { .section = section, .offset = record->begin };
	const struct frame_place *home = &record->home;
	struct frames_record body;

	if (home->section > section || (home->section == section && home->offset >= begin.offset))
		return false;
	return frame_record_find(check->frames, *home, &begin, &body) && !body.elsewhere &&
	       body.begin == home->offset && body.within != FRAME_OUTSIDE &&
	       body.found.begin == record->begin && body.found.size == record->size;
}

static int frame_check_record(struct check *check, u32 section, u64 section_size, u32 *end)
{
	const struct frame_place nowhere = { .section = FRAME_OUTSIDE };
	const u8 *at = check->from.at;
	enum btf_fault_code wrong;
	struct frames_record record;

	wrong = frame_record_read(check->frames, &check->from, section, *end, &nowhere, &record);
	if (!wrong && (u64)record.begin + record.size > section_size)
		wrong = BTF_FAULT_FRAMES_PIECE;
	if (!wrong && record.elsewhere && !is_piece_of_body(check, section, &record))
		wrong = BTF_FAULT_FRAMES_PIECE;
	if (!wrong && !record.elsewhere && !is_func(check, record.func))
		wrong = BTF_FAULT_FRAMES_FUNC;
	if (wrong)
		return frame_refuse(check, wrong, at);
	*end = record.begin + record.size;
	if (record.elsewhere) {
		check->nr_elsewhere++;
		return 0;
	}
	check->nr_bodies++;
	check->nr_more += record.nr_pieces - 1;
	return check_instances(check, &record);
}

/* The blocks of a section must be in order, and its pages must count them. */
static int check_pages(const struct check *check, const struct inline_frames_block *blocks, u32 nr,
		       const u32 *pages)
{
	const u32 nr_pages = frame_pages_of(check->frames, blocks, nr);
	u32 i, page = 0;

	for (i = 0; i < nr; i++) {
		if (i && blocks[i].offset <= blocks[i - 1].offset)
			return frame_refuse(check, BTF_FAULT_FRAMES_PIECE, &blocks[i].offset);
		while (page < nr_pages &&
		       blocks[i].offset >> check->frames->counts.page_bits > page)
			if (pages[page++] != i)
				return frame_refuse(check, BTF_FAULT_FRAMES_PAGE, &pages[page - 1]);
	}
	return 0;
}

/* After this no look-up leaves the bytes. */
static int check_blocks(const struct check *check)
{
	const struct inline_frames *frames = check->frames;
	const struct inline_frames_block *blocks = frames->blocks;
	const u32 *pages = frames->pages;
	int err = 0;
	u32 i, nr;

	for (i = 0; i < frames->counts.nr_blocks; i++)
		if (blocks[i].record >= frames->counts.records_size)
			return frame_refuse(check, BTF_FAULT_FRAMES_PIECE, &blocks[i].record);
	for (i = 0; !err && i < frames->counts.nr_sections; i++) {
		nr = frame_blocks_of(&frames->sections[i]);
		err = check_pages(check, blocks, nr, pages);
		pages += frame_pages_of(frames, blocks, nr);
		blocks += nr;
	}
	return err;
}

/* A block begins with the next record, after the records that end there. */
static int check_block(struct check *check, u32 *end)
{
	const struct inline_frames *frames = check->frames;
	const struct inline_frames_block *block = &frames->blocks[check->nr_blocks];

	if (block->offset < *end)
		return frame_refuse(check, BTF_FAULT_FRAMES_PIECE, &block->offset);
	if (block->record != (u32)(check->from.at - frames->records) ||
	    check->from.at == check->from.end || *check->from.at)
		return frame_refuse(check, BTF_FAULT_FRAMES_PIECE, &block->record);
	*end = block->offset;
	check->nr_blocks++;
	return 0;
}

static int frame_check_section(struct check *check, u32 i, const struct extra_elf *elf)
{
	const struct inline_frames *frames = check->frames;
	const struct inline_frames_section *section = &frames->sections[i];
	const char *name = frames->strings + section->name;
	struct extra_section place = { .size = FRAME_OUTSIDE };
	u32 end = 0, j;
	int err = 0;

	if (inline_frames_find_section(frames, name) != (int)i)
		return frame_refuse(check, BTF_FAULT_FRAMES_SECTION, section);
	if (elf->data && (!extra_elf_find(elf, name, &place) || !(place.flags & SHF_EXECINSTR)))
		return frame_refuse(check, BTF_FAULT_FRAMES_SECTION, section);
	for (j = 0; !err && j < section->nr_pieces; j++) {
		if (j % INLINE_FRAMES_BLOCK == 0)
			err = check_block(check, &end);
		if (!err)
			err = frame_check_record(check, i, place.size, &end);
	}
	return err;
}

int inline_frames_open(struct inline_frames *frames, const struct extra_bytes *bytes,
		       const struct btf_blob *func_info, const struct extra_elf *elf,
		       struct btf_fault *fault)
{
	struct check check = {
		.frames = frames, .data = bytes->data, .func_info = func_info, .fault = fault
	};
	const struct inline_frames_header *counts = &frames->counts;
	u32 i;
	int err;

	err = take_parts(&check, bytes);
	if (!err)
		err = frame_check_strings(&check);
	if (!err)
		err = check_funcs(&check);
	if (!err)
		err = check_blocks(&check);
	for (i = 0; !err && i < counts->nr_sections; i++)
		err = frame_check_section(&check, i, elf);
	if (err)
		return err;
	if (check.nr_elsewhere != check.nr_more || check.from.at != check.from.end ||
	    check.nr_bodies != counts->nr_bodies || check.nr_instances != counts->nr_instances)
		return frame_refuse(&check, BTF_FAULT_FRAMES_HEADER, check.data);
	return 0;
}
