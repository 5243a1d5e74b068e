/* SPDX-License-Identifier: GPL-2.0 */
/* btf-extra expose fills in the names of the stubs and the table: see core/phantom_table.h. */
#include "../core/phantom_table.h"

/* PHANTOM_STUB name: a stub of PHANTOM_STUB_SIZE bytes. */
#if defined(CONFIG_X86_64)
#include "../arch/x86/phantom_stub.S"
#elif defined(CONFIG_ARM64)
#include "../arch/arm64/phantom_stub.S"
#else
#error "btf_extra: this architecture has no folder in kernel/arch"
#endif

.altmacro
.macro NUMBERED number
	PHANTOM_STUB inlined_stub_\number
	/* An address in data also keeps the ENDBR: unused ones are removed. */
	.pushsection .rodata, "a", @progbits
	.quad	inlined_stub_\number
	.popsection
.endm

	.section .rodata, "a", @progbits
	.balign	8
	.globl	inlined_stubs
	.hidden	inlined_stubs
inlined_stubs:

	.text
.set number, 0
.rept PHANTOM_STUBS
	NUMBERED %number
	.set number, number + 1
.endr
	.p2align 5

	.section .btf_extra.phantoms, "a", @progbits
	.balign	8
	.globl	inlined_table
	.hidden	inlined_table
inlined_table:
	.long	PHANTOM_MAGIC, PHANTOM_VERSION, 0, 0, 0, 0, 0, 0

	.section .note.GNU-stack, "", @progbits
