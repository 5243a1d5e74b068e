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

#define MARKS(...) \
	.marks = { __VA_ARGS__ }, .nr = sizeof((u32[]){ __VA_ARGS__ }) / sizeof(u32)
#define HEAD(site) ((site) << 8 | 1u)
#define PART(site) ((site) << 8 | 2u)
#define BOTH(site) ((site) << 8 | 3u)

const struct marks_row marks_rows[] = {
	{ "no mark", .nr_sites = 6, .accepted = true },
	{ "no mark, no site", .accepted = true },
	{ "first site", MARKS(HEAD(0)), .nr_sites = 6, .accepted = true },
	{ "last site", MARKS(PART(5)), .nr_sites = 6, .accepted = true },
	{ "both of a site", MARKS(HEAD(1), BOTH(2)), .nr_sites = 6, .accepted = true },
	{ "every site", MARKS(HEAD(0), PART(1), BOTH(2), HEAD(3), PART(4), PART(5)),
	  .nr_sites = 6, .accepted = true },
	{ "every other site", MARKS(PART(0), HEAD(2), PART(4)), .nr_sites = 6, .accepted = true },
	{ "highest numbers", MARKS(HEAD(0x7fffff), PART(0x800000), BOTH(0xffffff)),
	  .nr_sites = 0xffffffff, .accepted = true },
	{ "a mark, no site", MARKS(HEAD(0)), .nr_sites = 0, .offset = 0 },
	{ "past the last site", MARKS(HEAD(1), HEAD(5), HEAD(6)), .nr_sites = 6, .offset = 8 },
	{ "highest number", MARKS(PART(0xffffff)), .nr_sites = 6, .offset = 0 },
	{ "of no kind", MARKS(HEAD(1), 2 << 8), .nr_sites = 6, .offset = 4 },
	{ "without an entry", MARKS(HEAD(1), 2 << 8 | 4), .nr_sites = 6, .accepted = true },
	{ "not known to ftrace", MARKS(HEAD(1), 2 << 8 | 8), .nr_sites = 6, .accepted = true },
	{ "closed", MARKS(HEAD(1), 2 << 8 | 0x40), .nr_sites = 6, .accepted = true },
	{ "after a static key", MARKS(HEAD(1), 2 << 8 | 0x80), .nr_sites = 6, .accepted = true },
	{ "of all kinds", MARKS(2 << 8 | 0xcd, 3 << 8 | 0xcf), .nr_sites = 6, .accepted = true },
	{ "a true signature, which its name tells", MARKS(HEAD(1), 2 << 8 | 0x11),
	  .nr_sites = 6, .offset = 4 },
	{ "freed, which its section tells", MARKS(HEAD(1), 2 << 8 | 0x21),
	  .nr_sites = 6, .offset = 4 },
	{ "twice", MARKS(HEAD(1), HEAD(3), HEAD(3), HEAD(4)), .nr_sites = 6, .offset = 8 },
	{ "one after the other", MARKS(HEAD(1), HEAD(3), PART(3)), .nr_sites = 6, .offset = 8 },
	{ "first twice", MARKS(HEAD(0), HEAD(0)), .nr_sites = 6, .offset = 4 },
	{ "in falling order", MARKS(HEAD(1), HEAD(4), PART(3)), .nr_sites = 6, .offset = 8 },
	{ "falling past the sign", MARKS(HEAD(0x800000), HEAD(0x7fffff)),
	  .nr_sites = 0xffffffff, .offset = 4 },
};

const u32 marks_nr_rows = sizeof(marks_rows) / sizeof(marks_rows[0]);

/* Returns the marks of a site, found by reading one mark after the other. */
static u32 marks_among(const struct marks_row *row, u32 site)
{
	u32 i;

	for (i = 0; i < row->nr; i++)
		if (row->marks[i] >> 8 == site)
			return row->marks[i] & 255;
	return 0;
}

const char *marks_row_verdict(const struct marks_row *row)
{
	struct btf_fault fault = { .code = BTF_FAULT_COUNT, .type_id = 1 };
	u32 i;

	if (site_marks_check(row->nr ? row->marks : NULL, row->nr, row->nr_sites, &fault)) {
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
	for (i = 0; i < 8; i++)
		if (site_marks_listed(row->marks, row->nr, i) != marks_among(row, i) ||
		    site_marks_listed(row->marks, row->nr, 0u - i) != marks_among(row, 0u - i))
			return "a mark is not found, or another site has one";
	for (i = 0; i < row->nr; i++)
		if (site_marks_listed(row->marks, row->nr, row->marks[i] >> 8) !=
		    (row->marks[i] & 255))
			return "a mark is not found";
	return NULL;
}
