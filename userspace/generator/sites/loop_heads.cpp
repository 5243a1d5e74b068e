// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/loop_heads.h"

#include <capstone/capstone.h>
#include <elf.h>

#include <algorithm>
#include <cstring>

namespace btf_extra::generator {

namespace {

constexpr int64_t kShortReach = 128;  // of a displacement of one byte

// Opcodes of jumps with a displacement of one byte: jmp, jcc, loop, jrcxz.
bool is_short_jump(uint8_t opcode) {
    return opcode == 0xeb || (opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0;
}

bool is_prefix(uint8_t byte) {
    constexpr uint8_t kPrefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
                                     0x66, 0x67, 0xf0, 0xf2, 0xf3};
    return (byte & 0xf0) == 0x40 || std::ranges::find(kPrefixes, byte) != std::end(kPrefixes);
}

template <class T> T value_at(const uint8_t *bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
}

int64_t sign_extend(uint32_t value, unsigned bits) {
    const uint32_t sign = 1u << (bits - 1);
    return static_cast<int64_t>(value ^ sign) - static_cast<int64_t>(sign);
}

// The displacement of a direct jump of arm64; nullopt: something else.
std::optional<int64_t> arm64_displacement(uint32_t word) {
    if (word >> 26 == 0x05)  // b
        return sign_extend(word & 0x3ffffff, 26) * 4;
    if (word >> 24 == 0x54 || (word >> 25 & 0x3f) == 0x1a)  // b.cond; cbz, cbnz
        return sign_extend(word >> 5 & 0x7ffff, 19) * 4;
    if ((word >> 25 & 0x3f) == 0x1b)  // tbz, tbnz
        return sign_extend(word >> 5 & 0x3fff, 14) * 4;
    return std::nullopt;
}

}  // namespace

LoopHeads::LoopHeads(const DebugFile &file)
    : file_(file), x86_(file.elf().machine() == EM_X86_64) {}

LoopHeads::~LoopHeads() {
    if (instruction_)
        cs_free(instruction_, 1);
    if (disassembler_)
        cs_close(&disassembler_);
}

LoopHeads::Code LoopHeads::code_of(CodeRange range) {
    const auto holds = [&](uint32_t section) {
        const ElfSection &held = file_.sections()[section];
        return range.begin - held.address < held.size;
    };
    if (!section_ || !holds(*section_))
        section_ = file_.executable_section(range.begin);
    if (!section_ || range.end <= range.begin)
        return {};
    const Bytes all = file_.code(*section_);
    const uint64_t first = range.begin - file_.sections()[*section_].address;
    if (first >= all.size())
        return {};
    return {range.begin,
            all.subspan(first, std::min<uint64_t>(range.end - range.begin, all.size() - first))};
}

bool LoopHeads::is_loop_head(uint64_t entry, std::span<const CodeRange> ranges) {
    return std::ranges::any_of(ranges, [&](CodeRange range) {
        const Code code = code_of(range);
        return x86_ ? x86_jumps(code, entry) : arm64_jumps(code, entry);
    });
}

// Looks first for bytes that are a displacement to the entry: there are few, and hardly any that
// are no displacement have a jump's opcode before them.
bool LoopHeads::x86_jumps(const Code &code, uint64_t entry) {
    const uint8_t *bytes = code.bytes.data();
    const auto size = static_cast<int64_t>(code.bytes.size());
    const auto to_entry = static_cast<int64_t>(entry - code.first);
    const auto jumps = [&](int64_t opcode, int64_t field, uint64_t field_size) {
        return !file_.relocates(code.first + static_cast<uint64_t>(field), field_size) &&
               begins_instruction(code, entry, static_cast<uint64_t>(opcode));
    };
    // A displacement counts from behind itself. The one that is wanted leads from `at` to the
    // entry, modulo its size.
    const int64_t short_end = std::min(size, to_entry + kShortReach);
    const int64_t short_begin = std::max<int64_t>(1, to_entry - kShortReach);
    auto wanted8 = static_cast<uint8_t>(to_entry - short_begin - 1);
    for (int64_t at = short_begin; at < short_end; ++at, --wanted8)
        if (bytes[at] == wanted8 && is_short_jump(bytes[at - 1]) && jumps(at - 1, at, 1))
            return true;
    auto wanted32 = static_cast<uint32_t>(to_entry - 1 - 4);
    for (int64_t at = 1; at + 4 <= size; ++at, --wanted32) {
        if (value_at<uint32_t>(bytes + at) != wanted32)
            continue;
        if (bytes[at - 1] == 0xe9 && jumps(at - 1, at, 4))
            return true;
        if (at >= 2 && bytes[at - 2] == 0x0f && (bytes[at - 1] & 0xf0) == 0x80 &&
            jumps(at - 2, at, 4))
            return true;
    }
    return false;
}

bool LoopHeads::arm64_jumps(const Code &code, uint64_t entry) const {
    for (size_t at = 0; at + 4 <= code.bytes.size(); at += 4) {
        const std::optional<int64_t> displacement =
            arm64_displacement(value_at<uint32_t>(code.bytes.data() + at));
        if (displacement && code.first + at + static_cast<uint64_t>(*displacement) == entry &&
            !file_.relocates(code.first + at, 4))
            return true;
    }
    return false;
}

// Says whether an instruction has its opcode there: it begins with that or with prefixes. At the
// entry begins one, too. If the code cannot be disassembled, the answer is true.
bool LoopHeads::begins_instruction(const Code &code, uint64_t entry, uint64_t opcode) {
    if (!disassembler_ && cs_open(CS_ARCH_X86, CS_MODE_64, &disassembler_) != CS_ERR_OK)
        return true;
    if (!instruction_)
        instruction_ = cs_malloc(disassembler_);
    const uint64_t to_entry = entry - code.first;
    const uint64_t from = to_entry <= opcode ? to_entry : 0;
    const uint8_t *bytes = code.bytes.data() + from;
    size_t left = code.bytes.size() - from;
    uint64_t at = from;
    while (at < opcode) {
        const uint64_t begin = at;
        if (!cs_disasm_iter(disassembler_, &bytes, &left, &at, instruction_))
            return true;
        if (at > opcode)
            return std::all_of(code.bytes.data() + begin, code.bytes.data() + opcode, is_prefix);
    }
    return true;
}

}  // namespace btf_extra::generator
