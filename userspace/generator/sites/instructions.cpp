// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/instructions.h"

#include "userspace/format/core_api.h"

namespace btf_extra::generator {

std::unique_ptr<Instructions> Instructions::of_file(const DebugFile &file) {
    if (file.elf().machine() == LOC_MACHINE_AARCH64)
        return aarch64_instructions(file);
    return x86_64_instructions(file);
}

Code code_at(const DebugFile &file, uint64_t address) {
    const auto section = file.executable_section(address);
    if (!section)
        return {};
    const uint64_t offset = address - file.sections()[*section].address;
    const Bytes all = file.code(*section);
    return offset < all.size() ? Code{address, all.subspan(offset)} : Code{};
}

}  // namespace btf_extra::generator
