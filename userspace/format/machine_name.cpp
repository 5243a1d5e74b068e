// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/machine_name.h"

#include <elf.h>
#include <fmt/format.h>

#include "userspace/format/core_api.h"

extern "C" {
#include "kernel/core/loc_arch_name.h"
}

namespace btf_extra {
namespace {

// Machines with locations are in the core.
constexpr struct {
    uint16_t machine;
    const char *name;
} kOthers[] = {
    {EM_NONE, "no machine"}, {EM_386, "i386"},      {EM_MIPS, "mips"},
    {EM_PPC64, "ppc64"},     {EM_S390, "s390x"},    {EM_ARM, "arm"},
    {EM_SPARCV9, "sparc64"}, {EM_RISCV, "riscv64"}, {EM_LOONGARCH, "loongarch64"},
};

}  // namespace

std::string machine_name(uint16_t machine) {
    if (const char *name = loc_arch_name(machine))
        return name;
    for (const auto &other : kOthers)
        if (other.machine == machine)
            return other.name;
    return fmt::format("machine {}", machine);
}

}  // namespace btf_extra
