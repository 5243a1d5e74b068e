// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* Includes the evaluator with functions of this file as the helpers of BPF. */
#include "tests/support/bpf_steps.h"

#include <linux/bpf.h>
#include <string.h>

/* The header declares all helpers. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <bpf/bpf_helpers.h>

#define CONTEXT_SIZE 512	/* of which the header masks an offset */

static const void *steps_of_test, *context;
static loc_load_fn load_of_test;

static long loop(__u32 count, long (*each)(__u32, void *), void *data)
{
	__u32 i;

	for (i = 0; i < count && !each(i, data); i++)
		;
	return i;
}

static long read_kernel(void *to, __u32 size, const void *from)
{
	const __u64 address = (__u64)from, first = (__u64)context;

	if (address - first < CONTEXT_SIZE) {
		memcpy(to, from, size);
		return 0;
	}
	return load_of_test(to, address, size) ? 0 : -14;
}

#define bpf_loop(count, each, data, flags) loop(count, each, data)
#define bpf_map_lookup_elem(map, key) ((void)(key), steps_of_test)
#define bpf_probe_read_kernel(to, size, from) read_kernel(to, size, from)
#define __bpf__
#define __TARGET_ARCH_x86
#include "userspace/bpf/btf_loc.bpf.h"

long bpf_steps_evaluate(const void *steps, const void *registers, loc_load_fn load, u64 *value)
{
	steps_of_test = steps;
	context = registers;
	load_of_test = load;
	return btf_loc_evaluate((void *)registers, 0, 0, value);
}
