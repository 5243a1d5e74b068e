/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* What the program of `btf-extra trace` hands to it: trace.bpf.c writes, the command reads. */
#ifndef BTF_EXTRA_TRACE_EVENT_H
#define BTF_EXTRA_TRACE_EVENT_H

#include <linux/types.h>

/* Later parameters of a function are not shown. */
#define TRACE_EVENT_ARGS 16

/* Functions in one run: cookies count them from 0. */
#define TRACE_EVENT_FUNCS 256

/* Events of functions with so few parameters are that much shorter. */
#define TRACE_EVENT_FEW_ARGS 4

/* Of the ring buffer "events". */
#define TRACE_RING_BYTES (16 << 20)

/* A call. Behind it: the values of all parameters of the function, low half first, or more. */
struct trace_event {
	__u64 time;		/* ns since boot, suspend left out */
	__u64 ip;		/* of the site */
	__u32 func;		/* cookie */
	__u32 cpu;
	__u32 pid;		/* of the thread */
	__u32 tgid;
	__u32 present;		/* bit n: parameter n has a value */
	__u32 reserved;
	char comm[16];
};

/* Calls at a site, per CPU, in the map "calls". */
struct trace_site {
	__u64 ip;
	__u64 func;
};

struct trace_calls {
	__u64 calls;
	__u64 dropped;		/* of these, without room for the event */
};

/* Of all sites, in .bss. */
struct trace_totals {
	__u64 dropped;
	__u64 uncounted;	/* calls that are not in the map */
};

#endif
