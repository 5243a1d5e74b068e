/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the bytes of binary files in sysfs inside the kernel, without opening them. This also works
 * if /sys is not mounted. It needs no struct file, for which security modules would have to trust
 * kernel_read_file().
 */
#ifndef BTF_EXTRA_SYSFS_BYTES_H
#define BTF_EXTRA_SYSFS_BYTES_H

#include <linux/kobject.h>

struct sysfs_bytes {
	const void *data;
	size_t size;
	void *copy;		/* sysfs_bytes_put() frees it; NULL: data stays for good */
};

/*
 * Reads the file dir/name below kobj; dir NULL: kobj/name. The caller makes sure that the file is
 * not removed. in_place: while the file exists its bytes do not move, so they need not be copied if
 * the kernel shows where they are. Returns 0, -ENOENT: no such file, or another negative errno.
 * After an error *bytes is untouched.
 */
int sysfs_bytes_get(struct sysfs_bytes *bytes, struct kobject *kobj, const char *dir,
		    const char *name, bool in_place);
void sysfs_bytes_put(struct sysfs_bytes *bytes);

#endif
