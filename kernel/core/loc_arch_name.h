/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
#ifndef BTF_EXTRA_LOC_ARCH_NAME_H
#define BTF_EXTRA_LOC_ARCH_NAME_H

#include "loc_arch.h"

/* Returns the name of a machine that loc_arch_of() knows, as uname -m prints it; NULL: another. */
static inline const char *loc_arch_name(u32 machine)
{
	switch (machine) {
	case LOC_MACHINE_X86_64:
		return "x86_64";
	case LOC_MACHINE_AARCH64:
		return "aarch64";
	default:
		return NULL;
	}
}

#endif
