/* SPDX-License-Identifier: GPL-2.0 */
/* A hit of a probe of a phantom function calls its stub. */
#ifndef BTF_EXTRA_PHANTOM_HIT_H
#define BTF_EXTRA_PHANTOM_HIT_H

#include "kloc/kloc_probe.h"

/* The owner of such probes. */
struct phantom_target {
	unsigned long stub;
	struct kloc_counts __percpu *counts;
};

/* Is the kprobe.pre_handler of a struct kloc_probe whose args are those of a stub. */
int phantom_hit(struct kprobe *kprobe, struct pt_regs *regs);

#endif
