// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "func_suffix.h"
#include "site_marks.h"

/* Returns false if the next run is not whole. */
static bool marks_take_run(struct site_marks_reader *reader)
{
	struct {
		u8 gap, flags;
	} run;
	u32 length;
	u8 more;

	if (!byte_view_read(&reader->rest, &run, sizeof(run)))
		return false;
	length = (run.flags & SITE_MARK_LENGTH) >> SITE_MARK_LENGTH_SHIFT;
	if (!length) {
		if (!byte_view_read(&reader->rest, &more, sizeof(more)))
			return false;
		length = more + 1U;
	}
	reader->flags = run.flags & SITE_MARK_LISTED;
	reader->first = reader->end + run.gap;
	reader->end = reader->first + length;
	return true;
}

static u32 marks_nr_pages(const u8 *marks, u32 size)
{
	return size ? *(const u32 *)marks / (u32)sizeof(u32) : 0;
}

/* Goes to the beginning of a page. One past the last has no runs. */
static void marks_go_to_page(struct site_marks_reader *reader, u32 page)
{
	const u32 *pages = (const u32 *)reader->marks;
	u32 nr = marks_nr_pages(reader->marks, reader->size);
	u32 begin = page < nr ? pages[page] : reader->size;
	u32 end = page + 1 < nr ? pages[page + 1] : reader->size;

	reader->page = page;
	reader->rest = byte_view_of(reader->marks, end, begin);
	reader->first = page * SITE_MARK_PAGE;
	reader->end = reader->first;
}

struct site_marks_reader site_marks_open(const u8 *marks, u32 size)
{
	struct site_marks_reader reader = { .marks = marks, .size = size };

	marks_go_to_page(&reader, 0);
	return reader;
}

static int marks_refuse(struct btf_fault *fault, u32 offset)
{
	fault->code = BTF_FAULT_SITE_MARK;
	fault->type_id = 0;
	fault->offset = offset;
	return -EINVAL;
}

/* The pages follow each other from the end of their own table to the end of the list. */
static int marks_check_pages(const u8 *marks, u32 size, u32 nr_sites, struct btf_fault *fault)
{
	const u32 *pages = (const u32 *)marks;
	u32 nr, i;

	if (size < sizeof(*pages) || pages[0] % sizeof(*pages) || !pages[0] || pages[0] > size)
		return marks_refuse(fault, 0);
	nr = marks_nr_pages(marks, size);
	for (i = 0; i < nr; i++)
		if ((u64)i * SITE_MARK_PAGE >= nr_sites || pages[i] > size ||
		    (i && pages[i] < pages[i - 1]))
			return marks_refuse(fault, i * (u32)sizeof(*pages));
	return 0;
}

static int marks_check_runs(struct site_marks_reader *reader, u32 page, u32 nr_sites,
			    struct btf_fault *fault)
{
	u32 room = nr_sites - page * SITE_MARK_PAGE;

	if (room > SITE_MARK_PAGE)
		room = SITE_MARK_PAGE;
	marks_go_to_page(reader, page);
	while (reader->rest.at < reader->rest.size) {
		u32 at = (u32)reader->rest.at;

		if (!marks_take_run(reader) || !reader->flags ||
		    reader->end - page * SITE_MARK_PAGE > room)
			return marks_refuse(fault, at);
	}
	return 0;
}

int site_marks_check(const u8 *marks, u32 size, u32 nr_sites, struct btf_fault *fault)
{
	struct site_marks_reader reader = { .marks = marks, .size = size };
	u32 page;
	int err;

	if (!size)
		return 0;
	err = marks_check_pages(marks, size, nr_sites, fault);
	for (page = 0; !err && page < marks_nr_pages(marks, size); page++)
		err = marks_check_runs(&reader, page, nr_sites, fault);
	return err;
}

u32 site_marks_next(struct site_marks_reader *reader, u32 site)
{
	if (site / SITE_MARK_PAGE != reader->page)
		marks_go_to_page(reader, site / SITE_MARK_PAGE);
	while (reader->end <= site && marks_take_run(reader))
		;
	return reader->first <= site && site < reader->end ? reader->flags : 0;
}

u32 site_marks_listed(const u8 *marks, u32 size, u32 site)
{
	struct site_marks_reader reader = site_marks_open(marks, size);

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
		  const u8 *marks, u32 size)
{
	return site_marks_listed(marks, size, section->first_site + i) |
	       site_marks_of_func(index, section, section->sites[i].func);
}
