// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "loop_heads.h"
#include "range_search.h"

int loop_heads_check(const u32 *heads, u32 nr, u32 nr_sites, struct btf_fault *fault)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (heads[i] < nr_sites && (!i || heads[i - 1] < heads[i]))
			continue;
		fault->code = BTF_FAULT_LOOP_HEAD;
		fault->type_id = 0;
		fault->offset = i * (u32)sizeof(*heads);
		return -EINVAL;
	}
	return 0;
}

struct head_key {
	const u32 *heads;
	u32 site;
};

static int compare_head(const void *key, u32 i)
{
	const struct head_key *wanted = key;
	u32 head = wanted->heads[i];

	return head < wanted->site ? -1 : head > wanted->site;
}

bool loop_heads_has(const u32 *heads, u32 nr, u32 site)
{
	const struct head_key key = { .heads = heads, .site = site };
	u32 at = lower_bound(0, nr, 0, compare_head, &key);

	return at < nr && heads[at] == site;
}
