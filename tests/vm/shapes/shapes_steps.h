/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR LGPL-2.1 OR BSD-2-Clause) */
/*
 * Instructions that have a probe. STEP(name, instruction) declares step_<name>(), which is inlined
 * once and begins with the instruction. SP_STEP() is of one that reads the stack pointer,
 * STACK_STEP() of one that reads what lies there, and MEMORY_STEP() of one for which STEP_SOURCE is
 * the address of source and target in struct shapes_step. They change STEP_TARGET, flags and that
 * memory. CALL_STEP() is of a call that kprobes would return from to a wrong address. Each is
 * written as objdump prints it.
 */
#ifndef BTF_EXTRA_SHAPES_STEPS_H
#define BTF_EXTRA_SHAPES_STEPS_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* clang-format off */
#if defined(__x86_64__)
#define STEP_SOURCE "rbx"
#define STEP_TARGET "r12"
#define STEPS(STEP, SP_STEP, STACK_STEP, MEMORY_STEP, CALL_STEP) \
	STEP(nop, "nop") \
	STEP(mov, "mov %%rbx,%%r12") \
	STEP(mov_32, "mov %%ebx,%%r12d") \
	STEP(add, "add $0x7f,%%r12") \
	SP_STEP(sp, "lea 0x10(%%rsp),%%r12") \
	STACK_STEP(stack, "mov (%%rsp),%%r12") \
	MEMORY_STEP(load, "mov 0x8(%%rbx),%%r12") \
	MEMORY_STEP(store, "mov %%r12,(%%rbx)") \
	STEP(call, "call shapes_called") \
	CALL_STEP(cs_call, "cs\ncall shapes_called")
#else
#define STEP_SOURCE "x20"
#define STEP_TARGET "x21"
#define STEPS(STEP, SP_STEP, STACK_STEP, MEMORY_STEP, CALL_STEP) \
	STEP(nop, "nop") \
	STEP(mov, "mov x21, x20") \
	STEP(mov_32, "mov w21, w20") \
	STEP(mov_zero, "mov x21, xzr") \
	STEP(to_zero, "mov xzr, x20") \
	STEP(orr, "orr x21, x21, x20") \
	STEP(orr_shifted, "orr x21, xzr, x20, lsl #4") \
	STEP(mvn, "mvn x21, x20") \
	STEP(and, "and x21, x21, x20") \
	STEP(movz, "mov x21, #0xfedc") \
	STEP(movz_48, "mov x21, #0x8765000000000000") \
	STEP(movz_32, "mov w21, #0x12340000") \
	STEP(movn, "mov x21, #0xffffffffffff0123") \
	STEP(movn_16, "mov x21, #0xffffffff0123ffff") \
	STEP(movn_32, "mov w21, #0xffff0123") \
	STEP(movk, "movk x21, #0x4321") \
	STEP(movk_32, "movk x21, #0x4321, lsl #32") \
	STEP(movk_of_32, "movk w21, #0x4321, lsl #16") \
	STEP(add, "add x21, x20, #0xfff") \
	STEP(add_same, "add x21, x21, #0x1") \
	STEP(add_shifted, "add x21, x20, #0xfed, lsl #12") \
	STEP(add_32, "add w21, w20, #0xfff, lsl #12") \
	STEP(sub, "sub x21, x20, #0x211") \
	STEP(sub_32, "sub w21, w20, #0x800, lsl #12") \
	STEP(adds, "adds x21, x20, #0x1") \
	STEP(subs, "subs x21, x20, #0x1") \
	STEP(cmp, "cmp x20, #0x10") \
	STEP(add_register, "add x21, x20, x21") \
	STEP(branch, "cbnz x20, 4f\n4:") \
	STEP(address, "adr x21, 4f\n4:") \
	SP_STEP(from_sp, "mov x21, sp") \
	SP_STEP(add_sp, "add x21, sp, #0x10") \
	SP_STEP(sub_sp, "sub x21, sp, #0x1, lsl #12") \
	STACK_STEP(ldr_sp, "ldr x21, [sp]") \
	MEMORY_STEP(ldr, "ldr x21, [x20]") \
	MEMORY_STEP(ldr_8, "ldr x21, [x20, #8]") \
	MEMORY_STEP(ldr_same, "ldr x20, [x20, #8]\nmov x21, x20") \
	MEMORY_STEP(ldr_to_zero, "ldr xzr, [x20]") \
	MEMORY_STEP(ldr_32, "ldr w21, [x20, #12]") \
	MEMORY_STEP(ldrh, "ldrh w21, [x20, #2]") \
	MEMORY_STEP(ldrb, "ldrb w21, [x20, #15]") \
	MEMORY_STEP(ldrsw, "ldrsw x21, [x20, #4]") \
	MEMORY_STEP(ldrsh, "ldrsh x21, [x20, #6]") \
	MEMORY_STEP(ldrsh_32, "ldrsh w21, [x20, #14]") \
	MEMORY_STEP(ldrsb, "ldrsb x21, [x20, #7]") \
	MEMORY_STEP(ldrsb_32, "ldrsb w21, [x20, #8]") \
	MEMORY_STEP(ldur, "ldur x21, [x20, #3]") \
	MEMORY_STEP(ldr_before, "ldr x21, [x20, #8]!") \
	MEMORY_STEP(ldr_after, "ldr x21, [x20], #8") \
	MEMORY_STEP(ldp, "ldp x21, x20, [x20]") \
	MEMORY_STEP(prfm, "prfm pldl1keep, [x20]") \
	MEMORY_STEP(str, "str x21, [x20]") \
	MEMORY_STEP(strb, "strb w21, [x20, #3]")
#endif
/* clang-format on */

#define STEP_ID(name, instruction) STEP_##name,
enum step_id { STEPS(STEP_ID, STEP_ID, STEP_ID, STEP_ID, STEP_ID) STEP_COUNT };

/* SHAPES_IOC_STEP: the registers before a step, and what they are then. */
struct shapes_step {
    __u32 step;  /* in: enum step_id */
    __u32 flags; /* in, out: of the processor, those that arithmetic changes */
    /* In, out: STEP_SOURCE, but of a MEMORY_STEP what it has stored there, and STEP_TARGET; of an
     * SP_STEP how far that is above the stack pointer, of a STACK_STEP above what it has to read.
     */
    __u64 source, target;
};

#define SHAPES_IOC_STEP _IOWR(0xbf, 0x92, struct shapes_step)

#endif
