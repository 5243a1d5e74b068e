// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/symbol_table.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include <fmt/format.h>
#include <gelf.h>

#include "userspace/format/elf_symbols.h"

namespace btf_extra {
namespace {

constexpr uint8_t kLabelRank = 3;  // functions and objects have lower ranks
constexpr uint8_t kMarkRank = 6;   // labels without a size: linker scripts mark places with them

uint8_t rank_of(const GElf_Sym &symbol) {
    uint8_t rank = 0;
    if (GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE)
        rank = symbol.st_size != 0 ? kLabelRank : kMarkRank;
    switch (GELF_ST_BIND(symbol.st_info)) {
    case STB_GLOBAL:
        return rank;
    case STB_WEAK:
        return rank + 1;
    default:
        return rank + 2;
    }
}

bool wanted(const GElf_Sym &symbol, const char *name) {
    switch (GELF_ST_TYPE(symbol.st_info)) {
    case STT_FUNC:
    case STT_OBJECT:
        return *name != '\0';
    case STT_NOTYPE:
        // arm64's mapping symbols ($x, $d) mark code and data, and do not name anything.
        return *name != '\0' && *name != '$';
    default:
        return false;
    }
}

// Returns false for a symbol that is not in kallsyms (is_ignored_symbol() of scripts/kallsyms.c and
// scripts/mksysmap, Linux 6.1 to 7.3). Such names in sections that have no code are left out here.
bool is_kept(std::string_view name) {
    return !name.starts_with(".L") && !name.starts_with("__efistub_") &&
           !name.starts_with("__crc_") && !name.starts_with("__kvm_nvhe_$") &&
           !name.starts_with("__kvm_nvhe_.L") && !name.starts_with("__pi_$") &&
           !name.starts_with("__pi_.L") && !name.starts_with("__kcfi_typeid_");
}

}  // namespace

Result<SymbolTable> SymbolTable::load(const ElfImage &image) {
    const std::vector<ElfSymbol> symbols = TRY(elf_symbols(image));
    if (symbols.empty())
        return image.error(".symtab", "not there");

    std::vector<const ElfSection *> by_index;
    for (const ElfSection &each : image.sections()) {
        by_index.resize(std::max<size_t>(by_index.size(), each.index + 1));
        by_index[each.index] = &each;
    }

    SymbolTable table;
    table.relocatable_ = image.relocatable();
    for (const ElfSection &each : image.sections())
        if (each.executable())
            table.code_.insert(each.index);
    for (const ElfSection &each : image.sections())
        if (each.allocated())
            table.sections_.push_back(each);
    std::ranges::stable_sort(table.sections_, {}, &ElfSection::address);
    for (const auto &[symbol, name] : symbols) {
        if (symbol.st_shndx >= by_index.size() || by_index[symbol.st_shndx] == nullptr)
            continue;  // it is undefined, absolute or common
        const ElfSection &in = *by_index[symbol.st_shndx];
        if (!wanted(symbol, name))
            continue;
        uint64_t offset = image.relocatable() ? symbol.st_value : symbol.st_value - in.address;
        if (offset > in.size)
            continue;
        uint64_t end = offset + std::min(symbol.st_size, in.size - offset);
        table.symbols_.push_back({name, in.index, offset, end, rank_of(symbol)});
    }
    std::ranges::sort(table.symbols_, [](const Symbol &a, const Symbol &b) {
        if (a.section != b.section)
            return a.section < b.section;
        if (a.offset != b.offset)
            return a.offset < b.offset;
        return a.rank != b.rank ? a.rank < b.rank : std::strcmp(a.name, b.name) < 0;
    });

    // A symbol without size extends to the next symbol, as labels of the assembler do.
    uint32_t next_section = 0;
    uint64_t next_offset = 0;
    uint64_t here = 0;
    for (size_t i = table.symbols_.size(); i-- > 0;) {
        Symbol &each = table.symbols_[i];
        if (each.section != next_section) {
            next_section = each.section;
            here = next_offset = by_index[each.section]->size;
        }
        if (each.offset != here) {
            next_offset = here;
            here = each.offset;
        }
        if (each.end == each.offset)
            each.end = next_offset;
    }
    table.max_ends_.reserve(table.symbols_.size());
    for (size_t i = 0; i < table.symbols_.size(); i++) {
        const Symbol &each = table.symbols_[i];
        bool first = i == 0 || table.symbols_[i - 1].section != each.section;
        table.max_ends_.push_back(first ? each.end : std::max(table.max_ends_[i - 1], each.end));
    }
    return table;
}

size_t SymbolTable::first_after(uint32_t section, uint64_t offset) const {
    auto found = std::ranges::partition_point(symbols_, [&](const Symbol &symbol) {
        return std::tuple(symbol.section, symbol.offset) <= std::tuple(section, offset);
    });
    return static_cast<size_t>(found - symbols_.begin());
}

const Symbol *SymbolTable::containing(uint32_t section, uint64_t offset) const {
    const Symbol *label = nullptr;
    const Symbol *best = nullptr;
    for (size_t i = first_after(section, offset); i-- > 0;) {
        const Symbol &symbol = symbols_[i];
        if (symbol.section != section || max_ends_[i] <= offset)
            break;
        if (best != nullptr && symbol.offset != best->offset)
            break;
        if (symbol.end <= offset)
            continue;
        // The best alias of an address comes last and overwrites the others.
        if (symbol.rank < kLabelRank)
            best = &symbol;
        else if (label == nullptr || label->offset == symbol.offset)
            label = &symbol;
    }
    return best != nullptr ? best : label;
}

std::span<const Symbol> SymbolTable::at(uint32_t section, uint64_t offset) const {
    size_t end = first_after(section, offset);
    size_t first = end;
    while (first > 0 && symbols_[first - 1].section == section &&
           symbols_[first - 1].offset == offset)
        first--;
    return std::span(symbols_).subspan(first, end - first);
}

std::vector<const Symbol *> SymbolTable::named(std::string_view name) const {
    std::vector<const Symbol *> out;
    for (const Symbol &symbol : symbols_)
        if (name == symbol.name)
            out.push_back(&symbol);
    return out;
}

std::optional<Symbols::Distance> SymbolTable::around(Place place) const {
    const Symbol *symbol = containing(place.section, place.offset);
    if (symbol == nullptr)
        return {};
    return Distance{symbol->name, place.offset - symbol->offset};
}

std::vector<std::string_view> SymbolTable::names(Place place) const {
    std::vector<std::string_view> out;
    for (const Symbol &symbol : at(place.section, place.offset))
        out.emplace_back(symbol.name);
    return out;
}

const Symbol *SymbolTable::next_kept(uint32_t section, uint64_t offset) const {
    for (size_t i = first_after(section, offset);
         i < symbols_.size() && symbols_[i].section == section; i++)
        if (is_kept(symbols_[i].name))
            return &symbols_[i];
    return nullptr;
}

Symbols::Extent SymbolTable::extent(Place begin, std::string_view name) const {
    Extent out = {};
    for (const Symbol &symbol : at(begin.section, begin.offset))
        if (name == symbol.name)
            out.size = symbol.end - symbol.offset;
    if (const Symbol *next = next_kept(begin.section, begin.offset)) {
        out.to_next = next->offset - begin.offset;
        return out;
    }
    auto section = std::ranges::find(sections_, begin.section, &ElfSection::index);
    if (section == sections_.end())
        return {out.size, out.size, true};
    // The loader of modules chooses which section comes next.
    const uint64_t address = section->address;
    for (auto after = section + 1; !relocatable_ && after != sections_.end(); ++after) {
        if (after->address < address + section->size)
            continue;
        const auto at_begin = at(after->index, 0);
        const bool begins = std::ranges::any_of(
            at_begin, [](const Symbol &symbol) { return is_kept(symbol.name); });
        const Symbol *next = begins ? &at_begin.front() : next_kept(after->index, 0);
        if (next != nullptr)
            return {out.size, after->address + next->offset - address - begin.offset, false};
    }
    return {out.size, section->size - begin.offset, true};
}

void SymbolTable::for_each(const Visit &visit) const {
    for (const Symbol &symbol : symbols_)
        visit(symbol.name, {symbol.section, symbol.offset});
}

std::optional<Place> SymbolTable::place_of(uint64_t address) const {
    if (relocatable_)
        return {};
    for (const ElfSection &section : sections_)
        if (address >= section.address && address - section.address < section.size)
            return Place{section.index, address - section.address};
    return {};
}

bool SymbolTable::is_code(std::string_view, Place place) const {
    return code_.contains(place.section);
}

std::string SymbolTable::text(const ElfSection &section, uint64_t offset) const {
    return text(Place{section.index, offset})
        .value_or(fmt::format("{}+{:#x}", section.name, offset));
}

}  // namespace btf_extra
