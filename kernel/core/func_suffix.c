// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "func_suffix.h"

enum number_rule {
	NUMBER_REQUIRED,	/* ".isra.0" */
	NUMBER_OPTIONAL,	/* ".cold" and ".cold.1" */
};

static const struct suffix {
	const char *word;
	enum number_rule number;
	u32 meaning;		/* FUNC_SUFFIX_* */
} suffixes[] = {
	{ ".isra", NUMBER_REQUIRED, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ ".constprop", NUMBER_REQUIRED, FUNC_SUFFIX_PARAMS },
	{ ".part", NUMBER_REQUIRED, FUNC_SUFFIX_PART },
	{ ".cold", NUMBER_OPTIONAL, FUNC_SUFFIX_COLD },
	{ ".llvm", NUMBER_REQUIRED, 0 },
	{ ".lto_priv", NUMBER_REQUIRED, 0 },
	/* LLVM: a copy for known arguments; a name that no other unit has */
	{ ".specialized", NUMBER_REQUIRED, FUNC_SUFFIX_PARAMS },
	{ ".__uniq", NUMBER_REQUIRED, 0 },
};

/* Returns the bytes of ".123" at text; 0: it is anything else. */
static u32 number_length(const char *text, u32 size)
{
	u32 length = 1;

	if (!size || text[0] != '.')
		return 0;
	while (length < size && text[length] >= '0' && text[length] <= '9')
		length++;
	return length > 1 ? length : 0;
}

/* Returns the bytes of the suffix that begins at text, and what it means; 0: none does. */
static u32 read_suffix(const char *text, u32 size, u32 *meaning)
{
	u32 i;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		u32 word = (u32)strlen(suffixes[i].word);
		u32 number;

		if (word > size || memcmp(text, suffixes[i].word, word))
			continue;
		number = number_length(text + word, size - word);
		if (!number && suffixes[i].number == NUMBER_REQUIRED)
			continue;
		*meaning = suffixes[i].meaning;
		return word + number;
	}
	return 0;
}

/* Returns true if nothing but suffixes follows. */
static bool all_suffixes(const char *text, u32 size)
{
	u32 meaning;

	while (size) {
		u32 length = read_suffix(text, size, &meaning);

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

u32 func_suffix_meaning(const char *text, u32 size)
{
	u32 found = 0;
	u32 meaning, i;

	for (i = 0; i < size; i++)
		if (text[i] == '.' && read_suffix(text + i, size - i, &meaning))
			found |= meaning;
	return found;
}
