// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "site_rows.h"
#include "../../kernel/core/extra_blobs.h"
#include "../../kernel/core/site_marks.h"

#define EXEC (SHF_ALLOC | SHF_EXECINSTR)

/* ---- rows of the bounds ---- */

#define SIZES(text_size, init_text_size) \
	.flags = EXEC, .size = (text_size), .init_size = (init_text_size)
#define OUTSIDE(id, at) .type_id = (id), .offset = (at)

/* The highest offsets are 0x40 of inline.text at 204, 0x30 of func.text at 240 and 0x10 at 264. */
const struct bounds_row bounds_rows[] = {
	{ "all inside", SIZES(0x100, 0x100), .accepted = true },
	{ "last bytes of both", SIZES(0x41, 0x11), .accepted = true },
	{ "end of .text", SIZES(0x40, 0x11), OUTSIDE(17, 204) },
	{ "end of .text, of a body", SIZES(0x30, 0x11), OUTSIDE(18, 240),
	  .patches = { { CORE_IN_FUNC_INFO, 204, 0x2f } } },
	{ "last byte of .text, of a body", SIZES(0x31, 0x11), .accepted = true,
	  .patches = { { CORE_IN_FUNC_INFO, 204, 0x2f } } },
	{ "end of .init.text", SIZES(0x41, 0x10), OUTSIDE(19, 264) },
	{ ".text of a byte", SIZES(1, 0x11), OUTSIDE(17, 156) },
	{ "empty .text", SIZES(0, 0x11), OUTSIDE(17, 136) },
	{ "empty .init.text", SIZES(0x41, 0), OUTSIDE(19, 244) },
	{ "no .text", .text = ".tex", SIZES(0x41, 0x11), OUTSIDE(17, 136) },
	{ "a longer name", .text = ".text.hot", SIZES(0x41, 0x11), OUTSIDE(17, 136) },
	{ ".text not executable", .flags = SHF_ALLOC, .size = 0x41, .init_size = 0x11,
	  OUTSIDE(17, 136) },
	{ ".text with bytes", .type = SHT_PROGBITS, SIZES(0x41, 0x11), OUTSIDE(17, 136) },
	{ "highest offset, 4 GB", SIZES(0x100000000, 0x11), .accepted = true,
	  .patches = { { CORE_IN_FUNC_INFO, 204, 0xffffffff } } },
	{ "highest offset, a byte less", SIZES(0xffffffff, 0x11), OUTSIDE(17, 204),
	  .patches = { { CORE_IN_FUNC_INFO, 204, 0xffffffff } } },
};

const u32 bounds_nr_rows = sizeof(bounds_rows) / sizeof(bounds_rows[0]);

u32 bounds_row_file(const struct bounds_row *row, struct core_row_images *images,
		    struct core_input *blobs, u8 *file)
{
	struct core_row blobs_of = { .patches = { row->patches[0], row->patches[1] } };
	const char *text = row->text ? row->text : ".text";
	struct elf_writer w;

	if (!core_row_input(&blobs_of, images, blobs))
		return 0;
	elf_start(&w, file, CONTAINER_MAX_SIZE, 7);
	container_put(&w, blobs, NULL, "li1");
	if (row->type)
		elf_bytes(&w, text, row->type, CONTAINER_BUILD_ID, CONTAINER_BUILD_ID_SIZE);
	else
		elf_place(&w, text, CONTAINER_TEXT, row->size, row->flags);
	elf_place(&w, ".init.text", CONTAINER_INIT_TEXT, row->init_size, EXEC);
	return elf_finish(&w, CONTAINER_MACHINE);
}

const char *bounds_row_verdict(const struct bounds_row *row, const struct core_outcome *core,
			       const struct container_outcome *run)
{
	struct btf_fault fault = { .code = BTF_FAULT_COUNT };
	int err;

	if (core->broken || core->step != CORE_DONE || run->broken || run->error)
		return "the row itself is wrong";
	err = site_bounds_check(&core->index, &run->elf, &fault);
	if (err ? fault.code == BTF_FAULT_COUNT : fault.code != BTF_FAULT_COUNT)
		return "an error and a fault come together";
	if (!err)
		return row->accepted ? NULL : "it is accepted";
	if (row->accepted)
		return "it is refused";
	if (err != -EINVAL || fault.code != BTF_FAULT_SITE_RANGE)
		return "the fault is another one";
	if (fault.type_id != row->type_id)
		return "the fault is about another type";
	return fault.offset == row->offset ? NULL : "the fault is at another offset";
}

