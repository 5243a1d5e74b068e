/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* The memory that library.bpf.c fills for library_guest.cpp. */
#ifndef BTF_EXTRA_TESTS_SEEN_H
#define BTF_EXTRA_TESTS_SEEN_H

struct seen {
    __u64 calls;
    __s64 offset;
    __u64 site;
    __u64 cookie;
    __u64 nothing;
    __s64 error, beyond; /* results of bpf_loc_arg() for the third parameter, and for a fourth */
    __u32 fd, whence;
    __u8 narrow; /* the third parameter as a byte */
};

#endif
