// SPDX-License-Identifier: GPL-2.0
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "arch/arch.h"
#include "objects/kernel_symbol.h"

bool kernel_symbol_around(unsigned long address, char *name, struct symbol_extent *extent)
{
	unsigned long offset, size;
	char *plus;

	/* The text is "name+0x10/0x20 [module]". */
	sprint_symbol(name, address);
	plus = strrchr(name, '+');
	if (!plus || sscanf(plus, "+%lx/%lx", &offset, &size) != 2)
		return false;
	*plus = '\0';
	*extent = (struct symbol_extent){ address - offset, address - offset + size };
	return true;
}

bool kernel_symbol_at(unsigned long address, char *name)
{
	struct symbol_extent extent;

	return kernel_symbol_around(address, name, &extent) &&
	       (address == extent.start || address == arch_behind_hook(extent.start));
}
