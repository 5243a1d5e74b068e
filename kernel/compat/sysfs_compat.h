/* SPDX-License-Identifier: GPL-2.0 */
/* The differences, from kernel 6.1 on, in binary files of sysfs. */
#ifndef BTF_EXTRA_SYSFS_COMPAT_H
#define BTF_EXTRA_SYSFS_COMPAT_H

#include <linux/sysfs.h>
#include <linux/version.h>

/* Since 6.17 callbacks see the attribute as const; 6.13 prepared that with read_new. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
typedef const struct bin_attribute bin_attribute_arg;
#else
typedef struct bin_attribute bin_attribute_arg;
#endif

static inline ssize_t bin_attribute_read(struct bin_attribute *attribute, struct kobject *kobj,
					 char *buffer, size_t size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
	if (attribute->read_new)
		return attribute->read_new(NULL, kobj, attribute, buffer, 0, size);
#endif
	if (!attribute->read)
		return -EOPNOTSUPP;
	return attribute->read(NULL, kobj, attribute, buffer, 0, size);
}

/* Returns the bytes that such a file shows, if the attribute has them in memory. */
static inline const void *bin_attribute_bytes(const struct bin_attribute *attribute)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	if (attribute->read == sysfs_bin_attr_simple_read)
		return attribute->private;
#endif
	return NULL;
}

#endif
