/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* The records that the program of `btf-extra trace` writes and the command reads. */
#ifndef BTF_EXTRA_TRACE_EVENT_H
#define BTF_EXTRA_TRACE_EVENT_H

#include <linux/types.h>

/* Parameters after these are not shown. */
#define TRACE_EVENT_ARGS 16

/* The most functions in one run. Cookies number them from 0. */
#define TRACE_EVENT_FUNCS 256

/* Events of functions with at most this many parameters are shorter. */
#define TRACE_EVENT_FEW_ARGS 4

/* Size of the ring buffer "events". */
#define TRACE_RING_BYTES (16 << 20)

/* A call. The values of all parameters of the function follow, low half first, and perhaps more. */
struct trace_event {
	__u64 time;		/* ns since boot, without suspend */
	__u64 ip;		/* address of the site */
	__u32 func;		/* the function's cookie */
	__u32 cpu;
	__u32 pid;		/* id of the thread */
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
	__u64 dropped;		/* calls of these for whose event there was no room */
};

/* The sums over all sites, in .bss. */
struct trace_totals {
	__u64 dropped;
	__u64 uncounted;	/* calls at sites for which the map has no room */
};

#endif
