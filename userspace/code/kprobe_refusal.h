// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Decides if the kernel refuses a kprobe at an instruction. Each architecture has a file:
// kprobe_refusal_<name>.cpp.
#ifndef BTF_EXTRA_KPROBE_REFUSAL_H
#define BTF_EXTRA_KPROBE_REFUSAL_H

#include <cstdint>
#include <span>
#include <string>

namespace btf_extra {

// An instruction that a kprobe would be put on.
struct ProbedInstruction {
    // From the symbol before it on, but at most kProbeContext bytes.
    std::span<const uint8_t> before;
    std::span<const uint8_t> code;  // from its first byte on
    bool faults;                    // it is in the kernel's table of those that may
    std::string release;            // of the kernel, "6.1.0-18-arm64"
};
constexpr uint64_t kProbeContext = 32 * 4;

// Returns why the kernel accepts no kprobe there; NULL: no reason is known.
const char *kprobe_refusal(uint16_t machine, const ProbedInstruction &instruction);
// The same for the architecture.
const char *aarch64_kprobe_refusal(const ProbedInstruction &instruction);
const char *x86_64_kprobe_refusal(const ProbedInstruction &instruction);

}  // namespace btf_extra

#endif
