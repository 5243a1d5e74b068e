// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The .symtab of an ELF file in order of address.
#ifndef BTF_EXTRA_SYMBOL_TABLE_H
#define BTF_EXTRA_SYMBOL_TABLE_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/format/result.h"

namespace btf_extra {

struct Symbol {
    const char *name;  // in the ELF image
    uint32_t section;
    uint64_t offset;  // in its section
    uint64_t end;     // offset past it; of one without size: the next symbol's offset
    uint8_t rank;     // of aliases: the lower the better
};

// Of symbols at one address the best is: a function or object before a label; then global, weak,
// local; then the name that is first bytewise.
class SymbolTable {
  public:
    // The image must outlive the table.
    static Result<SymbolTable> load(const ElfImage &image);

    // The symbol that covers the place: the nearest before it of those that reach it, a function
    // or object before a label. NULL: none.
    const Symbol *containing(uint32_t section, uint64_t offset) const;

    // All that begin there, the best first.
    std::span<const Symbol> at(uint32_t section, uint64_t offset) const;

    // All of that name, in order of address.
    std::vector<const Symbol *> named(std::string_view name) const;

    // "tcp_rcv+0x12"; ".text+0x12" where no symbol covers the place.
    std::string text(const ElfSection &section, uint64_t offset) const;

  private:
    size_t first_after(uint32_t section, uint64_t offset) const;

    std::vector<Symbol> symbols_;     // in order of (section, offset, rank, name)
    std::vector<uint64_t> max_ends_;  // highest end up to each one, within its section
};

}  // namespace btf_extra

#endif
