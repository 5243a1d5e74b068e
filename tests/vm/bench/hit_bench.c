// SPDX-License-Identifier: GPL-2.0
/*
 * A function that is inlined once. Its argument is not in the ABI's register, and kprobes can
 * replace the instruction by a jump. Writing N to the parameter "calls" calls it N times; "ns" is
 * the time that took.
 */
#include <linux/ktime.h>
#include <linux/module.h>

static unsigned long ns;
module_param(ns, ulong, 0444);

static __always_inline void hit_bench_call(unsigned long value)
{
	asm volatile("movq $0x12345678, %%rax" : : "b"(value) : "rax");
	asm volatile("" : : "b"(value));
}

static noinline void call_often(unsigned long calls)
{
	unsigned long i;

	for (i = 0; i < calls; i++) {
		unsigned long value = i;

		asm volatile("" : "+b"(value));
		hit_bench_call(value);
	}
}

static int set_calls(const char *text, const struct kernel_param *param)
{
	unsigned long calls;
	ktime_t begin;
	int err = kstrtoul(text, 0, &calls);

	if (err)
		return err;
	call_often(100);
	begin = ktime_get();
	call_often(calls);
	ns = ktime_to_ns(ktime_sub(ktime_get(), begin));
	return 0;
}

static const struct kernel_param_ops calls_ops = { .set = set_calls };
module_param_cb(calls, &calls_ops, NULL, 0200);

MODULE_DESCRIPTION("What a hit costs");
MODULE_LICENSE("GPL");
