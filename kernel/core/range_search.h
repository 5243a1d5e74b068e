/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The one search primitive, over anything that is in order and is reached by a
 * number. Equal elements are a half-open range.
 */
#ifndef BTF_EXTRA_RANGE_SEARCH_H
#define BTF_EXTRA_RANGE_SEARCH_H

#include "core_env.h"

struct loc_range {
	u32 first, end;
};

/*
 * The first of [first, end) for which compare() is not less than limit, or end.
 * compare() says how element i stands to the key: -1 before, 0 equal, 1 after.
 * limit 0 finds where the equal ones begin, limit 1 where they end.
 */
static inline u32 lower_bound(u32 first, u32 end, int limit,
			      int (*compare)(const void *key, u32 i), const void *key)
{
	while (first < end) {
		u32 middle = first + (end - first) / 2;

		if (compare(key, middle) < limit)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/*
 * The elements of [first, end) that equal the key; where there are none, both
 * ends are where they would be. Few are equal, as a rule: their end is looked
 * for in growing steps from their beginning.
 */
static inline struct loc_range equal_range(u32 first, u32 end,
					   int (*compare)(const void *key, u32 i),
					   const void *key)
{
	u32 begin = lower_bound(first, end, 0, compare, key);
	u32 known = begin;	/* up to here all are equal */
	u32 probe = begin;
	u32 step = 1;
	struct loc_range range;

	while (probe < end && compare(key, probe) <= 0) {
		known = probe + 1;
		if (step >= end - probe) {
			probe = end;
			break;
		}
		probe += step;
		step *= 2;
	}
	range.first = begin;
	range.end = lower_bound(known, probe, 1, compare, key);
	return range;
}

#endif
