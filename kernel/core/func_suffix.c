// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "func_suffix.h"

enum number_rule {
	NUMBER_REQUIRED,	/* ".isra.0" */
	NUMBER_OPTIONAL,	/* ".cold" and ".cold.1" */
};

static const struct {
	const char *word;
	enum number_rule number;
} suffixes[] = {
	{ ".isra", NUMBER_REQUIRED },
	{ ".constprop", NUMBER_REQUIRED },
	{ ".part", NUMBER_REQUIRED },
	{ ".cold", NUMBER_OPTIONAL },
	{ ".llvm", NUMBER_REQUIRED },
	{ ".lto_priv", NUMBER_REQUIRED },
};

/* Bytes of ".123" at text, 0 for anything else. */
static u32 number_length(const char *text, u32 size)
{
	u32 length = 1;

	if (!size || text[0] != '.')
		return 0;
	while (length < size && text[length] >= '0' && text[length] <= '9')
		length++;
	return length > 1 ? length : 0;
}

/* Bytes of the suffix that begins at text, 0: none does. */
static u32 suffix_length(const char *text, u32 size)
{
	u32 i;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		u32 word = (u32)strlen(suffixes[i].word);
		u32 number;

		if (word > size || memcmp(text, suffixes[i].word, word))
			continue;
		number = number_length(text + word, size - word);
		if (number || suffixes[i].number == NUMBER_OPTIONAL)
			return word + number;
	}
	return 0;
}

/* Whether nothing but suffixes follows. */
static bool all_suffixes(const char *text, u32 size)
{
	while (size) {
		u32 length = suffix_length(text, size);

		if (!length)
			return false;
		text += length;
		size -= length;
	}
	return true;
}

u32 func_suffix_strip_part(const char *symbol, u32 size)
{
	u32 at;

	for (at = 1; at < size; at++)
		if (symbol[at] == '.' && all_suffixes(symbol + at, size - at))
			return at;
	return size;
}

size_t func_suffix_strip(const char *symbol)
{
	return func_suffix_strip_part(symbol, (u32)strlen(symbol));
}
