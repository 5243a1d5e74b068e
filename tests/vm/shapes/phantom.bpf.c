// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * A program of fentry for the phantom of any function of shapes.ko. shapes_guest says of which one,
 * and attaches it as it would to a function with a body.
 */
#include "tests/vm/shapes/shapes_log.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile __u32 shape;

/* The words of the arguments, in order: one of 16 bytes has two of them. */
SEC("fentry")
int phantom(__u64 *ctx)
{
	struct shape_event *event = begin_event(shape, bpf_get_func_ip(ctx));
	__u64 nr_words = bpf_get_func_arg_cnt(ctx);
	__u32 i;

	if (!event)
		return 0;
	event->looked = (1U << nr_words) - 1;
	for (i = 0; i < 6; i++)
		if (i < nr_words)
			bpf_get_func_arg(ctx, i, &event->args[i][0]);
	return 0;
}
