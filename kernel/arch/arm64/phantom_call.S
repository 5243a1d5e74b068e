/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/linkage.h>
#include <asm/assembler.h>

/* The parts of struct pt_regs that are read here; core/loc_arch.c has all of it. */
#define REGS_X(number) (8 * (number))

/*
 * void arch_phantom_call(unsigned long stub, const struct pt_regs *args,
 *			  const struct pt_regs *site, unsigned long address)
 *
 * The frame record at x29 represents the site: it contains the frame pointer there, and the
 * address. This function's own caller is in no record. A stack trace that is taken while the stub
 * runs therefore continues at the site.
 */
SYM_FUNC_START(arch_phantom_call)
	stp	x29, x30, [sp, #-48]!
	str	x19, [sp, #16]
	ldr	x9, [x2, #REGS_X(29)]
	stp	x9, x3, [sp, #32]
	mov	x19, sp
	add	x29, sp, #32
	mov	x9, x0
	mov	x10, x1
	ldp	x0, x1, [x10, #REGS_X(0)]
	ldp	x2, x3, [x10, #REGS_X(2)]
	ldp	x4, x5, [x10, #REGS_X(4)]
	ldp	x6, x7, [x10, #REGS_X(6)]
	blr	x9
	mov	sp, x19
	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #48
	ret
SYM_FUNC_END(arch_phantom_call)
NOKPROBE(arch_phantom_call)
