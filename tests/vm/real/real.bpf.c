// SPDX-License-Identifier: GPL-2.0
/*
 * A kprobe program as it always was: at a function that is called it is attached by perf, at one that
 * is inlined by btf_extra.ko. For one processor.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "tests/vm/real/real_event.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, REAL_EVENTS);
	__type(key, __u32);
	__type(value, struct real_event);
} events SEC(".maps");

__u64 count;

SEC("kprobe")
int note(struct pt_regs *ctx)
{
	__u32 key = count++;
	struct real_event *event = bpf_map_lookup_elem(&events, &key);

	if (!event)
		return 0;
	event->cookie = bpf_get_attach_cookie(ctx);
	event->ip = PT_REGS_IP(ctx);
	event->pid = bpf_get_current_pid_tgid() >> 32;
	event->args[0] = PT_REGS_PARM1(ctx);
	event->args[1] = PT_REGS_PARM2(ctx);
	event->args[2] = PT_REGS_PARM3(ctx);
	event->args[3] = PT_REGS_PARM4(ctx);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
