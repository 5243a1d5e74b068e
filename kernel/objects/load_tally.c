// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/err.h>
#include <linux/math64.h>
#include <linux/printk.h>
#include <linux/time64.h>

#include "objects/load_tally.h"

void load_tally_count(struct load_tally *tally, const struct extra_object *object)
{
	if (IS_ERR_OR_NULL(object))
		return;
	tally->nr_objects++;
	tally->nr_funcs += object->blobs.index.nr_funcs;
	tally->nr_sites += object->blobs.index.nr_sites;
	tally->bytes += extra_object_bytes(object);
	tally->ns += object->load_ns;
}

void load_tally_print(const struct load_tally *tally)
{
	if (tally->nr_objects)
		pr_info("%u object%s: %llu functions, %llu sites, %llu bytes, %llu ms\n",
			tally->nr_objects, tally->nr_objects == 1 ? "" : "s", tally->nr_funcs,
			tally->nr_sites, tally->bytes, div_u64(tally->ns, NSEC_PER_MSEC));
}
