// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What symbols tell of bodies. That of a weak definition that gave way to another stays in the code
// and in DWARF, but nothing names it. One that GCC has split off a function is named foo.part.0.
#ifndef BTF_EXTRA_DEFINED_SYMBOLS_H
#define BTF_EXTRA_DEFINED_SYMBOLS_H

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "userspace/generator/dwarf/debug_file.h"

namespace btf_extra::generator {

// Does not change, so that threads can share it. The file must outlive it.
class DefinedSymbols {
  public:
    explicit DefinedSymbols(const DebugFile &file);

    // Whether no symbol at all is at the beginning of this body of an external function, but one
    // of its name is elsewhere. section: index into DebugFile::sections(). Where symbols are
    // stripped, local ones of clones or all, that tells nothing: false.
    bool overridden(std::string_view name, uint32_t section, uint64_t offset) const {
        return has_local_functions_ && !begins_[section][offset] && names_.contains(name);
    }

    // Whether this body of a function is split off it, and runs after the beginning of a call.
    bool part(std::string_view name, uint32_t section, uint64_t offset) const {
        const auto [first, end] = parts_.equal_range(place(section, offset));
        return std::any_of(first, end, [&](const auto &each) { return each.second == name; });
    }

    // The symbol of a body of that function, where it is the only one there and has a suffix of the
    // compiler; empty: none.
    std::string_view clone(std::string_view name, uint32_t section, uint64_t offset) const;

  private:
    static uint64_t place(uint32_t section, uint64_t offset) {
        return uint64_t{section} << 32 | offset;
    }

    bool has_local_functions_ = false;
    std::vector<std::vector<bool>> begins_;       // by section and offset: a symbol of code
    std::unordered_set<std::string_view> names_;  // of those that other files see
    std::unordered_multimap<uint64_t, std::string_view> parts_;   // names of functions, by place
    std::unordered_multimap<uint64_t, std::string_view> clones_;  // symbols with a suffix, by place
};

}  // namespace btf_extra::generator

#endif
