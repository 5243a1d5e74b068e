// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* Numbers: DWARF for the Arm 64-bit Architecture, section 4.1. Arguments: AAPCS64, section 6.8. */
#include "loc_arch.h"

#define X(number) { "x" #number, "x" #number, 8 * (number) }

static const struct loc_register registers[] = {
	X(0),  X(1),  X(2),  X(3),  X(4),  X(5),  X(6),  X(7),
	X(8),  X(9),  X(10), X(11), X(12), X(13), X(14), X(15),
	X(16), X(17), X(18), X(19), X(20), X(21), X(22), X(23),
	X(24), X(25), X(26), X(27), X(28), X(29), X(30),
	{ "sp", "sp", 8 * 31 },
};

static const u8 arguments[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

const struct loc_arch loc_arch_aarch64 = {
	.machine = LOC_MACHINE_AARCH64,
	.nr_numbers = 32,
	.registers = registers,
	.nr_registers = sizeof(registers) / sizeof(*registers),
	.arguments = arguments,
	.nr_arguments = sizeof(arguments),
};
