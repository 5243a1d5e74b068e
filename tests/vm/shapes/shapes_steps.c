// SPDX-License-Identifier: GPL-2.0
/* See shapes_steps.h. */
#include "shapes_module.h"

#if defined(__x86_64__)
#define ALL_FLAGS 0x8d5		/* overflow, sign, zero, adjust, parity, carry */
#define OTHER_FLAGS 0x202	/* interrupts stay on */
#define SET_FLAGS "push %2; popf"
#define GET_FLAGS "pushf; pop %0"
#define GET_SP "mov %%rsp, %0"
#define CHANGED_BY_CALLS "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory"
#else
#define ALL_FLAGS 0xf0000000
#define OTHER_FLAGS 0
#define SET_FLAGS "msr nzcv, %2"
#define GET_FLAGS "mrs %0, nzcv"
#define GET_SP "mov %0, sp"
#define CHANGED_BY_CALLS "memory"
#endif

/* It is the same in all of a function. */
static __always_inline u64 stack_pointer(void)
{
	u64 value;

	asm volatile(GET_SP : "=r"(value));
	return value;
}

/* A step calls this. */
void shapes_called(void);
noinline void shapes_called(void)
{
	barrier();
}

/* clang-format off */
#define DEFINE_STEP(name, instruction, from, stack)					\
	static __always_inline u64 step_##name(u64 before, u64 to)			\
	{										\
		register u64 source asm(STEP_SOURCE) = before;				\
		register u64 target asm(STEP_TARGET) = to;				\
											\
		asm volatile(instruction : "+r"(target), "+r"(source) :			\
			     : CHANGED_BY_CALLS);					\
		return target;								\
	}										\
											\
	static noinline void run_##name(struct shapes_step *step)			\
	{										\
		u64 flags = (step->flags & ALL_FLAGS) | OTHER_FLAGS;			\
		register u64 source asm(STEP_SOURCE) = (from);				\
		register u64 target asm(STEP_TARGET) = step->target;			\
											\
		asm volatile(SET_FLAGS : "+r"(source), "+r"(target) : "r"(flags));	\
		target = step_##name(source, target);					\
		asm volatile(GET_FLAGS : "=r"(flags), "+r"(target));			\
		step->flags = flags & ALL_FLAGS;					\
		step->target = target - (stack);					\
	}
/* clang-format on */
#define DEFINE(name, instruction) DEFINE_STEP(name, instruction, step->source, 0)
#define DEFINE_SP(name, instruction) DEFINE_STEP(name, instruction, step->source, stack_pointer())
#define DEFINE_STACK(name, instruction) \
	DEFINE_STEP(name, instruction, step->source, *(u64 *)stack_pointer())
#define DEFINE_MEMORY(name, instruction) DEFINE_STEP(name, instruction, (u64)&step->source, 0)

STEPS(DEFINE, DEFINE_SP, DEFINE_STACK, DEFINE_MEMORY, DEFINE)

#define STEP_ENTRY(name, instruction) [STEP_##name] = run_##name,
static void (*const steps[])(struct shapes_step *step) = {
	STEPS(STEP_ENTRY, STEP_ENTRY, STEP_ENTRY, STEP_ENTRY, STEP_ENTRY)
};

void shapes_do_step(struct shapes_step *step)
{
	steps[step->step](step);
}
