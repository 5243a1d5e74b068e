/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/linkage.h>

/*
 * An empty function that ftrace lists. Its entry in the list is that of GCC's
 * -fpatchable-function-entry: the first of all NOPs. With CALL_OPS two more are before the
 * function, for the address of an ftrace_ops, which is aligned to 8 bytes.
 */
.macro PHANTOM_STUB name:req
	.p2align 5
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
.Lentry\@:
	nop
	nop
#endif
	.type \name, @function
\name:
#ifdef CONFIG_ARM64_BTI_KERNEL
	hint	#34		/* bti c */
#endif
#ifndef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
.Lentry\@:
#endif
	nop
	nop
	ret
	.size \name, . - \name
	.pushsection __patchable_function_entries, "aw", @progbits
	.balign	8
	.quad	.Lentry\@
	.popsection
.endm
