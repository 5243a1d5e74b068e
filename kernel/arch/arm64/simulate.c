// SPDX-License-Identifier: GPL-2.0
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>

#include <asm/insn.h>

#include "arch/arch.h"

/* Fields of an instruction. */
static __always_inline u32 insn_field(u32 instruction, u32 high, u32 low)
{
	return (instruction & GENMASK(high, low)) >> low;
}

#define RD(instruction) insn_field(instruction, 4, 0)
#define RN(instruction) insn_field(instruction, 9, 5)

/* Register 31 is the stack pointer here; in other operands it is zero. */
static __always_inline u64 register_or_sp(const struct pt_regs *regs, u32 number)
{
	return number == 31 ? regs->sp : pt_regs_read_reg(regs, number);
}

static __always_inline u64 of_its_width(u32 instruction, u64 value)
{
	return instruction & BIT(31) ? value : (u32)value;
}

static __always_inline bool is_nop(u32 instruction)
{
	return instruction == 0xd503201f;
}

/* A MOV is an ORR of zero and a register that is not shifted. */
static __always_inline bool is_mov(u32 instruction)
{
	return (instruction & 0x7fe0ffe0) == 0x2a0003e0;
}

static __always_inline u64 simulate_mov(u32 instruction, const struct pt_regs *regs)
{
	return of_its_width(instruction, pt_regs_read_reg(regs, insn_field(instruction, 20, 16)));
}

/* A wide MOV is one of these. */
enum { MOVN = 0, MOVZ = 2, MOVK = 3 };

static __always_inline bool is_mov_wide(u32 instruction)
{
	return (instruction & 0x1f800000) == 0x12800000 && insn_field(instruction, 30, 29) != 1;
}

static __always_inline u64 mov_wide(u32 instruction, const struct pt_regs *regs)
{
	u32 shift = 16 * insn_field(instruction, 22, 21);
	u64 value = (u64)insn_field(instruction, 20, 5) << shift;

	switch (insn_field(instruction, 30, 29)) {
	case MOVN:
		value = ~value;
		break;
	case MOVK:
		value |= pt_regs_read_reg(regs, RD(instruction)) & ~(0xffffULL << shift);
		break;
	}
	return of_its_width(instruction, value);
}

/* It is an ADD or SUB of an immediate that sets neither flags nor sp. */
static __always_inline bool is_add(u32 instruction)
{
	return (instruction & 0x3f800000) == 0x11000000 && RD(instruction) != 31;
}

static __always_inline u64 simulate_add(u32 instruction, const struct pt_regs *regs)
{
	u64 value = register_or_sp(regs, RN(instruction));
	u64 immediate = insn_field(instruction, 21, 10);

	if (instruction & BIT(22))
		immediate <<= 12;
	return of_its_width(instruction,
			    instruction & BIT(30) ? value - immediate : value + immediate);
}

/* A load is LDR, LDRB, LDRH, LDRSB, LDRSH or LDRSW with an offset that is not negative. */
enum { LOAD = 1, LOAD_SIGNED_64 = 2, LOAD_SIGNED_32 = 3 };

static __always_inline bool is_load(u32 instruction)
{
	u32 kind = insn_field(instruction, 23, 22), log_size = insn_field(instruction, 31, 30);

	/* Kind 0 stores. A value as wide as its register is not sign-extended. */
	return (instruction & 0x3f000000) == 0x39000000 && kind && kind + log_size <= 4;
}

static __always_inline bool simulate_load(u32 instruction, const struct pt_regs *regs, u64 *value)
{
	u32 kind = insn_field(instruction, 23, 22), log_size = insn_field(instruction, 31, 30);
	u64 from = register_or_sp(regs, RN(instruction)) +
		   ((u64)insn_field(instruction, 21, 10) << log_size);

	*value = 0;
	if (copy_from_kernel_nofault(value, (const void *)from, 1 << log_size))
		return false;
	if (kind != LOAD)
		*value = sign_extend64(*value, (8 << log_size) - 1);
	if (kind == LOAD_SIGNED_32)
		*value = (u32)*value;
	return true;
}

static __always_inline bool simulate_insn(u32 instruction, struct pt_regs *regs)
{
	u64 value;

	if (is_nop(instruction))
		return true;
	if (is_load(instruction)) {
		/* A load that faults must do so at its own address. */
		if (!simulate_load(instruction, regs, &value))
			return false;
	} else if (is_add(instruction)) {
		value = simulate_add(instruction, regs);
	} else if (is_mov_wide(instruction)) {
		value = mov_wide(instruction, regs);
	} else if (is_mov(instruction)) {
		value = simulate_mov(instruction, regs);
	} else {
		return false;
	}
	pt_regs_write_reg(regs, RD(instruction), value);
	return true;
}

/*
 * Kprobes of arm64 simulate jumps and NOP. They execute a copy of any other instruction, with a
 * second breakpoint after it, which costs as much as the first. Therefore the instructions that are
 * most common at sites are simulated here.
 */
int arch_simulate(const struct kprobe *kprobe, struct pt_regs *regs)
{
	/* The kernel would leave out the other probes of this address. */
	if (!list_empty(&kprobe->list) || !simulate_insn(kprobe->opcode, regs))
		return 0;
	regs->pc += AARCH64_INSN_SIZE;
	/* Each instruction that is not a jump to a register clears it. */
	regs->pstate &= ~PSR_BTYPE_MASK;
	return 1;
}
NOKPROBE_SYMBOL(arch_simulate);
