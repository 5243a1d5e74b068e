// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "core_run.h"

#define POISON 0xa5

static void *take(struct core_arena *arena, size_t size)
{
	void *memory = arena->memory + arena->used;

	size = (size + 7) & ~(size_t)7;
	if (size > arena->size - arena->used)
		return NULL;
	arena->used += size;
	return memory;
}

size_t core_run_memory(const struct core_input *input)
{
	size_t size = (size_t)input->base.size + input->types.size + input->func_info.size;

	/*
	 * A record of 12 bytes needs an offset of 4 bytes. A site of 12 bytes needs 8 bytes of
	 * tables and at most 32 of scratch. That is 44 in all. The constant covers 24 KB of digit
	 * counts and the rounding of each block.
	 */
	return size / 12 * 48 + 32768;
}

static bool is_poison(const void *object, size_t size)
{
	const u8 *bytes = object;
	size_t i;

	for (i = 0; i < size; i++)
		if (bytes[i] != POISON)
			return false;
	return true;
}

/* A call fails if and only if it reports a fault, and then leaves the object untouched. */
static bool outcome_holds(struct core_outcome *run, const void *object, size_t size)
{
	bool reported = run->fault.code != BTF_FAULT_COUNT;
	bool known = run->fault.code > BTF_FAULT_NONE && run->fault.code < BTF_FAULT_COUNT;

	if (run->error ? run->error != -EINVAL || !reported : reported)
		run->broken = "an error and a fault come together";
	else if (reported && !known)
		run->broken = "a fault has a known code";
	else if (run->error && object && !is_poison(object, size))
		run->broken = "a failed call leaves the object untouched";
	return !run->error && !run->broken;
}

static bool open_blob(struct core_outcome *run, struct btf_blob *blob,
		      const struct core_image *image, const struct btf_blob *base,
		      struct core_arena *arena)
{
	u32 *offsets;

	memset(blob, POISON, sizeof(*blob));
	run->error = btf_blob_open(blob, image->data, image->size, base, &run->fault);
	if (!outcome_holds(run, blob, sizeof(*blob)))
		return false;
	offsets = take(arena, (size_t)btf_blob_nr_offsets(blob) * sizeof(u32));
	if (!offsets) {
		run->broken = "the arena suffices";
		return false;
	}
	btf_blob_index(blob, offsets);
	return true;
}

static void build_index(struct core_outcome *run, const struct core_input *input,
			struct core_arena *arena)
{
	struct loc_index_room room = { 0 };
	bool measured = loc_index_measure(&run->func_info, &room);
	void *memory = take(arena, room.memory);
	void *scratch = take(arena, room.scratch);

	if (!memory || !scratch) {
		run->broken = "the arena suffices";
		return;
	}
	memset(&run->index, POISON, sizeof(run->index));
	run->error = loc_index_build(&run->index, &run->func_info,
				     memory, room.memory - input->memory_short,
				     scratch, room.scratch - input->scratch_short);
	if (run->error && !is_poison(&run->index, sizeof(run->index)))
		run->broken = "a failed call leaves the object untouched";
	if (measured == (run->error == -E2BIG))
		run->broken = "the room is not known if and only if there are too many LOCSECs";
	if (run->error)
		return;
	memset(scratch, POISON, room.scratch);
	if (!input->trusted)
		run->broken = core_index_promise(&run->index);
}

void core_run(struct core_outcome *run, const struct core_input *input, struct core_arena *arena)
{
	const struct btf_blob *below = &run->base;

	memset(run, 0, sizeof(*run));
	run->fault.code = BTF_FAULT_COUNT;

	run->step = CORE_BASE;
	if (!input->base.data)
		btf_blob_open_counts(&run->base, input->base_last_id, input->base_strings_len);
	else if (!open_blob(run, &run->base, &input->base, NULL, arena))
		return;

	run->step = CORE_TYPES;
	if (input->types.data) {
		if (!open_blob(run, &run->types, &input->types, below, arena))
			return;
		below = &run->types;
		run->error = loc_validate_types(&run->types, &run->fault);
		if (!outcome_holds(run, NULL, 0))
			return;
	}

	run->step = CORE_FUNC_INFO;
	if (!open_blob(run, &run->func_info, &input->func_info, below, arena))
		return;
	run->error = loc_validate(&run->func_info, input->machine, &run->fault);
	if (!outcome_holds(run, NULL, 0))
		return;

	run->step = CORE_INDEX;
	build_index(run, input, arena);
	if (!run->error && !run->broken)
		run->step = CORE_DONE;
}