/* ---- rows of the marks ---- */

#define MARKS(...) .list = { __VA_ARGS__ }, .size = sizeof((u8[]){ __VA_ARGS__ })

/*
 * A list begins with its pages. A run is the gap before it, and its marks with 0x10 for one site,
 * 0x20 for two or 0x30 for three. A run without these bits ends with the number of its sites - 1.
 */
const struct marks_row marks_rows[] = {
	{ "no mark", .nr_sites = 6, .accepted = true },
	{ "no mark, no site", .accepted = true },
	{ "first site", MARKS(4, 0, 0, 0, 0, 0x11), .nr_sites = 6, .accepted = true,
	  .first = { 1 } },
	{ "last site", MARKS(4, 0, 0, 0, 5, 0x12), .nr_sites = 6, .accepted = true,
	  .first = { 0, 0, 0, 0, 0, 2 } },
	{ "both of a site", MARKS(4, 0, 0, 0, 1, 0x11, 0, 0x13), .nr_sites = 6,
	  .accepted = true, .first = { 0, 1, 3 } },
	{ "every site", MARKS(4, 0, 0, 0, 0, 0x11, 0, 0x22, 0, 0x34), .nr_sites = 6,
	  .accepted = true, .first = { 1, 2, 2, 4, 4, 4 } },
	{ "every site with one mark", MARKS(4, 0, 0, 0, 0, 0x8, 5), .nr_sites = 6,
	  .accepted = true, .first = { 8, 8, 8, 8, 8, 8 } },
	{ "runs with gaps", MARKS(4, 0, 0, 0, 1, 0x22, 1, 0x1, 0, 1, 0x14), .nr_sites = 8,
	  .accepted = true, .first = { 0, 2, 2, 0, 1, 0, 4 } },
	{ "neighbours that are one run", MARKS(4, 0, 0, 0, 0, 0x11, 0, 0x11), .nr_sites = 6,
	  .accepted = true, .first = { 1, 1 } },
	{ "a whole page", MARKS(4, 0, 0, 0, 0, 0x40, 255), .nr_sites = 300, .accepted = true,
	  .first = { 64, 64, 64, 64, 64, 64, 64, 64 }, .more = { { 255, 64 }, { 256, 0 } } },
	{ "last site of a page", MARKS(4, 0, 0, 0, 255, 0x11), .nr_sites = 300, .accepted = true,
	  .more = { { 254, 0 }, { 255, 1 }, { 256, 0 } } },
	{ "a page without runs", MARKS(12, 0, 0, 0, 14, 0, 0, 0, 14, 0, 0, 0, 3, 0x11, 7, 0x22),
	  .nr_sites = 600, .accepted = true, .first = { 0, 0, 0, 1 },
	  .more = { { 259, 0 }, { 519, 2 }, { 521, 0 } } },
	{ "runs of two pages", MARKS(8, 0, 0, 0, 10, 0, 0, 0, 1, 0x11, 0, 0xb0),
	  .nr_sites = 259, .accepted = true, .first = { 0, 1 },
	  .more = { { 255, 0 }, { 256, 0x80 }, { 258, 0x80 } } },
	{ "the first page has none", MARKS(8, 0, 0, 0, 8, 0, 0, 0, 2, 0x11), .nr_sites = 600,
	  .accepted = true, .more = { { 257, 0 }, { 258, 1 }, { 259, 0 } } },
	{ "without an entry", MARKS(4, 0, 0, 0, 2, 0x14), .nr_sites = 6, .accepted = true,
	  .first = { 0, 0, 4 } },
	{ "not known to ftrace", MARKS(4, 0, 0, 0, 2, 0x18), .nr_sites = 6, .accepted = true,
	  .first = { 0, 0, 8 } },
	{ "closed", MARKS(4, 0, 0, 0, 2, 0x50), .nr_sites = 6, .accepted = true,
	  .first = { 0, 0, 0x40 } },
	{ "after a static key", MARKS(4, 0, 0, 0, 2, 0x90), .nr_sites = 6, .accepted = true,
	  .first = { 0, 0, 0x80 } },
	{ "of all kinds", MARKS(4, 0, 0, 0, 2, 0xdd, 0, 0xcf, 1), .nr_sites = 6,
	  .accepted = true, .first = { 0, 0, 0xcd, 0xcf, 0xcf } },

	{ "cut off in the pages", MARKS(4, 0, 0), .nr_sites = 6, .offset = 0 },
	{ "no pages", MARKS(0, 0, 0, 0), .nr_sites = 6, .offset = 0 },
	{ "pages that are not whole", MARKS(6, 0, 0, 0, 0, 0x11), .nr_sites = 6, .offset = 0 },
	{ "pages past the end", MARKS(8, 0, 0, 0, 0, 0x11), .nr_sites = 6, .offset = 0 },
	{ "a page, no site", MARKS(4, 0, 0, 0), .nr_sites = 0, .offset = 0 },
	{ "a page past the sites", MARKS(8, 0, 0, 0, 8, 0, 0, 0), .nr_sites = 256, .offset = 4 },
	{ "a page past the list", MARKS(8, 0, 0, 0, 11, 0, 0, 0, 0, 0x11), .nr_sites = 600,
	  .offset = 4 },
	{ "pages in falling order", MARKS(8, 0, 0, 0, 4, 0, 0, 0, 0, 0x11), .nr_sites = 600,
	  .offset = 4 },
	{ "a mark, no site", MARKS(4, 0, 0, 0, 0, 0x11), .nr_sites = 0, .offset = 0 },
	{ "past the last site", MARKS(4, 0, 0, 0, 1, 0x11, 3, 0x11, 0, 0x11), .nr_sites = 6,
	  .offset = 8 },
	{ "a run past the last site", MARKS(4, 0, 0, 0, 0, 0x11, 0, 0x1, 5), .nr_sites = 6,
	  .offset = 6 },
	{ "past its page", MARKS(4, 0, 0, 0, 255, 0x21), .nr_sites = 600, .offset = 4 },
	{ "longest past its page", MARKS(4, 0, 0, 0, 255, 0x1, 255), .nr_sites = 600,
	  .offset = 4 },
	{ "of no kind", MARKS(4, 0, 0, 0, 1, 0x11, 0, 0x10), .nr_sites = 6, .offset = 6 },
	{ "a run of no kind", MARKS(4, 0, 0, 0, 1, 0, 1), .nr_sites = 6, .offset = 4 },
	{ "a gap only", MARKS(4, 0, 0, 0, 1, 0x11, 0), .nr_sites = 6, .offset = 6 },
	{ "a length that is missing", MARKS(4, 0, 0, 0, 1, 0x11, 0, 1), .nr_sites = 6,
	  .offset = 6 },
	{ "a run that goes on in the next page",
	  MARKS(8, 0, 0, 0, 9, 0, 0, 0, 0, 0x11), .nr_sites = 600, .offset = 8 },
};

