/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * A mark tells a tracer what is special about a site: a probe there is not hit exactly once a call,
 * ftrace does not know the code around it, or the probe has to stand elsewhere. Few sites have a
 * mark, and neighbours often have the same. So the marks are runs of sites, each in a few bytes.
 * The runs of SITE_MARK_PAGE sites are together, so that a site is found fast:
 *
 *	u32 pages[]	offsets in the list of the runs of each page; the last page ends with the
 *			list
 *	u8 runs[]	in ascending order, each: the number of sites between it and the run before
 *			it, or the beginning of the page; its marks and SITE_MARK_LENGTH; if that is
 *			0, one byte more with the number of its sites - 1
 *
 * A run ends in its page. Pages after the last one with a run may be missing. An empty list has no
 * bytes.
 */
#ifndef BTF_EXTRA_SITE_MARKS_H
#define BTF_EXTRA_SITE_MARKS_H

#include "byte_view.h"
#include "loc_index.h"

/* A loop of the instance begins at the first instruction of the site: hit once an iteration. */
#define SITE_MARK_LOOP_HEAD	(1U << 0)
/*
 * The site continues a call that began at another site of the function. It is a part that the
 * compiler has split off (foo.part.0), inlined or not.
 */
#define SITE_MARK_PART		(1U << 1)
/*
 * DWARF does not say at which instruction a call begins: the compiler has lost its mark, may run
 * some of the instance without a call, or has kept only its end.
 */
#define SITE_MARK_NO_ENTRY	(1U << 2)

/*
 * ftrace does not know the function around the site, but nobody meant to keep tracers out: it is
 * notrace only because the kernel's "inline" says so, it is a piece (foo.cold) of one that ftrace
 * knows, or it is in lib/, whose makefile omits the calls for ftrace.
 */
#define SITE_MARK_UNLISTED	(1U << 3)

/*
 * No list has this mark, because the name of the function tells. The function is not one of the
 * source. It is named after the symbol of this body (foo.isra.0), whose signature the compiler has
 * changed. The same body is also a site of foo.
 */
#define SITE_MARK_TRUE_SIGNATURE	(1U << 4)

/*
 * The code around the site is closed to tracers on purpose: the source says notrace, noinstr or
 * NOKPROBE_SYMBOL(), or the code belongs to tracing itself.
 */
#define SITE_MARK_CLOSED	(1U << 6)
/*
 * The site begins with the jump or NOP of a static key, on which the kernel puts no probe. A probe
 * at the next instruction is hit once a call, too, and finds the same arguments.
 */
#define SITE_MARK_AFTER_KEY	(1U << 7)

#define SITE_MARK_LISTED \
	(SITE_MARK_LOOP_HEAD | SITE_MARK_PART | SITE_MARK_NO_ENTRY | SITE_MARK_UNLISTED | \
	 SITE_MARK_CLOSED | SITE_MARK_AFTER_KEY)

/* The bits of a run that are no marks: the number of its sites, 1 to 3. */
#define SITE_MARK_LENGTH_SHIFT	4
#define SITE_MARK_LENGTH	(3U << SITE_MARK_LENGTH_SHIFT)

#define SITE_MARK_PAGE		256U

/*
 * marks is aligned to 4, and may be NULL if size is 0. Returns 0, or -EINVAL with *fault:
 * BTF_FAULT_SITE_MARK and the offset in marks of the run or the page that is wrong.
 */
int site_marks_check(const u8 *marks, u32 size, u32 nr_sites, struct btf_fault *fault);

/* Returns the marks of a site in the list; 0: none. The marks have passed the check. */
u32 site_marks_listed(const u8 *marks, u32 size, u32 site);

/* Reads the marks of sites that are asked for in ascending order. */
struct site_marks_reader {
	const u8 *marks;
	u32 size;
	u32 page;
	struct byte_view rest;		/* the runs of the page that were not read */
	u32 first, end, flags;		/* the run that was read last */
};

struct site_marks_reader site_marks_open(const u8 *marks, u32 size);
u32 site_marks_next(struct site_marks_reader *reader, u32 site);

/* Returns the marks that no list has: all sites of a function in a LOCSEC have them. */
u32 site_marks_of_func(const struct loc_index *index, const struct loc_section *section, u32 func);

/* Returns all SITE_MARK_* of the site section->sites[i] of the index. */
u32 site_marks_of(const struct loc_index *index, const struct loc_section *section, u32 i,
		  const u8 *marks, u32 size);

/* Returns true if a FUNC of the blob, or below it, is named after a symbol. */
bool site_marks_true_signature(const struct btf_blob *func_info, u32 func_id);

#endif
