// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "plain_text.h"

/* Returns the bytes of the character that begins there; 0: it is none for a name. */
static u32 character_size(const u8 *at, u32 left)
{
	static const u32 first_of[] = { 0, 0, 0xa0, 0x800, 0x10000 };	/* by size */
	u32 size = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	u32 value, i;

	if (at[0] < 0x80)
		return at[0] >= ' ' && at[0] != 0x7f;
	if (at[0] < 0xc2 || at[0] > 0xf4 || size > left)
		return 0;
	value = at[0] & (0x7f >> size);
	for (i = 1; i < size; i++) {
		if (!plain_text_continues(at[i]))
			return 0;
		value = value << 6 | (at[i] & 0x3f);
	}
	/* Control characters, a longer form than needed, half of a pair, after the last. */
	if (value < first_of[size] || value - 0xd800 < 0x800 || value > 0x10ffff)
		return 0;
	return size;
}

u32 plain_text_size(const void *text, u32 size)
{
	const u8 *bytes = text;
	u32 at = 0;

	while (at < size) {
		u32 step = bytes[at] ? character_size(bytes + at, size - at) : 1;

		if (!step)
			break;
		at += step;
	}
	return at;
}
