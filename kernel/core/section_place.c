// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "section_place.h"

bool section_place_anchor(const struct loc_index *index, const char *name, u32 *elf, u32 *offset)
{
	struct loc_range funcs = loc_index_by_name(index, name);
	u32 nr = 0;
	u32 i;

	if (funcs.end - funcs.first != 1)
		return false;
	for (i = 0; i < index->nr_sections; i++) {
		const struct loc_section *section = &index->sections[i];
		struct loc_range sites;

		if (section->loc_class != LOC_CLASS_BODY)
			continue;
		sites = loc_index_by_func(index, i, index->funcs[funcs.first]);
		nr += sites.end - sites.first;
		if (sites.first == sites.end)
			continue;
		*elf = section->elf;
		*offset = section->sites[sites.first].offset;
	}
	return nr == 1;
}

static bool begins(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

bool section_place_freed(const char *section, bool vmlinux)
{
	return begins(section, ".init.") ||
	       (vmlinux && (begins(section, ".exit.") || begins(section, ".altinstr_")));
}
