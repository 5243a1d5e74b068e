/* SPDX-License-Identifier: (GPL-2.0 OR LGPL-2.1 OR BSD-2-Clause) */
/* The BPF programs record a call like this. */
#ifndef BTF_EXTRA_SHAPES_EVENT_H
#define BTF_EXTRA_SHAPES_EVENT_H

#include "tests/vm/shapes/shapes.h"

/*
 * Each processor has its part of the array "events", and "counts" has the number of its events. A
 * ring buffer would drop events that two processors write at once, because nothing may wait at an
 * int3.
 */
#define SHAPES_CPUS 4
#define SHAPES_EVENTS 4096 /* for each processor */

struct shape_event {
    __u32 shape;
    __u32 cpu;
    __u64 ip;      /* as the program sees it: the address of the site */
    __u32 looked;  /* bit n: the program has looked for argument n */
    __u32 present; /* bit n: the program has found argument n */
    __u64 args[SHAPES_ARGS][2];
};

#endif
