/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Arguments of a kernel function in a BPF program that libbtf_extra attaches. The program runs at
 * every call, inlined or not, with or without btf_extra.ko.
 *
 *	#include "vmlinux.h"	(or <linux/bpf.h> and <linux/ptrace.h>)
 *	#include <bpf/btf_loc.bpf.h>
 *
 *	SEC("kloc/vmlinux:skb_headlen")
 *	int BPF_KLOC(on_headlen, const struct sk_buff *skb)
 *
 * It works on kernels from 6.1 on, on x86-64 and arm64.
 */
#ifndef BTF_LOC_BPF_H
#define BTF_LOC_BPF_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* ---- the same as in <linux/btf_extra.h> ---- */

#define BTF_EXTRA_ARGS_MARK	0x6b6cULL
#define BTF_EXTRA_ARGS_CODED	12
#define BTF_EXTRA_ARGS_MEMORY	0x8
#define BTF_EXTRA_ARGS_NONE	0xf
#define BTF_EXTRA_ARGS_MAX	32	/* parameters after these are not available */

/* struct btf_extra_arg */
struct btf_loc_arg {
	__u64 value[2];		/* low half first */
	__u64 present;		/* 1 or 0 */
};

/* ---- without the module: the library writes into the map btf_loc_specs ---- */

/*
 * The cookie of a perf kprobe has the spec of its site in bits 0..31 and the site in bits 32..63.
 */
#define BTF_LOC_SPECS_MAP "btf_loc_specs"

struct btf_loc_key {
	__u32 spec;		/* a number for each LOC_PROTO, or for a site */
	__u32 param;		/* number from 0, or BTF_LOC_SITE */
};

#define BTF_LOC_SITE 0xffffffffU

enum btf_loc_shape {
	BTF_LOC_VALUE = 1,	/* value itself */
	BTF_LOC_REGISTER = 2,	/* the register + value */
	BTF_LOC_PAIR = 3,	/* two registers, low half first */
	BTF_LOC_MEMORY = 4,	/* memory at the register + value */
	BTF_LOC_COMPUTED = 5,	/* the steps of the same key in the map btf_loc_steps */
};

/* A parameter without an entry has no location. */
struct btf_loc_spec {
	__u64 value;		/* for BTF_LOC_SITE: address of the site */
	__u64 cookie;		/* for BTF_LOC_SITE: cookie of the user */
	__u16 reg[2];		/* offsets of the registers in the context */
	__u8 shape;		/* enum btf_loc_shape */
	__u8 size;		/* size of the value there, 1 to 16 bytes */
	__u8 is_signed;
	__u8 type_size;		/* size of the parameter's type */
	__u8 type_is_signed;
	__u8 reserved[7];
};

/*
 * An argument that takes arithmetic. Each step works on a stack of values; the codes are those of
 * kernel/core/FORMAT.md, without the number that some of them contain.
 */
#define BTF_LOC_STEPS_MAP "btf_loc_steps"
#define BTF_LOC_STEPS 32

enum btf_loc_code {
	/* Push a value. */
	BTF_LOC_STEP_REGISTER = 0x00,	/* the register */
	BTF_LOC_STEP_NUMBER = 0x20,	/* the operand */
	/* Replace the top by memory at top + operand. */
	BTF_LOC_STEP_LOAD = 0x24,
	BTF_LOC_STEP_LOAD_SIGNED = 0x28,
	/* Replace the top. */
	BTF_LOC_STEP_ZERO_EXTEND = 0x2c,
	BTF_LOC_STEP_SIGN_EXTEND = 0x2d,
	BTF_LOC_STEP_NEGATE = 0x2e,
	BTF_LOC_STEP_COMPLEMENT = 0x2f,
	/* Pop the top, which is the next part of the value. */
	BTF_LOC_STEP_PIECE = 0x30,
	/* The value is not available unless the top is below 1 << bits. */
	BTF_LOC_STEP_FITS = 0x3a,
	/* Replace three values by one: if the top is not 0, the lowest, otherwise the other one. */
	BTF_LOC_STEP_SELECT = 0x3b,
	/* Replace two values by one. The right one is the top, or the operand. */
	BTF_LOC_STEP_ADD = 0x40,
	BTF_LOC_STEP_SUBTRACT = 0x41,
	BTF_LOC_STEP_MULTIPLY = 0x42,
	BTF_LOC_STEP_AND = 0x43,
	BTF_LOC_STEP_OR = 0x44,
	BTF_LOC_STEP_XOR = 0x45,
	BTF_LOC_STEP_SHIFT_LEFT = 0x46,
	BTF_LOC_STEP_SHIFT_RIGHT = 0x47,
	BTF_LOC_STEP_SHIFT_RIGHT_SIGNED = 0x48,
	BTF_LOC_STEP_EQUAL = 0x49,
	BTF_LOC_STEP_NOT_EQUAL = 0x4a,
	BTF_LOC_STEP_LESS = 0x4b,
	BTF_LOC_STEP_LESS_EQUAL = 0x4c,
	BTF_LOC_STEP_LESS_SIGNED = 0x4d,
	BTF_LOC_STEP_LESS_EQUAL_SIGNED = 0x4e,
	BTF_LOC_STEP_ADD_IF_NEGATIVE = 0x4f,
	BTF_LOC_STEP_WITH = 0x20,	/* added to a code of these: with the operand */
};

