/* SPDX-License-Identifier: (GPL-2.0 OR LGPL-2.1 OR BSD-2-Clause) */
/* The context of a kprobe program, as the UAPI header of btf_extra says of it. */
#ifndef BTF_EXTRA_SHAPES_REGS_BPF_H
#define BTF_EXTRA_SHAPES_REGS_BPF_H

#include <linux/ptrace.h>
#include <linux/types.h>
#include <stddef.h>

#include <bpf/bpf_tracing.h>

#if defined(__TARGET_ARCH_x86)

#define SHAPES_SIXTH(ctx) ((ctx)->r9)
#define SHAPES_WORD(ctx) ((ctx)->orig_rax)
#define SHAPES_CONTEXT_SIZE sizeof(struct pt_regs)
#define SHAPES_LARGE_TAKES_ONE 0 /* register, for a large argument */

/* The registers by number. Numbers without a register of an argument read some other one. */
static const __u8 arg_registers[9] = {
    offsetof(struct pt_regs, rdi), offsetof(struct pt_regs, rsi), offsetof(struct pt_regs, rdx),
    offsetof(struct pt_regs, rcx), offsetof(struct pt_regs, r8),  offsetof(struct pt_regs, r9),
};

#else

/* The kernel's has more in it than a program may know, which differs between kernels. */
struct pt_regs {
    __u64 orig_x0;
} __attribute__((preserve_access_index));

#define SHAPES_SIXTH(ctx) (__PT_REGS_CAST(ctx)->regs[5])
/* It is after x0 to x30, sp, pc and pstate. */
#define SHAPES_WORD(ctx) (((const __u64 *)(ctx))[34])
#define SHAPES_CONTEXT_SIZE __builtin_preserve_type_info(*(struct pt_regs *)0, 1 /* its size */)
#define SHAPES_LARGE_TAKES_ONE 1

static const __u8 arg_registers[9] = {0, 8, 16, 24, 32, 40, 48, 56, 64};

#endif

#endif
