/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of binary files in sysfs, read inside the kernel without opening
 * them: that works where /sys is not mounted, and needs no struct file, which
 * kernel_read_file() would have to be trusted for by security modules.
 */
#ifndef BTF_EXTRA_SYSFS_BYTES_H
#define BTF_EXTRA_SYSFS_BYTES_H

#include <linux/kobject.h>

struct sysfs_bytes {
	const void *data;
	size_t size;
	void *copy;		/* what sysfs_bytes_put() frees; NULL: data stays for good */
};

/*
 * The file dir/name below kobj; dir NULL: kobj/name. The caller keeps whoever
 * made the file from taking it away. In place: as long as the file is there its
 * bytes do not move, so they need not be copied if the kernel shows where they
 * are. 0, -ENOENT: no such file, or another negative errno; *bytes is untouched
 * then.
 */
int sysfs_bytes_get(struct sysfs_bytes *bytes, struct kobject *kobj, const char *dir,
		    const char *name, bool in_place);
void sysfs_bytes_put(struct sysfs_bytes *bytes);

#endif
