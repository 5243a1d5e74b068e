// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/code/kprobe_refusal.h"

#include "userspace/format/core_api.h"

namespace btf_extra {

const char *kprobe_refusal(uint16_t machine, const ProbedInstruction &instruction) {
    return machine == LOC_MACHINE_AARCH64 ? aarch64_kprobe_refusal(instruction)
                                          : x86_64_kprobe_refusal(instruction);
}

}  // namespace btf_extra
