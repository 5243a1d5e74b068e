/* SPDX-License-Identifier: (GPL-2.0 OR LGPL-2.1 OR BSD-2-Clause) */
/* BPF programs write down calls of the functions of shapes.ko here. */
#ifndef BTF_EXTRA_SHAPES_LOG_BPF_H
#define BTF_EXTRA_SHAPES_LOG_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "tests/vm/shapes/shapes_event.h"

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, SHAPES_CPUS *SHAPES_EVENTS);
    __type(key, __u32);
    __type(value, struct shape_event);
} events SEC(".maps");

/* The number of events. Those above SHAPES_EVENTS are lost. */
__u64 counts[SHAPES_CPUS];

/* Returns the event of a call; NULL: there is no place for it. */
static __always_inline struct shape_event *begin_event(__u32 shape, __u64 ip) {
    __u32 cpu = bpf_get_smp_processor_id();
    struct shape_event *event;
    __u32 key;

    if (cpu >= SHAPES_CPUS)
        return NULL;
    key = cpu * SHAPES_EVENTS + counts[cpu];
    if (counts[cpu]++ >= SHAPES_EVENTS)
        return NULL;
    event = bpf_map_lookup_elem(&events, &key);
    if (!event)
        return NULL;
    __builtin_memset(event, 0, sizeof(*event));
    event->shape = shape;
    event->cpu = cpu;
    event->ip = ip;
    return event;
}

#endif
