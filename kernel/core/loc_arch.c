// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "loc_arch.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Numbers: System V ABI for x86-64, figure 3.36. Arguments: section 3.2.3. */

static const struct loc_register x86_64_registers[] = {
	{ "%rax", "ax", 80 },	{ "%rdx", "dx", 96 },	{ "%rcx", "cx", 88 },
	{ "%rbx", "bx", 40 },	{ "%rsi", "si", 104 },	{ "%rdi", "di", 112 },
	{ "%rbp", "bp", 32 },	{ "%rsp", "sp", 152 },	{ "%r8", "r8", 72 },
	{ "%r9", "r9", 64 },	{ "%r10", "r10", 56 },	{ "%r11", "r11", 48 },
	{ "%r12", "r12", 24 },	{ "%r13", "r13", 16 },	{ "%r14", "r14", 8 },
	{ "%r15", "r15", 0 },
};

/* rdi, rsi, rdx, rcx, r8, r9 */
static const u8 x86_64_arguments[] = { 5, 4, 1, 2, 8, 9 };

/* Numbers: DWARF for the Arm 64-bit Architecture, section 4.1. Arguments: AAPCS64, section 6.8. */

#define X(number) { "x" #number, "x" #number, 8 * (number) }

static const struct loc_register aarch64_registers[] = {
	X(0),  X(1),  X(2),  X(3),  X(4),  X(5),  X(6),  X(7),
	X(8),  X(9),  X(10), X(11), X(12), X(13), X(14), X(15),
	X(16), X(17), X(18), X(19), X(20), X(21), X(22), X(23),
	X(24), X(25), X(26), X(27), X(28), X(29), X(30),
	{ "sp", "sp", 8 * 31 },
};

static const u8 aarch64_arguments[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static const struct loc_arch archs[] = {
	{ .machine = LOC_MACHINE_X86_64,
	  .nr_numbers = 17,	/* 16 is the return address, the column of rip */
	  .registers = x86_64_registers, .nr_registers = COUNT(x86_64_registers),
	  .arguments = x86_64_arguments, .nr_arguments = COUNT(x86_64_arguments),
	  .syscall_prefix = "__x64_sys_" },
	{ .machine = LOC_MACHINE_AARCH64,
	  .nr_numbers = 32,
	  .registers = aarch64_registers, .nr_registers = COUNT(aarch64_registers),
	  .arguments = aarch64_arguments, .nr_arguments = COUNT(aarch64_arguments),
	  /* GCC puts two of its four NOPs there since commit baaf553d3bc3 (6.3). */
	  .hook_before = 8,
	  /* BTI, and the two NOPs that GCC 12 puts between symbol and DW_AT_low_pc. */
	  .hook_size = 12,
	  .syscall_prefix = "__arm64_sys_" },
};

const struct loc_arch *loc_arch_of(u32 machine)
{
	u32 i;

	for (i = 0; i < COUNT(archs); i++)
		if (archs[i].machine == machine)
			return &archs[i];
	return NULL;
}

const struct loc_arch *loc_arch_running(void)
{
#if defined(__x86_64__)
	return loc_arch_of(LOC_MACHINE_X86_64);
#elif defined(__aarch64__)
	return loc_arch_of(LOC_MACHINE_AARCH64);
#else
	return NULL;
#endif
}

const struct loc_register *loc_arch_register(const struct loc_arch *arch, u32 number)
{
	return arch && number < arch->nr_registers ? &arch->registers[number] : NULL;
}

/* A segment, the size of an operand or an address, LOCK, REP, or REX. */
static bool is_x86_64_prefix(u8 byte)
{
	static const u8 prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67,
				       0xf0, 0xf2, 0xf3 };

	return (byte & 0xf0) == 0x40 || memchr(prefixes, byte, sizeof(prefixes));
}

enum loc_call loc_arch_call(const struct loc_arch *arch, const u8 *code, u32 size)
{
	u32 at = 0;

	if (!arch || arch->machine != LOC_MACHINE_X86_64)
		return LOC_CALL_NONE;
	while (at < size && is_x86_64_prefix(code[at]))
		at++;
	if (at > 0 && at < size && code[at] == 0xe8)
		return LOC_CALL_PREFIXED;
	if (at + 1 < size && code[at] == 0xff && (code[at + 1] & 0xf8) == 0xd0)
		return LOC_CALL_REGISTER;
	return LOC_CALL_NONE;
}
