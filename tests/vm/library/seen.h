/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* What library.bpf.c leaves for library_guest.cpp. */
#ifndef BTF_EXTRA_TESTS_SEEN_H
#define BTF_EXTRA_TESTS_SEEN_H

struct seen {
    __u64 calls;
    __s64 offset;
    __u64 site;
    __u64 cookie;
    __u64 nothing;
    __s64 error, beyond; /* of bpf_loc_arg() on the third parameter, and on a fourth */
    __u32 fd, whence;
    __u8 narrow; /* the third, as a byte */
};

#endif
