// SPDX-License-Identifier: GPL-2.0
#include <linux/kobject.h>
#include <linux/security.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat/sysfs_compat.h"
#include "objects/blob_files.h"
#include "phantoms/phantom.h"
#include "phantoms/phantom_files.h"

static struct kobject *folder;

static const char *state_of(const struct phantom *phantom)
{
	if (phantom->waiting)
		return "waiting";
	if (phantom->held)
		return "held";
	return phantom->armed ? "armed" : "idle";
}

static ssize_t show_lines(struct phantom *phantom, char *buffer)
{
	static const char *const reasons[PHANTOM_REASONS] = {
		[BTF_EXTRA_REASON_NO_TEXT] = "no_text",
		[BTF_EXTRA_REASON_LOOP_HEAD] = "loop_head",
		[BTF_EXTRA_REASON_PARAMETER] = "parameter",
		[BTF_EXTRA_REASON_NOTRACE] = "notrace",
		[BTF_EXTRA_REASON_KPROBE] = "kprobe",
		[BTF_EXTRA_REASON_NO_ENTRY] = "no_entry",
	};
	const struct kloc_counts counts = phantom_counts(phantom);
	struct phantom_report report;
	ssize_t size;
	u32 i;
	int err;

	err = phantom_report(phantom, &report);
	if (err)
		return err;
	size = sysfs_emit(buffer, "state %s\nsites %u\nusable %u\narmed %u\nhits %llu\n"
			  "missed %llu\n", state_of(phantom), report.nr_sites, report.left_out[0],
			  phantom_nr_probes(phantom), counts.hits, counts.missed);
	for (i = 1; i < PHANTOM_REASONS; i++) {
		if (!report.left_out[i])
			continue;
		size += sysfs_emit_at(buffer, size, "left_out %s %u", reasons[i],
				      report.left_out[i]);
		if (i == BTF_EXTRA_REASON_PARAMETER)
			size += sysfs_emit_at(buffer, size, " 0x%x", report.lacking);
		size += sysfs_emit_at(buffer, size, "\n");
	}
	if (phantom->error)
		size += sysfs_emit_at(buffer, size, "error %d\n", phantom->error);
	return size;
}

static struct phantom *phantom_of(struct kobj_attribute *attribute)
{
	return container_of(attribute, struct phantom, file);
}

static ssize_t phantom_show(struct kobject *kobj, struct kobj_attribute *attribute, char *buffer)
{
	ssize_t size;

	phantoms_lock();
	size = show_lines(phantom_of(attribute), buffer);
	phantoms_unlock();
	return size;
}

static ssize_t phantom_store(struct kobject *kobj, struct kobj_attribute *attribute,
			     const char *text, size_t size)
{
	bool hold = sysfs_streq(text, "arm");
	int err;

	if (!hold && !sysfs_streq(text, "auto"))
		return -EINVAL;
	err = security_locked_down(LOCKDOWN_KPROBES);
	if (err)
		return err;
	err = phantom_arming_hold(phantom_of(attribute), hold);
	return err ?: size;
}

static ssize_t read_table(struct file *file, struct kobject *kobj, bin_attribute_arg *attribute,
			  char *buffer, loff_t offset, size_t size)
{
	return memory_read_from_buffer(buffer, size, &offset, attribute->private, attribute->size);
}

int phantom_files_init(void)
{
	folder = kobject_create_and_add("inlined", blob_files_folder());
	return folder ? 0 : -ENOMEM;
}

void phantom_files_exit(void)
{
	kobject_put(folder);
}

static int phantom_add_file(struct phantom *phantom)
{
	sysfs_attr_init(&phantom->file.attr);
	phantom->file.attr.name = phantom->name;
	/* Reading it takes time under locks, and its counts reveal what the kernel does. */
	phantom->file.attr.mode = 0600;
	phantom->file.show = phantom_show;
	phantom->file.store = phantom_store;
	return sysfs_create_file(folder, &phantom->file.attr);
}

int phantom_files_add(struct phantom_files *files, const struct module *module,
		      const struct phantom_table *table, const struct phantom_set *set)
{
	int err;

	snprintf(files->name, sizeof(files->name), ".%s", module->name);
	sysfs_bin_attr_init(&files->table);
	files->table.attr.name = files->name;
	files->table.attr.mode = 0444;
	files->table.size = table->size;
	files->table.private = (void *)table;
	files->table.read = read_table;
	files->phantoms = set->phantoms;
	files->nr = 0;
	err = sysfs_create_bin_file(folder, &files->table);
	if (err)
		return err;
	while (!err && files->nr < set->nr_phantoms) {
		err = phantom_add_file(&set->phantoms[files->nr]);
		files->nr += !err;
		cond_resched();
	}
	if (err)
		phantom_files_remove(files);
	return err;
}

void phantom_files_remove(struct phantom_files *files)
{
	while (files->nr)
		sysfs_remove_file(folder, &files->phantoms[--files->nr].file.attr);
	sysfs_remove_bin_file(folder, &files->table);
}
