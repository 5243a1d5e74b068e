// SPDX-License-Identifier: GPL-2.0
/*
 * Programs for the functions of shapes.ko. There is one for each function, written as for a kprobe
 * on a function that is never inlined. The others take all arguments of any function, which they
 * know by the cookie.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "include/uapi/linux/btf_extra.h"
#include "tests/vm/shapes/shapes_log.bpf.h"
#include "tests/vm/shapes/shapes_regs.bpf.h"
#include "userspace/bpf/btf_loc.bpf.h"

static __always_inline struct shape_event *begin(struct pt_regs *ctx, __u32 shape)
{
	return begin_event(shape, PT_REGS_IP(ctx));
}

/* ---- programs that find the arguments where the ABI has them ---- */

#define WORDS(...) ((const __u64[]){ __VA_ARGS__ })

static __always_inline int tell(struct pt_regs *ctx, __u32 shape, const __u64 *words, __u32 count)
{
	struct shape_event *event = begin(ctx, shape);

	if (!event)
		return 0;
	for (__u32 i = 0; i < count; i++)
		event->args[i][0] = words[i];
	event->looked = event->present = (1U << count) - 1;
	return 0;
}

#define TELL(name, ...) \
	tell(ctx, SHAPE_##name, WORDS(__VA_ARGS__), sizeof(WORDS(__VA_ARGS__)) / sizeof(__u64))

#define ONE(name)                                                   \
	SEC("kprobe/shape_" #name)                                  \
	int BPF_KPROBE(typed_##name, __u64 value)                   \
	{                                                           \
		return TELL(name, value);                           \
	}
#define TWO(name, second)                                           \
	SEC("kprobe/shape_" #name)                                  \
	int BPF_KPROBE(typed_##name, __u64 value, second other)     \
	{                                                           \
		return TELL(name, value, other);                    \
	}
#define INTEGERS(name, t8, t16, t32, t64)                           \
	SEC("kprobe/shape_" #name)                                  \
	int BPF_KPROBE(typed_##name, t8 a, t16 b, t32 c, t64 d)     \
	{                                                           \
		return TELL(name, a, b, c, d);                      \
	}
#define KINDS(name)                                                                           \
	SEC("kprobe/shape_" #name)                                                            \
	int BPF_KPROBE(typed_##name, bool flag, enum shape_unsigned_enum big,                 \
		       enum shape_signed_enum small, const void *pointer)                     \
	{                                                                                     \
		return TELL(name, flag, big, (__s64)small, (__u64)pointer);                   \
	}
/* The sixth argument is in a register. BPF_KPROBE only has five. */
#define SIX(name)                                                                             \
	SEC("kprobe/shape_" #name)                                                            \
	int BPF_KPROBE(typed_##name, __u64 a, __u64 b, __u64 c, __u64 d, __u64 e)             \
	{                                                                                     \
		return TELL(name, a, b, c, d, e, SHAPES_SIXTH(ctx));                                    \
	}

ONE(register)
ONE(offset)
ONE(stack)
ONE(constant)
INTEGERS(signed, __s8, __s16, __s32, __s64)
INTEGERS(unsigned, __u8, __u16, __u32, __u64)
KINDS(kinds)
TWO(many, __u32)
TWO(outer, __u64)
TWO(inner, __u64)
TWO(in_loop, __u32)
TWO(cold, __u32)
TWO(eliminated, __u64)
SIX(eight)
SIX(fourteen)
INTEGERS(signed_body, __s8, __s16, __s32, __s64)
INTEGERS(unsigned_body, __u8, __u16, __u32, __u64)
KINDS(kinds_body)
SIX(eight_body)
SIX(fourteen_body)
TWO(fixed, __u32)
TWO(both, __u64)
TWO(part, __u64)
TWO(own_loop, __u64)

SEC("kprobe/shape_clone")
int BPF_KPROBE(typed_clone, const struct shape_small *at, __u64 unused, __u64 value)
{
	return TELL(clone, (__u64)at, unused, value);
}

/* ---- structs: they differ in how many registers they need ---- */

SEC("kprobe/shape_pair")
int BPF_KPROBE(typed_pair, __u64 low, __u64 high)
{
	struct shape_event *event = begin(ctx, SHAPE_pair);

	if (!event)
		return 0;
	event->args[0][0] = low;
	event->args[0][1] = high;
	event->looked = event->present = 1;
	return 0;
}

static __always_inline int tell_structs(struct pt_regs *ctx, __u32 shape, bool body)
{
	struct shape_event *event = begin(ctx, shape);

	if (!event)
		return 0;
	event->args[0][0] = PT_REGS_PARM1(ctx);
	event->args[1][0] = PT_REGS_PARM2(ctx);
	event->args[1][1] = PT_REGS_PARM3(ctx);
	event->args[2][0] = body ? (__u32)PT_REGS_PARM4(ctx) : 0;
	event->looked = event->present = body ? 7 : 3;
	return 0;
}

SEC("kprobe/shape_structs")
int typed_structs(struct pt_regs *ctx)
{
	return tell_structs(ctx, SHAPE_structs, false);
}

SEC("kprobe/shape_structs_body")
int typed_structs_body(struct pt_regs *ctx)
{
	return tell_structs(ctx, SHAPE_structs_body, true);
}

/* The first argument is passed in memory. On arm64 a register has its address. */
SEC("kprobe/shape_large_body")
int BPF_KPROBE(typed_large_body, __u64 first, __u64 second)
{
	struct shape_event *event = begin(ctx, SHAPE_large_body);

	if (!event)
		return 0;
	event->args[1][0] = SHAPES_LARGE_TAKES_ONE ? second : first;
	event->looked = event->present = 2;
	return 0;
}

/* ---- everything that the module tells, with only the UAPI header ---- */

static __always_inline void take(struct pt_regs *ctx, struct shape_event *event, __u32 n)
{
	const __u32 code = n < BTF_EXTRA_ARGS_CODED ? SHAPES_WORD(ctx) >> (4 * n) & 0xf :
						      BTF_EXTRA_ARGS_MEMORY;
	struct btf_extra_arg arg;

	event->looked |= 1U << n;
	if (code == BTF_EXTRA_ARGS_NONE)
		return;
	if (code == BTF_EXTRA_ARGS_MEMORY) {
		if (bpf_probe_read_kernel(&arg, sizeof(arg),
					  (void *)ctx + SHAPES_CONTEXT_SIZE + n * sizeof(arg)) ||
		    !arg.present)
			return;
		event->args[n][0] = arg.value[0];
		event->args[n][1] = arg.value[1];
	} else {
		/* A value takes two registers. The second one counts if the value is that long. */
		if (bpf_probe_read_kernel(&event->args[n][0], 8,
					  (void *)ctx + arg_registers[code & 7]) ||
		    bpf_probe_read_kernel(&event->args[n][1], 8,
					  (void *)ctx + arg_registers[(code & 7) + 1]))
			return;
	}
	event->present |= 1U << n;
}

SEC("kprobe")
int word(struct pt_regs *ctx)
{
	struct shape_event *event = begin(ctx, bpf_get_attach_cookie(ctx));

	if (!event)
		return 0;
	if (SHAPES_WORD(ctx) >> 48 == BTF_EXTRA_ARGS_MARK) {
#pragma unroll
		for (__u32 n = 0; n < SHAPES_ARGS; n++)
			take(ctx, event, n);
	}
	return 0;
}

/* ---- all arguments, with the library's header, with or without the module ---- */

SEC("kprobe")
int loc(struct pt_regs *ctx)
{
	struct shape_event *event = begin(ctx, bpf_loc_cookie(ctx));

	if (!event)
		return 0;
	event->ip = bpf_loc_ip(ctx);
	event->looked = (1U << SHAPES_ARGS) - 1;
#pragma unroll
	for (__u32 n = 0; n < SHAPES_ARGS; n++) {
		__u64 value[2];

		if (bpf_loc_arg(ctx, n, &value))
			continue;
		event->args[n][0] = value[0];
		event->args[n][1] = value[1];
		event->present |= 1U << n;
	}
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
