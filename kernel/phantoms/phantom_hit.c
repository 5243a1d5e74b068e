// SPDX-License-Identifier: GPL-2.0
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "kloc/bpf_active.h"
#include "phantoms/phantom_hit.h"

/* A program at a stub may reach a site itself, through a function that it calls. */
static DEFINE_PER_CPU(bool, running);

/*
 * The count of bpf_active is not raised, because the program of the stub checks and raises it
 * itself.
 */
static __always_inline bool may_run(void)
{
	return kloc_rcu_watches() && !__this_cpu_read(*bpf_active) && !__this_cpu_read(running);
}

int phantom_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	const struct kloc_probe *probe = container_of(kprobe, struct kloc_probe, kprobe);
	const struct phantom_target *target = probe->owner;
	struct site_frame *frame;

	if (unlikely(!may_run())) {
		this_cpu_inc(target->counts->missed);
		return 0;
	}
	__this_cpu_write(running, true);
	frame = this_cpu_ptr(&kloc_frames);
	site_args_move(probe->args, regs, frame);
	/* Otherwise an argument is in memory that could not be read, which a stub cannot report. */
	if (likely(*arch_args_word(&frame->regs) == probe->args->word)) {
		arch_phantom_call(target->stub, &frame->regs, regs, probe->site.address);
		this_cpu_inc(target->counts->hits);
	} else {
		this_cpu_inc(target->counts->missed);
	}
	__this_cpu_write(running, false);
	return arch_simulate(kprobe, regs);
}
NOKPROBE_SYMBOL(phantom_hit);
