// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* Programs that do nothing. Each is attached to one function after another. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("kprobe")
int by_kprobe(void *ctx)
{
	return 0;
}

SEC("?fentry/tcp_v4_rcv")
int by_fentry(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
