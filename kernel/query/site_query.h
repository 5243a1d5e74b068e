/* SPDX-License-Identifier: GPL-2.0 */
/* The walk of <linux/btf_extra.h>, for callers that hold a state of the registry. */
#ifndef BTF_EXTRA_SITE_QUERY_H
#define BTF_EXTRA_SITE_QUERY_H

#include <linux/btf_extra.h>

#include "objects/object_registry.h"

/* Does what btf_extra_for_each_site() does, inside rcu_read_lock(). */
int site_query_walk(const struct registry_state *state, const struct btf_extra_query *query,
		    btf_extra_site_fn fn, void *data, u32 *total);

/* Returns the site with its object. */
struct btf_extra_site site_query_describe(const struct extra_object *object,
					  const struct found_site *found);

#endif
