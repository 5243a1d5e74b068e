// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "func_suffix.h"
#include "range_search.h"
#include "site_marks.h"

static u32 site_of(u32 mark)
{
	return mark >> SITE_MARK_BITS;
}

static u32 flags_of(u32 mark)
{
	return mark & ((1U << SITE_MARK_BITS) - 1);
}

int site_marks_check(const u32 *marks, u32 nr, u32 nr_sites, struct btf_fault *fault)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (flags_of(marks[i]) && site_of(marks[i]) < nr_sites &&
		    (!i || site_of(marks[i - 1]) < site_of(marks[i])))
			continue;
		fault->code = BTF_FAULT_SITE_MARK;
		fault->type_id = 0;
		fault->offset = i * (u32)sizeof(*marks);
		return -EINVAL;
	}
	return 0;
}

struct mark_key {
	const u32 *marks;
	u32 site;
};

static int compare_mark(const void *key, u32 i)
{
	const struct mark_key *wanted = key;
	u32 site = site_of(wanted->marks[i]);

	return site < wanted->site ? -1 : site > wanted->site;
}

u32 site_marks_listed(const u32 *marks, u32 nr, u32 site)
{
	const struct mark_key key = { .marks = marks, .site = site };
	u32 at = lower_bound(0, nr, 0, compare_mark, &key);

	return at < nr && site_of(marks[at]) == site ? flags_of(marks[at]) : 0;
}

bool site_marks_true_signature(const struct btf_blob *func_info, u32 func_id)
{
	const struct btf_type *func = btf_blob_type(func_info, func_id);
	const char *name = func ? btf_blob_string(func_info, func->name_off) : NULL;

	return name && func_suffix_has(name);
}

u32 site_marks_of(const struct loc_index *index, const struct loc_section *section, u32 i,
		  const u32 *marks, u32 nr)
{
	u32 found = site_marks_listed(marks, nr, section->first_site + i);

	if (section->loc_class == LOC_CLASS_BODY &&
	    site_marks_true_signature(index->func_info, section->sites[i].func))
		found |= SITE_MARK_TRUE_SIGNATURE;
	return found;
}
