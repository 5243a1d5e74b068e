/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* The object file that trace.bpf.c is compiled to. */
	.section .rodata, "a"
	.balign 8
	.globl btf_extra_trace_program, btf_extra_trace_program_end
btf_extra_trace_program:
	.incbin "trace.bpf.o"
btf_extra_trace_program_end:

	.section .note.GNU-stack, "", %progbits
