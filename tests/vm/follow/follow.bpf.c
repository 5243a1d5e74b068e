// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Programs as a tool attaches them by plain names. For those with "any" in their name follow_guest
 * says at which function. They count the calls of one process, or of all.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "tests/vm/follow/seen.h"

char LICENSE[] SEC("license") = "GPL";

struct follow_state state;

static __always_inline int is_ours(void)
{
	return !state.only_pid || bpf_get_current_pid_tgid() >> 32 == state.only_pid;
}

static __always_inline void keep(struct seen *seen, __u32 n, __u64 value)
{
	seen->args[n] = value;
	__sync_fetch_and_add(&seen->sums[n], value);
}

SEC("fentry/ksys_fallocate")
int BPF_PROG(fallocate_all, int fd, int mode, long long offset, long long len)
{
	__u64 second = 0;

	if (!is_ours())
		return 0;
	__sync_fetch_and_add(&state.by_fentry.calls, 1);
	keep(&state.by_fentry, 0, ctx[0]);
	keep(&state.by_fentry, 1, mode);
	keep(&state.by_fentry, 2, offset);
	keep(&state.by_fentry, 3, len);
	bpf_get_func_arg(ctx, 2, &second);
	keep(&state.by_fentry, 4, second);
	state.by_fentry.ip = bpf_get_func_ip(ctx);
	state.by_fentry.cookie = bpf_get_attach_cookie(ctx);
	state.by_fentry.count = bpf_get_func_arg_cnt(ctx);
	bpf_get_stack(ctx, state.by_fentry.frames, sizeof(state.by_fentry.frames), 0);
	return 0;
}

/* It follows a pointer, as the verifier lets it. */
struct path {
	void *mnt;
	void *dentry;
} __attribute__((preserve_access_index));

SEC("fentry/path_put")
int BPF_PROG(path_put_all, const struct path *path)
{
	if (!is_ours())
		return 0;
	__sync_fetch_and_add(&state.by_fentry.calls, 1);
	keep(&state.by_fentry, 0, (__u64)path);
	keep(&state.by_fentry, 1, (__u64)path->dentry);
	return 0;
}

SEC("kprobe")
int path_put_kprobe(struct pt_regs *ctx)
{
	__u64 dentry = 0;

	if (!is_ours())
		return 0;
	__sync_fetch_and_add(&state.by_kprobe.calls, 1);
	keep(&state.by_kprobe, 0, PT_REGS_PARM1(ctx));
	bpf_probe_read_kernel(&dentry, sizeof(dentry),
			      &((struct path *)PT_REGS_PARM1(ctx))->dentry);
	keep(&state.by_kprobe, 1, dentry);
	return 0;
}

/* Any function: how often, and its first arguments. */
SEC("fentry")
int any_all(__u64 *ctx)
{
	__u64 value;
	__u32 i;

	if (!is_ours())
		return 0;
	__sync_fetch_and_add(&state.by_fentry.calls, 1);
	for (i = 0; i < SEEN_ARGS; i++)
		if (!bpf_get_func_arg(ctx, i, &value))
			keep(&state.by_fentry, i, value);
	state.by_fentry.count = bpf_get_func_arg_cnt(ctx);
	return 0;
}

SEC("fentry")
int any_none(__u64 *ctx)
{
	if (is_ours())
		__sync_fetch_and_add(&state.by_other.calls, 1);
	return 0;
}

SEC("kprobe")
int any_kprobe(struct pt_regs *ctx)
{
	if (!is_ours())
		return 0;
	__sync_fetch_and_add(&state.by_kprobe.calls, 1);
	keep(&state.by_kprobe, 0, PT_REGS_PARM1(ctx));
	keep(&state.by_kprobe, 1, PT_REGS_PARM2(ctx));
	keep(&state.by_kprobe, 2, PT_REGS_PARM3(ctx));
	keep(&state.by_kprobe, 3, PT_REGS_PARM4(ctx));
	keep(&state.by_kprobe, 4, PT_REGS_PARM5(ctx));
	return 0;
}

/* Programs that cannot be followed. */
SEC("fexit/ksys_fallocate")
int BPF_PROG(at_exit)
{
	return 0;
}

SEC("fmod_ret/__x64_sys_fallocate")
int BPF_PROG(modifies)
{
	return 0;
}

SEC("fentry.s/__x64_sys_fallocate")
int BPF_PROG(sleeps)
{
	return 0;
}

SEC("kprobe/ksys_fallocate")
int BPF_KPROBE(by_event)
{
	return 0;
}

/* Comes by its own function, at the body and at inlined calls. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} hash SEC(".maps");

/* The kernel calls a function to look up in this one. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} percpu_hash SEC(".maps");

SEC("fentry")
int recurs(__u64 *ctx)
{
	__u32 key = 7;
	__u64 value = 1;

	__sync_fetch_and_add(&state.by_fentry.calls, 1);
	bpf_map_update_elem(&hash, &key, &value, BPF_ANY);
	if (bpf_map_lookup_elem(&hash, &key))
		__sync_fetch_and_add(&state.by_fentry.count, 1);
	bpf_map_delete_elem(&hash, &key);
	bpf_map_update_elem(&percpu_hash, &key, &value, BPF_ANY);
	if (bpf_map_lookup_elem(&percpu_hash, &key))
		__sync_fetch_and_add(&state.by_fentry.count, 1);
	return 0;
}

/* Unlike a system call that changes a map, it does not keep other programs from running. */
SEC("raw_tp/sys_enter")
int at_tracepoint(void *ctx)
{
	__u32 key = 7;

	if (is_ours() && bpf_map_lookup_elem(&hash, &key))
		__sync_fetch_and_add(&state.by_other.count, 1);
	return 0;
}
