// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* Records every call of skb_headlen(). No kprobe sees one, because it is inlined everywhere. */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/btf_loc.bpf.h>

struct sk_buff {
	unsigned int len, data_len;
} __attribute__((preserve_access_index));

/* Each event is one struct call, which kloc.c also declares. */
struct call {
	__u64 site;	/* address of the site */
	__u64 skb;
	__u32 len;
	__u32 known;	/* 1 if skb has a location at this site */
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} calls SEC(".maps");

SEC("kloc/vmlinux:skb_headlen")
int BPF_KLOC(on_headlen, const struct sk_buff *skb)
{
	struct call *call = bpf_ringbuf_reserve(&calls, sizeof(*call), 0);
	__u64 value;

	if (!call)
		return 0;
	call->site = bpf_loc_ip(ctx);
	call->skb = (__u64)skb;
	call->known = bpf_loc_arg(ctx, 0, &value) == 0;
	if (!call->known || bpf_probe_read_kernel(&call->len, sizeof(call->len),
						  __builtin_preserve_access_index(&skb->len)))
		call->len = 0;
	bpf_ringbuf_submit(call, 0);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
