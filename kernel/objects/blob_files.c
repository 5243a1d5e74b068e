// SPDX-License-Identifier: GPL-2.0
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat/sysfs_compat.h"
#include "objects/blob_files.h"
#include "objects/object_frames.h"

static struct kobject *folder;

static ssize_t read_blob(struct file *file, struct kobject *kobj, bin_attribute_arg *attribute,
			 char *buffer, loff_t offset, size_t size)
{
	return memory_read_from_buffer(buffer, size, &offset, attribute->private, attribute->size);
}

/* sysfs logs a stack trace for a second file of a name. A module may be called "inlined". */
static bool is_taken(const char *name)
{
	struct kernfs_node *other = kernfs_find_and_get_ns(folder->sd, name, NULL);

	kernfs_put(other);
	return other;
}

static int blob_add_file(struct extra_object *object, const char *suffix, const void *data,
			 size_t size)
{
	struct blob_file *file = &object->shown[object->nr_shown];
	int err;

	strscpy(file->name, object->name, sizeof(file->name));
	strlcat(file->name, suffix, sizeof(file->name));
	if (is_taken(file->name))
		return -EEXIST;
	sysfs_bin_attr_init(&file->attribute);
	file->attribute.attr.name = file->name;
	file->attribute.attr.mode = 0444;
	file->attribute.size = size;
	file->attribute.private = (void *)data;
	file->attribute.read = read_blob;
	err = sysfs_create_bin_file(folder, &file->attribute);
	if (!err)
		object->nr_shown++;
	return err;
}

int blob_files_init(void)
{
	folder = kobject_create_and_add("btf_extra", kernel_kobj);
	return folder ? 0 : -ENOMEM;
}

void blob_files_exit(void)
{
	kobject_put(folder);
}

struct kobject *blob_files_folder(void)
{
	return folder;
}

int blob_files_add_frames(struct extra_object *object)
{
	const struct extra_bytes frames = object_frames_bytes(object);

	return frames.data ? blob_add_file(object, ".frames", frames.data, frames.size) : 0;
}

int blob_files_add(struct extra_object *object)
{
	const struct extra_bytes *expressions = &object->blobs.expressions.section;
	int err;

	err = blob_add_file(object, "", object->blobs.func_info.data, object->blobs.func_info.size);
	if (!err)
		err = blob_add_file(object, ".types", object->blobs.types.data,
				    object->blobs.types.size);
	if (!err && object->blobs.marks)
		err = blob_add_file(object, ".marks", object->blobs.marks,
				    object->blobs.marks_size);
	if (!err && expressions->data)
		err = blob_add_file(object, ".expressions", expressions->data, expressions->size);
	if (!err)
		err = blob_files_add_frames(object);
	if (err)
		blob_files_remove(object);
	return err;
}

void blob_files_remove(struct extra_object *object)
{
	while (object->nr_shown)
		sysfs_remove_bin_file(folder, &object->shown[--object->nr_shown].attribute);
}
