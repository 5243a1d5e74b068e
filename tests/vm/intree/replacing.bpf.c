// SPDX-License-Identifier: GPL-2.0
/* It replaces a function of replace.bpf.c. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("freplace/replace_answer")
int replace_answers(int value)
{
	return value + 100;
}

__u64 replace_seen;

SEC("fentry/replace_answer")
int replace_sees(__u64 *ctx)
{
	replace_seen = ctx[0];
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
