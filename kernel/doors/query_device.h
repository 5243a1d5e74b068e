/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/btf_extra, as <uapi/linux/btf_extra.h> has it. */
#ifndef BTF_EXTRA_QUERY_DEVICE_H
#define BTF_EXTRA_QUERY_DEVICE_H

#include <linux/fs.h>

int query_device_init(void);
void query_device_exit(void);

/* The operations of its files: tests have no path to one. */
extern const struct file_operations query_device_operations;

#endif
