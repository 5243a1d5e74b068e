// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <cstring>

#include "userspace/format/core_api.h"
#include "userspace/generator/sites/instructions.h"

namespace btf_extra::generator {

namespace {

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
    std::optional<FlowEdges> edges(const Code &) override { return std::nullopt; }
    std::optional<FlowChanges> changes(const Code &) override { return std::nullopt; }
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

  private:
    const DebugFile &file_;
};

}  // namespace

std::unique_ptr<Instructions> aarch64_instructions(const DebugFile &file) {
    return std::make_unique<Aarch64Instructions>(file);
}

}  // namespace btf_extra::generator
