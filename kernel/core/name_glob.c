// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "name_glob.h"

/* Returns the size of the set that begins at pattern[0] == '['; 0: it has no end. */
static u32 set_size(const char *pattern, u32 size)
{
	/* A ] that comes first is a member of the set. */
	u32 at = size > 1 && pattern[1] == '!' ? 2 : 1;

	for (at++; at < size; at++)
		if (pattern[at] == ']')
			return at + 1;
	return 0;
}

/* set is the text between [ and ]. */
static bool in_set(const char *set, u32 size, char c)
{
	bool negated = set[0] == '!';
	u32 i;

	for (i = negated; i < size; i++) {
		if (i + 2 < size && set[i + 1] == '-') {
			if ((u8)set[i] <= (u8)c && (u8)c <= (u8)set[i + 2])
				return !negated;
			i += 2;
		} else if (set[i] == c) {
			return !negated;
		}
	}
	return negated;
}

/* Matches an element that is not *. Returns its size in the pattern; 0: it does not match. */
static u32 match_one(const char *pattern, u32 size, char c)
{
	u32 set;

	switch (pattern[0]) {
	case '?':
		return 1;
	case '[':
		set = set_size(pattern, size);
		if (set)
			return in_set(pattern + 1, set - 2, c) ? set : 0;
		break;
	case '\\':
		if (size > 1)
			return pattern[1] == c ? 2 : 0;
		break;
	}
	return pattern[0] == c;
}

/* If a match fails, the last * takes one more character. Those before it need not move. */
bool name_glob_matches(const char *pattern, u32 size, const char *name)
{
	const char *retry = NULL;
	u32 at = 0, star = 0;

	while (*name) {
		u32 step = 0;

		if (at < size && pattern[at] == '*') {
			star = ++at;
			retry = name;
			continue;
		}
		if (at < size)
			step = match_one(pattern + at, size - at, *name);
		if (step) {
			at += step;
			name++;
		} else if (retry) {
			at = star;
			name = ++retry;
		} else {
			return false;
		}
	}
	while (at < size && pattern[at] == '*')
		at++;
	return at == size;
}

u32 name_glob_literal(const char *pattern, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++)
		if (strchr("*?[\\", pattern[i]))
			break;
	return i;
}
