/* SPDX-License-Identifier: (GPL-2.0 OR LGPL-2.1 OR BSD-2-Clause) */
/* What the BPF programs and their loader tell each other. */
#ifndef BTF_EXTRA_KFUNCS_STATE_H
#define BTF_EXTRA_KFUNCS_STATE_H

#include "include/uapi/linux/btf_extra.h"

#define KFUNCS_STATE_SITES 32
#define KFUNCS_STATE_TARGET "__x64_sys_getppid" /* where the kprobe is */

struct kfuncs_state {
    __u64 address; /* in */
    __u32 own;     /* in: the kprobe's program asks for the function that it is in instead */
    __u32 pid;     /* in: the kprobe's program looks at no other process */
    __u32 runs;    /* out, counted up */
    __s32 func;    /* out: bpf_btf_extra_func_at() */
    __s32 inlined; /* out: bpf_btf_extra_inlined_at() */
    __s32 count;   /* out: bpf_btf_extra_sites_at() */
    __s32 of_none; /* out: the same, into memory that is too small for one site */
    struct btf_extra_site sites[KFUNCS_STATE_SITES]; /* out */
};

#endif
