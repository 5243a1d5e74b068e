/* SPDX-License-Identifier: (GPL-2.0 OR LGPL-2.1 OR BSD-2-Clause) */
/*
 * The array "events" has what the programs of real.bpf.c record at a hit, and "count" how many. At
 * a stub the site is in the stack, after the code that calls the stub.
 */
#ifndef BTF_EXTRA_REAL_EVENT_H
#define BTF_EXTRA_REAL_EVENT_H

#include <linux/types.h>

#define REAL_EVENTS 65536
#define REAL_FRAMES 8

struct real_event {
    __u64 cookie;
    __u64 site;
    __u64 args[4];
    __u64 frames[REAL_FRAMES]; /* addresses of the stack; 0 ends them */
    __u32 pid;
    __u32 reserved;
};

#endif
