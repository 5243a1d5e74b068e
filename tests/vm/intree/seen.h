/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* What the programs of intree.bpf.c and their loader tell each other. */
#ifndef BTF_EXTRA_INTREE_SEEN_H
#define BTF_EXTRA_INTREE_SEEN_H

#define SEEN_ARGS 4
#define SEEN_TEXT 16

struct intree_seen {
    __u32 pid;      /* in: looks at no other process */
    __u32 runs;     /* out, counted up; the rest is of the last run */
    __u64 function; /* out: its address */
    __u64 count;    /* out: of arguments */
    __u64 args[SEEN_ARGS];
    __u64 returned; /* out: at its exit */
    __u64 cookie;
    __u64 text_at; /* in: of peek */
    __s64 text_error;
    __u8 text[SEEN_TEXT]; /* out: what stands there */
};

#endif
