/* SPDX-License-Identifier: (GPL-2.0 OR LGPL-2.1 OR BSD-2-Clause) */
/* What the BPF programs tell of a call. */
#ifndef BTF_EXTRA_SHAPES_EVENT_H
#define BTF_EXTRA_SHAPES_EVENT_H

#include "tests/vm/shapes/shapes.h"

/*
 * Each processor has its part of the array "events", and the number of those it holds, in "counts".
 * A ring buffer would drop those that two processors write at once: at an int3 nothing may wait.
 */
#define SHAPES_CPUS 4
#define SHAPES_EVENTS 4096 /* of a processor */

struct shape_event {
    __u32 shape;
    __u32 cpu;
    __u64 ip;      /* as the program sees it: the site + 1 */
    __u32 looked;  /* bit n: the program has looked for argument n */
    __u32 present; /* bit n: and it was said to be there */
    __u64 args[SHAPES_ARGS][2];
};

#endif
