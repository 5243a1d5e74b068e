// SPDX-License-Identifier: GPL-2.0
/*
 * note is an ordinary kprobe program. perf attaches it to a function that is called, btf_extra.ko
 * to one that is inlined. note_loc does the same for perf kprobes at inlined functions. at_stub and
 * at_stubs are for the stubs of inlined functions. All work on one processor only.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_tracing.h>

#include "userspace/bpf/btf_loc.bpf.h"
#include "tests/vm/real/real_event.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, REAL_EVENTS);
	__type(key, __u32);
	__type(value, struct real_event);
} events SEC(".maps");

__u64 count;

static __always_inline struct real_event *next_event(void)
{
	__u32 key = count++;
	struct real_event *event = bpf_map_lookup_elem(&events, &key);

	if (event)
		event->pid = bpf_get_current_pid_tgid() >> 32;
	return event;
}

SEC("kprobe")
int note(struct pt_regs *ctx)
{
	struct real_event *event = next_event();

	if (!event)
		return 0;
	event->cookie = bpf_get_attach_cookie(ctx);
	/* x86 has one past the breakpoint there, if it is a kprobe of perf's. */
	event->site = PT_REGS_IP(ctx) - (btf_loc_marked(ctx) || !BTF_LOC_BLURS(0xcc) ? 0 : 1);
	event->args[0] = PT_REGS_PARM1(ctx);
	event->args[1] = PT_REGS_PARM2(ctx);
	event->args[2] = PT_REGS_PARM3(ctx);
	event->args[3] = PT_REGS_PARM4(ctx);
	return 0;
}

SEC("kprobe")
int note_loc(struct pt_regs *ctx)
{
	struct real_event *event = next_event();

	if (!event)
		return 0;
	event->cookie = bpf_loc_cookie(ctx);
	event->site = bpf_loc_ip(ctx);
	bpf_loc_arg(ctx, 0, &event->args[0]);
	bpf_loc_arg(ctx, 1, &event->args[1]);
	bpf_loc_arg(ctx, 2, &event->args[2]);
	bpf_loc_arg(ctx, 3, &event->args[3]);
	return 0;
}

/* ---- stubs ---- */

static __always_inline struct real_event *next_event_at_stub(void *ctx)
{
	struct real_event *event = next_event();

	if (!event)
		return NULL;
	event->cookie = bpf_get_attach_cookie(ctx);
	__builtin_memset(event->frames, 0, sizeof(event->frames));
	bpf_get_stack(ctx, event->frames, sizeof(event->frames), 0);
	return event;
}

SEC("fentry")
int at_stub(__u64 *ctx)
{
	struct real_event *event = next_event_at_stub(ctx);

	if (!event)
		return 0;
	bpf_get_func_arg(ctx, 0, &event->args[0]);
	bpf_get_func_arg(ctx, 1, &event->args[1]);
	bpf_get_func_arg(ctx, 2, &event->args[2]);
	bpf_get_func_arg(ctx, 3, &event->args[3]);
	return 0;
}

SEC("kprobe.multi")
int at_stubs(struct pt_regs *ctx)
{
	struct real_event *event = next_event_at_stub(ctx);

	if (!event)
		return 0;
	event->args[0] = PT_REGS_PARM1(ctx);
	event->args[1] = PT_REGS_PARM2(ctx);
	event->args[2] = PT_REGS_PARM3(ctx);
	event->args[3] = PT_REGS_PARM4(ctx);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
