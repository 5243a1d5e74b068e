// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/code/kprobe_refusal.h"

namespace btf_extra {

// BUG() and WARN() are a ud2. Kernels from 5.4 on take no kprobe there (find_bug()).
const char *x86_64_kprobe_refusal(const ProbedInstruction &instruction) {
    const std::span<const uint8_t> code = instruction.code;
    return code.size() >= 2 && code[0] == 0x0f && code[1] == 0x0b ? "it is a BUG() or WARN()"
                                                                  : nullptr;
}

}  // namespace btf_extra
