// SPDX-License-Identifier: GPL-2.0
/*
 * Inlined functions on stacks. Writing to the parameter "wait" sleeps until a signal comes, writing
 * to "warn" warns, and writing to "push" does nothing. A line that calls an inlined function says
 * so; the test takes its number.
 */
#include <linux/bug.h>
#include <linux/delay.h>
#include <linux/module.h>

/* The sleep returns to where its code has ended. */
static __always_inline void wait_inside(void)
{
	asm volatile("nop");
	msleep_interruptible(1000 * 1000);
}

static __always_inline void wait_around(void)
{
	wait_inside(); /* calls wait_inside */
}

static noinline int frames_wait(const char *text, const struct kernel_param *param)
{
	/* The NOPs keep the prologue apart from the inlined code: on arm64 GCC mixes them. */
	asm volatile("nop");
	wait_around(); /* calls wait_around */
	return 0;
}

/* Its first instruction warns. The byte before it is the caller's. */
static __always_inline void warn_inside(void)
{
	WARN_ON(1);
}

static __always_inline void warn_around(void)
{
	warn_inside(); /* calls warn_inside */
}

static noinline int frames_warn(const char *text, const struct kernel_param *param)
{
	warn_around(); /* calls warn_around */
	return 0;
}

/* Its first instruction has one byte, if sizes differ, and moves the stack pointer. */
static __always_inline void push_inside(void)
{
#ifdef CONFIG_X86_64
	asm volatile("push %rax\n\tpop %rax");
#else
	asm volatile("nop");
#endif
}

static __always_inline void push_around(void)
{
	push_inside(); /* calls push_inside */
}

static noinline int frames_push(const char *text, const struct kernel_param *param)
{
	push_around(); /* calls push_around */
	return 0;
}

static const struct kernel_param_ops wait_ops = { .set = frames_wait };
module_param_cb(wait, &wait_ops, NULL, 0200);
static const struct kernel_param_ops warn_ops = { .set = frames_warn };
module_param_cb(warn, &warn_ops, NULL, 0200);
static const struct kernel_param_ops push_ops = { .set = frames_push };
module_param_cb(push, &push_ops, NULL, 0200);

MODULE_DESCRIPTION("Inlined functions on stacks, for the tests of btf_extra");
MODULE_LICENSE("GPL");
