// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The symbols of an ELF file.
#ifndef BTF_EXTRA_ELF_SYMBOLS_H
#define BTF_EXTRA_ELF_SYMBOLS_H

#include <gelf.h>

#include "userspace/format/elf_image.h"

namespace btf_extra {

// Calls found(symbol, name) for each symbol of .symtab that has a name; const GElf_Sym &, const
// char
// *. A file without .symtab has none.
template <class Found> void for_each_symbol(const ElfImage &elf, Found found) {
    const ElfSection *table = elf.find(".symtab");
    Elf_Scn *section = table ? elf_getscn(elf.handle(), table->index) : nullptr;
    Elf_Data *data = section ? elf_getdata(section, nullptr) : nullptr;
    GElf_Shdr header;
    if (!data || !gelf_getshdr(section, &header))
        return;
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(data, i, &symbol); ++i)
        if (const char *name = elf_strptr(elf.handle(), header.sh_link, symbol.st_name))
            found(symbol, name);
}

}  // namespace btf_extra

#endif
