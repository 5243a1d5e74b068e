/* SPDX-License-Identifier: GPL-2.0 */
/* A kprobe at a site, and its hit: the program of its link runs. */
#ifndef BTF_EXTRA_KLOC_PROBE_H
#define BTF_EXTRA_KLOC_PROBE_H

#include <linux/btf_extra.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "kloc/site_args.h"

struct kloc_counts {
	u64 hits;		/* runs of the owner */
	u64 missed;		/* not run: other BPF code was, or RCU does not watch */
};

struct kloc_probe {
	struct kprobe kprobe;
	void *owner;			/* for kloc_probe_hit() its struct kloc_program */
	const struct site_args *args;
	struct btf_extra_site site;	/* its address may be before that of the kprobe */
};

/* It belongs to the hit on this CPU. Kprobes let no hit interrupt another. */
DECLARE_PER_CPU(struct site_frame, kloc_frames);

/* A jump-optimized probe does not wake RCU up where the kernel is about to idle. */
static __always_inline bool kloc_rcu_watches(void)
{
	return likely(!is_idle_task(current)) || rcu_is_watching();
}

/* Is the kprobe.pre_handler of a struct kloc_probe. */
int kloc_probe_hit(struct kprobe *kprobe, struct pt_regs *regs);

/* The same, of one whose program is a tracing program. */
int tracing_hit(struct kprobe *kprobe, struct pt_regs *regs);

#endif
