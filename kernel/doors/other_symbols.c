// SPDX-License-Identifier: GPL-2.0
#include <linux/string.h>

#include "arch/arch.h"
#include "compat/module_compat.h"
#include "core/func_suffix.h"
#include "doors/other_symbols.h"
#include "objects/kernel_symbol.h"
#include "objects/object_registry.h"

/* The text that stays: vmlinux frees other sections after boot, a module those of its init. */
static unsigned long symbols_text_of(const struct extra_object *object, unsigned long *end)
{
	const struct object_section *text = extra_object_section(object, ".text");
	unsigned long first = 0;
	size_t size = 0;

	if (object->module) {
		first = (unsigned long)module_text(object->module, &size);
	} else if (text) {
		first = text->address;
		size = text->size;
	}
	*end = first + size;
	return first;
}

static int symbols_stop(const struct found_site *found, void *data)
{
	return 1;
}

static bool has_body_at(const struct extra_object *object, unsigned long address)
{
	return site_query_address(&object->tables, address, SITE_CLASS(LOC_CLASS_BODY),
				  symbols_stop, NULL);
}

/* A body may be after the hook that its function begins with. */
static bool has_body(const struct extra_object *object, unsigned long symbol)
{
	return has_body_at(object, symbol) || has_body_at(object, arch_behind_hook(symbol));
}

static bool is_padding(const char *name)
{
	return strstarts(name, "__pfx_") || strstarts(name, "__cfi_");
}

/* The number of symbols that one call examines. */
#define PIECE 64

unsigned long other_symbol_from(const struct extra_object *object, u32 *distance, char *name)
{
	unsigned long first, end, at;
	u32 i;

	first = symbols_text_of(object, &end);
	at = first + *distance;
	for (i = 0; i < PIECE && at < end; i++) {
		struct symbol_extent symbol;

		*distance = at - first;
		/* There may be none before the first symbol of a text. */
		if (!kernel_symbol_around(at, name, &symbol) || symbol.end <= at) {
			at++;
			continue;
		}
		if (symbol.start == at && !is_padding(name) && !has_body(object, at))
			return at;
		at = symbol.end;
	}
	*distance = at < end ? at - first : OTHER_SYMBOL_NONE;
	return 0;
}

bool other_symbol_is_part(const char *name)
{
	const char *suffix = name + func_suffix_strip(name);

	return func_suffix_meaning(suffix, strlen(suffix)) & (FUNC_SUFFIX_COLD | FUNC_SUFFIX_PART);
}
