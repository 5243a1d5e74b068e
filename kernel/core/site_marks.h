/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Sites at which a probe would not be hit once a call, and why. Few have a mark.
 * A list of u32, one for each such site, in ascending order of sites:
 *
 *	number of the site, as in loc_index << SITE_MARK_BITS | SITE_MARK_*, not 0
 *
 * That is enough for the sites of any blob: each takes 12 bytes of 4 GB.
 */
#ifndef BTF_EXTRA_SITE_MARKS_H
#define BTF_EXTRA_SITE_MARKS_H

#include "loc_index.h"

/* The site's first instruction is also where a loop of its own begins: once a turn. */
#define SITE_MARK_LOOP_HEAD	(1U << 0)
/*
 * The rest of a call that began at another site of the function: what the compiler
 * has split off (foo.part.0), inlined or not.
 */
#define SITE_MARK_PART		(1U << 1)
/*
 * With which instruction a call begins is not known: the compiler has lost its mark,
 * may run some of the instance where nothing is called, or has kept its end only.
 */
#define SITE_MARK_NO_ENTRY	(1U << 2)

#define SITE_MARK_BITS 3

/*
 * This one is in no list: the name of the function tells. The function is not one
 * of the source, but named after the symbol of this body (foo.isra.0), whose
 * signature the compiler has changed. The same body is a site of foo, too.
 */
#define SITE_MARK_TRUE_SIGNATURE	(1U << SITE_MARK_BITS)

/*
 * marks is aligned to 4, and may be NULL where nr is 0. 0, or -EINVAL with *fault
 * filled: BTF_FAULT_SITE_MARK, offset in bytes from marks.
 */
int site_marks_check(const u32 *marks, u32 nr, u32 nr_sites, struct btf_fault *fault);

/* The marks that a site has in the list, 0: none; marks have passed the check. */
u32 site_marks_listed(const u32 *marks, u32 nr, u32 site);

/* All SITE_MARK_* of a site of the index. */
u32 site_marks_of(const struct loc_index *index, const u32 *marks, u32 nr, u32 site);

/* Whether a FUNC of the blob or below it is named after a symbol. */
bool site_marks_true_signature(const struct btf_blob *func_info, u32 func_id);

#endif
