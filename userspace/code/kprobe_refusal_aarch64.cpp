// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <cstdio>
#include <iterator>

#include "userspace/code/kprobe_refusal.h"
#include "userspace/format/byte_reader.h"

namespace btf_extra {
namespace {

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
        return "the instruction may fault";
    const uint32_t word = ByteReader(code).u32();
    const auto refused = [&](const Encoding &each) { return each.matches(word); };
    if (std::ranges::any_of(kNeverProbed, refused) ||
        (kHint.matches(word) &&
         std::ranges::find(kSteppedHints, word >> 5 & 0x7f) == std::end(kSteppedHints)))
        return "kprobes cannot single-step the instruction";
    const uint32_t mask = has_narrow_exclusives(release) ? 0x3fc00000 : 0x3f400000;
    const Encoding load = {mask, 0x08400000}, store = {mask, 0x08000000};
    for (size_t at = before.size(); at > 0; at -= 4) {
        const uint32_t earlier = ByteReader(before, at - 4).u32();
        if (store.matches(earlier))
            break;
        if (load.matches(earlier))
            return "kprobes consider it part of an exclusive sequence";
    }
    return nullptr;
}

}  // namespace btf_extra