struct btf_loc_step {
	__u64 operand;
	__u16 reg;		/* offset of the register in the context */
	__u8 code;		/* enum btf_loc_code */
	__u8 bits;		/* of a load, an extension, a check or a piece: 1 to 64 */
	__u8 at;		/* of a piece: its first bit, of 128 */
	__u8 reserved[3];
};

struct btf_loc_steps {
	__u64 zero;
	__u32 nr_steps;
	__u32 pieces;		/* 1: pieces are the value, 0: the top is */
	struct btf_loc_step steps[BTF_LOC_STEPS];
};

#ifdef __bpf__

#include <bpf/bpf_helpers.h>

/* There is one entry for each site, and one for each parameter of each LOC_PROTO. */
#ifndef BTF_LOC_MAX_SPECS
#define BTF_LOC_MAX_SPECS 65536
#endif

#ifndef ENOENT
#define ENOENT 2
#endif
#ifndef EFAULT
#define EFAULT 14
#endif

struct pt_regs;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, 1);	/* BPF_F_NO_PREALLOC */
	__uint(max_entries, BTF_LOC_MAX_SPECS);
	__type(key, struct btf_loc_key);
	__type(value, struct btf_loc_spec);
} btf_loc_specs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, 1);	/* BPF_F_NO_PREALLOC */
	__uint(max_entries, BTF_LOC_MAX_SPECS);
	__type(key, struct btf_loc_key);
	__type(value, struct btf_loc_steps);
} btf_loc_steps SEC(".maps");

/*
 * The verifier only accepts loads from the context at a constant offset. A compiler may merge two
 * of these into one load at a variable offset (compare bpftrace's pull request 2008), so the load
 * is written in assembly.
 */
#define btf_loc_load(ctx, offset)						\
	({									\
		__u64 loaded_;							\
		asm volatile("%0 = *(u64 *)(%1 + %2)"				\
			     : "=r"(loaded_)					\
			     : "r"(ctx), "i"(offset));				\
		loaded_;							\
	})

#if defined(__TARGET_ARCH_x86)

#define BTF_LOC_IP 128
#define BTF_LOC_MARKED 120	/* orig_ax */
#define BTF_LOC_CONTEXT_SIZE 168

/* The number and the place of each argument register: di, si, dx, cx, r8, r9. */
#define BTF_LOC_ARGUMENTS(each) \
	each(0, 112) each(1, 104) each(2, 96) each(3, 88) each(4, 72) each(5, 64)

/*
 * An instruction of one byte that moves the stack pointer: push and pop, leave, pushf and popf, ret.
 * Where a tracer has put its int3 or jump, such an instruction may have been.
 */
#define BTF_LOC_BLURS(byte)							\
	(((byte) & 0xf0) == 0x50 || (byte) == 0xc9 || (byte) == 0x9c ||	\
	 (byte) == 0x9d || (byte) == 0xc3 || (byte) == 0xcc || (byte) == 0xe9)

#elif defined(__TARGET_ARCH_arm64)

#define BTF_LOC_IP 256
#define BTF_LOC_MARKED 272	/* orig_x0 */

/* Its size differs between kernels. */
struct pt_regs___btf_loc {
	__u64 first;
} __attribute__((preserve_access_index));
#define BTF_LOC_CONTEXT_SIZE \
	__builtin_preserve_type_info(*(struct pt_regs___btf_loc *)0, 1 /* its size */)

