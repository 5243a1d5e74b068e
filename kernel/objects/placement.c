// SPDX-License-Identifier: GPL-2.0
#include <linux/debugfs.h>
#include <linux/firmware.h>
#include <linux/kallsyms.h>
#include <linux/kernfs.h>
#include <linux/miscdevice.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "arch/arch.h"
#include "core/extra_elf.h"
#include "core/site_query.h"
#include "objects/base_btf.h"
#include "objects/placement.h"

/*
 * Every kernel from 6.1 on exports these, in each supported configuration. They are in files far
 * apart.
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

/* Finds the base of a section from a symbol, whose body is at an offset. false: it is not known. */
static bool base_by_symbol(const struct extra_section *section, unsigned long symbol, u32 offset,
			   unsigned long *base)
{
	int hook = section->flags & EXTRA_SHF_BEHIND_HOOKS ? arch_hook_size(symbol) : 0;

	*base = symbol + hook - offset;
	return hook >= 0;
}

/* Finds the run-time base of .text. Two anchors or more must agree, and none may differ. */
static int find_text(const struct loc_index *index, const struct extra_section *section,
		     unsigned long *text)
{
	u32 nr_agreed = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(anchors); i++) {
		unsigned long base;
		u32 elf, offset;

		if (!section_place_anchor(index, anchors[i].name, &elf, &offset) ||
		    strcmp(index->elf_sections[elf].name, ".text") ||
		    !base_by_symbol(section, (unsigned long)anchors[i].address, offset, &base))
			continue;
		if (nr_agreed && base != *text)
			return -EINVAL;
		*text = base;
		nr_agreed++;
	}
	/* A kernel moves by whole pages. */
	return nr_agreed >= 2 && !((*text - section->address) & ~PAGE_MASK) ? 0 : -EINVAL;
}

static int place_vmlinux(struct extra_object *object, const struct extra_elf *elf)
{
	const struct loc_index *index = &object->blobs.index;
	struct extra_section section;
	unsigned long text, slide;
	u32 i;
	int err;

	if (!extra_elf_find(elf, ".text", &section))
		return -EINVAL;
	err = find_text(index, &section, &text);
	if (err)
		return err;
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

struct found_section {
	struct extra_section section;
	u32 nr_agreed;		/* symbols, on where it is */
};

/* Places the section that a symbol's function is in; false: another symbol says otherwise. */
static bool place_by_symbol(struct extra_object *object, const char *name, unsigned long address,
			    struct found_section *found)
{
	unsigned long base;
	u32 elf, offset;

	if (!section_place_anchor(&object->blobs.index, name, &elf, &offset) ||
	    !base_by_symbol(&found[elf].section, address, offset, &base))
		return true;
	if (found[elf].nr_agreed && object->sections[elf].address != base)
		return false;
	object->sections[elf].address = base;
	found[elf].nr_agreed++;
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
			    struct found_section *found)
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
						 symbol->st_value, found);
	}
	rcu_read_unlock();
	return agreed ? 0 : -EINVAL;
}

static int place_module(struct extra_object *object, const struct extra_elf *elf)
{
	const struct loc_index *index = &object->blobs.index;
	struct found_section *found;
	int err = 0;
	u32 i;

	found = kcalloc(index->nr_elf_sections + 1, sizeof(*found), GFP_KERNEL);
	if (!found)
		return -ENOMEM;
	for (i = 0; i < index->nr_elf_sections; i++)
		if (!extra_elf_find(elf, index->elf_sections[i].name, &found[i].section))
			err = -EINVAL;
	if (!err)
		err = place_by_symbols(object, object->module, found);
	for (i = 0; !err && i < index->nr_elf_sections; i++) {
		struct object_section *place = &object->sections[i];

		place->size = found[i].section.size;
		if (found[i].nr_agreed && !within_one_part(place, object->module))
			err = -EINVAL;
		/*
		 * It was freed before this module was loaded, or none of its functions has a
		 * symbol.
		 */
		place->freed = !found[i].nr_agreed;
	}
	kfree(found);
	return err;
}

int placement_find(struct extra_object *object, const struct extra_elf *elf)
{
	return object->module ? place_module(object, elf) : place_vmlinux(object, elf);
}

bool placement_forget_init(struct extra_object *object)
{
	bool found = false;
	u32 i;

	for (i = 0; i < object->blobs.index.nr_elf_sections; i++) {
		struct object_section *place = &object->sections[i];

		if (place->freed || !within_module_init(place->address, object->module))
			continue;
		WRITE_ONCE(place->freed, true);
		found = true;
	}
	return found;
}
