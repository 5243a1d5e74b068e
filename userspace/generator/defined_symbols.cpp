// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/defined_symbols.h"

#include <gelf.h>

namespace btf_extra {

DefinedSymbols::DefinedSymbols(const DebugFile &file) : begins_(file.sections().size()) {
    const ElfImage &elf = file.elf();
    const ElfSection *table = elf.find(".symtab");
    Elf_Scn *section = table ? elf_getscn(elf.handle(), table->index) : nullptr;
    Elf_Data *data = section ? elf_getdata(section, nullptr) : nullptr;
    GElf_Shdr header;
    if (!data || !gelf_getshdr(section, &header))
        return;
    constexpr uint32_t kNone = UINT32_MAX;
    std::vector<uint32_t> by_index;  // of the section header table: number in sections()
    for (uint32_t s = 0; s < begins_.size(); ++s) {
        const ElfSection &each = file.sections()[s];
        if (!each.executable())
            continue;
        if (each.index >= by_index.size())
            by_index.resize(each.index + 1, kNone);
        by_index[each.index] = s;
        begins_[s].resize(each.size);
    }
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(data, i, &symbol); ++i) {
        const unsigned type = GELF_ST_TYPE(symbol.st_info);
        if (symbol.st_shndx >= by_index.size() || by_index[symbol.st_shndx] == kNone ||
            (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC))
            continue;
        const uint32_t s = by_index[symbol.st_shndx];
        const uint64_t offset =
            symbol.st_value - (elf.relocatable() ? 0 : file.sections()[s].address);
        const char *name = elf_strptr(elf.handle(), header.sh_link, symbol.st_name);
        // Arm's "$x", "$d" say what the bytes are, and name nothing.
        if (offset >= begins_[s].size() || !name || name[0] == '$')
            continue;
        begins_[s][offset] = true;
        if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL)
            has_local_functions_ |= type == STT_FUNC;
        else
            names_.insert(name);
    }
}

}  // namespace btf_extra