/* The number and the place of each argument register. */
#define BTF_LOC_ARGUMENTS(each)							\
	each(0, 0) each(1, 8) each(2, 16) each(3, 24)				\
	each(4, 32) each(5, 40) each(6, 48) each(7, 56)

#define BTF_LOC_BLURS(byte) 0	/* a kprobe has the address of the instruction */

#define BTF_LOC_LINK 240	/* x30 */
#define BTF_LOC_SIGNED 0xffff000000000000ULL

#else
#error "btf_loc.bpf.h: compile with -D__TARGET_ARCH_x86 or -D__TARGET_ARCH_arm64"
#endif

static __always_inline __u64 btf_loc_argument_register(const void *ctx, __u32 number)
{
#define BTF_LOC_CASE(n, offset)							\
	case n:									\
		return btf_loc_load(ctx, offset);
	switch (number) {
		BTF_LOC_ARGUMENTS(BTF_LOC_CASE)
	default:
		return 0;
	}
#undef BTF_LOC_CASE
}

/*
 * Returns the word that describes the arguments if the hit came through the module; 0: it came from
 * a perf kprobe.
 */
static __always_inline __u64 btf_loc_marked(const void *ctx)
{
	__u64 word = btf_loc_load(ctx, BTF_LOC_MARKED);

	return word >> 48 == BTF_EXTRA_ARGS_MARK ? word : 0;
}

static __always_inline __u64 btf_loc_extend_bits(__u64 value, __u32 bits, __u32 is_signed)
{
	__u32 shift = (64 - bits) & 63;

	value <<= shift;
	return is_signed ? (__u64)((__s64)value >> shift) : value >> shift;
}

static __always_inline __u64 btf_loc_extend(__u64 value, __u32 size, __u32 is_signed)
{
	return btf_loc_extend_bits(value, 8 * size, is_signed);
}

/* wide: the value has more than 8 bytes. */
static __always_inline long btf_loc_read_module(const void *ctx, __u64 word, __u32 param, int wide,
						__u64 *value)
{
	__u32 code = BTF_EXTRA_ARGS_MEMORY;
	struct btf_loc_arg arg;

	if (param < BTF_EXTRA_ARGS_CODED)
		code = (word >> (4 * param)) & 0xf;
	if (code < BTF_EXTRA_ARGS_MEMORY) {
		value[0] = btf_loc_argument_register(ctx, code);
		if (wide)
			value[1] = btf_loc_argument_register(ctx, code + 1);
		return 0;
	}
	if (code != BTF_EXTRA_ARGS_MEMORY || param >= BTF_EXTRA_ARGS_MAX)
		return -ENOENT;
	if (bpf_probe_read_kernel(&arg, sizeof(arg),
				  ctx + BTF_LOC_CONTEXT_SIZE + param * sizeof(arg)))
		return -EFAULT;
	if (!arg.present)
		return -ENOENT;
	value[0] = arg.value[0];
	value[1] = arg.value[1];
	return 0;
}

static __always_inline const struct btf_loc_spec *btf_loc_find(__u32 spec, __u32 param)
{
	struct btf_loc_key key = { .spec = spec, .param = param };

	return bpf_map_lookup_elem(&btf_loc_specs, &key);
}

static __always_inline long btf_loc_read_register(const void *ctx, __u32 offset, __u64 *value)
{
	return bpf_probe_read_kernel(value, sizeof(*value), ctx + (offset & 0x1f8)) ? -EFAULT : 0;
}

/* ---- arithmetic ---- */

#define BTF_LOC_STACK 16	/* a power of 2; an expression has at most 8 values there, and a first one */

struct btf_loc_run {
	const void *ctx;
	const struct btf_loc_steps *steps;
	__u64 failed;
	__u64 top;
	__u64 depth;		/* values below the top */
	__u64 value[2];		/* of pieces */
	__u64 stack[BTF_LOC_STACK];
};

