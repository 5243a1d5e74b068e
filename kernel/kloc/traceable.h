/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decides whether ftrace can trace the function around an address. perf and tracefs do not probe
 * functions that it cannot trace (notrace: tracing itself needs them).
 */
#ifndef BTF_EXTRA_TRACEABLE_H
#define BTF_EXTRA_TRACEABLE_H

#include <linux/ftrace.h>
#include <linux/types.h>

#include "objects/kernel_symbol.h"

struct traceable {
#ifdef CONFIG_DYNAMIC_FTRACE
	struct ftrace_ops ops;		/* is never registered */
#endif
	char *symbol;			/* [KSYM_SYMBOL_LEN] */
	struct symbol_extent function;	/* the function that was asked about last */
	bool answer;
};

/* Returns 0 or -ENOMEM. End it in either case. */
int traceable_begin(struct traceable *traceable);
/* Returns 1, 0 or -ENOMEM. May sleep. */
int traceable_address(struct traceable *traceable, unsigned long address);
void traceable_end(struct traceable *traceable);

#endif
