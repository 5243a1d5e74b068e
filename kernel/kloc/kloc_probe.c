// SPDX-License-Identifier: GPL-2.0
#include <linux/filter.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "kloc/bpf_active.h"
#include "kloc/kloc_program.h"

DEFINE_PER_CPU(struct site_frame, kloc_frames);

/*
 * Preemption is off, so this is an RCU read-side section as programs require; only lockdep needs an
 * annotation.
 */
static __always_inline void kloc_run(struct kloc_program *program, struct site_frame *frame)
{
	struct bpf_run_ctx *before;

	rcu_lock_acquire(&rcu_lock_map);
	before = bpf_set_run_ctx(&program->run_ctx.run_ctx);
	bpf_prog_run(program->prog, &frame->regs);
	bpf_reset_run_ctx(before);
	rcu_lock_release(&rcu_lock_map);
}

int kloc_probe_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	const struct kloc_probe *probe = container_of(kprobe, struct kloc_probe, kprobe);
	const struct site_args *args = probe->args;
	struct kloc_program *program = probe->owner;
	int __percpu *active = bpf_active;
	struct site_frame *frame;

	if (unlikely(!kloc_rcu_watches()) || !bpf_active_enter(active)) {
		this_cpu_inc(program->counts->missed);
		return 0;
	}
	frame = this_cpu_ptr(&kloc_frames);
	site_args_fill(args, regs, frame);
	/*
	 * A kprobe has the address after the breakpoint, or another one if the kernel moved it. An
	 * unwinder takes that for the place after a "push" of one byte and fails.
	 */
	instruction_pointer_set(&frame->regs, probe->site.address);
	kloc_run(program, frame);
	if (unlikely(args->uncoded))
		site_args_forget(frame);
	bpf_active_leave(active);
	this_cpu_inc(program->counts->hits);
	return arch_simulate(kprobe, regs);
}
NOKPROBE_SYMBOL(kloc_probe_hit);