static __always_inline __u64 btf_loc_binary(__u32 code, __u64 left, __u64 right)
{
	switch (code) {
	case BTF_LOC_STEP_ADD:
		return left + right;
	case BTF_LOC_STEP_SUBTRACT:
		return left - right;
	case BTF_LOC_STEP_MULTIPLY:
		return left * right;
	case BTF_LOC_STEP_AND:
		return left & right;
	case BTF_LOC_STEP_OR:
		return left | right;
	case BTF_LOC_STEP_XOR:
		return left ^ right;
	case BTF_LOC_STEP_SHIFT_LEFT:
		return right > 63 ? 0 : left << (right & 63);
	case BTF_LOC_STEP_SHIFT_RIGHT:
		return right > 63 ? 0 : left >> (right & 63);
	case BTF_LOC_STEP_SHIFT_RIGHT_SIGNED:
		return (__u64)((__s64)left >> (right > 63 ? 63 : right & 63));
	case BTF_LOC_STEP_EQUAL:
		return left == right;
	case BTF_LOC_STEP_NOT_EQUAL:
		return left != right;
	case BTF_LOC_STEP_LESS:
		return left < right;
	case BTF_LOC_STEP_LESS_EQUAL:
		return left <= right;
	case BTF_LOC_STEP_LESS_SIGNED:
		return (__s64)left < (__s64)right;
	case BTF_LOC_STEP_LESS_EQUAL_SIGNED:
		return (__s64)left <= (__s64)right;
	default:
		return (__s64)left < 0 ? left + right : left;
	}
}

static __always_inline void btf_loc_push(struct btf_loc_run *run, __u64 value)
{
	run->stack[run->depth++ & (BTF_LOC_STACK - 1)] = run->top;
	run->top = value;
}

static __always_inline __u64 btf_loc_pop(struct btf_loc_run *run)
{
	return run->stack[--run->depth & (BTF_LOC_STACK - 1)];
}

/* Called by bpf_loop(). Returns 1 to stop. */
static long btf_loc_step_run(__u32 i, void *data)
{
	struct btf_loc_run *run = data;
	const struct btf_loc_step *step = &run->steps->steps[i & (BTF_LOC_STEPS - 1)];
	__u32 bytes = step->bits / 8;
	__u32 code = step->code;
	__u64 loaded = 0;

	switch (code) {
	case BTF_LOC_STEP_REGISTER:
		if (btf_loc_read_register(run->ctx, step->reg, &loaded)) {
			run->failed = 1;
			return 1;
		}
		btf_loc_push(run, loaded);
		return 0;
	case BTF_LOC_STEP_NUMBER:
		btf_loc_push(run, step->operand);
		return 0;
	case BTF_LOC_STEP_LOAD:
	case BTF_LOC_STEP_LOAD_SIGNED:
		bytes = ((bytes - 1) & 7) + 1;
		asm volatile("" : "+r"(bytes));
		if (bpf_probe_read_kernel(&loaded, bytes,
					  (const void *)(run->top + step->operand))) {
			run->failed = 1;
			return 1;
		}
		run->top = btf_loc_extend_bits(loaded, step->bits, code == BTF_LOC_STEP_LOAD_SIGNED);
		return 0;
	case BTF_LOC_STEP_ZERO_EXTEND:
	case BTF_LOC_STEP_SIGN_EXTEND:
		run->top = btf_loc_extend_bits(run->top, step->bits,
					       code == BTF_LOC_STEP_SIGN_EXTEND);
		return 0;
	case BTF_LOC_STEP_NEGATE:
		run->top = 0 - run->top;
		return 0;
	case BTF_LOC_STEP_COMPLEMENT:
		run->top = ~run->top;
		return 0;
	case BTF_LOC_STEP_PIECE:
		loaded = btf_loc_extend_bits(run->top, step->bits, 0) << (step->at & 63);
		if (step->at < 64)
			run->value[0] |= loaded;
		else
			run->value[1] |= loaded;
		run->top = btf_loc_pop(run);
		return 0;
	case BTF_LOC_STEP_FITS:
		run->failed = run->top >> (step->bits & 63) != 0;
		return (long)run->failed;
	case BTF_LOC_STEP_SELECT:
		loaded = btf_loc_pop(run);
		if (run->top)
			loaded = btf_loc_pop(run);
		else
			btf_loc_pop(run);
		run->top = loaded;
		return 0;
	}
	if (code >= BTF_LOC_STEP_ADD + BTF_LOC_STEP_WITH)
		run->top = btf_loc_binary(code - BTF_LOC_STEP_WITH, run->top, step->operand);
	else
		run->top = btf_loc_binary(code, btf_loc_pop(run), run->top);
	return 0;
}

