// SPDX-License-Identifier: GPL-2.0
#include <linux/kernfs.h>
#include <linux/slab.h>

#include "compat/sysfs_compat.h"
#include "objects/sysfs_bytes.h"

static struct kernfs_node *find_file(struct kobject *kobj, const char *dir, const char *name)
{
	struct kernfs_node *folder, *file;

	if (!dir)
		return kernfs_find_and_get_ns(kobj->sd, name, NULL);
	folder = kernfs_find_and_get_ns(kobj->sd, dir, NULL);
	if (!folder)
		return NULL;
	file = kernfs_find_and_get_ns(folder, name, NULL);
	kernfs_put(folder);
	return file;
}

static int read_copy(struct sysfs_bytes *bytes, struct bin_attribute *attribute)
{
	size_t size = attribute->size;
	void *copy = kvmalloc(size, GFP_KERNEL);
	ssize_t got;

	if (!copy)
		return -ENOMEM;
	got = bin_attribute_read(attribute, kernel_kobj, copy, size);
	if (got != size) {
		kvfree(copy);
		return got < 0 ? got : -EIO;
	}
	bytes->data = copy;
	bytes->copy = copy;
	bytes->size = size;
	return 0;
}

int sysfs_bytes_get(struct sysfs_bytes *bytes, struct kobject *kobj, const char *dir,
		    const char *name, bool in_place)
{
	struct kernfs_node *file = find_file(kobj, dir, name);
	struct bin_attribute *attribute;
	int err = 0;

	if (!file)
		return -ENOENT;
	/* sysfs keeps the attribute in priv. A binary file has it at the start of its struct. */
	attribute = kernfs_type(file) == KERNFS_FILE ? file->priv : NULL;
	if (!attribute || !attribute->size || attribute->size > INT_MAX) {
		err = -EINVAL;
	} else if (in_place && bin_attribute_bytes(attribute)) {
		bytes->data = bin_attribute_bytes(attribute);
		bytes->size = attribute->size;
		bytes->copy = NULL;
	} else {
		err = read_copy(bytes, attribute);
	}
	kernfs_put(file);
	return err;
}

void sysfs_bytes_put(struct sysfs_bytes *bytes)
{
	kvfree(bytes->copy);
	bytes->copy = NULL;
	bytes->data = NULL;
}
