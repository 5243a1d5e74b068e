// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "container_run.h"

#define POISON 0xa5

static bool inside(const void *part, u64 part_size, const void *data, u64 size)
{
	const u8 *first = data;
	const u8 *at = part;

	return at >= first && (u64)(at - first) <= size && part_size <= size - (u64)(at - first);
}

static const char *parts_promise(const struct extra_elf *elf, const void *data, u64 size)
{
	const struct extra_bytes *parts[] = {
		&elf->types, &elf->func_info, &elf->build_id, &elf->bases
	};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!parts[i]->data && parts[i] == &elf->types)
			continue;
		if (!parts[i]->data || !parts[i]->size ||
		    !inside(parts[i]->data, parts[i]->size, data, size))
			return "every part is there and lies in the file";
		if ((size_t)parts[i]->data % 4)
			return "every part is aligned";
	}
	if (elf->site_marks.data &&
	    !inside(elf->site_marks.data, elf->site_marks.size, data, size))
		return "the marks lie in the file";
	if ((size_t)elf->site_marks.data % 4)
		return "the marks are aligned";
	if (elf->frames.data && !inside(elf->frames.data, elf->frames.size, data, size))
		return "the frames lie in the file";
	if ((size_t)elf->frames.data % 4)
		return "the frames are aligned";
	if (elf->expressions.data &&
	    !inside(elf->expressions.data, elf->expressions.size, data, size))
		return "the expressions lie in the file";
	if ((size_t)elf->expressions.data % 4)
		return "the expressions are aligned";
	if (elf->build_id.size > EXTRA_BUILD_ID_MAX)
		return "a build-id is no longer than those of the kernel";
	if (elf->bases.size % sizeof(struct extra_base))
		return "the sums are whole";
	return NULL;
}

static const char *section_promise(const struct extra_elf *elf, const void *data, u64 size, u32 i)
{
	struct extra_section section, found;
	u64 left;
	u32 j;

	memset(&section, POISON, sizeof(section));
	if (!extra_elf_section(elf, i, &section))
		return NULL;
	if (!inside(section.name, 1, data, size))
		return "the name of a section begins in the file";
	left = size - (u64)((const u8 *)section.name - (const u8 *)data);
	if (!memchr(section.name, 0, left))
		return "the name of a section ends in the file";
	if (!section.size || section.address + section.size < section.address)
		return "the range of a section is not empty and does not wrap";
	if (!extra_elf_find(elf, section.name, &found) || found.name != section.name ||
	    found.address != section.address || found.size != section.size ||
	    found.flags != section.flags)
		return "a section is found by its name";
	for (j = 0; j < i; j++)
		if (extra_elf_section(elf, j, &found) && !strcmp(found.name, section.name))
			return "no two sections have one name";
	return NULL;
}

const char *container_promise(const struct extra_elf *elf, const void *data, u64 size)
{
	const char *broken = parts_promise(elf, data, size);
	u32 i;

	for (i = 0; !broken && i < elf->nr_headers; i++)
		broken = section_promise(elf, data, size, i);
	return broken;
}

static bool is_poison(const void *object, size_t size)
{
	const u8 *bytes = object;

	while (size--)
		if (bytes[size] != POISON)
			return false;
	return true;
}

void container_run(struct container_outcome *run, const void *data, u64 size)
{
	bool reported;

	memset(run, 0, sizeof(*run));
	memset(&run->elf, POISON, sizeof(run->elf));
	run->fault.code = BTF_FAULT_COUNT;
	run->error = extra_elf_open(&run->elf, data, size, &run->fault);
	reported = run->fault.code != BTF_FAULT_COUNT;
	if (run->error ? run->error != -EINVAL || !reported : reported)
		run->broken = "an error and a fault come together";
	else if (run->error && (run->fault.code < BTF_FAULT_ELF_CUT ||
				run->fault.code > BTF_FAULT_ELF_BUILD_ID))
		run->broken = "a fault is one of a container";
	else if (run->error && !is_poison(&run->elf, sizeof(run->elf)))
		run->broken = "a failed call leaves the object untouched";
	else if (!run->error)
		run->broken = container_promise(&run->elf, data, size);
}
