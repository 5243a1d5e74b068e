/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* The calls that the programs of follow.bpf.c have seen. */
#ifndef BTF_EXTRA_FOLLOW_SEEN_H
#define BTF_EXTRA_FOLLOW_SEEN_H

#define SEEN_ARGS 6
#define SEEN_FRAMES 8

struct seen {
    __u64 calls;
    __u64 args[SEEN_ARGS];     /* of the last call */
    __u64 sums[SEEN_ARGS];     /* of all calls */
    __u64 ip;                  /* bpf_get_func_ip() */
    __u64 cookie;              /* bpf_get_attach_cookie() */
    __u64 count;               /* bpf_get_func_arg_cnt() */
    __u64 frames[SEEN_FRAMES]; /* the stack of the last call; 0 ends it */
};

/* The variables of the programs. */
struct follow_state {
    __u32 only_pid; /* 0: all processes */
    __u32 reserved;
    struct seen by_fentry, by_other, by_kprobe;
};

#endif
