// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "frame_run.h"

bool frame_world_make(struct frame_world *world)
{
	struct core_arena arena = { .memory = (u8 *)world->memory, .size = sizeof(world->memory) };
	struct core_input input;
	struct btf_fault fault;
	struct elf_writer w;
	u32 size;

	if (!core_row_input(&core_rows[0], &world->images, &input) ||
	    core_run_memory(&input) > sizeof(world->memory))
		return false;
	core_run(&world->core, &input, &arena);
	if (world->core.step != CORE_DONE)
		return false;
	elf_start(&w, world->file, sizeof(world->file), (u32)strlen(CONTAINER_PLAIN) + 2);
	container_put(&w, &input, NULL, CONTAINER_PLAIN);
	size = elf_finish(&w, CONTAINER_MACHINE);
	return size && !extra_elf_open(&world->elf, world->file, size, &fault);
}

static const char *chain_promise(const struct frame_world *world,
				 const struct inline_frames *frames,
				 const struct inline_frame *chain, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		const struct btf_type *type = btf_blob_type(&world->core.func_info, chain[i].func);
		const u32 file = chain[i].call_file;

		if (!type || loc_kind(type) != BTF_KIND_FUNC)
			return "a frame has a FUNC";
		if (file > frames->counts.nr_files)
			return "the file of a call is there";
		if (file && !memchr(inline_frames_file(frames, file), 0,
				    frames->counts.strings_size - frames->files[file - 1]))
			return "the name of a file ends in the strings";
	}
	if (nr && (chain[nr - 1].call_file || chain[nr - 1].call_line))
		return "a body is called from nowhere";
	return NULL;
}

static const char *place_promise(const struct frame_world *world,
				 const struct inline_frames *frames, u32 section, u32 offset)
{
	struct inline_frame chain[INLINE_FRAMES_DEPTH], first;
	u32 nr = inline_frames_at(frames, section, offset, chain, INLINE_FRAMES_DEPTH);

	if (nr > INLINE_FRAMES_DEPTH)
		return "a chain has no more functions than the limit";
	if (inline_frames_at(frames, section, offset, NULL, 0) != nr ||
	    inline_frames_at(frames, section, offset, &first, 1) != nr)
		return "a chain is as long whatever room there is";
	if (nr && memcmp(&first, chain, sizeof(first)))
		return "the innermost function comes first whatever room there is";
	if (inline_frames_body_file(frames, section, offset) > frames->counts.nr_files)
		return "the file of a body is there";
	return chain_promise(world, frames, chain, nr);
}

static const char *section_promise(const struct frame_world *world,
				   const struct inline_frames *frames, u32 section)
{
	const char *name = frames->strings + frames->sections[section].name;
	const char *broken = NULL;
	struct extra_section place;
	u32 offset;

	if (inline_frames_find_section(frames, name) != (int)section)
		return "a section is found by its name";
	if (!extra_elf_find(&world->elf, name, &place))
		return "a section is one of the object";
	for (offset = 0; !broken && offset < place.size; offset++)
		broken = place_promise(world, frames, section, offset);
	for (; !broken && offset < place.size + 8; offset++)
		if (inline_frames_at(frames, section, offset, NULL, 0))
			broken = "nothing is after a section";
	if (!broken && inline_frames_at(frames, section, 0xffffffff, NULL, 0))
		broken = "nothing is at the highest offset";
	return broken;
}

const char *frame_promise(const struct frame_world *world, const struct inline_frames *frames)
{
	const char *broken = NULL;
	u32 i;

	for (i = 0; !broken && i < frames->counts.nr_sections; i++)
		broken = section_promise(world, frames, i);
	return broken;
}

void frame_run(struct frame_outcome *run, const struct frame_world *world, const void *data,
	       u32 size)
{
	const struct extra_bytes bytes = { .data = data, .size = size };
	bool reported;

	memset(run, 0, sizeof(*run));
	run->fault.code = BTF_FAULT_COUNT;
	run->error = inline_frames_open(&run->frames, &bytes, &world->core.func_info, &world->elf,
					&run->fault);
	reported = run->fault.code != BTF_FAULT_COUNT;
	if (run->error ? run->error != -EINVAL || !reported : reported)
		run->broken = "an error and a fault come together";
	else if (run->error && (run->fault.code < BTF_FAULT_FRAMES_HEADER ||
				run->fault.code > BTF_FAULT_FRAMES_DEPTH))
		run->broken = "a fault is one of frames";
	else if (run->error && run->fault.offset > size)
		run->broken = "a fault is in the bytes";
	else if (!run->error)
		run->broken = frame_promise(world, &run->frames);
}
