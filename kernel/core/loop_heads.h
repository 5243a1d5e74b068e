/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Sites whose first instruction is also where a loop of their own begins: a
 * probe there is hit once a turn, not once a call. Numbers of sites as in
 * loc_index, in ascending order, none twice.
 */
#ifndef BTF_EXTRA_LOOP_HEADS_H
#define BTF_EXTRA_LOOP_HEADS_H

#include "btf_blob.h"

/*
 * heads is aligned to 4, and may be NULL where nr is 0. 0, or -EINVAL with *fault
 * filled: BTF_FAULT_LOOP_HEAD, offset in bytes from heads.
 */
int loop_heads_check(const u32 *heads, u32 nr, u32 nr_sites, struct btf_fault *fault);

/* Whether a site is one of them; they have passed the check. */
bool loop_heads_has(const u32 *heads, u32 nr, u32 site);

#endif
