// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "func_suffix.h"
#include "func_text.h"
#include "name_glob.h"

/* Returns the number of "#1234"; 0: it is not one. */
static u32 parse_id(const char *text, u32 size)
{
	u64 id = 0;
	u32 i;

	for (i = 1; i < size; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		id = id * 10 + (u64)(text[i] - '0');
		if (id > 0xffffffff)
			return 0;
	}
	return (u32)id;
}

const char *func_text_parse(const char *text, struct func_text *parsed)
{
	const char *at = strchr(text, '@');
	const char *end = at ? at : text + strlen(text);
	const char *colon = memchr(text, ':', (size_t)(end - text));
	const char *name = colon ? colon + 1 : text;

	memset(parsed, 0, sizeof(*parsed));
	parsed->glob = true;
	if (at && !at[1])
		return "no source file after '@'";
	if (colon == text)
		return "no object before ':'";
	if (name == end)
		return "the name of a function is missing";
	parsed->file = at ? at + 1 : NULL;
	if (colon) {
		parsed->object = text;
		parsed->object_size = (u32)(colon - text);
	}
	if (*name != '#') {
		parsed->name = name;
		parsed->name_size = (u32)(end - name);
		return NULL;
	}
	if (at)
		return "a BTF id needs no source file";
	parsed->id = parse_id(name, (u32)(end - name));
	return parsed->id ? NULL : "no BTF id after '#'";
}

static bool text_has(const struct func_text *text, const char *part, u32 size, const char *name)
{
	if (text->glob)
		return name_glob_matches(part, size, name);
	return !strncmp(name, part, size) && !name[size];
}

bool func_text_has_object(const struct func_text *text, const char *name)
{
	return !text->object || text_has(text, text->object, text->object_size, name);
}

/*
 * A body with a true signature is found with its source function, so foo* does not match
 * foo.isra.0.
 */
bool func_text_has_name(const struct func_text *text, const char *name)
{
	if (!text_has(text, text->name, text->name_size, name))
		return false;
	return !func_suffix_has(name) || memchr(text->name, '.', text->name_size);
}

bool func_text_has_file(const struct func_text *text, const char *path)
{
	size_t length, end;

	if (!text->file)
		return true;
	if (!path)
		return false;
	length = strlen(path);
	end = strlen(text->file);
	if (end > length || strcmp(path + length - end, text->file))
		return false;
	return end == length || path[length - end - 1] == '/';
}

u32 func_text_literal(const struct func_text *text)
{
	return text->glob ? name_glob_literal(text->name, text->name_size) : text->name_size;
}
