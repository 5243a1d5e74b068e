/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* The records that the program of `btf-extra trace` writes and the command reads. */
#ifndef BTF_EXTRA_TRACE_EVENT_H
#define BTF_EXTRA_TRACE_EVENT_H

#include <linux/types.h>

/* Parameters after these are not shown. */
#define TRACE_EVENT_ARGS 16

/* The most functions in one run. Cookies number them from 0. */
#define TRACE_EVENT_FUNCS 256

/* Callers after these are not shown. */
#define TRACE_EVENT_FRAMES 64

/* Size of the ring buffer "events". */
#define TRACE_RING_BYTES (16 << 20)

/*
 * A call. The values of all parameters of the function follow, low half first, 16 bytes each. After
 * them come the addresses of the stack: that of the site, and those that calls return to.
 */
struct trace_event {
	__u64 time;		/* ns since boot, without suspend */
	__u64 ip;		/* address of the site */
	__u32 func;		/* the function's cookie */
	__u32 cpu;
	__u32 pid;		/* id of the thread */
	__u32 tgid;
	__u32 present;		/* bit n: parameter n has a value */
	__u32 nr_frames;	/* of the stack; 0: it was not asked for, or it is not known */
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

/* What the loader says, in .rodata. */
struct trace_settings {
	__u8 nr_args[TRACE_EVENT_FUNCS];	/* by cookie: the parameters that events have */
	__u8 stacks;				/* events have the stack */
};

/* The context of the program "look_at_code". */
struct trace_code {
	__u64 address;		/* in */
	__u32 unwinds;		/* out: bpf_loc_unwinds() of the instruction there */
	__u32 reserved;
};

/* The sums over all sites, in .bss. */
struct trace_totals {
	__u64 dropped;
	__u64 uncounted;	/* calls at sites for which the map has no room */
};

#endif
