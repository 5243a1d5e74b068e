// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/instructions.h"

#include "userspace/format/core_api.h"

namespace btf_extra::generator {

std::unique_ptr<Instructions> Instructions::of_file(const DebugFile &file) {
    if (file.elf().machine() == LOC_MACHINE_AARCH64)
        return aarch64_instructions(file);
    return x86_64_instructions(file);
}

}  // namespace btf_extra::generator
