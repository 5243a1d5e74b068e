/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The names of registers, and where the kernel saves them. The registers of a location have
 * the numbers of DWARF. And the calls that a kprobe may not be put on.
 */
#ifndef BTF_EXTRA_LOC_ARCH_H
#define BTF_EXTRA_LOC_ARCH_H

#include "core_env.h"

/* ELF e_machine values. */
enum loc_machine {
	LOC_MACHINE_X86_64 = 62,
	LOC_MACHINE_AARCH64 = 183
};

struct loc_register {
	const char *name;	/* for people: "%rdi", "x0" */
	const char *probe_name;	/* for tracefs and bpftrace: "di", "x0" */
	u16 saved_at;		/* bytes from the start of the kernel's struct pt_regs */
};

struct loc_arch {
	u16 machine;
	u32 nr_numbers;		/* a location may name the registers below */
	const struct loc_register *registers;	/* these have a name, the others have none */
	u32 nr_registers;
	const u8 *arguments;	/* the registers for integer arguments, in order */
	u32 nr_arguments;
	u32 hook_before;	/* ftrace may list a function this far before it begins */
	/* DWARF may let a function begin this far after its symbol, after ftrace's hook. */
	u32 hook_size;
	const char *syscall_prefix;	/* of the name of a system call's body */
};

/* NULL: nothing is known of that machine. */
const struct loc_arch *loc_arch_of(u32 machine);

/* Returns the one that this code runs on, or NULL. */
const struct loc_arch *loc_arch_running(void);

/* NULL: it has no name. arch may be NULL. */
const struct loc_register *loc_arch_register(const struct loc_arch *arch, u32 number);

/*
 * Calls that kprobes emulate like calls of 5 bytes, so that they return to a wrong address. 6.1.192
 * and 6.12.117 do so if the call has a prefix; 7.3.4 does not. Kernels before 6.1.72, 6.6.11 and
 * 6.7, which lack commit f5d03da48d06, do so if the call goes through a register.
 */
enum loc_call {
	LOC_CALL_NONE = 0,
	LOC_CALL_PREFIXED,
	LOC_CALL_REGISTER,
};

/* Looks at the first instruction of the code. arch may be NULL. */
enum loc_call loc_arch_call(const struct loc_arch *arch, const u8 *code, u32 size);

#endif
