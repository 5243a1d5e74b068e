/* SPDX-License-Identifier: (GPL-2.0 OR LGPL-2.1 OR BSD-2-Clause) */
/* The memory that the BPF programs share with their loader. */
#ifndef BTF_EXTRA_FRAMES_STATE_H
#define BTF_EXTRA_FRAMES_STATE_H

#include "include/uapi/linux/btf_extra.h"

#define FRAMES_STATE_ROOM 16
#define FRAMES_STATE_TARGET "__task_pid_nr_ns" /* the kprobe's function; getppid() calls it */

struct frames_state {
    __u64 address; /* in */
    __u32 pid;     /* in: the process that the kprobe's program looks at */
    __u32 runs;    /* out: counts up */
    __s32 total;   /* out: bpf_btf_extra_frames_at() */
    __s32 of_none; /* out: the same, with memory that is a byte too small for one function */
    struct btf_extra_chain_frame frames[FRAMES_STATE_ROOM]; /* out */
};

#endif
