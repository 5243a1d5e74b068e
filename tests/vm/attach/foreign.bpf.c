// SPDX-License-Identifier: GPL-2.0
/* A program that calls a kfunc of foreign.ko. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

extern int bpf_foreign_add(int a, int b) __ksym;

__u64 sum;

SEC("kprobe")
int call_foreign(void *ctx)
{
	sum = bpf_foreign_add(sum, 3);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
