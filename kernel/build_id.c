// SPDX-License-Identifier: GPL-2.0
#include <linux/elf.h>
#include <linux/kobject.h>
#include <linux/module.h>

#include "build_id.h"
#include "core/build_id_note.h"
#include "module_compat.h"
#include "sysfs_bytes.h"

#define NOTE_GNU_BUILD_ID 3

/* Copies the id out of a run of ELF notes. Returns its size, or -ENOENT. */
static int copy_build_id(const void *notes, size_t size, u8 *id)
{
	const struct extra_bytes found = build_id_find(notes, size);

	if (!found.data)
		return -ENOENT;
	memcpy(id, found.data, found.size);
	return found.size;
}

/*
 * A module that is about to come has no files in sysfs yet, and a stripped one has no
 * symbol for the section of its note. So we look for bytes that look like the note. If we
 * take others for it, the module is only refused.
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
		/* The blobs that it carries name the build that they were made for. */
		if (data + at >= (const u8 *)carried.data &&
		    data + at < (const u8 *)carried.data + carried.size)
			continue;
		if (!memcmp(data + at, &note, sizeof(note)) &&
		    copy_build_id(data + at, whole, id) > 0)
			return note.n_descsz;
	}
	return -ENOENT;
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
	size = copy_build_id(notes.data, notes.size, id);
	sysfs_bytes_put(&notes);
	return size;
}
