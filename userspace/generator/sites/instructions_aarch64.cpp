// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <cstring>

#include "userspace/format/core_api.h"
#include "userspace/generator/sites/instructions.h"
#include "userspace/generator/sites/instructions_capstone.h"

namespace btf_extra::generator {

namespace {

constexpr uint64_t kSize = 4;  // of an instruction

// A signed field of an instruction that counts instructions, in bytes.
int64_t in_bytes(uint32_t field, unsigned bits) {
    return static_cast<int64_t>(narrow_extend_bits(field, bits, true)) * 4;
}

uint32_t word_at(const uint8_t *bytes) {
    uint32_t word;
    std::memcpy(&word, bytes, sizeof(word));
    return word;
}

// The displacement of a direct jump. Returns nothing for other instructions.
std::optional<int64_t> displacement_of(uint32_t word) {
    if (word >> 26 == 0x05)  // b
        return in_bytes(word, 26);
    if (word >> 24 == 0x54 || (word >> 25 & 0x3f) == 0x1a)  // b.cond; cbz, cbnz
        return in_bytes(word >> 5, 19);
    if ((word >> 25 & 0x3f) == 0x1b)  // tbz, tbnz
        return in_bytes(word >> 5, 14);
    return std::nullopt;
}

class Aarch64Instructions : public Instructions {
  public:
    explicit Aarch64Instructions(const DebugFile &file) : file_(file) {}

    bool any_jump_to(uint64_t entry, const Code &code) override {
        for (size_t at = 0; at + 4 <= code.bytes.size(); at += 4) {
            const uint32_t word = word_at(code.bytes.data() + at);
            const std::optional<int64_t> displacement = displacement_of(word);
            if (displacement && code.first + at + static_cast<uint64_t>(*displacement) == entry &&
                !file_.relocates(code.first + at, 4))
                return true;
        }
        return false;
    }

    std::optional<Instruction> decode(const Code &) override { return std::nullopt; }
    std::optional<bool> begins_at(uint64_t address, const Code &code) override {
        return (address - code.first) % 4 == 0;
    }
    std::optional<FlowEdges> edges(const Code &code) override;
    std::optional<FlowChanges> changes(const Code &) override { return std::nullopt; }
    bool finds_displacements() const override { return false; }
    bool may_be_displacement(Bytes) const override { return false; }
    bool only_hooks(Bytes code) const override {
        for (size_t at = 0; at + 4 <= code.size(); at += 4) {
            const uint32_t word = word_at(code.data() + at);
            if (word != 0xd503201f && (word & ~0xc0u) != 0xd503241f)  // nop; bti
                return false;
        }
        return code.size() % 4 == 0;
    }
    bool may_be_hook(uint64_t) const override { return false; }
    uint64_t hooks_size(Bytes code) const override {
        uint64_t size = 0;
        while (size + kSize <= code.size() && only_hooks(code.subspan(size, kSize)))
            size += kSize;
        return size;
    }
    std::optional<DataEffects> effects(const Code &code) override;

