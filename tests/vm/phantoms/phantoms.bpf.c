// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* Programs at phantom functions. phantoms_guest says at which. */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

/* Tracing programs may call them from 6.12 on. */
extern int bpf_btf_extra_func_at(__u64 address) __ksym __weak;
extern int bpf_btf_extra_inlined_at(__u64 address) __ksym __weak;
extern int bpf_btf_extra_sites_at(__u64 address, void *sites, __u32 sites__sz) __ksym __weak;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} hash SEC(".maps");

struct {
	__u64 hits, last_arg, sum, idle; /* sum: of the first arguments; idle: hits of idle tasks */
	__u64 frames[16];
	__s32 nr_bytes;
	__u32 next_key;
	__u64 place; /* userspace writes it */
	__s32 func, inlined, sites; /* answers of the kfuncs for that place */
} seen;
const volatile bool updates;

/* Sees an argument. */
static __always_inline void look(__u64 *ctx)
{
	__u64 arg = 0;

	__sync_fetch_and_add(&seen.hits, 1);
	bpf_get_func_arg(ctx, 0, &arg);
	seen.last_arg = arg;
	__sync_fetch_and_add(&seen.sum, arg);
	if (!(__u32)bpf_get_current_pid_tgid())
		__sync_fetch_and_add(&seen.idle, 1);
}

/* Sees the stack, too; with updates it calls code that has sites of its own. */
SEC("fentry")
int enter(__u64 *ctx)
{
	__u64 value = 1;
	__u32 key;

	look(ctx);
	seen.nr_bytes = bpf_get_stack(ctx, seen.frames, sizeof(seen.frames), 0);
	if (updates) {
		key = seen.next_key++ % 100;
		bpf_map_update_elem(&hash, &key, &value, BPF_ANY);
		bpf_map_delete_elem(&hash, &key);
	}
	return 0;
}

SEC("multi")
int enter_any(__u64 *ctx)
{
	look(ctx);
	return 0;
}

SEC("kprobe.multi")
int enter_probe(struct pt_regs *ctx)
{
	__sync_fetch_and_add(&seen.hits, 1);
	__sync_fetch_and_add(&seen.sum, PT_REGS_PARM1(ctx));
	return 0;
}

SEC("fexit")
int leave(__u64 *ctx)
{
	__sync_fetch_and_add(&seen.hits, 1);
	bpf_get_func_arg(ctx, 0, &seen.last_arg);
	return 0;
}

/* Asks what is at a place. The stub is called in an NMI. */
SEC("fentry")
int ask(__u64 *ctx)
{
	__u64 room[16] = {};

	look(ctx);
	seen.func = bpf_btf_extra_func_at(seen.place);
	seen.inlined = bpf_btf_extra_inlined_at(seen.place);
	seen.sites = bpf_btf_extra_sites_at(seen.place, room, sizeof(room));
	return 0;
}
