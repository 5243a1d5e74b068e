// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/first_symbols.h"

#include <gelf.h>

#include <cstring>

namespace btf_extra::generator {

FirstSymbols::FirstSymbols(const DebugFile &file) : file_(file) {
    for (const ElfSection &section : file.sections()) {
        if (section.index >= sections_.size())
            sections_.resize(section.index + 1);
        sections_[section.index] = &section;
    }
    symbols_.reserve(file.symbols().size());
    uint64_t code_symbols = 0, data_symbols = 0;
    for (const auto &[entry, name] : file.symbols()) {
        const unsigned type = GELF_ST_TYPE(entry.st_info);
        const uint32_t index = entry.st_shndx;
        if (type == STT_SECTION || type == STT_FILE || index == SHN_UNDEF || name[0] == '\0')
            continue;
        const ElfSection *section = index < sections_.size() ? sections_[index] : nullptr;
        // Debug sections and the like are not loaded, and kallsyms does not list their symbols.
        if (!section && index < SHN_LORESERVE)
            continue;
        const uint64_t base = section && file.elf().relocatable() ? section->address : 0;
        const Symbol symbol{
            .address = base + entry.st_value, .size = entry.st_size, .section = index};
        const std::string_view whole(name);
        add(whole, symbol);
        if (section && section->executable())
            ++code_symbols;
        else if (!whole.starts_with(".L"))  // kallsyms never has these labels
            ++data_symbols;
        // A kernel with CONFIG_LTO_CLANG finds foo.llvm.123 by the name foo.
        if (const size_t suffix = whole.find(".llvm."); suffix != whole.npos)
            add(whole.substr(0, suffix), symbol);
    }
    if (file.elf().relocatable())
        return;
    const auto begin = symbols_.find("__init_begin"), end = symbols_.find("__init_end");
    if (begin != symbols_.end() && end != symbols_.end())
        init_ = {begin->second.address, end->second.address};
    has_data_ = kallsyms_has_data(code_symbols, data_symbols);
}

bool FirstSymbols::kallsyms_has_data(uint64_t code_symbols, uint64_t data_symbols) const {
    const auto counter = symbols_.find("kallsyms_num_syms");
    if (counter == symbols_.end() || counter->second.section >= sections_.size())
        return true;
    const ElfSection *section = sections_[counter->second.section];
    if (!section)
        return true;
    const auto bytes = file_.elf().bytes(*section);
    uint32_t count = 0;
    const uint64_t at = counter->second.address - section->address;
    if (!bytes || at > bytes->size() || bytes->size() - at < sizeof(count))
        return true;
    std::memcpy(&count, bytes->data() + at, sizeof(count));
    // Without CONFIG_KALLSYMS_ALL it has those of code and a few more. Which symbols of data it has
    // otherwise depends on the version, but most.
    return count > code_symbols + data_symbols / 2;
}

void FirstSymbols::add(std::string_view name, const Symbol &symbol) {
    const auto [entry, fresh] = symbols_.try_emplace(name, symbol);
    Symbol &first = entry->second;
    if (fresh)
        return;
    first.only_one &= first.address == symbol.address;
    if (symbol.address < first.address) {
        const bool only_one = first.only_one;
        first = symbol;
        first.only_one = only_one;
    } else if (symbol.address == first.address && symbol.size > first.size) {
        first.size = symbol.size;
    }
}

bool FirstSymbols::freed(const Symbol &symbol) const {
    if (symbol.address >= init_.first && symbol.address < init_.second)
        return true;
    return sections_[symbol.section]->name.starts_with(".init");
}

std::optional<VariableReason> FirstSymbols::judge(std::string_view name, uint64_t address,
                                                  uint64_t size) const {
    const auto found = symbols_.find(name);
    if (found == symbols_.end())
        return VariableReason::kNoSymbol;
    const Symbol &symbol = found->second;
    // A module is searched in the order of its symbol table. The name must mean one place there.
    if (symbol.address != address || (file_.elf().relocatable() && !symbol.only_one))
        return VariableReason::kOtherSymbol;
    if (symbol.section >= sections_.size() || !sections_[symbol.section])
        return VariableReason::kOtherSymbol;  // an absolute number
    if (sections_[symbol.section]->name.starts_with(".data..percpu"))
        return VariableReason::kPerCpu;
    if (!has_data_ && !sections_[symbol.section]->executable())
        return VariableReason::kNoSymbol;
    if (freed(symbol))
        return VariableReason::kFreed;
    // A flexible array may make the variable larger than its type, never smaller.
    if (symbol.size != 0 && size > symbol.size)
        return VariableReason::kSize;
    return std::nullopt;
}

}  // namespace btf_extra::generator
