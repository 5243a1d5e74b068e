/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BTF_EXTRA_ARM64_HIT_H
#define BTF_EXTRA_ARM64_HIT_H

#include <linux/kprobes.h>
#include <linux/ptrace.h>

/* The number itself is in 32 bits; this is the first argument, which a restarted call needs. */
static __always_inline unsigned long *arch_args_word(struct pt_regs *regs)
{
	return (unsigned long *)&regs->orig_x0;
}

static __always_inline void arch_set_arguments(struct pt_regs *regs, unsigned long first,
					       unsigned long second)
{
	regs->regs[0] = first;
	regs->regs[1] = second;
}

int arch_simulate(const struct kprobe *kprobe, struct pt_regs *regs);

#endif