/* A frame of its own has the stack of values: a program may have 12 parameters. */
static __attribute__((noinline, unused)) long btf_loc_evaluate(void *ctx, __u64 spec, __u64 param,
							       __u64 *value)
{
	struct btf_loc_key key = { .spec = spec, .param = param };
	const struct btf_loc_steps *steps = bpf_map_lookup_elem(&btf_loc_steps, &key);
	struct btf_loc_run run;
	__u32 i;

	if (!steps)
		return -ENOENT;
	run.ctx = ctx;
	run.steps = steps;
	/*
	 * The verifier before Linux 6.7 follows one call of a loop's function only and removes what
	 * that one cannot reach. It must not know what is there at first (kernel commit ab5cfac139ab,
	 * "bpf: verify callbacks as if they are called unknown number of times").
	 */
	run.failed = run.top = run.depth = run.value[0] = run.value[1] = steps->zero;
	for (i = 0; i < BTF_LOC_STACK; i++)
		run.stack[i] = steps->zero;
	if (bpf_loop(steps->nr_steps, btf_loc_step_run, &run, 0) < 0 || run.failed)
		return -EFAULT;
	value[0] = steps->pieces ? run.value[0] : run.top;
	value[1] = run.value[1];
	return 0;
}

/* A value of up to 8 bytes: to its size, and then to the parameter's type. */
static __always_inline void btf_loc_extend_value(const struct btf_loc_spec *spec, __u64 *value)
{
	__u64 size = spec->size;

	if (size > 8)
		return;
	value[0] = btf_loc_extend(value[0], size, spec->is_signed);
	if (spec->type_size < 8)
		value[0] = btf_loc_extend(value[0], spec->type_size, spec->type_is_signed);
}

static __always_inline long btf_loc_read_perf(void *ctx, __u32 param, __u64 *value)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	const struct btf_loc_spec *spec = btf_loc_find(cookie, param);
	__u64 in_register = 0;
	__u64 size;		/* if it had 32 bits, the compiler would compare a copy of it */
	long error;

	if (!spec)
		return -ENOENT;
	if (spec->shape == BTF_LOC_VALUE) {
		value[0] = spec->value;
		return 0;
	}
	if (spec->shape == BTF_LOC_COMPUTED) {
		error = btf_loc_evaluate(ctx, (__u32)cookie, param, value);
		if (!error)
			btf_loc_extend_value(spec, value);
		return error;
	}
	if (btf_loc_read_register(ctx, spec->reg[0], &in_register))
		return -EFAULT;
	value[0] = in_register + spec->value;
	size = spec->size;
	if (spec->shape == BTF_LOC_PAIR) {
		if (btf_loc_read_register(ctx, spec->reg[1], &value[1]))
			return -EFAULT;
		value[1] = btf_loc_extend(value[1], size - 8, 0);
		return 0;
	}
	if (spec->shape == BTF_LOC_MEMORY) {
		const void *at = (const void *)value[0];

		value[0] = 0;
		/* This keeps size in 1..16 in a way that the verifier understands. */
		size = ((size - 1) & 0xf) + 1;
		asm volatile("" : "+r"(size));
		if (bpf_probe_read_kernel(value, size, at)) {
			value[0] = 0;
			value[1] = 0;
			return -EFAULT;
		}
	}
	btf_loc_extend_value(spec, value);
	return 0;
}

static __always_inline long btf_loc_read(void *ctx, __u32 param, __u64 *value, int wide)
{
	__u64 word = btf_loc_marked(ctx);

	return word ? btf_loc_read_module(ctx, word, param, wide, value) :
		      btf_loc_read_perf(ctx, param, value);
}

/*
 * Reads parameter n, from 0, into *target, which has up to 16 bytes. Returns 0; -ENOENT: it has no
 * location at this site; -EFAULT: its memory cannot be read. After an error *target is 0. A value
 * that is smaller than *target is extended according to the parameter's type.
 */
#define bpf_loc_arg(ctx, n, target)						\
	({									\
		__u64 value_[2] = { 0, 0 };					\
		long error_ = btf_loc_read((ctx), (n), value_, sizeof(*(target)) > 8); \
										\
		_Static_assert(sizeof(*(target)) <= sizeof(value_),		\
			       "a parameter has at most 16 bytes");		\
		__builtin_memcpy((target), value_, sizeof(*(target)));		\
		error_;								\
	})

static __always_inline __u64 btf_loc_value(void *ctx, __u32 param)
{
	__u64 value = 0;

	bpf_loc_arg(ctx, param, &value);
	return value;
}

