/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel side needs these facts of an architecture beyond core/loc_arch*.h. Each
 * architecture has a folder with them. For another one, add a folder, a line here,
 * a line in Kbuild and one in Kconfig.
 */
#ifndef BTF_EXTRA_ARCH_H
#define BTF_EXTRA_ARCH_H

#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/types.h>

/*
 * arch_args_word(): a word of struct pt_regs that has a meaning only in system calls, where
 * btf_loc.bpf.h looks for it.
 *
 * arch_set_arguments(): sets the first two argument registers of a call.
 *
 * arch_simulate(): the value that a kprobe's pre_handler returns at its end. 1: it has changed the
 * registers as the probed instruction changes them, and no other probe has this address. 0: the
 * kernel must execute the instruction.
 */
#if defined(CONFIG_X86_64)
#include "arch/x86/hit.h"
#elif defined(CONFIG_ARM64)
#include "arch/arm64/hit.h"
#else
#error "btf_extra: this architecture has no folder in kernel/arch"
#endif

/*
 * Returns true if ftrace may know the function at an address, by its NOP, call or jump. *called is
 * the target of the call or jump, 0 for a NOP, or the address of a kprobe that replaces it.
 */
bool arch_ftrace_entry(unsigned long address, unsigned long *called);

/*
 * Returns the bytes of the hook that the function at an address begins with; 0: it has none;
 * -EAGAIN: the code does not show it.
 */
int arch_hook_size(unsigned long address);

/*
 * Returns the address after the hook of the function at an address, or the address itself if there
 * cannot be a hook. Other code may look like a hook, so the caller must know more.
 */
unsigned long arch_behind_hook(unsigned long address);

/*
 * Calls a stub, or the code of a program, with the argument registers of args. A stack trace taken
 * meanwhile continues at the address, with the registers of site.
 */
void arch_phantom_call(unsigned long stub, const struct pt_regs *args, const struct pt_regs *site,
		       unsigned long address);

#endif
