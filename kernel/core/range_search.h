/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The only search primitive. It works on anything that is sorted and is addressed by a number.
 * Equal elements are a half-open range.
 */
#ifndef BTF_EXTRA_RANGE_SEARCH_H
#define BTF_EXTRA_RANGE_SEARCH_H

#include "core_env.h"

struct loc_range {
	u32 first, end;
};

/*
 * Returns the first of [first, end) for which compare() is not less than limit, or end. compare()
 * returns less than 0 if element i is before the key, 0 if it is equal and more if it is after.
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
 * Returns the elements of [first, end) that equal the key. If none is equal, both ends are the
 * place where it would be inserted. Usually few are equal, so their end is searched in growing
 * steps from their beginning.
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
