// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses come from functions: a section lies where a function whose offset in
 * it we know is found, less that offset. For vmlinux these are functions that it
 * exports to modules, for a module the symbols of its own. All that can be asked
 * must agree.
 */
#include <linux/debugfs.h>
#include <linux/elf.h>
#include <linux/firmware.h>
#include <linux/kallsyms.h>
#include <linux/kernfs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/vmalloc.h>

#include "bpf_active.h"
#include "kernel_compat.h"
#include "running_kernel.h"

/* ---- build-ids ---- */

#define NOTE_GNU_BUILD_ID 3

/* The id in a run of ELF notes. Its size, or -ENOENT. */
static int find_build_id(const void *notes, size_t size, u8 *id)
{
	const u8 *data = notes;
	u64 at = 0;

	while (size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		u64 desc, end;

		memcpy(&note, data + at, sizeof(note));
		desc = at + sizeof(note) + ALIGN((u64)note.n_namesz, 4);
		end = desc + ALIGN((u64)note.n_descsz, 4);
		if (desc + note.n_descsz > size)
			break;
		if (note.n_type == NOTE_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(data + at + sizeof(note), "GNU", 4) &&
		    note.n_descsz <= EXTRA_BUILD_ID_MAX) {
			memcpy(id, data + desc, note.n_descsz);
			return note.n_descsz;
		}
		if (end > size)
			break;
		at = end;
	}
	return -ENOENT;
}

/*
 * A module that is about to come has no files in sysfs yet, and a stripped one no
 * symbol for the section of its note: the note is found by what it looks like.
 * Another one with it would only have the module refused.
 */
static int build_id_of_module(const struct module *module, u8 *id)
{
	static const Elf64_Nhdr note = {
		.n_namesz = 4,
		.n_descsz = 20,
		.n_type = NOTE_GNU_BUILD_ID,
	};
	const size_t whole = sizeof(note) + note.n_namesz + note.n_descsz;
	const struct module_bytes carried = module_btf_extra(module);
	size_t size, at;
	const u8 *data = module_read_only(module, &size);

	for (at = 0; data && at + whole <= size; at += 4) {
		/* What it carries says for which build it was made, not which one this is. */
		if (data + at >= (const u8 *)carried.data &&
		    data + at < (const u8 *)carried.data + carried.size)
			continue;
		if (!memcmp(data + at, &note, sizeof(note)) &&
		    find_build_id(data + at, whole, id) > 0)
			return note.n_descsz;
	}
	return -ENOENT;
}

static int running_build_id(const struct module *module, u8 *id)
{
	struct sysfs_bytes notes;
	int size;

	if (module)
		return build_id_of_module(module, id);
	size = sysfs_bytes_get(&notes, kernel_kobj, NULL, "notes", false);
	if (size)
		return size;
	size = find_build_id(notes.data, notes.size, id);
	sysfs_bytes_put(&notes);
	return size;
}

/* ---- BTF of vmlinux ---- */

static struct base_btf vmlinux_btf;

static const struct base_btf *running_base(void)
{
	int err = 0;

	if (!vmlinux_btf.bytes.data) {
		err = base_btf_open_vmlinux(&vmlinux_btf);
		if (!err)
			bpf_active_learn(&vmlinux_btf.blob);
	}
	return err ? ERR_PTR(err) : &vmlinux_btf;
}

void running_kernel_exit(void)
{
	base_btf_close(&vmlinux_btf);
}

size_t running_kernel_base_memory(void)
{
	return vmlinux_btf.bytes.data ? base_btf_memory(&vmlinux_btf) : 0;
}

/* ---- where sections are ---- */

/* Exported for long, in every configuration that we need, and in files far apart. */
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

/* The run-time base of .text: two or more must say so, and none may say otherwise. */
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
	const struct loc_index *index = &object->index;
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
		base_btf_settle(&vmlinux_btf, (const void *)(slide + section.address));
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

/* What one symbol says of the section that its function is in; false: it contradicts another. */
static bool place_by_symbol(struct extra_object *object, const char *name, unsigned long address,
			    u32 *nr_agreed)
{
	unsigned long base;
	u32 elf, offset;

	if (!section_place_anchor(&object->index, name, &elf, &offset))
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
	/* A module that lives frees the text of its init at any moment. */
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
	const struct loc_index *index = &object->index;
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
		/* Freed before we came, or nothing in it that has a symbol. */
		place->freed = !nr_agreed[i];
	}
	kfree(nr_agreed);
	return err;
}

static int running_place(struct extra_object *object, const struct extra_elf *elf)
{
	return object->module ? place_module(object, elf) : place_vmlinux(object, elf);
}

void running_kernel_forget_init(struct extra_object *object, const struct module *module)
{
	u32 i;

	for (i = 0; i < object->index.nr_elf_sections; i++) {
		struct object_section *place = &object->sections[i];

		if (!place->freed && within_module_init(place->address, module))
			WRITE_ONCE(place->freed, true);
	}
}

const struct object_host running_kernel = {
	.build_id = running_build_id,
	.base = running_base,
	.module_base = base_btf_open_module,
	.place = running_place,
};
