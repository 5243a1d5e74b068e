/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* The memory that library.bpf.c fills for library_guest.cpp. */
#ifndef BTF_EXTRA_TESTS_SEEN_H
#define BTF_EXTRA_TESTS_SEEN_H

#define SEEN_ARGS 4

struct seen {
    __u64 calls;
    __s64 args[SEEN_ARGS];
    __u64 site;
    __u64 cookie;
    __u64 nothing;
    /* Results of bpf_loc_arg() for the first parameter, and for one too many. */
    __s64 error, beyond;
    __u8 narrow; /* the first parameter as a byte */
};

#endif
