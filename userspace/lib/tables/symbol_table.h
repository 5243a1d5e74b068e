// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The .symtab of an ELF file in order of address.
#ifndef BTF_EXTRA_SYMBOL_TABLE_H
#define BTF_EXTRA_SYMBOL_TABLE_H

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/format/result.h"
#include "userspace/lib/tables/symbols.h"

namespace btf_extra {

struct Symbol {
    const char *name;  // points into the ELF image
    uint32_t section;
    uint64_t offset;  // in its section
    uint64_t end;     // offset after it; without a size: the next symbol's offset
    uint8_t rank;     // for aliases: lower is better
};

// If several symbols are at one address, the best is a function or object, then a label with a
// size, then one without; then it is global, weak, local; then its name is the first bytewise.
class SymbolTable : public Symbols {
  public:
    // The image must outlive the table.
    static Result<SymbolTable> load(const ElfImage &image);

    // Returns the symbol that covers the place: of those that reach it the nearest before it, and a
    // function or object before a label. NULL: there is none.
    const Symbol *containing(uint32_t section, uint64_t offset) const;

    // Returns all symbols that begin there, the best first.
    std::span<const Symbol> at(uint32_t section, uint64_t offset) const;

    // Returns all symbols of that name, in order of address.
    std::vector<const Symbol *> named(std::string_view name) const;

    std::optional<Distance> around(Place place) const override;
    std::vector<std::string_view> names(Place place) const override;
    Extent extent(Place begin, std::string_view name) const override;
    std::string_view object_of(Place) const override { return {}; }
    // Returns nothing for a relocatable file, because all its sections begin at 0.
    std::optional<Place> place_of(uint64_t address) const override;
    bool is_code(std::string_view name, Place place) const override;

    using Symbols::text;
    // Returns ".text+0x12" if no symbol covers the place.
    std::string text(const ElfSection &section, uint64_t offset) const;

  private:
    void for_each(const Visit &visit) const override;
    size_t count() const override { return symbols_.size(); }
    size_t first_after(uint32_t section, uint64_t offset) const;
    // Returns the first symbol after that place in its section that the kernel keeps, or NULL.
    const Symbol *next_kept(uint32_t section, uint64_t offset) const;

    bool relocatable_ = false;
    std::vector<ElfSection> sections_;  // that are loaded, in order of address and number
    std::set<uint32_t> code_;           // the executable ones
    std::vector<Symbol> symbols_;       // in order of section, offset, rank and name
    std::vector<uint64_t> max_ends_;    // the highest end up to each symbol in its section
};

}  // namespace btf_extra

#endif
