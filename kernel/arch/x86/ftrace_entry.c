// SPDX-License-Identifier: GPL-2.0
#include <linux/string.h>
#include <linux/uaccess.h>

#include "arch/arch.h"

#define CALL 0xe8
#define JMP 0xe9

/*
 * The first instruction, except an ENDBR64, is a NOP, a call or, with DYNAMIC_FTRACE_WITH_JMP (in
 * 7.3, for fexit), a jump, of five bytes.
 */
bool arch_ftrace_entry(unsigned long address, unsigned long *called)
{
	static const u8 endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	u8 text[sizeof(endbr) + sizeof(nop)];
	u32 at = 0;
	s32 distance;

	if (copy_from_kernel_nofault(text, (const void *)address, sizeof(text)))
		return false;
	if (!memcmp(text, endbr, sizeof(endbr)))
		at = sizeof(endbr);
	*called = 0;
	if (!memcmp(text + at, nop, sizeof(nop)))
		return true;
	memcpy(&distance, text + at + 1, sizeof(distance));
	*called = address + at + sizeof(nop) + distance;
	return text[at] == CALL || text[at] == JMP;
}

/* No compiler lets a body begin after it, so no caller needs this. */
int arch_hook_size(unsigned long address)
{
	return -EAGAIN;
}

unsigned long arch_behind_hook(unsigned long address)
{
	return address;
}
