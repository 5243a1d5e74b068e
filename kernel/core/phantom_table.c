// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "byte_view.h"
#include "phantom_table.h"
#include "plain_text.h"

/* Returns the string; NULL: it is not inside the strings. */
static const char *string_at(const struct phantom_parts *parts, u32 size, u32 at)
{
	return at < size ? parts->strings + at : NULL;
}

static bool is_identifier(const char *name)
{
	const char *at;

	for (at = name; *at; at++) {
		bool digit = *at >= '0' && *at <= '9';
		bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
			      *at == '_';

		if (!letter && (!digit || at == name))
			return false;
	}
	return at != name;
}

static const char *check_objects(const struct phantom_parts *parts, u32 strings_size)
{
	u32 i;

	for (i = 0; i < parts->nr_objects; i++) {
		const char *name = string_at(parts, strings_size, parts->objects[i].name);

		if (!name || !*name)
			return "an object has no name";
	}
	return NULL;
}

static const char *check_stubs(const struct phantom_parts *parts, u32 strings_size)
{
	const char *before = "";
	u64 nr_funcs = 0;
	u32 i;

	for (i = 0; i < parts->nr_stubs; i++) {
		const char *name = string_at(parts, strings_size, parts->stubs[i].name);

		if (!name || !is_identifier(name))
			return "the name of a stub is not an identifier";
		if (strcmp(before, name) >= 0)
			return "stub names are not sorted";
		if (!parts->stubs[i].nr_funcs)
			return "a stub has no function";
		nr_funcs += parts->stubs[i].nr_funcs;
		before = name;
	}
	if (nr_funcs != parts->nr_funcs)
		return "the stubs do not have all functions";
	for (i = 0; i < parts->nr_funcs; i++)
		if (parts->funcs[i].object >= parts->nr_objects)
			return "a function has no object";
	return NULL;
}

const char *phantom_table_open(const void *data, u32 size, struct phantom_parts *parts)
{
	struct byte_view view = byte_view_of(data, size, 0);
	const struct phantom_table *table = byte_view_take(&view, sizeof(*table));
	const char *wrong;

	if (!table)
		return "it is shorter than its header";
	if (table->magic != PHANTOM_MAGIC)
		return "it is not a table of stubs";
	if (table->version != PHANTOM_VERSION)
		return "it is of another version";
	*parts = (struct phantom_parts){
		.nr_objects = table->nr_objects,
		.nr_stubs = table->nr_stubs,
		.nr_funcs = table->nr_funcs,
	};
	parts->objects = byte_view_take(&view, byte_array_size(parts->nr_objects,
							       sizeof(*parts->objects)));
	parts->stubs = byte_view_take(&view, byte_array_size(parts->nr_stubs,
							     sizeof(*parts->stubs)));
	parts->funcs = byte_view_take(&view, byte_array_size(parts->nr_funcs,
							     sizeof(*parts->funcs)));
	parts->strings = byte_view_take(&view, table->strings_size);
	if (!parts->objects || !parts->stubs || !parts->funcs || !parts->strings ||
	    view.at != size || table->size != size)
		return "its parts do not fill it";
	if (!parts->nr_stubs || parts->nr_stubs > PHANTOM_STUBS)
		return "the number of stubs";
	if (!table->strings_size || parts->strings[table->strings_size - 1] ||
	    plain_text_size(parts->strings, table->strings_size) != table->strings_size)
		return "its strings are not plain text";
	wrong = check_objects(parts, table->strings_size);
	return wrong ? wrong : check_stubs(parts, table->strings_size);
}
