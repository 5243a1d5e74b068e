// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "loc_arch_key.h"

/* arch_jump_label_transform() writes these NOPs, and a jump of the same size in their place. */
static u32 x86_64_key_size(const u8 *code, u32 size)
{
	static const u8 nop_2[] = { 0x66, 0x90 };
	static const u8 nop_5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	if (size >= 2 && (code[0] == 0xeb || !memcmp(code, nop_2, 2)))
		return 2;
	if (size >= 5 && (code[0] == 0xe9 || !memcmp(code, nop_5, 5)))
		return 5;
	return 0;
}

/* A NOP, or a B. Instructions are little-endian. */
static u32 aarch64_key_size(const u8 *code, u32 size)
{
	static const u8 nop[] = { 0x1f, 0x20, 0x03, 0xd5 };

	return size >= 4 && ((code[3] & 0xfc) == 0x14 || !memcmp(code, nop, 4)) ? 4 : 0;
}

u32 loc_arch_key_size(const struct loc_arch *arch, const u8 *code, u32 size)
{
	switch (arch ? arch->machine : 0) {
	case LOC_MACHINE_X86_64:
		return x86_64_key_size(code, size);
	case LOC_MACHINE_AARCH64:
		return aarch64_key_size(code, size);
	default:
		return 0;
	}
}
