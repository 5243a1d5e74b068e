// SPDX-License-Identifier: GPL-2.0
#include <linux/kallsyms.h>
#include <linux/string.h>

#include "objects/extra_object.h"
#include "objects/kernel_symbol.h"
#include "objects/object_tables.h"

static const struct extra_object *object_of(const struct site_tables *tables)
{
	return container_of(tables, struct extra_object, tables);
}

static struct section_place place(const struct site_tables *tables, u32 elf)
{
	const struct extra_object *object = object_of(tables);
	const struct object_section *section = &object->sections[elf];
	struct section_place place = {
		.address = section->address,
		.size = section->size,
		.freed = READ_ONCE(section->freed),
	};

	/* Another module may be there by now. */
	if (place.freed && object->module)
		place.address = 0;
	return place;
}

static bool symbol_begins(const struct site_tables *tables, u32 elf, u32 offset, const char *name,
			  u32 size)
{
	unsigned long section = place(tables, elf).address;
	char symbol[KSYM_SYMBOL_LEN];

	return section && kernel_symbol_at(section + offset, symbol) &&
	       !strncmp(symbol, name, size) && !symbol[size];
}

static const char *func_file(const struct site_tables *tables, u32 func)
{
	return extra_object_func_file(object_of(tables), func);
}

static const struct site_tables_ops ops = {
	.place = place,
	.symbol_begins = symbol_begins,
	.func_file = func_file,
};

void object_tables_init(struct extra_object *object)
{
	object->tables = (struct site_tables){
		.index = &object->blobs.index,
		.marks = object->blobs.marks,
		.nr_marks = object->blobs.nr_marks,
		.ops = &ops,
	};
}
