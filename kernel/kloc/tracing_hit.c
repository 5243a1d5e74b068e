// SPDX-License-Identifier: GPL-2.0
#include <linux/filter.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>

#include "compat/bpf_compat.h"
#include "kloc/bpf_active.h"
#include "kloc/kloc_program.h"

/* As the kernel counts them, so that bpftool shows them with those of the trampoline. */
static void tracing_count_run(struct bpf_prog *prog, u64 start)
{
	struct bpf_prog_stats *stats = this_cpu_ptr(prog->stats);
	unsigned long flags = u64_stats_update_begin_irqsave(&stats->syncp);

	u64_stats_inc(&stats->cnt);
	u64_stats_add(&stats->nsecs, sched_clock() - start);
	u64_stats_update_end_irqrestore(&stats->syncp, flags);
}
NOKPROBE_SYMBOL(tracing_count_run);

static void tracing_count_miss(struct bpf_prog *prog)
{
	struct bpf_prog_stats *stats = this_cpu_ptr(prog->stats);
	unsigned long flags = u64_stats_update_begin_irqsave(&stats->syncp);

	u64_stats_inc(&stats->misses);
	u64_stats_update_end_irqrestore(&stats->syncp, flags);
}
NOKPROBE_SYMBOL(tracing_count_miss);

/* The program may be running on this CPU, at the body of its function or at another site. */
static __always_inline bool tracing_enter_and_run(struct bpf_prog *prog, struct site_frame *frame,
						  const struct pt_regs *regs, unsigned long address)
{
	bool entered = bpf_prog_enter(prog);
	u64 start = 0;

	if (likely(entered)) {
		if (static_branch_unlikely(&bpf_stats_enabled_key))
			start = sched_clock();
		arch_phantom_call((unsigned long)prog->bpf_func, &frame->regs, regs, address);
		if (unlikely(start))
			tracing_count_run(prog, start);
	}
	bpf_prog_leave(prog);
	return entered;
}

/*
 * Does what a trampoline does. Preemption is off, so this is a read-side section of RCU, and the
 * CPU stays the same. Only lockdep needs an annotation.
 */
static __always_inline bool tracing_run(const struct kloc_program *program,
					struct site_frame *frame, const struct pt_regs *regs,
					unsigned long address)
{
	struct bpf_tramp_run_ctx run_ctx = { .bpf_cookie = program->run_ctx.bpf_cookie };
	bool ran;

	frame->function = program->function;
	frame->nr_slots = program->nr_slots;
	arch_set_arguments(&frame->regs, (unsigned long)frame->slots,
			   (unsigned long)program->prog->insnsi);
	rcu_lock_acquire(&rcu_lock_map);
	run_ctx.saved_run_ctx = bpf_set_run_ctx(&run_ctx.run_ctx);
	ran = tracing_enter_and_run(program->prog, frame, regs, address);
	bpf_reset_run_ctx(run_ctx.saved_run_ctx);
	rcu_lock_release(&rcu_lock_map);
	return ran;
}

/*
 * Programs of trampolines are not counted in bpf_active, so a hit only looks at it: a system call
 * may hold the lock of a map here.
 */
int tracing_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	const struct kloc_probe *probe = container_of(kprobe, struct kloc_probe, kprobe);
	struct kloc_program *program = probe->owner;
	struct site_frame *frame;
	u64 unread;

	if (unlikely(!kloc_rcu_watches() || __this_cpu_read(*bpf_active)))
		goto missed;
	frame = this_cpu_ptr(&kloc_frames);
	site_args_move(probe->args, regs, frame);
	/* These arguments are in memory that could not be read. */
	unread = *arch_args_word(&frame->regs) ^ probe->args->word;
	if (unlikely(unread & program->readable) ||
	    unlikely(!tracing_run(program, frame, regs, probe->site.address)))
		goto missed;
	this_cpu_inc(program->counts->hits);
	return arch_simulate(kprobe, regs);

missed:
	this_cpu_inc(program->counts->missed);
	tracing_count_miss(program->prog);
	return 0;
}
NOKPROBE_SYMBOL(tracing_hit);
