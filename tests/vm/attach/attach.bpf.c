// SPDX-License-Identifier: GPL-2.0
/* These programs call the functions that they trace. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} lru SEC(".maps");

__u32 next_key;

SEC("kprobe")
int into_hash(void *ctx)
{
	__u64 value = 1;
	__u32 key = next_key++ % 100;

	bpf_map_update_elem(&hash, &key, &value, BPF_ANY);
	bpf_map_delete_elem(&hash, &key);
	return 0;
}

SEC("kprobe")
int into_lru(void *ctx)
{
	__u64 value = 1;
	__u32 key = next_key++ % 100;

	bpf_map_update_elem(&lru, &key, &value, BPF_ANY);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
