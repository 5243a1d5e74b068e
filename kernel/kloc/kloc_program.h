/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program that a link runs at its probes: a kprobe's, or a tracing program, which is one of
 * fentry.
 */
#ifndef BTF_EXTRA_KLOC_PROGRAM_H
#define BTF_EXTRA_KLOC_PROGRAM_H

#include <linux/bpf.h>

#include "kloc/kloc_probe.h"

/* All probes of a link share this one: it is their owner. */
struct kloc_program {
	struct bpf_prog *prog;
	struct bpf_trace_run_ctx run_ctx;	/* the cookie; programs do not change it */
	struct kloc_counts __percpu *counts;
	/* Only tracing programs use these: */
	unsigned long function;	/* the address that it is attached to, or will be */
	u32 link_id;		/* of the BPF link that it was taken from; 0: from none */
	u32 nr_slots;
	u64 readable;		/* as site_args.word: the parameters that it can read */
	struct list_head followed;	/* see tracing_program_follow() */
};

#endif
