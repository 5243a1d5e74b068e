// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/defined_symbols.h"

#include <gelf.h>

#include <cstring>

#include "userspace/format/core_api.h"

namespace btf_extra::generator {

namespace {

// Returns the name of the function that a symbol is the split remainder of. Empty: it is none. The
// cold code of a remainder does not begin it.
std::string_view split_off(const char *symbol) {
    if (std::strchr(symbol, '.') == nullptr)
        return {};
    const std::string_view name(symbol, func_suffix_strip(symbol));
    const std::string_view suffix(symbol + name.size());
    const uint32_t meaning =
        func_suffix_meaning(suffix.data(), static_cast<uint32_t>(suffix.size()));
    const bool part = (meaning & FUNC_SUFFIX_PART) && !(meaning & FUNC_SUFFIX_COLD);
    return part ? name : std::string_view();
}

}  // namespace

DefinedSymbols::DefinedSymbols(const DebugFile &file)
    : file_(file), instructions_(Instructions::of_file(file)) {
    const ElfImage &elf = file.elf();
    constexpr uint32_t kNone = UINT32_MAX;
    std::vector<uint32_t> by_index;  // by the index of the section header: number in sections()
    for (uint32_t s = 0; s < file.sections().size(); ++s) {
        const ElfSection &each = file.sections()[s];
        if (!each.executable())
            continue;
        if (each.index >= by_index.size())
            by_index.resize(each.index + 1, kNone);
        by_index[each.index] = s;
    }
    for (const auto &[symbol, name] : file.symbols()) {
        const unsigned type = GELF_ST_TYPE(symbol.st_info);
        if (symbol.st_shndx >= by_index.size() || by_index[symbol.st_shndx] == kNone ||
            (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC))
            continue;
        const uint32_t s = by_index[symbol.st_shndx];
        const uint64_t offset =
            symbol.st_value - (elf.relocatable() ? 0 : file.sections()[s].address);
        if (offset >= file.sections()[s].size)
            continue;
        const bool local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
        // Arm's mapping symbols "$x" and "$d" say what the bytes are, and name nothing.
        if (name[0] == '$')
            continue;
        if (!local)
            names_.insert(name);
        if (const std::string_view function = split_off(name); !function.empty())
            parts_.emplace(place(s, offset), function);
        if (std::strchr(name, '.') != nullptr && name[func_suffix_strip(name)] != '\0')
            clones_.emplace(place(s, offset), name);
        has_local_functions_ |= local && type == STT_FUNC;
        begins_.push_back({place(s, offset), symbol.st_size});
    }
    std::sort(begins_.begin(), begins_.end());
}

std::optional<uint64_t> DefinedSymbols::symbol_of(uint32_t section, uint64_t offset) const {
    const uint64_t wanted = place(section, offset);
    const auto behind = std::ranges::upper_bound(begins_, wanted, {}, &Begin::place);
    if (behind == begins_.begin())
        return std::nullopt;
    const Begin &begin = behind[-1];
    if (begin.place == wanted)
        return wanted;
    const Bytes code = file_.code(section);
    const uint64_t distance = wanted - begin.place;  // of one section if it is in its size
    if (distance >= begin.size || distance > offset || offset > code.size() ||
        !instructions_->only_hooks(code.subspan(offset - distance, distance)))
        return std::nullopt;
    return begin.place;
}

std::optional<std::pair<uint64_t, uint64_t>> DefinedSymbols::around(uint32_t section,
                                                                    uint64_t offset) const {
    const uint64_t start = place(section, 0), wanted = start + offset;
    const auto behind = std::ranges::upper_bound(begins_, wanted, {}, &Begin::place);
    if (behind == begins_.begin() || behind[-1].place < start)
        return std::nullopt;
    const Begin &begin = behind[-1];
    const bool is_last = behind == begins_.end() || behind->place >> 32 != section;
    const uint64_t next = is_last ? start + file_.sections()[section].size : behind->place;
    const uint64_t end = begin.size != 0 ? std::min(begin.place + begin.size, next) : next;
    if (wanted >= end)
        return std::nullopt;
    return std::pair(begin.place - start, end - start);
}

std::string_view DefinedSymbols::clone(std::string_view name, uint32_t section,
                                       uint64_t offset) const {
    std::string_view found;
    const auto [first, end] = clones_.equal_range(place_of_symbol(section, offset));
    for (auto each = first; each != end; ++each) {
        if (each->second.substr(0, func_suffix_strip(each->second.data())) != name)
            continue;
        if (!found.empty() && found != each->second)
            return {};
        found = each->second;
    }
    return found;
}

}  // namespace btf_extra::generator
