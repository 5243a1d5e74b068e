// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/elf_symbols.h"

#include <algorithm>

#include <fmt/format.h>

namespace btf_extra {

Result<std::vector<ElfSymbol>> elf_symbols(const ElfImage &image) {
    const auto section = std::ranges::find(image.sections(), SHT_SYMTAB, &ElfSection::type);
    if (section == image.sections().end())
        return std::vector<ElfSymbol>();
    Elf_Scn *table = elf_getscn(image.handle(), section->index);
    Elf_Data *data = elf_getdata(table, nullptr);
    GElf_Shdr header;
    if (data == nullptr || gelf_getshdr(table, &header) == nullptr)
        return image.error(section->name, elf_errmsg(-1));

    std::vector<ElfSymbol> symbols(data->d_size / sizeof(Elf64_Sym));
    for (size_t number = 0; number < symbols.size(); number++) {
        ElfSymbol &symbol = symbols[number];
        if (gelf_getsym(data, static_cast<int>(number), &symbol.entry) == nullptr)
            return image.error(section->name, elf_errmsg(-1));
        symbol.name = elf_strptr(image.handle(), header.sh_link, symbol.entry.st_name);
        if (symbol.name == nullptr)
            return image.error(section->name,
                               fmt::format("the name of symbol {} cannot be read", number));
    }
    return symbols;
}

}  // namespace btf_extra
