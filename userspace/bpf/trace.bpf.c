// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 OR BSD-2-Clause
/*
 * `btf-extra trace` attaches this program to functions. It runs at each call, with the arguments.
 */
#include <linux/bpf.h>

#include "userspace/bpf/btf_loc.bpf.h"
#include "userspace/bpf/trace_event.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, TRACE_RING_BYTES);
} events SEC(".maps");

/* It has room for all sites. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1);
	__type(key, struct trace_site);
	__type(value, struct trace_calls);
} calls SEC(".maps");

/* For each cookie: the number of the function's parameters that events have. */
const volatile __u8 nr_args[TRACE_EVENT_FUNCS] = {};

struct trace_totals totals;

struct few_args {
	struct trace_event head;
	__u64 args[TRACE_EVENT_FEW_ARGS][2];
};

struct many_args {
	struct trace_event head;
	__u64 args[TRACE_EVENT_ARGS][2];
};

static __always_inline void fill(void *ctx, const struct trace_site *site,
				 volatile struct trace_event *head, volatile __u64 (*args)[2],
				 __u32 max)
{
	__u64 id = bpf_get_current_pid_tgid();
	__u32 n = nr_args[site->func & (TRACE_EVENT_FUNCS - 1)];
	__u32 i;

	head->time = bpf_ktime_get_ns();
	head->ip = site->ip;
	head->func = site->func;
	head->cpu = bpf_get_smp_processor_id();
	head->pid = id;
	head->tgid = id >> 32;
	head->present = 0;
	head->reserved = 0;
	bpf_get_current_comm((void *)head->comm, sizeof(head->comm));
	for (i = 0; i < max; i++) {
		__u64 value[2] = { 0, 0 };

		if (i >= n)
			break;
		if (!bpf_loc_arg(ctx, i, &value))
			head->present |= 1U << i;
		args[i][0] = value[0];
		args[i][1] = value[1];
	}
}

/* The reader polls, because a wake-up for each event would cost more than the event itself. */
static __always_inline __u64 wake_up(void)
{
	return bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) > TRACE_RING_BYTES / 8 ?
		       BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

static __always_inline struct trace_calls *calls_at(const struct trace_site *site)
{
	struct trace_calls *found = bpf_map_lookup_elem(&calls, site);
	const struct trace_calls none = {};

	if (found)
		return found;
	bpf_map_update_elem(&calls, site, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&calls, site);
}

SEC("kprobe")
int trace_call(void *ctx)
{
	struct trace_site site = { .ip = bpf_loc_ip(ctx), .func = bpf_loc_cookie(ctx) };
	struct trace_calls *counts = calls_at(&site);
	struct many_args *many;
	struct few_args *few;

	if (counts)
		counts->calls++;
	else
		__sync_fetch_and_add(&totals.uncounted, 1);

	if (nr_args[site.func & (TRACE_EVENT_FUNCS - 1)] <= TRACE_EVENT_FEW_ARGS) {
		few = bpf_ringbuf_reserve(&events, sizeof(*few), 0);
		if (few) {
			fill(ctx, &site, &few->head, few->args, TRACE_EVENT_FEW_ARGS);
			bpf_ringbuf_submit(few, wake_up());
			return 0;
		}
	} else {
		many = bpf_ringbuf_reserve(&events, sizeof(*many), 0);
		if (many) {
			fill(ctx, &site, &many->head, many->args, TRACE_EVENT_ARGS);
			bpf_ringbuf_submit(many, wake_up());
			return 0;
		}
	}
	if (counts)
		counts->dropped++;
	__sync_fetch_and_add(&totals.dropped, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
