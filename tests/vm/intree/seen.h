/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* The memory that the programs of intree.bpf.c share with their loader. */
#ifndef BTF_EXTRA_INTREE_SEEN_H
#define BTF_EXTRA_INTREE_SEEN_H

#define SEEN_ARGS 4
#define SEEN_TEXT 16

struct intree_seen {
    __u32 pid;      /* in: the process to look at */
    __u32 runs;     /* out: counts up; the other fields are of the last run */
    __u64 function; /* out: address of the function */
    __u64 count;    /* out: number of arguments */
    __u64 args[SEEN_ARGS];
    __u64 returned; /* out: result at its exit */
    __u64 cookie;
    __u64 text_at; /* in: address for peek */
    __s64 text_error;
    __u8 text[SEEN_TEXT]; /* out: the bytes there */
};

#endif
