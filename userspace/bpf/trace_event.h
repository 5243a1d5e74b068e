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

/* The most values that are read for a filter, for --show and for --summary, and tests in a filter. */
#define TRACE_VALUES 16
#define TRACE_TESTS 32

/* A value: a number of up to 16 bytes, low half first, or a text that ends with NUL or is cut. */
#define TRACE_VALUE_WORDS 8

/* The most pointers that are followed to a value, and texts in a filter. */
#define TRACE_STEPS 8
#define TRACE_TEXTS 4

/* Size of the ring buffer "events". */
#define TRACE_RING_BYTES (16 << 20)

/*
 * A call. The values of all parameters of the function follow, low half first, 16 bytes each. After
 * them come the values of --show, TRACE_VALUE_WORDS each, and the addresses of the stack: that of
 * the site, and those that calls return to.
 */
struct trace_event {
	__u64 time;		/* ns since boot, without suspend */
	__u64 ip;		/* address of the site */
	__u32 func;		/* the function's cookie */
	__u32 cpu;
	__u32 pid;		/* id of the thread */
	__u32 tgid;
	__u32 present;		/* bit n: parameter n has a value */
	__u32 nr_frames;	/* of the stack; 0: not requested, or not known */
	__u32 shown;		/* bit n: value n of --show is there */
	__u32 reserved;
	__u64 link;		/* bpf_loc_link() */
	char comm[16];
};

/* Calls at a site, per CPU, in the map "calls". */
struct trace_site {
	__u64 ip;
	__u64 func;
};

struct trace_calls {
	__u64 calls;		/* that pass the filter */
	__u64 dropped;		/* calls of these for whose event there was no room */
	__u64 filtered;		/* calls that do not pass it */
	__u64 untold;		/* calls for which a value that the filter needs is missing */
};

enum trace_source {
	TRACE_PARAMETER,
	TRACE_COMM,		/* a text */
	TRACE_PID,		/* of the thread */
	TRACE_TGID,
	TRACE_CPU,
	TRACE_VARIABLE,		/* the address of a variable of the kernel */
};

/*
 * How a value is read. It begins with the parameter or the address. Each step takes the number as an address, adds
 * its offset and reads the next number there. The value is in the bits from "shift" on of word
 * "word"; more than 64 are taken as they are.
 */
struct trace_value {
	__u8 source;		/* enum trace_source */
	__u8 param;
	__u8 nr_steps;
	__u8 is_text;		/* at the last step is one of less than "bits" bytes, by the
				   kernel's address or a user's */
	__u8 is_signed;
	__u8 word;
	__u8 shift;
	__u8 bits;
	__s32 offsets[TRACE_STEPS];
	__u64 mask;		/* what counts of the number */
	__u64 base;		/* TRACE_VARIABLE: the address */
};

enum trace_test_code {
	TRACE_EQUAL,
	TRACE_LESS,
	TRACE_NOT_ZERO,
	TRACE_EQUAL_TEXT,
	/* These take their operands from the tests before. */
	TRACE_AND,
	TRACE_OR,
	TRACE_NOT,
};

#define TRACE_CONSTANT 0xff

/* One of the filter, in postfix order. Numbers are compared as such, whatever their types. */
struct trace_test {
	__u8 code;		/* enum trace_test_code */
	__u8 left;		/* number of a value, or TRACE_CONSTANT */
	__u8 right;		/* likewise; for a text its number in the texts */
	__u8 is_signed;		/* the constant */
	__u32 reserved;
	__u64 constant;
};

enum trace_summary {
	TRACE_EACH_CALL,	/* no summary, but an event for each call */
	TRACE_BY_SITE,
	TRACE_BY_CALLER,
	TRACE_BY_VALUE,		/* the first one that would be shown */
};

/* A plan lists the values and the filter of a function. The map "plans" has one for each cookie. */
struct trace_plan {
	__u8 nr_args;		/* parameters that events have */
	__u8 nr_values;
	__u8 nr_filter;		/* values that the filter needs; the others are shown */
	__u8 nr_tests;		/* 0: no filter */
	__u8 reserved[4];
	struct trace_value values[TRACE_VALUES];
	struct trace_test tests[TRACE_TESTS];
	__u64 texts[TRACE_TEXTS][TRACE_VALUE_WORDS];
};

/* Calls of a group are counted together, per CPU, in the map "groups". */
struct trace_group {
	__u32 func;
	__u32 present;		/* 0: the value is missing */
	__u64 words[TRACE_VALUE_WORDS];	/* the value; by caller: the site, its caller in the stack, link */
};

/* Calls of others are not told apart. */
#define TRACE_GROUPS 16384

/* The loader says this, in .rodata. */
struct trace_settings {
	__u8 stacks;		/* events have the stack */
	__u8 summary;		/* enum trace_summary */
};

/* The loader writes this while probes are armed, in .data. */
struct trace_control {
	__u32 counting;		/* calls count */
	__u32 own_tgid;		/* calls in the threads of this process do not; 0: all do */
};

/* The context of the program "look_at_process". */
struct trace_process {
	__u32 tgid;		/* out: of the caller, as programs see it */
	__u32 reserved;
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
	__u64 ungrouped;	/* calls for whose group the map has no room */
	__u64 own;		/* calls in the threads of trace_control.own_tgid */
};

#endif
