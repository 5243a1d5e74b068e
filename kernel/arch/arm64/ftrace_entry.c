// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/uaccess.h>

#include <asm/debug-monitors.h>

#include "arch/arch.h"

#define NOP 0xd503201f
#define BTI_C 0xd503245f
#define MOV_X9_X30 0xaa1e03e9
#define BL_MASK 0xfc000000
#define BL 0x94000000
#define HOOK_SIZE 8

/*
 * A hook is two instructions: a "mov x9, x30", or a NOP until ftrace sets up, and a NOP or a call.
 * A kprobe may replace the first one, because kprobes do not use ftrace here.
 */
static bool is_hook(unsigned long address, bool only_set_up, unsigned long *called)
{
	u32 text[2];

	if (copy_from_kernel_nofault(text, (const void *)address, sizeof(text)) ||
	    (text[0] != MOV_X9_X30 && (only_set_up ||
				       (text[0] != NOP && text[0] != BRK64_OPCODE_KPROBES))))
		return false;
	*called = text[0] == BRK64_OPCODE_KPROBES ? address : 0;
	if (text[1] == NOP)
		return true;
	*called = address + 4 + sign_extend64(text[1] & ~BL_MASK, 25) * 4;
	return (text[1] & BL_MASK) == BL;
}

/*
 * The hook is where the function begins, after a landing pad if there is one. GCC 12 lets DWARF
 * begin a function after its hook. NOPs there may be padding.
 */
bool arch_ftrace_entry(unsigned long address, unsigned long *called)
{
	u32 first;

	if (copy_from_kernel_nofault(&first, (const void *)address, sizeof(first)))
		return false;
	return is_hook(first == BTI_C ? address + 4 : address, false, called) ||
	       is_hook(address - HOOK_SIZE, true, called);
}

/*
 * ftrace sets up its hooks while the kernel boots, and those of a module before the module is
 * visible.
 */
int arch_hook_size(unsigned long address)
{
	u32 text[2], landing = 0;

	if (copy_from_kernel_nofault(text, (const void *)address, sizeof(text)))
		return -EAGAIN;
	if (text[0] == BTI_C)
		landing = 1;
	if (text[landing] == MOV_X9_X30)
		return 4 * landing + HOOK_SIZE;
	return text[landing] == NOP || text[landing] == BRK64_OPCODE_KPROBES ? -EAGAIN : 0;
}

unsigned long arch_behind_hook(unsigned long address)
{
	unsigned long hook, called;
	u32 first;

	if (copy_from_kernel_nofault(&first, (const void *)address, sizeof(first)))
		return address;
	hook = first == BTI_C ? address + 4 : address;
	return is_hook(hook, false, &called) ? hook + HOOK_SIZE : address;
}
