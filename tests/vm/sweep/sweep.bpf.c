// SPDX-License-Identifier: GPL-2.0
/* This program runs at every site of the kernel, the code of maps included. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, __u64);
} calls SEC(".maps");

SEC("kprobe")
int count_call(void *ctx)
{
	__u64 function = bpf_get_attach_cookie(ctx), one = 1;
	__u64 *count = bpf_map_lookup_elem(&calls, &function);

	if (count)
		__sync_fetch_and_add(count, 1);
	else
		bpf_map_update_elem(&calls, &function, &one, BPF_ANY);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
