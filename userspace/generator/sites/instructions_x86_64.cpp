// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <string_view>

#include "userspace/generator/sites/instructions.h"
#include "userspace/generator/sites/instructions_capstone.h"

namespace btf_extra::generator {

namespace {

constexpr size_t kCallSize = 5;
constexpr int64_t kShortReach = 128;              // the reach of a displacement of one byte
constexpr int64_t kNearReach = int64_t{1} << 32;  // more than that of one of four bytes

// Opcodes of jumps with a displacement of one byte: jmp, jcc, loop, jrcxz.
bool is_short_jump(uint8_t opcode) {
    return opcode == 0xeb || (opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0;
}

bool is_prefix(uint8_t byte) {
    constexpr uint8_t kPrefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
                                     0x66, 0x67, 0xf0, 0xf2, 0xf3};
    return (byte & 0xf0) == 0x40 || std::ranges::find(kPrefixes, byte) != std::end(kPrefixes);
}

// rdpkru and wrpkru, which capstone 4.0.2 does not know.
bool is_pkru(Bytes code) {
    return code.size() >= 3 && code[0] == 0x0f && code[1] == 0x01 && (code[2] & 0xfe) == 0xee;
}

// The size of another instruction that capstone 4.0.2 does not know, or 0: serialize, invlpgb,
// tlbsync, wrmsrns, and lkgs with a register. All of them fall to the next one.
size_t unknown_size(Bytes code) {
    static constexpr uint8_t kThirdBytes[] = {0xe8, 0xfe, 0xff, 0xc6};
    if (code.size() >= 3 && code[0] == 0x0f && code[1] == 0x01 &&
        std::ranges::find(kThirdBytes, code[2]) != std::end(kThirdBytes))
        return 3;
    return code.size() >= 4 && code[0] == 0xf2 && code[1] == 0x0f && code[2] == 0x00 &&
                   (code[3] & 0xf8) == 0xf0
               ? 4
               : 0;
}

uint32_t word_at(const uint8_t *bytes) {
    uint32_t word;
    std::memcpy(&word, bytes, sizeof(word));
    return word;
}

// The size of a NOP as compilers write them, or of an ENDBR64, at the beginning of code. 0: it is
// neither.
size_t hook_size(Bytes code) {
    static constexpr uint8_t kEndbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    if (code.size() >= 4 && std::equal(std::begin(kEndbr64), std::end(kEndbr64), code.begin()))
        return 4;
    size_t at = 0;
    while (at < code.size() && code[at] == 0x66)
        ++at;
    if (at < code.size() && code[at] == 0x90)
        return at + 1;
    if (code.size() - at < 3 || code[at] != 0x0f || code[at + 1] != 0x1f)
        return 0;
    const uint8_t operand = code[at + 2];  // (%rax) or (%rax,%rax,1), with a displacement or none
    if ((operand & 0x3b) != 0)
        return 0;
    const size_t displacement = (operand >> 6) == 0 ? 0 : (operand >> 6) == 1 ? 1 : 4;
    const size_t size = at + 3 + ((operand & 7) == 4 ? 1 : 0) + displacement;
    return operand >> 6 != 3 && size <= code.size() ? size : 0;
}

uint32_t bit_of(uint16_t reg) {
    static constexpr uint16_t kNames[6][4] = {{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
                                              {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
                                              {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
                                              {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL},
                                              {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
                                              {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B}};
    for (uint32_t i = 0; i < 6; ++i)
        if (std::ranges::find(kNames[i], reg) != std::end(kNames[i]))
            return 1u << i;
    return reg == X86_REG_DH ? 4 : reg == X86_REG_CH ? 8 : 0;
}

uint32_t bits_of(const uint16_t *registers, uint8_t count) {
    uint32_t bits = 0;
    for (uint8_t i = 0; i < count; ++i)
        bits |= bit_of(registers[i]);
    return bits;
}

// Returns the bit of DWARF's number for a general register, or 0.
uint32_t dwarf_bit_of(uint16_t reg) {
    static constexpr uint16_t kNames[16][4] = {
        {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL},
        {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
        {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL},
        {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL},
        {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
        {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
        {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
        {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
        {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
        {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
        {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
        {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
        {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
        {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
        {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
        {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B}};
    static constexpr uint16_t kHigh[] = {X86_REG_AH, X86_REG_DH, X86_REG_CH, X86_REG_BH};
    for (uint32_t i = 0; i < std::size(kNames); ++i)
        if (std::ranges::find(kNames[i], reg) != std::end(kNames[i]))
            return 1u << i;
    const auto high = std::ranges::find(kHigh, reg);
    return high == std::end(kHigh) ? 0 : 1u << (high - std::begin(kHigh));
}

constexpr uint32_t kRax = 1 << 0, kRdx = 1 << 1, kRsp = 1 << 7;
// rax, rdx, rcx, rsi, rdi, r8 to r11: what a callee may change.
constexpr uint32_t kCallerSaved = 0x0f37;

// Which operands an instruction writes, besides what it writes by itself. kUnknown: it is not one
// of those that this file knows.
enum class Written { kUnknown, kNothing, kFirst, kFirstTwo };

Written written_operands(const cs_insn &instruction) {
    switch (instruction.id) {
    case X86_INS_NOP:
    case X86_INS_PAUSE:
    case X86_INS_CMP:
    case X86_INS_TEST:
    case X86_INS_BT:
    case X86_INS_PUSH:
    case X86_INS_CALL:
    case X86_INS_JMP:
    case X86_INS_CDQE:
    case X86_INS_CWDE:
    case X86_INS_CDQ:
    case X86_INS_CQO:
        return Written::kNothing;
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVZX:
    case X86_INS_MOVSX:
    case X86_INS_MOVSXD:
    case X86_INS_LEA:
    case X86_INS_ADD:
    case X86_INS_SUB:
    case X86_INS_ADC:
    case X86_INS_SBB:
    case X86_INS_AND:
    case X86_INS_OR:
    case X86_INS_XOR:
    case X86_INS_NOT:
    case X86_INS_NEG:
    case X86_INS_INC:
    case X86_INS_DEC:
    case X86_INS_SHL:
    case X86_INS_SHR:
    case X86_INS_SAR:
    case X86_INS_ROL:
    case X86_INS_ROR:
    case X86_INS_BTS:
    case X86_INS_BTR:
    case X86_INS_POP:
        return Written::kFirst;
    case X86_INS_IMUL:
        return instruction.detail->x86.op_count >= 2 ? Written::kFirst : Written::kUnknown;
    case X86_INS_XCHG:
    case X86_INS_XADD:
        return Written::kFirstTwo;
    default:
        break;
    }
    const uint8_t *opcode = instruction.detail->x86.opcode;
    if ((opcode[0] & 0xf0) == 0x70 || (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80))
        return Written::kNothing;  // jumps by flags, but not those that count rcx down
    const std::string_view mnemonic = instruction.mnemonic;
    return mnemonic.starts_with("cmov") || mnemonic.starts_with("set") ? Written::kFirst
                                                                       : Written::kUnknown;
}

// The registers that an instruction writes besides its operands.
uint32_t written_besides(uint32_t id) {
    switch (id) {
    case X86_INS_CALL:
        return kCallerSaved;
    case X86_INS_PUSH:
    case X86_INS_POP:
        return kRsp;
    case X86_INS_CDQE:
    case X86_INS_CWDE:
        return kRax;
    case X86_INS_CDQ:
    case X86_INS_CQO:
        return kRdx;
    default:
        return 0;
    }
}

// Returns true if the old value of the operands does not matter: xor %edi,%edi; or $-1,%edi; and
// push %rdi, which makes room on the stack.
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

class X86Instructions : public Instructions {
  public:
    explicit X86Instructions(const DebugFile &file) : file_(file) {}

    bool any_jump_to(uint64_t entry, const Code &code) override;
    std::optional<Instruction> decode(const Code &code) override;
    std::optional<bool> begins_at(uint64_t address, const Code &code) override;
    std::optional<FlowEdges> edges(const Code &code) override;
    std::optional<FlowChanges> changes(const Code &code) override;
    bool finds_displacements() const override { return true; }
    bool may_be_displacement(Bytes before) const override {
        if (before.empty())
            return false;
        const uint8_t last = before.back();
        const uint8_t second = before.size() > 1 ? before[before.size() - 2] : uint8_t{0};
        return last == 0xe8 || last == 0xe9 || (second == 0x0f && (last & 0xf0) == 0x80) ||
               (second == 0x8d && (last & 0xc7) == 0x05) || (second == 0xc7 && last == 0xf8);
    }
    bool only_hooks(Bytes code) const override {
        while (const size_t size = hook_size(code))
            code = code.subspan(size);
        return code.empty();
    }
    // It is the first instruction, or follows an ENDBR64.
    bool may_be_hook(uint64_t distance) const override { return distance == 0 || distance == 4; }
    uint64_t hooks_size(Bytes code) const override {
        uint64_t size = 0;
        while (size < code.size()) {
            if (const size_t hook = hook_size(code.subspan(size)))
                size += hook;
            else if (may_be_hook(size) && code[size] == 0xe8 && code.size() - size >= kCallSize)
                size += kCallSize;
            else
                break;
        }
        return size;
    }
    std::optional<DataEffects> effects(const Code &code) override;

  private:
    bool begins_instruction(const Code &code, uint64_t entry, uint64_t opcode);

    const DebugFile &file_;
    Disassembler lengths_{CS_ARCH_X86, CS_MODE_64, false};
    Disassembler operands_{CS_ARCH_X86, CS_MODE_64, true};
};

// Looks first for bytes that are a displacement to the entry: there are few, and hardly any that
// are no displacement have a jump's opcode before them.
bool X86Instructions::any_jump_to(uint64_t entry, const Code &code) {
    const uint8_t *bytes = code.bytes.data();
    const auto size = static_cast<int64_t>(code.bytes.size());
    const auto to_entry = static_cast<int64_t>(entry - code.first);
    if (to_entry < -kNearReach || to_entry > kNearReach)
        return false;  // wrong debug information can say so
    const auto jumps = [&](int64_t opcode, int64_t field, uint64_t field_size) {
        return !file_.relocates(code.first + static_cast<uint64_t>(field), field_size) &&
               begins_instruction(code, entry, static_cast<uint64_t>(opcode));
    };
    // A displacement counts from its own end. The one to find leads from `at` to the entry, modulo
    // its size.
    const int64_t short_end = std::min(size, to_entry + kShortReach);
    const int64_t short_begin = std::max<int64_t>(1, to_entry - kShortReach);
    auto wanted8 = static_cast<uint8_t>(to_entry - short_begin - 1);
    for (int64_t at = short_begin; at < short_end; ++at, --wanted8)
        if (bytes[at] == wanted8 && is_short_jump(bytes[at - 1]) && jumps(at - 1, at, 1))
            return true;
    auto wanted32 = static_cast<uint32_t>(to_entry - 1 - 4);
    for (int64_t at = 1; at + 4 <= size; ++at, --wanted32) {
        if (word_at(bytes + at) != wanted32)
            continue;
        if (bytes[at - 1] == 0xe9 && jumps(at - 1, at, 4))
            return true;
        if (at >= 2 && bytes[at - 2] == 0x0f && (bytes[at - 1] & 0xf0) == 0x80 &&
            jumps(at - 2, at, 4))
            return true;
    }
    return false;
}

// Returns true if an instruction has its opcode there: it begins with that or with prefixes. At the
// entry begins one, too. If the code cannot be disassembled, the answer is true.
bool X86Instructions::begins_instruction(const Code &code, uint64_t entry, uint64_t opcode) {
    if (!lengths_.open())
        return true;
    const uint64_t to_entry = entry - code.first;
    const uint64_t from = to_entry <= opcode ? to_entry : 0;
    const uint8_t *bytes = code.bytes.data() + from;
    size_t left = code.bytes.size() - from;
    uint64_t at = from;
    while (at < opcode) {
        const uint64_t begin = at;
        if (lengths_.next(bytes, left, at) == nullptr)
            return true;
        if (at > opcode)
            return std::all_of(code.bytes.data() + begin, code.bytes.data() + opcode, is_prefix);
    }
    return true;
}

std::optional<bool> X86Instructions::begins_at(uint64_t address, const Code &code) {
    if (!lengths_.open())
        return std::nullopt;
    const uint8_t *bytes = code.bytes.data();
    size_t left = code.bytes.size();
    uint64_t at = code.first;
    while (at < address)
        if (lengths_.next(bytes, left, at) == nullptr)
            return std::nullopt;
    return at == address;
}

std::optional<Instruction> X86Instructions::decode(const Code &code) {
    const cs_insn *found = operands_.first(code);
    if (found == nullptr)
        return std::nullopt;
    const cs_x86_op &operand = found->detail->x86.operands[0];
    Instruction out = {.size = found->size, .jump = {}};
    if (cs_insn_group(operands_.handle(), found, X86_GRP_JUMP) && operand.type == X86_OP_IMM &&
        !file_.relocates(code.first, found->size))
        out.jump = static_cast<uint64_t>(operand.imm);
    out.is_call = found->id == X86_INS_CALL;
    out.is_last = found->id == X86_INS_JMP || found->id == X86_INS_RET || found->id == X86_INS_UD2;
    cs_regs reads, writes;
    uint8_t nr_reads = 0, nr_writes = 0;
    if (cs_regs_access(operands_.handle(), found, reads, &nr_reads, writes, &nr_writes) !=
        CS_ERR_OK) {
        out.is_last = true;
        return out;
    }
    if (!forgets_operands(*found))
        out.reads = bits_of(reads, nr_reads);
    out.writes = bits_of(writes, nr_writes);
    return out;
}

// Jumps are read from their bytes: capstone is asked for no operands, because that takes longer.
std::optional<FlowEdges> X86Instructions::edges(const Code &code) {
    const cs_insn *found = lengths_.first(code);
    if (found == nullptr)
        if (const size_t size = is_pkru(code.bytes) ? 3 : unknown_size(code.bytes); size != 0)
            return FlowEdges{.size = size, .jump = {}, .fixup = {}, .others = {}};
    if (found == nullptr)
        return std::nullopt;
    FlowEdges out = {
        .size = found->size, .operation = found->id, .jump = {}, .fixup = {}, .others = {}};
    const bool relocated = file_.relocates(code.first, found->size);
    const uint8_t *opcode = found->bytes;
    while (is_prefix(*opcode))
        ++opcode;
    const auto jump = [&](uint64_t size, int64_t displacement) {
        if (opcode + size != found->bytes + found->size) {
            out.anywhere = true;
        } else if (!relocated) {
            out.jump = code.first + found->size + static_cast<uint64_t>(displacement);
        } else if (const auto target = file_.relocation(code.first, found->size)) {
            // A displacement counts from the end of the instruction, a relocation from its own
            // place.
            out.jump = *target + sizeof(int32_t);
        }
    };
    const auto displacement32 = [](const uint8_t *at) {
        return int64_t{static_cast<int32_t>(word_at(at))};
    };
    if (is_short_jump(opcode[0]))
        jump(2, static_cast<int8_t>(opcode[1]));
    else if (opcode[0] == 0xe9)
        jump(5, displacement32(opcode + 1));
    else if (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80)
        jump(6, displacement32(opcode + 2));
    else if (opcode[0] == 0xff && (opcode[1] & 0x30) == 0x20)
        out.anywhere = true;  // through a register or memory, near or far
    else if (opcode[0] == 0xc7 && opcode[1] == 0xf8)
        out.anywhere = true;  // xbegin
    out.calls = opcode[0] == 0xe8 || (opcode[0] == 0xff && (opcode[1] & 0x30) == 0x10);
    out.idle = found->id == X86_INS_NOP || found->id == X86_INS_INT3;
    out.falls = opcode[0] != 0xeb && opcode[0] != 0xe9 && found->id != X86_INS_RET &&
                found->id != X86_INS_INT3;
    return out;
}

std::optional<FlowChanges> X86Instructions::changes(const Code &code) {
    const cs_insn *found = operands_.first(code);
    if (found == nullptr || file_.relocates(code.first, found->size))
        return std::nullopt;
    const cs_x86 &x86 = found->detail->x86;
    const Written written = written_operands(*found);
    if (written == Written::kUnknown || x86.prefix[0] == X86_PREFIX_REP ||
        x86.prefix[0] == X86_PREFIX_REPNE)
        return std::nullopt;
    FlowChanges out = {.writes = written_besides(found->id),
                       .stores = found->id == X86_INS_CALL || found->id == X86_INS_PUSH};
    const uint8_t nr_written = written == Written::kFirst      ? 1
                               : written == Written::kFirstTwo ? 2
                                                               : 0;
    if (nr_written > x86.op_count)
        return std::nullopt;
    for (uint8_t i = 0; i < nr_written; ++i) {
        const cs_x86_op &operand = x86.operands[i];
        const uint32_t bit = operand.type == X86_OP_REG ? dwarf_bit_of(operand.reg) : 0;
        if (operand.type == X86_OP_MEM)
            out.stores = true;
        else if (bit == 0)
            return std::nullopt;  // a segment, control or debug register
        out.writes |= bit;
    }
    return out;
}

// Returns the place that an operand names, if the instruction moves at least four bytes of it.
std::optional<MachinePlace> place_of(const cs_x86_op &operand) {
    if (operand.size < 4)
        return std::nullopt;
    const bool is_memory = operand.type == X86_OP_MEM;
    if (operand.type != X86_OP_REG && !is_memory)
        return std::nullopt;
    if (is_memory &&
        (operand.mem.index != X86_REG_INVALID || operand.mem.segment != X86_REG_INVALID))
        return std::nullopt;
    const uint32_t bit = dwarf_bit_of(is_memory ? operand.mem.base : operand.reg);
    if (bit == 0)
        return std::nullopt;
    return MachinePlace{.is_memory = is_memory,
                        .reg = static_cast<uint32_t>(std::countr_zero(bit)),
                        .offset = is_memory ? operand.mem.disp : 0};
}

std::optional<DataEffects> X86Instructions::effects(const Code &code) {
    const cs_insn *found = operands_.first(code);
    if (found == nullptr && is_pkru(code.bytes))
        return DataEffects{.size = 3, .writes = kRax | kRdx, .copies = {}};
    if (found == nullptr)
        return std::nullopt;
    DataEffects out = {.size = found->size, .writes = 0, .copies = {}};
    cs_regs reads, writes;
    uint8_t nr_reads = 0, nr_writes = 0;
    if (cs_regs_access(operands_.handle(), found, reads, &nr_reads, writes, &nr_writes) !=
        CS_ERR_OK)
        return std::nullopt;
    for (uint8_t i = 0; i < nr_writes; ++i)
        out.writes |= dwarf_bit_of(writes[i]);
    if (found->id == X86_INS_CALL)
        out.writes |= kCallerSaved;
    const cs_x86 &x86 = found->detail->x86;
    if (found->id == X86_INS_MOV && x86.op_count == 2) {
        const auto to = place_of(x86.operands[0]), from = place_of(x86.operands[1]);
        if (to && from)
            out.copies[0] = {.from = *from, .to = *to};
    }
    return out;
}

}  // namespace

std::unique_ptr<Instructions> x86_64_instructions(const DebugFile &file) {
    return std::make_unique<X86Instructions>(file);
}

}  // namespace btf_extra::generator
