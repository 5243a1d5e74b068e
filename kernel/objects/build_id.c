// SPDX-License-Identifier: GPL-2.0
#include <linux/elf.h>
#include <linux/kobject.h>
#include <linux/module.h>

#include "compat/module_compat.h"
#include "core/build_id_note.h"
#include "objects/build_id.h"
#include "objects/sysfs_bytes.h"

/* Copies the id. Returns its size, or -ENOENT. */
static int copy_build_id(struct extra_bytes found, u8 *id)
{
	if (!found.data)
		return -ENOENT;
	memcpy(id, found.data, found.size);
	return found.size;
}

/*
 * A module that is about to come has no files in sysfs yet, and a stripped one has no symbol for
 * the section of its note. So this searches for bytes that look like the note. If other bytes
 * match, the module is only refused.
 */
static int build_id_of_module(const struct module *module, u8 *id)
{
	const struct module_bytes carried = module_btf_extra(module);
	struct extra_bytes found;
	size_t size, before;
	const u8 *data = module_read_only(module, &size);

	if (!data)
		return -ENOENT;
	/* The blobs inside it name the build for which they were made, so they are skipped. */
	before = size;
	if ((const u8 *)carried.data >= data && (const u8 *)carried.data < data + size)
		before = (const u8 *)carried.data - data;
	found = build_id_search(data, before);
	if (!found.data && size - before > carried.size) {
		const size_t after = ALIGN(before + carried.size, 4);

		found = build_id_search(data + after, size - min(after, size));
	}
	return copy_build_id(found, id);
}

int build_id_get(const struct module *module, u8 *id)
{
	struct sysfs_bytes notes;
	int size;

	if (module)
		return build_id_of_module(module, id);
	size = sysfs_bytes_get(&notes, kernel_kobj, NULL, "notes", false);
	if (size)
		return size;
	size = copy_build_id(build_id_find(notes.data, notes.size), id);
	sysfs_bytes_put(&notes);
	return size;
}
