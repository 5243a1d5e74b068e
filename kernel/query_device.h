/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/btf_extra, as <uapi/linux/btf_extra.h> has it. */
#ifndef BTF_EXTRA_QUERY_DEVICE_H
#define BTF_EXTRA_QUERY_DEVICE_H

#include <linux/device.h>

int query_device_init(void);
void query_device_exit(void);

/* Whom firmware is asked for on behalf of. */
struct device *query_device(void);

#endif
