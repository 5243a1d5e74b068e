/* SPDX-License-Identifier: GPL-2.0 */
/* Counts what one step has loaded, for one line in dmesg. */
#ifndef BTF_EXTRA_LOAD_TALLY_H
#define BTF_EXTRA_LOAD_TALLY_H

#include "objects/extra_object.h"

struct load_tally {
	u32 nr_objects;
	u64 nr_funcs, nr_sites, bytes, ns;
};

/* @object may be NULL or an ERR_PTR(), which does not count. */
void load_tally_count(struct load_tally *tally, const struct extra_object *object);

/* Prints the line, if there was any object. */
void load_tally_print(const struct load_tally *tally);

#endif