/* Returns the run-time address of the site. */
static __always_inline __u64 bpf_loc_ip(void *ctx)
{
	const struct btf_loc_spec *site;

	if (btf_loc_marked(ctx))
		return btf_loc_load(ctx, BTF_LOC_IP);
	site = btf_loc_find(bpf_get_attach_cookie(ctx) >> 32, BTF_LOC_SITE);
	return site ? site->value : 0;
}

/*
 * Returns whether bpf_get_stack() is right in a program that perf runs at a site, by the first byte
 * of the site's code. On x86 a kprobe's instruction pointer is one byte after the site, which an
 * unwinder takes for the next instruction if the first one has one byte. Through the module stacks
 * are right at all sites.
 */
static __always_inline int bpf_loc_unwinds(__u8 first)
{
	return !BTF_LOC_BLURS(first);
}

/*
 * Returns the link register without its signature. Until a function has a frame of its own, that is
 * where it returns to, and bpf_get_stack() leaves its caller out (arm64, Linux 6.12). 0: the
 * architecture has no such register.
 */
static __always_inline __u64 bpf_loc_link(void *ctx)
{
#ifdef BTF_LOC_LINK
	__u64 link = btf_loc_load(ctx, BTF_LOC_LINK);

	return link ? link | BTF_LOC_SIGNED : 0;
#else
	return 0;
#endif
}

/* Returns the cookie of btf_extra_attach_opts. */
static __always_inline __u64 bpf_loc_cookie(void *ctx)
{
	const struct btf_loc_spec *site;

	if (btf_loc_marked(ctx))
		return bpf_get_attach_cookie(ctx);
	site = btf_loc_find(bpf_get_attach_cookie(ctx) >> 32, BTF_LOC_SITE);
	return site ? site->cookie : 0;
}

/*
 * Declares a program whose parameters are those of the function, in order. The last ones may be
 * left out. There may be up to 12, each of at most 8 bytes (bpf_loc_arg() reads larger ones). A
 * parameter without a location is 0, which only bpf_loc_arg() can distinguish from a real 0. The
 * program can also use ctx.
 */
#define BPF_KLOC(name, args...)							\
name(struct pt_regs *ctx);							\
static __always_inline int btf_loc_##name(struct pt_regs *ctx, ##args);		\
int name(struct pt_regs *ctx)							\
{										\
	/* It tells the library that the program takes no bare registers. */	\
	asm volatile("" : : "r"(&btf_loc_specs));				\
	_Pragma("GCC diagnostic push")						\
	_Pragma("GCC diagnostic ignored \"-Wint-conversion\"")			\
	return btf_loc_##name(BTF_LOC_JOIN(BTF_LOC_PASS, BTF_LOC_COUNT(args)));	\
	_Pragma("GCC diagnostic pop")						\
}										\
static __always_inline int btf_loc_##name(struct pt_regs *ctx, ##args)

#define BTF_LOC_JOIN_(a, b) a##b
#define BTF_LOC_JOIN(a, b) BTF_LOC_JOIN_(a, b)
#define BTF_LOC_NTH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, ...) n
#define BTF_LOC_COUNT(args...) BTF_LOC_NTH(0, ##args, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define BTF_LOC_PASS0 ctx
#define BTF_LOC_PASS1 BTF_LOC_PASS0, btf_loc_value(ctx, 0)
#define BTF_LOC_PASS2 BTF_LOC_PASS1, btf_loc_value(ctx, 1)
#define BTF_LOC_PASS3 BTF_LOC_PASS2, btf_loc_value(ctx, 2)
#define BTF_LOC_PASS4 BTF_LOC_PASS3, btf_loc_value(ctx, 3)
#define BTF_LOC_PASS5 BTF_LOC_PASS4, btf_loc_value(ctx, 4)
#define BTF_LOC_PASS6 BTF_LOC_PASS5, btf_loc_value(ctx, 5)
#define BTF_LOC_PASS7 BTF_LOC_PASS6, btf_loc_value(ctx, 6)
#define BTF_LOC_PASS8 BTF_LOC_PASS7, btf_loc_value(ctx, 7)
#define BTF_LOC_PASS9 BTF_LOC_PASS8, btf_loc_value(ctx, 8)
#define BTF_LOC_PASS10 BTF_LOC_PASS9, btf_loc_value(ctx, 9)
#define BTF_LOC_PASS11 BTF_LOC_PASS10, btf_loc_value(ctx, 10)
#define BTF_LOC_PASS12 BTF_LOC_PASS11, btf_loc_value(ctx, 11)

#endif /* __bpf__ */
#endif
