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
static size_t number_length(const char *text)
{
	size_t length = 1;

	if (text[0] != '.')
		return 0;
	while (text[length] >= '0' && text[length] <= '9')
		length++;
	return length > 1 ? length : 0;
}

/* Bytes of the suffix that begins at text, 0: none does. */
static size_t suffix_length(const char *text)
{
	size_t i;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t word = strlen(suffixes[i].word);
		size_t number;

		if (strncmp(text, suffixes[i].word, word))
			continue;
		number = number_length(text + word);
		if (number || suffixes[i].number == NUMBER_OPTIONAL)
			return word + number;
	}
	return 0;
}

/* Whether nothing but suffixes follows. */
static bool all_suffixes(const char *text)
{
	while (*text) {
		size_t length = suffix_length(text);

		if (!length)
			return false;
		text += length;
	}
	return true;
}

size_t func_suffix_strip(const char *symbol)
{
	size_t at;

	for (at = 1; symbol[0] && symbol[at]; at++)
		if (symbol[at] == '.' && all_suffixes(symbol + at))
			return at;
	return strlen(symbol);
}
