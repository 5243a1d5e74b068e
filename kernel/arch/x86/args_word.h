/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BTF_EXTRA_X86_ARGS_WORD_H
#define BTF_EXTRA_X86_ARGS_WORD_H

#include <linux/ptrace.h>

static __always_inline unsigned long *arch_args_word(struct pt_regs *regs)
{
	return &regs->orig_ax;
}

#endif
