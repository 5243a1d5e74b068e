/* SPDX-License-Identifier: GPL-2.0 */
/* The program that a link runs at its probes. */
#ifndef BTF_EXTRA_KLOC_PROGRAM_H
#define BTF_EXTRA_KLOC_PROGRAM_H

#include <linux/bpf.h>

#include "kloc/kloc_probe.h"

/* All probes of a link share this one: it is their owner. */
struct kloc_program {
	struct bpf_prog *prog;
	struct bpf_trace_run_ctx run_ctx;	/* the cookie; programs do not change it */
	struct kloc_counts __percpu *counts;
};

#endif
