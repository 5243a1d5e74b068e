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

/* It has room for all functions. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct trace_plan);
} plans SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1);
	__type(key, struct trace_group);
	__type(value, __u64);
} groups SEC(".maps");

const volatile struct trace_settings settings = {};

struct trace_totals totals;

/* All functions are counted over the same time. */
volatile struct trace_control control SEC(".data") = {};

/* A program runs to its end on its processor, so all its calls there can share this. */
struct scratch {
	struct trace_event head;
	__u64 rest[2 * TRACE_EVENT_ARGS + TRACE_VALUES * TRACE_VALUE_WORDS + TRACE_EVENT_FRAMES];
	__u64 values[TRACE_VALUES][TRACE_VALUE_WORDS];
	struct trace_group group;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* ---- values ---- */

struct reading {
	void *ctx;
	const struct trace_plan *plan;
	struct scratch *scratch;
	__u32 first;		/* the value that is read first */
	__u32 readable;		/* bit n: value n is there */
	__u64 words;		/* after the head of the event */
};

static __always_inline long read_text(__u64 *words, __u64 address, __u64 size)
{
	const void *at = (const void *)address;

	/* This keeps size in 1..64 in a way that the verifier understands. */
	size = ((size - 1) & (TRACE_VALUE_WORDS * sizeof(*words) - 1)) + 1;
	/* No address is the kernel's and a user's. */
	return bpf_probe_read_kernel_str(words, size, at) > 0 ||
	       bpf_probe_read_user_str(words, size, at) > 0;
}

static __always_inline int read_number(struct reading *reading, const struct trace_value *value,
				       __u64 *words)
{
	__u64 number[2] = { 0, 0 };
	__u64 size = ((__u64)value->shift + value->bits + 7) / 8;
	__u64 address;
	__u32 k;

	switch (value->source) {
	case TRACE_PID:
		number[0] = (__u32)bpf_get_current_pid_tgid();
		break;
	case TRACE_TGID:
		number[0] = bpf_get_current_pid_tgid() >> 32;
		break;
	case TRACE_CPU:
		number[0] = bpf_get_smp_processor_id();
		break;
	case TRACE_VARIABLE:
		number[0] = value->base;
		break;
	default:
		if (bpf_loc_arg(reading->ctx, value->param, &number))
			return 0;
	}
	/* This keeps size in 1..16 in a way that the verifier understands. */
	size = ((size - 1) & 0xf) + 1;
	for (k = 0; k < TRACE_STEPS; k++) {
		if (k >= value->nr_steps)
			break;
		address = number[0] + value->offsets[k];
		if (k + 1 == value->nr_steps && value->is_text)
			return read_text(words, address, value->bits);
		number[0] = 0;
		number[1] = 0;
		if (k + 1 < value->nr_steps) {
			if (bpf_probe_read_kernel(&number[0], sizeof(number[0]),
						  (const void *)address))
				return 0;
		} else if (bpf_probe_read_kernel(number, size, (const void *)address)) {
			return 0;
		}
	}
	if (value->bits > 64) {
		words[0] = number[0];
		words[1] = number[1];
		return 1;
	}
	address = value->word ? number[1] : number[0];
	address <<= (64 - value->shift - value->bits) & 63;
	words[0] = value->is_signed ? (__u64)((__s64)address >> ((64 - value->bits) & 63)) :
				      address >> ((64 - value->bits) & 63);
	words[0] &= value->mask;
	return 1;
}

static long read_value(__u64 i, struct reading *reading)
{
	const struct trace_value *value;
	__u64 *words;
	int there;

	i += reading->first;
	if (i >= TRACE_VALUES)
		return 1;
	value = &reading->plan->values[i];
	words = reading->scratch->values[i];
	__builtin_memset(words, 0, TRACE_VALUE_WORDS * sizeof(*words));
	if (value->source == TRACE_COMM)
		there = !bpf_get_current_comm(words, 16);
	else
		there = read_number(reading, value, words);
	if (there)
		reading->readable |= 1U << i;
	return 0;
}

/* ---- the filter ---- */

/*
 * Bit 0 of each is the last result, and so on. If both are 0, a value was missing, and the result
 * is unknown.
 */
struct results {
	const struct reading *reading;
	__u32 yes, no;
};

static __always_inline int is_equal_text(const __u64 *a, const __u64 *b)
{
	int i;

	for (i = 0; i < TRACE_VALUE_WORDS; i++)
		if (a[i] != b[i])
			return 0;
	return 1;
}

static __always_inline int is_less(__u64 a, int a_signed, __u64 b, int b_signed)
{
	int a_negative = a_signed && (__s64)a < 0;
	int b_negative = b_signed && (__s64)b < 0;

	return a_negative != b_negative ? a_negative : a < b;
}

/* Returns 1, 0, or -1 if a value is missing. */
static __always_inline int holds(const struct reading *reading, const struct trace_test *test)
{
	const struct trace_plan *plan = reading->plan;
	__u64 left = test->constant, right = test->constant;
	int left_signed = test->is_signed, right_signed = test->is_signed;

	if (test->left < TRACE_VALUES) {
		if (!(reading->readable >> test->left & 1))
			return -1;
		left = reading->scratch->values[test->left][0];
		left_signed = plan->values[test->left].is_signed;
		if (test->code == TRACE_EQUAL_TEXT)
			return is_equal_text(reading->scratch->values[test->left],
					     plan->texts[test->right & (TRACE_TEXTS - 1)]);
	}
	if (test->right < TRACE_VALUES) {
		if (!(reading->readable >> test->right & 1))
			return -1;
		right = reading->scratch->values[test->right][0];
		right_signed = plan->values[test->right].is_signed;
	}
	switch (test->code) {
	case TRACE_EQUAL:
		return left == right && !is_less(left, left_signed, right, right_signed) &&
		       !is_less(right, right_signed, left, left_signed);
	case TRACE_LESS:
		return is_less(left, left_signed, right, right_signed);
	default:
		return left != 0;
	}
}

static long run_test(__u64 i, struct results *results)
{
	const struct trace_test *test;
	__u32 yes = results->yes, no = results->no;
	int held;

	if (i >= TRACE_TESTS)
		return 1;
	test = &results->reading->plan->tests[i];
	switch (test->code) {
	case TRACE_AND:
		results->yes = (yes >> 2) << 1 | (yes & (yes >> 1) & 1);
		results->no = (no >> 2) << 1 | ((no | no >> 1) & 1);
		return 0;
	case TRACE_OR:
		results->yes = (yes >> 2) << 1 | ((yes | yes >> 1) & 1);
		results->no = (no >> 2) << 1 | (no & (no >> 1) & 1);
		return 0;
	case TRACE_NOT:
		results->yes = (yes & ~1U) | (no & 1);
		results->no = (no & ~1U) | (yes & 1);
		return 0;
	}
	held = holds(results->reading, test);
	results->yes = yes << 1 | (held == 1);
	results->no = no << 1 | (held == 0);
	return 0;
}

/* Returns whether the call passes the filter, and counts it if it does not. */
static __always_inline int passes(struct reading *reading, struct trace_calls *counts)
{
	struct results results = { .reading = reading };

	if (!reading->plan->nr_tests)
		return 1;
	bpf_loop(reading->plan->nr_filter, read_value, reading, 0);
	bpf_loop(reading->plan->nr_tests, run_test, &results, 0);
	if (results.yes & 1)
		return 1;
	if (counts && results.no & 1)
		counts->filtered++;
	else if (counts)
		counts->untold++;
	return 0;
}

/* ---- what becomes of a call ---- */

/*
 * Returns the place of the next words of an event, with room for "more"; NULL: the event is full.
 * The verifier does not track the bounds of their sum, so they are checked here.
 */
static __always_inline __u64 *behind(struct scratch *event, __u64 words, __u32 more)
{
	asm volatile("" : "+r"(words));
	return words <= sizeof(event->rest) / sizeof(__u64) - more ? event->rest + words : 0;
}

/* NULL: there is no such value. */
static __always_inline const __u64 *value_at(const struct scratch *scratch, __u64 number)
{
	asm volatile("" : "+r"(number));
	return number < TRACE_VALUES ? scratch->values[number] : 0;
}

static long add_arg(__u64 i, struct reading *reading)
{
	struct scratch *event = reading->scratch;
	__u64 value[2] = { 0, 0 };

	if (i >= TRACE_EVENT_ARGS)
		return 1;
	if (!bpf_loc_arg(reading->ctx, i, &value))
		event->head.present |= 1U << i;
	event->rest[2 * i] = value[0];
	event->rest[2 * i + 1] = value[1];
	return 0;
}

static long add_value(__u64 i, struct reading *reading)
{
	const __u64 *value = value_at(reading->scratch, reading->first + i);
	__u64 *words = behind(reading->scratch, reading->words + i * TRACE_VALUE_WORDS,
			      TRACE_VALUE_WORDS);

	if (!value || !words)
		return 1;
	__builtin_memcpy(words, value, TRACE_VALUE_WORDS * sizeof(*words));
	return 0;
}

static __always_inline void add_stack(struct reading *reading)
{
	const __u32 size = TRACE_EVENT_FRAMES * sizeof(__u64);
	__u64 *words = behind(reading->scratch, reading->words, TRACE_EVENT_FRAMES);
	long bytes = words ? bpf_get_stack(reading->ctx, words, size, 0) : 0;

	if (bytes <= 0 || bytes > size)
		return;
	reading->scratch->head.nr_frames = bytes / sizeof(__u64);
	reading->words += bytes / sizeof(__u64);
}

static __always_inline void fill(struct reading *reading, const struct trace_site *site)
{
	const struct trace_plan *plan = reading->plan;
	struct trace_event *head = &reading->scratch->head;
	__u32 nr_shown = (__u8)(plan->nr_values - plan->nr_filter);
	__u64 id = bpf_get_current_pid_tgid();

	head->time = bpf_ktime_get_ns();
	head->ip = site->ip;
	head->func = site->func;
	head->cpu = bpf_get_smp_processor_id();
	head->pid = id;
	head->tgid = id >> 32;
	head->present = 0;
	head->nr_frames = 0;
	head->shown = 0;
	head->reserved = 0;
	head->link = bpf_loc_link(reading->ctx);
	bpf_get_current_comm(head->comm, sizeof(head->comm));
	/* The loops change nothing that the verifier would have to follow from turn to turn. */
	bpf_loop(plan->nr_args, add_arg, reading, 0);
	reading->words = 2 * plan->nr_args;
	if (nr_shown) {
		reading->first = plan->nr_filter;
		bpf_loop(nr_shown, read_value, reading, 0);
		head->shown = reading->readable >> (plan->nr_filter & 31);
		bpf_loop(nr_shown, add_value, reading, 0);
		reading->words += nr_shown * TRACE_VALUE_WORDS;
	}
	if (settings.stacks)
		add_stack(reading);
}

static __always_inline void count_group(struct reading *reading, const struct trace_site *site)
{
	struct trace_group *group = &reading->scratch->group;
	const __u64 one = 1;
	__u64 *count;
	__u32 n = reading->plan->nr_filter;

	__builtin_memset(group, 0, sizeof(*group));
	group->func = site->func;
	if (settings.summary == TRACE_BY_CALLER) {
		if (bpf_get_stack(reading->ctx, group->words, 2 * sizeof(__u64), 0) < 0)
			group->words[1] = 0;
		group->words[0] = site->ip;
		group->words[2] = bpf_loc_link(reading->ctx);
		group->present = 1;
	} else {
		reading->first = n;
		bpf_loop(1, read_value, reading, 0);
		if (n < TRACE_VALUES && reading->readable >> n & 1) {
			group->present = 1;
			__builtin_memcpy(group->words, reading->scratch->values[n],
					 sizeof(group->words));
		}
	}
	count = bpf_map_lookup_elem(&groups, group);
	if (count)
		(*count)++;
	else if (bpf_map_update_elem(&groups, group, &one, BPF_NOEXIST))
		__sync_fetch_and_add(&totals.ungrouped, 1);
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

static __always_inline void send(struct reading *reading, const struct trace_site *site,
				 struct trace_calls *counts)
{
	struct scratch *event = reading->scratch;
	__u64 words;

	fill(reading, site);
	words = reading->words;
	if (words <= sizeof(event->rest) / sizeof(__u64) &&
	    !bpf_ringbuf_output(&events, event, sizeof(event->head) + words * sizeof(__u64),
				wake_up()))
		return;
	if (counts)
		counts->dropped++;
	__sync_fetch_and_add(&totals.dropped, 1);
}

static __always_inline int is_wanted(void)
{
	__u32 own = control.own_tgid;

	if (!control.counting)
		return 0;
	if (!own || bpf_get_current_pid_tgid() >> 32 != own)
		return 1;
	__sync_fetch_and_add(&totals.own, 1);
	return 0;
}

static __always_inline int trace_wanted(void *ctx)
{
	struct trace_site site = { .ip = bpf_loc_ip(ctx), .func = bpf_loc_cookie(ctx) };
	__u32 cookie = site.func, key = 0;
	struct trace_calls *counts = calls_at(&site);
	struct reading reading = {
		.ctx = ctx,
		.plan = bpf_map_lookup_elem(&plans, &cookie),
		.scratch = bpf_map_lookup_elem(&scratches, &key),
	};

	if (!reading.plan || !reading.scratch)
		return 0;
	if (!counts)
		__sync_fetch_and_add(&totals.uncounted, 1);
	if (!passes(&reading, counts))
		return 0;
	if (counts)
		counts->calls++;
	if (settings.summary == TRACE_EACH_CALL)
		send(&reading, &site, counts);
	else if (settings.summary != TRACE_BY_SITE)
		count_group(&reading, &site);
	return 0;
}

SEC("kprobe")
int trace_call(void *ctx)
{
	return is_wanted() ? trace_wanted(ctx) : 0;
}

/* In a pid namespace a process has another number for itself than programs see. */
SEC("syscall")
int look_at_process(struct trace_process *process)
{
	process->tgid = bpf_get_current_pid_tgid() >> 32;
	return 0;
}

/* It runs once for each site, before the probes are registered. */
SEC("syscall")
int look_at_code(struct trace_code *code)
{
	__u8 first;

	code->unwinds = !bpf_probe_read_kernel(&first, sizeof(first), (void *)code->address) &&
			bpf_loc_unwinds(first);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
