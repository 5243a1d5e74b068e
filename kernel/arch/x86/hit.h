/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BTF_EXTRA_X86_HIT_H
#define BTF_EXTRA_X86_HIT_H

#include <linux/kprobes.h>
#include <linux/ptrace.h>

static __always_inline unsigned long *arch_args_word(struct pt_regs *regs)
{
	return &regs->orig_ax;
}

static __always_inline void arch_set_arguments(struct pt_regs *regs, unsigned long first,
					       unsigned long second)
{
	regs->di = first;
	regs->si = second;
}

/* kprobes append a jump to the copy of an instruction, so simulating it gains nothing. */
static __always_inline int arch_simulate(const struct kprobe *kprobe, struct pt_regs *regs)
{
	return 0;
}

#endif
