// SPDX-License-Identifier: GPL-2.0
/* A program with a function that another program replaces or attaches to. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

__noinline int replace_answer(int value)
{
	volatile int hidden = value;

	return hidden + 1;
}

SEC("socket")
int replace_asks(struct __sk_buff *buffer)
{
	return replace_answer(41);
}

char LICENSE[] SEC("license") = "GPL";
