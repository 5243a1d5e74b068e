/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR LGPL-2.1 OR BSD-2-Clause) */
/*
 * /dev/btf_extra_api lets userspace call the functions that <linux/btf_extra.h> exports. A look-up
 * has the struct of /dev/btf_extra, so that both can get the same question. Nothing is checked
 * before btf_extra_for_each_site() gets it.
 */
#ifndef BTF_EXTRA_API_TEST_H
#define BTF_EXTRA_API_TEST_H

#include <linux/btf_extra.h>

#define API_TEST_DEVICE "/dev/btf_extra_api"

/* These flags are in reserved[1] of a look-up; the last one also in that of a chain. */
#define API_TEST_NO_FN (1U << 0)    /* fn is NULL */
#define API_TEST_NO_TOTAL (1U << 1) /* total is NULL */
#define API_TEST_IRQS_OFF (1U << 2)

/* fn returns this for site number reserved[0], counted from 1, and then the ioctl returns it. */
#define API_TEST_STOPPED 7

/* total has this value if it was not set. It is also copied back after an error. */
#define API_TEST_UNTOUCHED 0xa5a5a5a5U

struct api_test_func_name {
    __u32 object, func_id; /* in */
    __u64 name;            /* in: char [size] */
    __u64 size;            /* in: at most BTF_EXTRA_NAME_MAX */
};

#define API_TEST_LOOKUP _IOWR(BTF_EXTRA_IOC_MAGIC, 0x80, struct btf_extra_lookup)
/* btf_extra_frames_at(), with the struct of the device. No files are written. */
#define API_TEST_FRAMES _IOWR(BTF_EXTRA_IOC_MAGIC, 0x82, struct btf_extra_chain)
#define API_TEST_FUNC_NAME _IOW(BTF_EXTRA_IOC_MAGIC, 0x81, struct api_test_func_name)

#endif
