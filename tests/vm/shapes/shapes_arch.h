/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions and registers that the functions of shapes.ko are about. */
#ifndef BTF_EXTRA_SHAPES_ARCH_H
#define BTF_EXTRA_SHAPES_ARCH_H

#if defined(__x86_64__)
/* No register is left that could hold a value. */
#define use_all_registers()                                                                        \
    asm volatile(""                                                                                \
                 :                                                                                 \
                 :                                                                                 \
                 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11",      \
                   "r12", "r13", "r14", "r15")
#define subtract_in_place(from, what) asm volatile("sub %1, %0" : "+r"(from) : "r"(what) : "cc")
#else
#define use_all_registers()                                                                        \
    asm volatile(""                                                                                \
                 :                                                                                 \
                 :                                                                                 \
                 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",       \
                   "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22",    \
                   "x23", "x24", "x25", "x26", "x27", "x28", "x30")
#define subtract_in_place(from, what) asm volatile("sub %0, %0, %1" : "+r"(from) : "r"(what))
#endif

#endif