/* ---- the promise ---- */

static bool contains(struct loc_range range, u32 i)
{
	return range.first <= i && i < range.end;
}

/* Reads the blob directly and without the tables that look-ups search. */
static const char *name_of(const struct loc_index *index, u32 func)
{
	const struct btf_type *type = btf_blob_type(index->func_info, func);
	const char *name = type ? btf_blob_string(index->func_info, type->name_off) : NULL;

	return name ? name : "";
}

static bool func_range_holds(const struct loc_index *index, u32 section, u32 func, bool present)
{
	const struct loc_section *s = &index->sections[section];
	struct loc_range range = loc_index_by_func(index, section, func);
	u32 i;

	if (range.first > range.end || range.end > s->nr_sites)
		return false;
	for (i = range.first; i < range.end; i++)
		if (s->sites[i].func != func)
			return false;
	return (range.first < range.end) == present &&
	       (!range.first || s->sites[range.first - 1].func < func) &&
	       (range.end == s->nr_sites || s->sites[range.end].func > func);
}

static u32 offset_at(const struct loc_index *index, u32 place)
{
	const struct loc_section *section;

	return loc_index_site(index, index->by_offset[place], &section)->offset;
}

static bool offset_range_holds(const struct loc_index *index, u32 elf, u32 offset, u32 expected)
{
	const struct loc_elf_section *e = &index->elf_sections[elf];
	struct loc_range range = loc_index_by_offset(index, elf, offset);
	u32 end = e->first + e->nr_sites;
	u32 i;

	if (range.first > range.end || range.first < e->first || range.end > end)
		return false;
	for (i = range.first; i < range.end; i++)
		if (offset_at(index, i) != offset)
			return false;
	return (expected == LOC_INDEX_NONE || contains(range, expected)) &&
	       (range.first == e->first || offset_at(index, range.first - 1) < offset) &&
	       (range.end == end || offset_at(index, range.end) > offset);
}

static bool name_range_holds(const struct loc_index *index, const char *name, u32 expected)
{
	struct loc_range range = loc_index_by_name(index, name);
	u32 i;

	if (range.first > range.end || range.end > index->nr_funcs)
		return false;
	for (i = range.first; i < range.end; i++)
		if (strcmp(name_of(index, index->funcs[i]), name) != 0)
			return false;
	return (expected == LOC_INDEX_NONE || contains(range, expected)) &&
	       (!range.first || strcmp(name_of(index, index->funcs[range.first - 1]), name) < 0) &&
	       (range.end == index->nr_funcs ||
		strcmp(name_of(index, index->funcs[range.end]), name) > 0);
}

static const char *section_promise(const struct loc_index *index, u32 section)
{
	const struct loc_section *s = &index->sections[section];
	u32 i;

	if (index->elf_sections[s->elf].sections[s->loc_class] != section)
		return "a LOCSEC is found through its ELF section";
	if (loc_index_elf_section(index, index->elf_sections[s->elf].name) != (int)s->elf)
		return "an ELF section is found by its name";
	for (i = 0; i < s->nr_sites; i++) {
		u32 func = s->sites[i].func;
		const struct loc_section *holder = NULL;
		const struct loc_site *site;

		site = loc_index_site(index, s->first_site + i, &holder);
		if (site != &s->sites[i] || holder != s)
			return "a site is found by its number";
		if (i && s->sites[i - 1].func == func)
			continue;
		if (!func_range_holds(index, section, func, true))
			return "the sites of a function are a range";
		if ((!i || s->sites[i - 1].func < func - 1) &&
		    !func_range_holds(index, section, func - 1, false))
			return "a function without sites has an empty range";
		if (!name_range_holds(index, name_of(index, func), LOC_INDEX_NONE) ||
		    loc_index_by_name(index, name_of(index, func)).first ==
		    loc_index_by_name(index, name_of(index, func)).end)
			return "a function with sites is found by its name";
	}
	return func_range_holds(index, section, 0, false) &&
	       func_range_holds(index, section, 0xffffffff, false) ?
	       NULL : "ids before and after all have empty ranges";
}

