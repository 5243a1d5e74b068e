// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The symbols of an ELF file.
#ifndef BTF_EXTRA_ELF_SYMBOLS_H
#define BTF_EXTRA_ELF_SYMBOLS_H

#include <vector>

#include <gelf.h>

#include "userspace/format/elf_image.h"

namespace btf_extra {

struct ElfSymbol {
    GElf_Sym entry;
    const char *name;  // in the file; "": it has none
};

// Returns the symbols of .symtab by their numbers, which relocations name. Empty: the file is
// stripped. A table that cannot be read is an error: tables that were made without its symbols
// would contain less than the file.
Result<std::vector<ElfSymbol>> elf_symbols(const ElfImage &image);

}  // namespace btf_extra

#endif
