/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR LGPL-2.1 OR BSD-2-Clause) */
/*
 * /dev/btf_extra_api: what <linux/btf_extra.h> exports, asked from userspace. A
 * look-up has the struct of /dev/btf_extra, so that both can be asked the same;
 * nothing of it is checked before it comes to btf_extra_for_each_site().
 */
#ifndef BTF_EXTRA_API_TEST_H
#define BTF_EXTRA_API_TEST_H

#include <linux/btf_extra.h>

#define API_TEST_DEVICE "/dev/btf_extra_api"

/* In reserved[1] of a look-up. */
#define API_TEST_NO_FN (1U << 0)    /* fn is NULL */
#define API_TEST_NO_TOTAL (1U << 1) /* total is NULL */
#define API_TEST_IRQS_OFF (1U << 2)

/* What fn returns, and the ioctl with it, for site number reserved[0], counted from 1. */
#define API_TEST_STOPPED 7

/* Copied back also after an error; where total was not set. */
#define API_TEST_UNTOUCHED 0xa5a5a5a5U

struct api_test_func_name {
    __u32 object, func_id; /* in */
    __u64 name;            /* in: char [size] */
    __u64 size;            /* in: not more than BTF_EXTRA_NAME_MAX */
};

#define API_TEST_LOOKUP _IOWR(BTF_EXTRA_IOC_MAGIC, 0x80, struct btf_extra_lookup)
#define API_TEST_FUNC_NAME _IOW(BTF_EXTRA_IOC_MAGIC, 0x81, struct api_test_func_name)

#endif
