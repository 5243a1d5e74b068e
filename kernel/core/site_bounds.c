// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "site_bounds.h"

static int refuse(const struct loc_index *index, const struct loc_section *section,
		  const void *field, struct btf_fault *fault)
{
	fault->code = BTF_FAULT_SITE_RANGE;
	fault->type_id = section->type_id;
	fault->offset = (u32)((const u8 *)field - index->func_info->data);
	return -EINVAL;
}

int site_bounds_check(const struct loc_index *index, const struct extra_elf *elf,
		      struct btf_fault *fault)
{
	u32 i, j;

	for (i = 0; i < index->nr_sections; i++) {
		const struct loc_section *section = &index->sections[i];
		struct extra_section place;

		if (!extra_elf_find(elf, index->elf_sections[section->elf].name, &place) ||
		    !(place.flags & SHF_EXECINSTR))
			return refuse(index, section, btf_blob_type(index->func_info,
								    section->type_id), fault);
		for (j = 0; j < section->nr_sites; j++)
			if (section->sites[j].offset >= place.size)
				return refuse(index, section, &section->sites[j].offset, fault);
	}
	return 0;
}
