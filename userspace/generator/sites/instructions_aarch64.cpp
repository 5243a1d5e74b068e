// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

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

struct Encoding {
    uint32_t mask, value;

    bool matches(uint32_t word) const { return (word & mask) == value; }
};

// The kernel can neither single-step these elsewhere nor simulate them (arch/arm64/kernel/probes).
constexpr Encoding kNeverProbed[] = {
    {0xff000000, 0xd4000000},  // svc, hvc, smc, brk, hlt
    {0xfff8f01f, 0xd500401f},  // msr with an immediate
    {0xfff00000, 0xd5100000},  // msr
    {0xfffffbff, 0xd69f03e0},  // eret
    {0xfffffbff, 0xd69f0bff},  // eretaa, eretab
    {0xfedff800, 0xd61f0800},  // braa and its like
    {0xfffffbff, 0xd65f0bff},  // retaa, retab
    {0xff000000, 0xd8000000},  // prfm of a literal
    {0x3f800000, 0x08000000},  // exclusive loads and stores
    {0xffffffe0, 0xd53b4220},  // mrs of daif
};
constexpr Encoding kHint = {0xfffff01f, 0xd503201f};
// Bits 5 to 11: nop, xpaclri, pacia1716, pacib1716, paciaz to pacibsp, bti.
constexpr uint32_t kSteppedHints[] = {0x00, 0x07, 0x08, 0x0a, 0x18, 0x19,
                                      0x1a, 0x1b, 0x20, 0x22, 0x24, 0x26};

// Before 6.15 the kernel took compare-and-swap, load-acquire and store-release for exclusive.
bool has_narrow_exclusives(const std::string &release) {
    unsigned major = 0, minor = 0;
    return std::sscanf(release.c_str(), "%u.%u", &major, &minor) == 2 &&
           (major > 6 || (major == 6 && minor >= 15));
}

}  // namespace

const char *aarch64_kprobe_refusal(const ProbedInstruction &instruction) {
    const auto &[before, code, faults, release] = instruction;
    if (code.size() < 4 || before.size() % 4 != 0)
        return nullptr;
    if (faults)
        return "the instruction there may fault";
    const uint32_t word = word_at(code.data());
    const auto refused = [&](const Encoding &each) { return each.matches(word); };
    if (std::ranges::any_of(kNeverProbed, refused) ||
        (kHint.matches(word) &&
         std::ranges::find(kSteppedHints, word >> 5 & 0x7f) == std::end(kSteppedHints)))
        return "kprobes cannot step the instruction there";
    const uint32_t mask = has_narrow_exclusives(release) ? 0x3fc00000 : 0x3f400000;
    const Encoding load = {mask, 0x08400000}, store = {mask, 0x08000000};
    for (size_t at = before.size(); at > 0; at -= 4) {
        const uint32_t earlier = word_at(before.data() + at - 4);
        if (store.matches(earlier))
            break;
        if (load.matches(earlier))
            return "kprobes take it for a part of an exclusive sequence";
    }
    return nullptr;
}

std::unique_ptr<Instructions> aarch64_instructions(const DebugFile &file) {
    return std::make_unique<Aarch64Instructions>(file);
}

}  // namespace btf_extra::generator
