// SPDX-License-Identifier: GPL-2.0
#include <linux/filter.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "kloc_probe.h"

/*
 * The frame of the program that runs on this CPU. kprobes do not let a hit interrupt
 * another; one that has come in some other way finds the frame busy.
 */
struct busy_frame {
	struct site_frame frame;
	bool busy;
};

static DEFINE_PER_CPU(struct busy_frame, frames);

static __always_inline void run(const struct kloc_probe *probe, struct site_frame *frame)
{
	const struct kloc_program *program = probe->program;
	struct bpf_trace_run_ctx context = { .bpf_cookie = program->cookie };
	struct bpf_run_ctx *before;

	rcu_read_lock();
	before = bpf_set_run_ctx(&context.run_ctx);
	bpf_prog_run(program->prog, &frame->regs);
	bpf_reset_run_ctx(before);
	rcu_read_unlock();
}

/* Preemption is off. */
int kloc_probe_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	const struct kloc_probe *probe = container_of(kprobe, struct kloc_probe, kprobe);
	struct busy_frame *busy = this_cpu_ptr(&frames);

	/* A jump-optimized probe does not wake RCU up where the kernel is about to idle. */
	if (unlikely(busy->busy || !rcu_is_watching())) {
		this_cpu_inc(probe->program->counts->missed);
		return 0;
	}
	busy->busy = true;
	barrier();
	site_args_fill(probe->args, regs, &busy->frame);
	/* As if the probe were an int3 at the site, also where the kernel moved it behind ENDBR. */
	instruction_pointer_set(&busy->frame.regs, probe->site.address + 1);
	run(probe, &busy->frame);
	site_args_forget(probe->args, &busy->frame);
	barrier();
	busy->busy = false;
	this_cpu_inc(probe->program->counts->hits);
	return 0;
}
NOKPROBE_SYMBOL(kloc_probe_hit);
