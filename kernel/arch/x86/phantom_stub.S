/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/ibt.h>

/*
 * An empty function that ftrace lists. ENDBR is empty in a kernel without IBT, as ftrace requires:
 * there it accepts no entry after one.
 */
.macro PHANTOM_STUB name:req
	.p2align 5, 0xcc
	.type \name, @function
\name:
	ENDBR
.Lentry\@:
	call	__fentry__
	RET
	.size \name, . - \name
#ifdef CONFIG_FTRACE_MCOUNT_USE_CC
	/* The compiler makes these lists, so no other tool of the build does. */
	.pushsection __mcount_loc, "a", @progbits
	.quad	.Lentry\@
	.popsection
#endif
.endm
