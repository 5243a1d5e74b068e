// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "loc_arch.h"

const struct loc_arch *loc_arch_of(u32 machine)
{
	switch (machine) {
	case LOC_MACHINE_X86_64:
		return &loc_arch_x86_64;
	case LOC_MACHINE_AARCH64:
		return &loc_arch_aarch64;
	default:
		return NULL;
	}
}

const struct loc_arch *loc_arch_running(void)
{
#if defined(__x86_64__)
	return &loc_arch_x86_64;
#elif defined(__aarch64__)
	return &loc_arch_aarch64;
#else
	return NULL;
#endif
}

const struct loc_register *loc_arch_register(const struct loc_arch *arch, u32 number)
{
	return arch && number < arch->nr_registers ? &arch->registers[number] : NULL;
}
