// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The reads of a program's context, by instructions written by hand.
#include "userspace/audit/context_reads.h"

#include <gtest/gtest.h>
#include <linux/bpf.h>

namespace btf_extra::audit {
namespace {

using Program = std::vector<bpf_insn>;
using Bytes = std::set<std::pair<uint32_t, uint32_t>>;

constexpr bpf_insn insn(int code, int to, int from, int off, int imm) {
    return {static_cast<__u8>(code), static_cast<__u8>(to & 15), static_cast<__u8>(from & 15),
            static_cast<__s16>(off), imm};
}
constexpr bpf_insn load(int to, int from, int off, int size = BPF_DW) {
    return insn(BPF_LDX | BPF_MEM | size, to, from, off, 0);
}
constexpr bpf_insn store(int to, int off, int from, int size = BPF_DW) {
    return insn(BPF_STX | BPF_MEM | size, to, from, off, 0);
}
constexpr bpf_insn move(int to, int from) {
    return insn(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}
constexpr bpf_insn set(int to, int number) {
    return insn(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number);
}
constexpr bpf_insn add(int to, int number) {
    return insn(BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, number);
}
constexpr bpf_insn call(int helper) {
    return insn(BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}
constexpr bpf_insn call_local() {
    return insn(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, -1);
}
constexpr bpf_insn jump_if_zero(int reg, int off) {
    return insn(BPF_JMP | BPF_JEQ | BPF_K, reg, 0, off, 0);
}
constexpr bpf_insn jump(int off) {
    return insn(BPF_JMP | BPF_JA, 0, 0, off, 0);
}
constexpr bpf_insn kExit = insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);

TEST(ContextReads, Known) {
    const struct {
        const char *name;
        Program program;
        Bytes bytes;
        std::set<uint32_t> arguments;
    } rows[] = {
        {"nothing", {set(0, 0), kExit}, {}, {}},
        {"loads of each size",
         {load(2, 1, 0), load(3, 1, 8, BPF_W), load(4, 1, 14, BPF_H), load(5, 1, 23, BPF_B), kExit},
         {{0, 8}, {8, 4}, {14, 2}, {23, 1}},
         {}},
        {"a copy", {move(6, 1), set(1, 0), load(2, 6, 16), kExit}, {{16, 8}}, {}},
        {"a copy that moved", {move(6, 1), add(6, 24), load(2, 6, -8), kExit}, {{16, 8}}, {}},
        {"a number added to a register that has it",
         {set(2, 8), insn(BPF_ALU64 | BPF_ADD | BPF_X, 2, 1, 0, 0), load(3, 2, 0), kExit},
         {{8, 8}},
         {}},
        {"the stack",
         {store(10, -8, 1), set(1, 0), load(2, 10, -8), load(3, 2, 8), kExit},
         {{8, 8}},
         {}},
        {"a slot that was overwritten",
         {store(10, -8, 1), store(10, -4, 2, BPF_W), load(2, 10, -8), load(3, 2, 8), kExit},
         {},
         {}},
        {"what the argument points to", {load(2, 1, 0), load(3, 2, 32), kExit}, {{0, 8}}, {}},
        {"both ways of a jump",
         {jump_if_zero(2, 2), load(3, 1, 0), jump(1), load(3, 1, 8), kExit},
         {{0, 8}, {8, 8}},
         {}},
        {"a loop", {load(3, 1, 0), jump_if_zero(3, -2), kExit}, {{0, 8}}, {}},
        {"code that is not reached", {jump(1), load(3, 1, 8), kExit}, {}, {}},
        {"a helper's context", {set(2, 1), call(BPF_FUNC_get_attach_cookie), kExit}, {}, {}},
        {"bpf_get_func_arg()", {set(2, 3), call(BPF_FUNC_get_func_arg), kExit}, {}, {3}},
        {"bpf_probe_read_kernel() from pt_regs",
         {move(3, 1), add(3, 112), set(2, 8), move(1, 10), add(1, -8),
          call(BPF_FUNC_probe_read_kernel), kExit},
         {{112, 8}},
         {}},
        {"registers after a call", {call(BPF_FUNC_ktime_get_ns), move(3, 0), kExit}, {}, {}},
        {"a number of 64 bits",
         {insn(BPF_LD | BPF_IMM | BPF_DW, 2, 0, 0, 5), insn(0, 0, 0, 0, 0), load(3, 1, 8), kExit},
         {{8, 8}},
         {}},
    };
    for (const auto &row : rows) {
        const ContextReads reads = context_reads(row.program);
        EXPECT_TRUE(reads.known) << row.name;
        EXPECT_EQ(reads.bytes, row.bytes) << row.name;
        EXPECT_EQ(reads.arguments, row.arguments) << row.name;
    }
}

TEST(ContextReads, NotKnown) {
    const struct {
        const char *name;
        Program program;
    } rows[] = {
        {"no program", {}},
        {"another function of the program", {call_local(), kExit}},
        {"a copy for another function", {move(3, 1), set(1, 0), call_local(), kExit}},
        {"a tail call", {call(BPF_FUNC_tail_call), kExit}},
        {"a context of bpf_loop()", {move(3, 1), set(1, 4), call(BPF_FUNC_loop), kExit}},
        {"an argument by a number that is not known",
         {load(2, 1, 0), call(BPF_FUNC_get_func_arg), kExit}},
        {"an offset that is not known",
         {load(2, 1, 0), insn(BPF_ALU64 | BPF_ADD | BPF_X, 1, 2, 0, 0), load(3, 1, 0), kExit}},
        {"another offset on each way", {jump_if_zero(2, 1), add(1, 8), load(3, 1, 0), kExit}},
        {"a store to memory", {store(6, 0, 1), kExit}},
        {"an end without exit", {load(2, 1, 0)}},
        {"a jump out of the program", {jump(7), kExit}},
        {"a register that no machine has", {load(11, 1, 0), kExit}},
    };
    for (const auto &row : rows)
        EXPECT_FALSE(context_reads(row.program).known) << row.name;
}

// The time is bounded: each instruction jumps to the first one with another offset.
TEST(ContextReads, LongProgram) {
    Program program;
    for (int i = 0; i < 5000; i++) {
        program.push_back(store(10, -8 * (i % 64 + 1), 1));
        program.push_back(jump_if_zero(2, -(i % 100) - 1));
    }
    program.push_back(kExit);
    EXPECT_TRUE(context_reads(program).known);
}

}  // namespace
}  // namespace btf_extra::audit
