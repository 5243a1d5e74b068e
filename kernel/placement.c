// SPDX-License-Identifier: GPL-2.0
#include <linux/debugfs.h>
#include <linux/firmware.h>
#include <linux/kallsyms.h>
#include <linux/kernfs.h>
#include <linux/miscdevice.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "core/site_query.h"
#include "placement.h"
#include "vmlinux_btf.h"

/*
 * Every kernel from 6.1 on exports these, in each configuration that we need. They are in
 * files far apart.
 */
static const struct {
	const char *name;
	const void *address;
} anchors[] = {
	{ "misc_register", misc_register },
	{ "vfree", vfree },
	{ "kernfs_put", kernfs_put },
	{ "register_module_notifier", register_module_notifier },
	{ "sprint_symbol", sprint_symbol },
	{ "seq_write", seq_write },
};

/* Finds the run-time base of .text. Two anchors or more must agree, and none may differ. */
static int find_text(const struct loc_index *index, unsigned long *text)
{
	u32 nr_agreed = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(anchors); i++) {
		unsigned long base;
		u32 elf, offset;

		if (!section_place_anchor(index, anchors[i].name, &elf, &offset) ||
		    strcmp(index->elf_sections[elf].name, ".text"))
			continue;
		base = (unsigned long)anchors[i].address - offset;
		if (nr_agreed && base != *text)
			return -EINVAL;
		*text = base;
		nr_agreed++;
	}
	return nr_agreed >= 2 ? 0 : -EINVAL;
}

static int place_vmlinux(struct extra_object *object, const struct extra_elf *elf)
{
	const struct loc_index *index = &object->blobs.index;
	struct extra_section section;
	unsigned long text, slide;
	u32 i;
	int err;

	err = find_text(index, &text);
	if (err)
		return err;
	if (!extra_elf_find(elf, ".text", &section))
		return -EINVAL;
	slide = text - section.address;
	if (extra_elf_find(elf, ".BTF.vmlinux", &section))
		vmlinux_btf_settle((const void *)(slide + section.address));
	for (i = 0; i < index->nr_elf_sections; i++) {
		struct object_section *place = &object->sections[i];
		const char *name = index->elf_sections[i].name;

		if (!extra_elf_find(elf, name, &section))
			return -EINVAL;
		place->address = slide + section.address;
		place->size = section.size;
		place->freed = system_state >= SYSTEM_RUNNING && section_place_freed(name, true);
	}
	return 0;
}

/* Places the section that a symbol's function is in; false: another symbol says otherwise. */
static bool place_by_symbol(struct extra_object *object, const char *name, unsigned long address,
			    u32 *nr_agreed)
{
	unsigned long base;
	u32 elf, offset;

	if (!section_place_anchor(&object->blobs.index, name, &elf, &offset))
		return true;
	base = address - offset;
	if (nr_agreed[elf] && object->sections[elf].address != base)
		return false;
	object->sections[elf].address = base;
	nr_agreed[elf]++;
	return true;
}

static bool within_one_part(const struct object_section *place, const struct module *module)
{
	unsigned long last = place->address + place->size - 1;

	return last >= place->address &&
	       ((within_module_core(place->address, module) && within_module_core(last, module)) ||
		(within_module_init(place->address, module) && within_module_init(last, module)));
}

static int place_by_symbols(struct extra_object *object, const struct module *module,
			    u32 *nr_agreed)
{
	/* A module that lives may free the text of its init at any moment. */
	const bool coming = module->state == MODULE_STATE_COMING;
	const struct mod_kallsyms *symbols;
	bool agreed = true;
	unsigned int i;

	rcu_read_lock();
	symbols = rcu_dereference(module->kallsyms);
	for (i = 1; symbols && agreed && i < symbols->num_symtab; i++) {
		const Elf_Sym *symbol = &symbols->symtab[i];

		if (ELF_ST_TYPE(symbol->st_info) == STT_FUNC &&
		    (within_module_core(symbol->st_value, module) ||
		     (coming && within_module_init(symbol->st_value, module))))
			agreed = place_by_symbol(object, symbols->strtab + symbol->st_name,
						 symbol->st_value, nr_agreed);
	}
	rcu_read_unlock();
	return agreed ? 0 : -EINVAL;
}

static int place_module(struct extra_object *object, const struct extra_elf *elf)
{
	const struct loc_index *index = &object->blobs.index;
	struct extra_section section;
	u32 *nr_agreed;
	u32 i;
	int err;

	nr_agreed = kcalloc(index->nr_elf_sections + 1, sizeof(*nr_agreed), GFP_KERNEL);
	if (!nr_agreed)
		return -ENOMEM;
	err = place_by_symbols(object, object->module, nr_agreed);
	for (i = 0; !err && i < index->nr_elf_sections; i++) {
		struct object_section *place = &object->sections[i];

		if (!extra_elf_find(elf, index->elf_sections[i].name, &section)) {
			err = -EINVAL;
			break;
		}
		place->size = section.size;
		if (nr_agreed[i] && !within_one_part(place, object->module))
			err = -EINVAL;
		/* It was freed before we came, or none of its functions has a symbol. */
		place->freed = !nr_agreed[i];
	}
	kfree(nr_agreed);
	return err;
}

int placement_find(struct extra_object *object, const struct extra_elf *elf)
{
	return object->module ? place_module(object, elf) : place_vmlinux(object, elf);
}

void placement_forget_init(struct extra_object *object)
{
	u32 i;

	for (i = 0; i < object->blobs.index.nr_elf_sections; i++) {
		struct object_section *place = &object->sections[i];

		if (!place->freed && within_module_init(place->address, object->module))
			WRITE_ONCE(place->freed, true);
	}
}
