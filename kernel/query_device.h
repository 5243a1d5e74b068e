/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/btf_extra, as <uapi/linux/btf_extra.h> has it. */
#ifndef BTF_EXTRA_QUERY_DEVICE_H
#define BTF_EXTRA_QUERY_DEVICE_H

#include <linux/device.h>
#include <linux/fs.h>

int query_device_init(void);
void query_device_exit(void);

/* What it does with a file, for those who have no path to it. */
extern const struct file_operations query_device_operations;

/* Whom firmware is asked for on behalf of. */
struct device *query_device(void);

#endif
