// SPDX-License-Identifier: GPL-2.0
/* These programs run at every site of the kernel, the code of maps included. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define MOST_ARGS 12	/* the kernel attaches fentry to functions with no more */

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, __u64);
} calls SEC(".maps");

static __always_inline void count(__u64 function)
{
	__u64 one = 1;
	__u64 *counted = bpf_map_lookup_elem(&calls, &function);

	if (counted)
		__sync_fetch_and_add(counted, 1);
	else
		bpf_map_update_elem(&calls, &function, &one, BPF_ANY);
}

SEC("kprobe")
int count_call(void *ctx)
{
	count(bpf_get_attach_cookie(ctx));
	return 0;
}

/* Reads all arguments, so it does not run where one is missing. */
SEC("fentry")
int count_with_args(__u64 *ctx)
{
	__u64 value, all = 0;
	__u32 i;

	for (i = 0; i < MOST_ARGS; i++)
		if (!bpf_get_func_arg(ctx, i, &value))
			all ^= value;
	count(bpf_get_func_ip(ctx) + (all & 1));
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