static const char *offset_promise(const struct loc_index *index, u32 elf)
{
	const struct loc_elf_section *e = &index->elf_sections[elf];
	u32 i;

	for (i = e->first; i < e->first + e->nr_sites; i++) {
		const struct loc_section *section;
		u32 number = index->by_offset[i];
		u32 offset = loc_index_site(index, number, &section)->offset;

		if (section->elf != elf)
			return "a place by offset holds a site of that ELF section";
		if (i > e->first && (offset < offset_at(index, i - 1) ||
				     (offset == offset_at(index, i - 1) &&
				      number <= index->by_offset[i - 1])))
			return "by_offset is in order of (offset, number)";
		if (!offset_range_holds(index, elf, offset, i))
			return "a site is found by its offset";
		if (!offset_range_holds(index, elf, offset + 1, LOC_INDEX_NONE) ||
		    !offset_range_holds(index, elf, offset - 1, LOC_INDEX_NONE))
			return "offsets beside a site have ranges of their own";
	}
	return offset_range_holds(index, elf, 0, LOC_INDEX_NONE) &&
	       offset_range_holds(index, elf, 0xffffffff, LOC_INDEX_NONE) ?
	       NULL : "offsets before and after all have empty ranges";
}

static const char *name_promise(const struct loc_index *index)
{
	char beside[BTF_FUNC_NAME_MAX + 2];
	u32 i;

	for (i = 0; i < index->nr_funcs; i++) {
		const char *name = name_of(index, index->funcs[i]);
		size_t length = strlen(name);
		u32 section;

		if (i) {
			int order = strcmp(name_of(index, index->funcs[i - 1]), name);

			if (order > 0 || (!order && index->funcs[i - 1] >= index->funcs[i]))
				return "funcs is in order of (name, id)";
		}
		for (section = 0; section < index->nr_sections; section++) {
			struct loc_range sites = loc_index_by_func(index, section, index->funcs[i]);

			if (sites.first < sites.end)
				break;
		}
		if (section == index->nr_sections)
			return "every function of the table has sites";
		if (!name_range_holds(index, name, i))
			return "a function is found by its name";
		memcpy(beside, name, length);
		memcpy(beside + length, "\1", 2);	/* the least name that is greater */
		if (!name_range_holds(index, beside, LOC_INDEX_NONE))
			return "a longer name has a range of its own";
		if (length)
			beside[length - 1] = 0;
		if (!name_range_holds(index, beside, LOC_INDEX_NONE))
			return "a shorter name has a range of its own";
	}
	return name_range_holds(index, "", LOC_INDEX_NONE) &&
	       name_range_holds(index, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", LOC_INDEX_NONE) ?
	       NULL : "names before and after all have empty ranges";
}

const char *core_index_promise(const struct loc_index *index)
{
	const struct loc_section *section;
	const char *broken;
	u32 i, nr = 0;

	for (i = 0; i < index->nr_sections; i++) {
		if (index->sections[i].first_site != nr)
			return "sites are numbered through";
		nr += index->sections[i].nr_sites;
		broken = section_promise(index, i);
		if (broken)
			return broken;
	}
	if (nr != index->nr_sites || loc_index_site(index, nr, &section))
		return "there are as many sites as entries";
	for (i = 0, nr = 0; i < index->nr_elf_sections; i++) {
		if (index->elf_sections[i].first != nr)
			return "ELF sections share by_offset without a gap";
		nr += index->elf_sections[i].nr_sites;
		broken = offset_promise(index, i);
		if (broken)
			return broken;
	}
	if (nr != index->nr_sites)
		return "every site has a place by offset";
	if (loc_index_elf_section(index, ".no such section") != -ENOENT)
		return "an absent ELF section is not found";
	return name_promise(index);
}
