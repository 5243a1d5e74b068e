// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A program that holds the module of the stub to which it is attached.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("fentry/skb_headlen")
int on_headlen(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
