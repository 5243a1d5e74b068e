// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/live_in_registers.h"

#include <capstone/capstone.h>
#include <elf.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace btf_extra::generator {

namespace {

// Returns one of bits 0..5 for each argument register of x86-64; 0 for others.
uint8_t bit_of(uint16_t reg) {
    static constexpr uint16_t kNames[6][4] = {{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
                                              {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
                                              {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
                                              {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL},
                                              {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
                                              {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B}};
    for (uint8_t i = 0; i < 6; ++i)
        if (std::ranges::find(kNames[i], reg) != std::end(kNames[i]))
            return static_cast<uint8_t>(1 << i);
    return reg == X86_REG_DH ? 4 : reg == X86_REG_CH ? 8 : 0;
}

uint8_t bits_of(const uint16_t *registers, uint8_t count) {
    uint8_t bits = 0;
    for (uint8_t i = 0; i < count; ++i)
        bits |= bit_of(registers[i]);
    return bits;
}

// Says that it does not matter what was in the operands: xor %edi,%edi; or $-1,%edi; and push %rdi,
// which GCC takes to make room on the stack.
bool forgets_operands(const cs_insn &instruction) {
    const cs_x86 &x86 = instruction.detail->x86;
    const cs_x86_op &first = x86.operands[0], &second = x86.operands[1];
    const bool same = x86.op_count == 2 && first.type == X86_OP_REG && second.type == X86_OP_REG &&
                      first.reg == second.reg;
    switch (instruction.id) {
    case X86_INS_XOR:
    case X86_INS_SUB:
    case X86_INS_SBB:
        return same;
    case X86_INS_OR:
        return x86.op_count == 2 && second.type == X86_OP_IMM &&
               static_cast<int32_t>(second.imm) == -1;
    case X86_INS_PUSH:
        return true;
    default:
        return false;
    }
}

}  // namespace

LiveInRegisters::LiveInRegisters(const DebugFile &file) : file_(file) {}

LiveInRegisters::~LiveInRegisters() {
    if (instruction_)
        cs_free(instruction_, 1);
    if (disassembler_)
        cs_close(&disassembler_);
}

const uint8_t *LiveInRegisters::code_at(uint64_t address, std::span<const CodeRange> ranges,
                                        size_t &left) const {
    const auto range = std::ranges::find_if(
        ranges, [&](CodeRange each) { return each.begin <= address && address < each.end; });
    const auto section = file_.executable_section(address);
    if (range == ranges.end() || !section)
        return nullptr;
    const Bytes all = file_.code(*section);
    const uint64_t offset = address - file_.sections()[*section].address;
    if (offset >= all.size())
        return nullptr;
    left = std::min<uint64_t>(range->end - address, all.size() - offset);
    return all.data() + offset;
}

bool LiveInRegisters::reads_argument(uint64_t entry, std::span<const CodeRange> ranges,
                                     uint32_t first) {
    if (file_.elf().machine() != EM_X86_64 || first >= 6)
        return false;
    if (!disassembler_) {
        if (cs_open(CS_ARCH_X86, CS_MODE_64, &disassembler_) != CS_ERR_OK)
            return false;
        cs_option(disassembler_, CS_OPT_DETAIL, CS_OPT_ON);
        instruction_ = cs_malloc(disassembler_);
    }
    struct Path {
        uint64_t address;
        uint8_t callers;  // registers that still hold what the caller left there
    };
    std::vector<Path> paths{{entry, static_cast<uint8_t>(0x3f & ~((1u << first) - 1))}};
    std::unordered_map<uint64_t, uint8_t> seen;  // by address: the registers on paths through it
    while (!paths.empty()) {
        auto [address, callers] = paths.back();
        paths.pop_back();
        size_t left = 0;
        const uint8_t *code = code_at(address, ranges, left);
        while (code != nullptr && callers != 0) {
            uint8_t &before = seen[address];
            if ((callers & ~before) == 0)
                break;
            before |= callers;
            const uint64_t at = address;
            if (!cs_disasm_iter(disassembler_, &code, &left, &address, instruction_))
                break;
            const cs_insn &instruction = *instruction_;
            const bool relative = cs_insn_group(disassembler_, &instruction, X86_GRP_JUMP) &&
                                  instruction.detail->x86.operands[0].type == X86_OP_IMM &&
                                  !file_.relocates(at, instruction.size);
            if (relative)
                paths.push_back(
                    {static_cast<uint64_t>(instruction.detail->x86.operands[0].imm), callers});
            if (instruction.id == X86_INS_CALL) {
                // The call of __fentry__, before all else, leaves all registers as they are.
                if (at != entry && at != entry + 4)
                    break;
                continue;
            }
            cs_regs reads, writes;
            uint8_t nr_reads = 0, nr_writes = 0;
            if (cs_regs_access(disassembler_, &instruction, reads, &nr_reads, writes, &nr_writes) !=
                CS_ERR_OK)
                break;
            if (!forgets_operands(instruction) && (bits_of(reads, nr_reads) & callers) != 0)
                return true;
            callers &= static_cast<uint8_t>(~bits_of(writes, nr_writes));
            if (instruction.id == X86_INS_JMP || instruction.id == X86_INS_RET ||
                instruction.id == X86_INS_UD2)
                break;
        }
    }
    return false;
}

}  // namespace btf_extra::generator
