// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * The programs of attach_bench.cpp. They are as small as possible, so that the cost is that of
 * attaching.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

__u64 sum;

SEC("kprobe/foo")
int empty(struct pt_regs *ctx)
{
	return 0;
}

SEC("kprobe/foo")
int argument(struct pt_regs *ctx)
{
	sum += PT_REGS_PARM1(ctx);
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
