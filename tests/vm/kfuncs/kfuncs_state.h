/* SPDX-License-Identifier: (GPL-2.0 OR LGPL-2.1 OR BSD-2-Clause) */
/* The memory that the BPF programs share with their loader. */
#ifndef BTF_EXTRA_KFUNCS_STATE_H
#define BTF_EXTRA_KFUNCS_STATE_H

#include "include/uapi/linux/btf_extra.h"

#define KFUNCS_STATE_SITES 32
#define KFUNCS_STATE_TARGET "__task_pid_nr_ns" /* the kprobe's function; getppid() calls it */

struct kfuncs_state {
    __u64 address; /* in */
    __u32 own;     /* in: the kprobe's program asks about the function that it is in */
    __u32 pid;     /* in: the process that the kprobe's program looks at */
    __u32 runs;    /* out: counts up */
    __s32 func;    /* out: bpf_btf_extra_func_at() */
    __s32 inlined; /* out: bpf_btf_extra_inlined_at() */
    __s32 count;   /* out: bpf_btf_extra_sites_at() */
    __s32 of_none; /* out: the same, with memory that is too small for one site */
    struct btf_extra_site sites[KFUNCS_STATE_SITES]; /* out */
};

#endif
