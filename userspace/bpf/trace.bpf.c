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

const volatile struct trace_settings settings = {};

struct trace_totals totals;

/* An event as it is put together. A program runs to its end on its processor. */
struct scratch {
	struct trace_event head;
	__u64 rest[2 * TRACE_EVENT_ARGS + TRACE_EVENT_FRAMES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* Returns the number of words behind the head that the event has. */
static __always_inline __u64 fill(void *ctx, const struct trace_site *site,
				  struct scratch *event)
{
	volatile struct trace_event *head = &event->head;
	__u64 id = bpf_get_current_pid_tgid();
	__u64 n = settings.nr_args[site->func & (TRACE_EVENT_FUNCS - 1)];
	__u32 i;

	head->time = bpf_ktime_get_ns();
	head->ip = site->ip;
	head->func = site->func;
	head->cpu = bpf_get_smp_processor_id();
	head->pid = id;
	head->tgid = id >> 32;
	head->present = 0;
	head->nr_frames = 0;
	bpf_get_current_comm((void *)head->comm, sizeof(head->comm));
	if (n > TRACE_EVENT_ARGS)
		n = TRACE_EVENT_ARGS;
	for (i = 0; i < TRACE_EVENT_ARGS; i++) {
		__u64 value[2] = { 0, 0 };

		if (i >= n)
			break;
		if (!bpf_loc_arg(ctx, i, &value))
			head->present |= 1U << i;
		event->rest[2 * i] = value[0];
		event->rest[2 * i + 1] = value[1];
	}
	n *= 2;
	if (settings.stacks) {
		long bytes = bpf_get_stack(ctx, event->rest + n,
					   TRACE_EVENT_FRAMES * sizeof(__u64), 0);

		if (bytes > 0 && (__u64)bytes <= TRACE_EVENT_FRAMES * sizeof(__u64)) {
			head->nr_frames = bytes / sizeof(__u64);
			n += bytes / sizeof(__u64);
		}
	}
	return n;
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
	struct scratch *event;
	__u32 key = 0;
	__u64 words;

	if (counts)
		counts->calls++;
	else
		__sync_fetch_and_add(&totals.uncounted, 1);

	event = bpf_map_lookup_elem(&scratches, &key);
	if (!event)
		return 0;
	words = fill(ctx, &site, event);
	/* The verifier does not follow how the words came together. */
	asm volatile("" : "+r"(words));
	if (words <= sizeof(event->rest) / sizeof(__u64) &&
	    !bpf_ringbuf_output(&events, event, sizeof(event->head) + words * sizeof(__u64),
				wake_up()))
		return 0;
	if (counts)
		counts->dropped++;
	__sync_fetch_and_add(&totals.dropped, 1);
	return 0;
}

/* It is run once for each site, before the probes are there. */
SEC("syscall")
int look_at_code(struct trace_code *code)
{
	__u8 first;

	code->unwinds = !bpf_probe_read_kernel(&first, sizeof(first), (void *)code->address) &&
			bpf_loc_unwinds(first);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
