/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace-abi.h>
#include <asm/unwind_hints.h>

#define REGS_SIZE (SS + 8)

.macro COPY from:req to:req registers:vararg
	.irp register, \registers
	mov	\register(\from), %rax
	mov	%rax, \register(\to)
	.endr
.endm

/*
 * void arch_phantom_call(unsigned long stub, const struct pt_regs *args,
 *			  const struct pt_regs *site, unsigned long address)
 *
 * The registers of the site are on the stack, at the place that the hint names: only those that
 * locate the frame of a C function. A stack trace that is taken while the stub runs therefore
 * continues at the site, even from an optimized probe, where the kernel's own unwinders end.
 */
SYM_FUNC_START(arch_phantom_call)
	push	%rbp
	mov	%rsp, %rbp
	sub	$REGS_SIZE, %rsp
	UNWIND_HINT_SAVE
	COPY	%rdx %rsp R13 RBP R10 CS RSP
	mov	%rcx, RIP(%rsp)
	mov	%rdi, %rax
	mov	%rsi, %r10
	mov	RDI(%r10), %rdi
	mov	RSI(%r10), %rsi
	mov	RDX(%r10), %rdx
	mov	RCX(%r10), %rcx
	mov	R8(%r10), %r8
	mov	R9(%r10), %r9
	UNWIND_HINT_REGS
	CALL_NOSPEC rax
	UNWIND_HINT_RESTORE
	leave
	RET
SYM_FUNC_END(arch_phantom_call)
_ASM_NOKPROBE(arch_phantom_call)
