/* SPDX-License-Identifier: (GPL-2.0 OR LGPL-2.1 OR BSD-2-Clause) */
/* Instructions and registers of hit_bench.ko, and where programs find them. */
#ifndef BTF_EXTRA_BENCH_ARCH_H
#define BTF_EXTRA_BENCH_ARCH_H

/*
 * bench_kept(): the register of struct pt_regs that holds the argument of hit_bench_call(); it is
 * not the ABI's. BENCH_INSTRUCTION can be replaced by a jump where kprobes do that; it changes
 * BENCH_CHANGED.
 */
#if defined(__x86_64__) || defined(__TARGET_ARCH_x86)
#define BENCH_KEPT "rbx"
#define BENCH_INSTRUCTION "movq $0x12345678, %%rax"
#define BENCH_CHANGED "rax"
#define BENCH_REGISTERS                                                                            \
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12", "r13",       \
        "r14", "r15"
#define bench_kept(ctx) ((ctx)->rbx)
#else
#define BENCH_KEPT "x19"
#define BENCH_INSTRUCTION "mov x9, #0x1234"
#define BENCH_CHANGED "x9"
#define BENCH_REGISTERS                                                                            \
    "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", \
        "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", \
        "x28", "x30"
#define bench_kept(ctx) (((struct user_pt_regs *)(ctx))->regs[19])
#endif

#endif
