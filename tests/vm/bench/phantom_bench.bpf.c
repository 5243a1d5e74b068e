// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* The programs of phantom_bench.cpp. */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "tests/vm/bench/bench_arch.h"

__u64 sum;

SEC("kprobe/foo")
int empty(struct pt_regs *ctx)
{
	return 0;
}

/* Takes the argument of hit_bench_call() from where it is. */
SEC("kprobe/foo")
int takes_call(struct pt_regs *ctx)
{
	sum += bench_kept(ctx);
	return 0;
}

/* The arguments of hit_bench_three() are on the stack, so far from where it ends. */
const volatile __u32 distances[3];

SEC("kprobe/foo")
int takes_three(struct pt_regs *ctx)
{
	__u64 value = 0;

	for (int i = 0; i < 3; i++) {
		bpf_probe_read_kernel(&value, sizeof(value), (void *)(PT_REGS_SP(ctx) + distances[i]));
		sum += value;
	}
	return 0;
}

/* The kernel goes on, and fetches the arguments of the event. */
SEC("kprobe/foo")
int goes_on(struct pt_regs *ctx)
{
	return 1;
}

SEC("fentry")
int enter(void *ctx)
{
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