const u32 marks_nr_rows = sizeof(marks_rows) / sizeof(marks_rows[0]);

const char *marks_row_verdict(const struct marks_row *row)
{
	const u8 *marks = row->size ? row->list : NULL;
	struct btf_fault fault = { .code = BTF_FAULT_COUNT, .type_id = 1 };
	struct site_marks_reader reader;
	u32 i;

	if (site_marks_check(marks, row->size, row->nr_sites, &fault)) {
		if (row->accepted)
			return "it is refused";
		if (fault.code != BTF_FAULT_SITE_MARK || fault.type_id)
			return "the fault is another one";
		return fault.offset == row->offset ? NULL : "the fault is at another offset";
	}
	if (!row->accepted)
		return "it is accepted";
	if (fault.code != BTF_FAULT_COUNT)
		return "no error, but a fault";
	reader = site_marks_open(marks, row->size);
	for (i = 0; i < 8; i++) {
		if (site_marks_listed(marks, row->size, i) != row->first[i] ||
		    site_marks_next(&reader, i) != row->first[i])
			return "a mark is not found, or another site has one";
		if (site_marks_listed(marks, row->size, ~i))
			return "a site far after it has a mark";
	}
	for (i = 0; i < 3 && row->more[i].site; i++)
		if (site_marks_listed(marks, row->size, row->more[i].site) != row->more[i].marks ||
		    site_marks_next(&reader, row->more[i].site) != row->more[i].marks)
			return "a mark of a later site is not found, or it has another one";
	return NULL;
}
