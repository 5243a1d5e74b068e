// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that are inlined once, of which one also has a body, and one with only a body. Where
 * they are inlined, the argument of hit_bench_call() and hit_bench_both() is in a register that is
 * not the ABI's, that of hit_bench_sum() is the sum of two registers, those of hit_bench_three()
 * are on the stack, and kprobes can replace the instruction by a jump, where they do that. Writing
 * N to the parameter "calls" calls hit_bench_call() N times; "calls_sum", "calls_three",
 * "calls_both" and "calls_body" are for the others. "ns" is the time that took. "probe" is an
 * address with a kprobe that does nothing; 0: none.
 */
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>

#include "bench_arch.h"

static unsigned long ns;
module_param(ns, ulong, 0444);

static __always_inline void hit_bench_call(unsigned long value)
{
	register unsigned long kept asm(BENCH_KEPT) = value;

	asm volatile(BENCH_INSTRUCTION : : "r"(kept) : BENCH_CHANGED);
	asm volatile("" : : "r"(kept));
}

static noinline void call_often(unsigned long calls)
{
	unsigned long i;

	for (i = 0; i < calls; i++) {
		register unsigned long value asm(BENCH_KEPT) = i;

		asm volatile("" : "+r"(value));
		hit_bench_call(value);
	}
}

/* It does not use its argument, so the compiler computes it nowhere, and DWARF says how. */
static __always_inline void hit_bench_sum(unsigned long value)
{
	asm volatile(BENCH_INSTRUCTION : : : BENCH_CHANGED);
}

static noinline void call_sum_often(unsigned long calls)
{
	unsigned long i;

	for (i = 0; i < calls; i++) {
		unsigned long first = i, second = calls;

		asm volatile("" : "+r"(first), "+r"(second));
		hit_bench_sum(first + second);
		asm volatile("" : : "r"(first), "r"(second));
	}
}

static __always_inline void hit_bench_three(unsigned long first, unsigned long second,
					    unsigned long third)
{
	asm volatile(BENCH_INSTRUCTION : : : BENCH_CHANGED);
	asm volatile("" : : "r"(first), "r"(second), "r"(third));
}

static noinline void call_three_often(unsigned long calls)
{
	unsigned long i;

	for (i = 0; i < calls; i++) {
		unsigned long first = i, second = i + 1, third = i + 2;

		asm volatile("" : "+r"(first), "+r"(second), "+r"(third));
		/* No register is left that could hold them. */
		asm volatile("" : : : BENCH_REGISTERS);
		hit_bench_three(first, second, third);
	}
}

/* The same as the first one. It is not "inline", because in the kernel that means notrace, too. */
static void hit_bench_both(unsigned long value)
{
	register unsigned long kept asm(BENCH_KEPT) = value;

	asm volatile(BENCH_INSTRUCTION : : "r"(kept) : BENCH_CHANGED);
	asm volatile("" : : "r"(kept));
}

static void (*volatile both_body)(unsigned long value) __used = hit_bench_both;

static noinline void call_both_often(unsigned long calls)
{
	unsigned long i;

	for (i = 0; i < calls; i++) {
		register unsigned long value asm(BENCH_KEPT) = i;

		asm volatile("" : "+r"(value));
		hit_bench_both(value);
	}
}

static noinline void hit_bench_body(unsigned long value)
{
	asm volatile("" : : "r"(value));
}

static noinline void call_body_often(unsigned long calls)
{
	unsigned long i;

	for (i = 0; i < calls; i++)
		hit_bench_body(i);
}

static int measure(const char *text, void (*often)(unsigned long calls))
{
	unsigned long calls;
	ktime_t begin;
	int err = kstrtoul(text, 0, &calls);

	if (err)
		return err;
	often(100);
	begin = ktime_get();
	often(calls);
	ns = ktime_to_ns(ktime_sub(ktime_get(), begin));
	return 0;
}

static int set_calls(const char *text, const struct kernel_param *param)
{
	return measure(text, call_often);
}

static int set_calls_sum(const char *text, const struct kernel_param *param)
{
	return measure(text, call_sum_often);
}

static int set_calls_three(const char *text, const struct kernel_param *param)
{
	return measure(text, call_three_often);
}

static int set_calls_both(const char *text, const struct kernel_param *param)
{
	return measure(text, call_both_often);
}

static int set_calls_body(const char *text, const struct kernel_param *param)
{
	return measure(text, call_body_often);
}

static const struct kernel_param_ops calls_ops = { .set = set_calls };
module_param_cb(calls, &calls_ops, NULL, 0200);
static const struct kernel_param_ops calls_sum_ops = { .set = set_calls_sum };
module_param_cb(calls_sum, &calls_sum_ops, NULL, 0200);
static const struct kernel_param_ops calls_three_ops = { .set = set_calls_three };
module_param_cb(calls_three, &calls_three_ops, NULL, 0200);
static const struct kernel_param_ops calls_both_ops = { .set = set_calls_both };
module_param_cb(calls_both, &calls_both_ops, NULL, 0200);
static const struct kernel_param_ops calls_body_ops = { .set = set_calls_body };
module_param_cb(calls_body, &calls_body_ops, NULL, 0200);

/* ---- a probe that does nothing ---- */

static struct kprobe probe;

static int do_nothing(struct kprobe *kprobe, struct pt_regs *regs)
{
	return 0;
}
NOKPROBE_SYMBOL(do_nothing);

static void end_probe(void)
{
	if (probe.addr)
		unregister_kprobe(&probe);
	probe = (struct kprobe){};
}

static int set_probe(const char *text, const struct kernel_param *param)
{
	unsigned long address;
	int err = kstrtoul(text, 0, &address);

	if (err)
		return err;
	end_probe();
	if (!address)
		return 0;
	probe.addr = (kprobe_opcode_t *)address;
	probe.pre_handler = do_nothing;
	err = register_kprobe(&probe);
	if (err)
		probe = (struct kprobe){};
	return err;
}

static const struct kernel_param_ops probe_ops = { .set = set_probe };
module_param_cb(probe, &probe_ops, NULL, 0200);

static int __init hit_bench_init(void)
{
	return 0;
}

static void __exit hit_bench_exit(void)
{
	end_probe();
}

module_init(hit_bench_init);
module_exit(hit_bench_exit);

MODULE_DESCRIPTION("What a hit costs");
MODULE_LICENSE("GPL");
