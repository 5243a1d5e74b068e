// SPDX-License-Identifier: GPL-2.0
#include <linux/kobject.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "blob_files.h"
#include "kernel_compat.h"

static struct kobject *folder;

static ssize_t read_blob(struct file *file, struct kobject *kobj, bin_attribute_arg *attribute,
			 char *buffer, loff_t offset, size_t size)
{
	return memory_read_from_buffer(buffer, size, &offset, attribute->private, attribute->size);
}

static void set_up(struct bin_attribute *attribute, const char *name, const struct btf_blob *blob)
{
	sysfs_bin_attr_init(attribute);
	attribute->attr.name = name;
	attribute->attr.mode = 0444;
	attribute->size = blob->size;
	attribute->private = (void *)blob->data;
	attribute->read = read_blob;
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

int blob_files_add(struct extra_object *object)
{
	int err;

	snprintf(object->types_file_name, sizeof(object->types_file_name), "%s.types",
		 object->name);
	set_up(&object->func_info_file, object->name, &object->func_info);
	set_up(&object->types_file, object->types_file_name, &object->types);
	err = sysfs_create_bin_file(folder, &object->func_info_file);
	if (err)
		return err;
	err = sysfs_create_bin_file(folder, &object->types_file);
	if (err)
		sysfs_remove_bin_file(folder, &object->func_info_file);
	return err;
}

void blob_files_remove(struct extra_object *object)
{
	sysfs_remove_bin_file(folder, &object->types_file);
	sysfs_remove_bin_file(folder, &object->func_info_file);
}