  private:
    const DebugFile &file_;
    Disassembler operands_{CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, true};
};

std::optional<FlowEdges> Aarch64Instructions::edges(const Code &code) {
    if (code.bytes.size() < kSize)
        return std::nullopt;
    const uint32_t word = word_at(code.bytes.data());
    // Immediates and registers are in the lower bits of most instructions.
    FlowEdges out = {.size = kSize, .operation = word >> 22, .jump = {}, .fixup = {}, .others = {}};
    if (const auto displacement = displacement_of(word)) {
        if (!file_.relocates(code.first, kSize))
            out.jump = code.first + static_cast<uint64_t>(*displacement);
        else
            out.jump = file_.relocation(code.first, kSize);
    }
    const uint32_t through_register = word & 0xfefff000;
    const bool branches = word >> 26 == 0x05;                                    // b
    out.anywhere = through_register == 0xd61f0000;                               // br, braa, ...
    out.falls = !branches && !out.anywhere && through_register != 0xd65f0000 &&  // ret, retaa, ...
                through_register != 0xd69f0000;                                  // eret
    out.calls = word >> 26 == 0x25 || (word & 0xfefff000) == 0xd63f0000;         // bl; blr, ...
    out.idle = word == 0xd503201f || word >> 16 == 0;                            // nop; udf
    return out;
}

// Returns DWARF's number of a general register or of sp.
std::optional<uint32_t> number_of(unsigned reg) {
    if (reg >= ARM64_REG_X0 && reg <= ARM64_REG_X28)
        return reg - ARM64_REG_X0;
    if (reg >= ARM64_REG_W0 && reg <= ARM64_REG_W30)
        return reg - ARM64_REG_W0;
    switch (reg) {
    case ARM64_REG_X29:
        return 29;
    case ARM64_REG_X30:
        return 30;
    case ARM64_REG_SP:
        return 31;
    default:
        return std::nullopt;
    }
}

// Finds what mov, str, ldr, stp and ldp copy. Forms that change the base register copy nothing that
// a compiler's spill would.
void find_copies(const cs_insn &found, DataEffects &out) {
    const cs_arm64 &arm64 = found.detail->arm64;
    const auto reg = [&](uint8_t i) -> std::optional<MachinePlace> {
        const auto number = arm64.operands[i].type == ARM64_OP_REG
                                ? number_of(arm64.operands[i].reg)
                                : std::nullopt;
        if (!number)
            return std::nullopt;
        return MachinePlace{.is_memory = false, .reg = *number, .offset = 0};
    };
    const auto memory = [&](uint8_t i, int64_t distance) -> std::optional<MachinePlace> {
        const cs_arm64_op &operand = arm64.operands[i];
        const auto base = operand.type == ARM64_OP_MEM ? number_of(operand.mem.base) : std::nullopt;
        if (!base || operand.mem.index != ARM64_REG_INVALID || arm64.writeback)
            return std::nullopt;
        return MachinePlace{.is_memory = true, .reg = *base, .offset = operand.mem.disp + distance};
    };
    const auto copy = [&](size_t n, const std::optional<MachinePlace> &from,
                          const std::optional<MachinePlace> &to) {
        if (from && to)
            out.copies[n] = {.from = *from, .to = *to};
    };
    const bool pair = found.id == ARM64_INS_STP || found.id == ARM64_INS_LDP;
    const bool narrow = arm64.op_count > 0 && arm64.operands[0].type == ARM64_OP_REG &&
                        arm64.operands[0].reg >= ARM64_REG_W0 &&
                        arm64.operands[0].reg <= ARM64_REG_W30;
    if (found.id == ARM64_INS_MOV && arm64.op_count == 2)
        copy(0, reg(1), reg(0));
    else if ((found.id == ARM64_INS_STR || found.id == ARM64_INS_STUR) && arm64.op_count == 2)
        copy(0, reg(0), memory(1, 0));
    else if ((found.id == ARM64_INS_LDR || found.id == ARM64_INS_LDUR) && arm64.op_count == 2)
        copy(0, memory(1, 0), reg(0));
    else if (pair && arm64.op_count == 3)
        for (uint8_t i = 0; i < 2; ++i) {
            const auto place = memory(2, i * (narrow ? 4 : 8));
            if (found.id == ARM64_INS_STP)
                copy(i, reg(i), place);
            else
                copy(i, place, reg(i));
        }
}

std::optional<DataEffects> Aarch64Instructions::effects(const Code &code) {
    constexpr uint32_t kCallerSaved = 0x4007ffff;  // x0 to x18, x30
    if (code.bytes.size() < kSize)
        return std::nullopt;
    DataEffects out = {.size = kSize, .writes = 0, .copies = {}};
    const cs_insn *found = operands_.first(code);
    cs_regs reads, writes;
    uint8_t nr_reads = 0, nr_writes = 0;
    if (found == nullptr || cs_regs_access(operands_.handle(), found, reads, &nr_reads, writes,
                                           &nr_writes) != CS_ERR_OK)
        return std::nullopt;
    for (uint8_t i = 0; i < nr_writes; ++i)
        if (const auto number = number_of(writes[i]))
            out.writes |= 1u << *number;
    if (found->id == ARM64_INS_BL || found->id == ARM64_INS_BLR)
        out.writes |= kCallerSaved;
    find_copies(*found, out);
    return out;
}

}  // namespace

std::unique_ptr<Instructions> aarch64_instructions(const DebugFile &file) {
    return std::make_unique<Aarch64Instructions>(file);
}

}  // namespace btf_extra::generator
