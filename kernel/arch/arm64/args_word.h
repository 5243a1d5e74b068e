/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BTF_EXTRA_ARM64_ARGS_WORD_H
#define BTF_EXTRA_ARM64_ARGS_WORD_H

#include <linux/ptrace.h>

/* The number itself is in 32 bits; this is the first argument, which a restarted call needs. */
static __always_inline unsigned long *arch_args_word(struct pt_regs *regs)
{
	return (unsigned long *)&regs->orig_x0;
}

#endif
