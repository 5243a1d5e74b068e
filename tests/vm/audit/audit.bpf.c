// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* Programs that count. Each is attached to one function after another. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

__u64 calls;

SEC("kprobe")
int by_kprobe(void *ctx)
{
	__sync_fetch_and_add(&calls, 1);
	return 0;
}

SEC("?kprobe.multi")
int by_kprobe_multi(void *ctx)
{
	__sync_fetch_and_add(&calls, 1);
	return 0;
}

SEC("?fentry/tcp_v4_rcv")
int by_fentry(void *ctx)
{
	__sync_fetch_and_add(&calls, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
