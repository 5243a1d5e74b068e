/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel side needs these facts of an architecture beyond core/loc_arch*.h. Each
 * architecture has a folder with them. For another one, add a folder, a line here,
 * a line in Kbuild and one in Kconfig.
 */
#ifndef BTF_EXTRA_ARCH_H
#define BTF_EXTRA_ARCH_H

#include <linux/ptrace.h>
#include <linux/types.h>

/* arch_args_word(): the word of struct pt_regs that has the number of a system call. */
#if defined(CONFIG_X86_64)
#include "x86/args_word.h"
#else
#error "btf_extra: this architecture has no folder in kernel/arch"
#endif

/*
 * Returns true if ftrace may know the function at an address: its NOP is there, or a call or jump.
 * *called is the target of that, 0 for a NOP.
 */
bool arch_ftrace_entry(unsigned long address, unsigned long *called);

/*
 * Calls a stub with the argument registers of args. A stack trace taken meanwhile goes on at the
 * address, with the registers of site.
 */
void arch_phantom_call(unsigned long stub, const struct pt_regs *args, const struct pt_regs *site,
		       unsigned long address);

#endif
