// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/code/linked_bytes.h"

#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>

namespace btf_extra {

std::vector<std::byte> linked_bytes(const ElfImage &elf, uint64_t address, uint64_t size) {
    const auto holds = [&](const ElfSection &section) {
        return section.allocated() && section.address <= address &&
               address - section.address <= section.size &&
               size <= section.size - (address - section.address);
    };
    const auto section = std::ranges::find_if(elf.sections(), holds);
    if (section == elf.sections().end())
        return {};
    const auto bytes = elf.bytes(*section);
    if (!bytes || bytes->size() != section->size)
        return {};
    const auto part = bytes->subspan(address - section->address, size);
    std::vector<std::byte> out(part.begin(), part.end());
    for (const ElfSection &table : elf.sections()) {
        if (table.type != SHT_RELA || !table.allocated())
            continue;
        Elf_Data *data = elf_getdata(elf_getscn(elf.handle(), table.index), nullptr);
        GElf_Rela relocation;
        for (int i = 0; data != nullptr && gelf_getrela(data, i, &relocation) != nullptr; ++i) {
            const uint64_t place = relocation.r_offset - address;
            if (GELF_R_SYM(relocation.r_info) == 0 && place < size &&
                size - place >= sizeof(uint64_t))
                std::memcpy(out.data() + place, &relocation.r_addend, sizeof(uint64_t));
        }
    }
    return out;
}

}  // namespace btf_extra
