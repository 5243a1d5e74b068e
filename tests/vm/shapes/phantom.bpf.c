// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * A program of fentry for the phantom of any function of shapes.ko. shapes_guest says of which one,
 * and attaches it as it would to a function with a body.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "tests/vm/shapes/shapes_event.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, SHAPES_CPUS * SHAPES_EVENTS);
	__type(key, __u32);
	__type(value, struct shape_event);
} events SEC(".maps");

__u64 counts[SHAPES_CPUS];

const volatile __u32 shape;

/* The words of the arguments, in order: one of 16 bytes has two of them. */
SEC("fentry")
int phantom(__u64 *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	__u64 nr_words = bpf_get_func_arg_cnt(ctx);
	struct shape_event *event;
	__u32 key, i;

	if (cpu >= SHAPES_CPUS)
		return 0;
	key = cpu * SHAPES_EVENTS + counts[cpu];
	if (counts[cpu]++ >= SHAPES_EVENTS)
		return 0;
	event = bpf_map_lookup_elem(&events, &key);
	if (!event)
		return 0;
	__builtin_memset(event, 0, sizeof(*event));
	event->shape = shape;
	event->cpu = cpu;
	event->ip = bpf_get_func_ip(ctx);
	event->looked = (1U << nr_words) - 1;
	for (i = 0; i < 6; i++)
		if (i < nr_words)
			bpf_get_func_arg(ctx, i, &event->args[i][0]);
	return 0;
}
