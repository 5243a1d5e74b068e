// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* Numbers: System V ABI for x86-64, figure 3.36. Arguments: section 3.2.3. */
#include "loc_arch.h"

static const struct loc_register registers[] = {
	{ "%rax", "ax", 80 },	{ "%rdx", "dx", 96 },	{ "%rcx", "cx", 88 },
	{ "%rbx", "bx", 40 },	{ "%rsi", "si", 104 },	{ "%rdi", "di", 112 },
	{ "%rbp", "bp", 32 },	{ "%rsp", "sp", 152 },	{ "%r8", "r8", 72 },
	{ "%r9", "r9", 64 },	{ "%r10", "r10", 56 },	{ "%r11", "r11", 48 },
	{ "%r12", "r12", 24 },	{ "%r13", "r13", 16 },	{ "%r14", "r14", 8 },
	{ "%r15", "r15", 0 },
};

/* rdi, rsi, rdx, rcx, r8, r9 */
static const u8 arguments[] = { 5, 4, 1, 2, 8, 9 };

const struct loc_arch loc_arch_x86_64 = {
	.machine = LOC_MACHINE_X86_64,
	.nr_numbers = 17,	/* 16 is the return address, the column of rip */
	.registers = registers,
	.nr_registers = sizeof(registers) / sizeof(*registers),
	.arguments = arguments,
	.nr_arguments = sizeof(arguments),
};
