// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "func_suffix.h"
#include "range_search.h"
#include "site_marks.h"

static u32 marks_site_of(u32 mark)
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
		if (flags_of(marks[i]) && !(flags_of(marks[i]) & ~SITE_MARK_LISTED) &&
		    marks_site_of(marks[i]) < nr_sites &&
		    (!i || marks_site_of(marks[i - 1]) < marks_site_of(marks[i])))
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
	u32 site = marks_site_of(wanted->marks[i]);

	return site < wanted->site ? -1 : site > wanted->site;
}

struct site_marks_reader site_marks_from(const u32 *marks, u32 nr, u32 site)
{
	const struct mark_key key = { .marks = marks, .site = site };

	return (struct site_marks_reader){
		.marks = marks, .at = lower_bound(0, nr, 0, compare_mark, &key), .nr = nr
	};
}

u32 site_marks_next(struct site_marks_reader *reader, u32 site)
{
	while (reader->at < reader->nr && marks_site_of(reader->marks[reader->at]) < site)
		reader->at++;
	if (reader->at == reader->nr || marks_site_of(reader->marks[reader->at]) != site)
		return 0;
	return flags_of(reader->marks[reader->at]);
}

u32 site_marks_listed(const u32 *marks, u32 nr, u32 site)
{
	struct site_marks_reader reader = site_marks_from(marks, nr, site);

	return site_marks_next(&reader, site);
}

bool site_marks_true_signature(const struct btf_blob *func_info, u32 func_id)
{
	const struct btf_type *func = btf_blob_type(func_info, func_id);
	const char *name = func ? btf_blob_string(func_info, func->name_off) : NULL;

	return name && func_suffix_has(name);
}

u32 site_marks_of_func(const struct loc_index *index, const struct loc_section *section, u32 func)
{
	return section->loc_class == LOC_CLASS_BODY &&
	       site_marks_true_signature(index->func_info, func) ? SITE_MARK_TRUE_SIGNATURE : 0;
}

u32 site_marks_of(const struct loc_index *index, const struct loc_section *section, u32 i,
		  const u32 *marks, u32 nr)
{
	return site_marks_listed(marks, nr, section->first_site + i) |
	       site_marks_of_func(index, section, section->sites[i].func);
}
