// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds from symbols what bodies are. The body of a weak definition that gave way to another stays
// in the code and in DWARF, but no symbol names it. A body that GCC has split off a function is
// named foo.part.0. The body may begin after its symbol: on aarch64 DW_AT_low_pc of GCC 12 is
// after the NOPs that are left for a tracer.
#ifndef BTF_EXTRA_DEFINED_SYMBOLS_H
#define BTF_EXTRA_DEFINED_SYMBOLS_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/sites/instructions.h"

namespace btf_extra::generator {

// It does not change, so that threads can share it. The file must outlive it.
class DefinedSymbols {
  public:
    explicit DefinedSymbols(const DebugFile &file);

    // Returns true if no symbol is at the beginning of this body of an external function, but one
    // with its name is elsewhere. section is an index into DebugFile::sections(). If the file's
    // symbols are stripped, all or the local ones, that tells nothing: the answer is false.
    bool overridden(std::string_view name, uint32_t section, uint64_t offset) const {
        return has_local_functions_ && !symbol_of(section, offset) && names_.contains(name);
    }

    // Returns true if this body is the split remainder of a function: it runs after a call has
    // begun.
    bool part(std::string_view name, uint32_t section, uint64_t offset) const {
        const auto [first, end] = parts_.equal_range(place_of_symbol(section, offset));
        return std::any_of(first, end, [&](const auto &each) { return each.second == name; });
    }

    // Returns true if the symbol of this body is before it, and nothing but a hook for tracers
    // between.
    bool behind_hook(uint32_t section, uint64_t offset) const {
        return place_of_symbol(section, offset) != place(section, offset);
    }

    // Returns from where to where the symbol around a place reaches, as offsets. One without a size
    // reaches up to the next one. nullopt: there is none. After a symbol there may be the body of
    // an overridden definition, which has none.
    std::optional<std::pair<uint64_t, uint64_t>> around(uint32_t section, uint64_t offset) const;

    // Returns the symbol of this body if the compiler gave it a suffix and no other symbol
    // names the body. Empty: there is none.
    std::string_view clone(std::string_view name, uint32_t section, uint64_t offset) const;

  private:
    static uint64_t place(uint32_t section, uint64_t offset) {
        return uint64_t{section} << 32 | offset;
    }

    struct Begin {
        uint64_t place = 0;
        uint64_t size = 0;
        auto operator<=>(const Begin &) const = default;
    };

    // Returns the place of the symbol at the beginning of a body. nullopt: there is none.
    std::optional<uint64_t> symbol_of(uint32_t section, uint64_t offset) const;
    uint64_t place_of_symbol(uint32_t section, uint64_t offset) const {
        return symbol_of(section, offset).value_or(place(section, offset));
    }

    const DebugFile &file_;
    std::unique_ptr<Instructions> instructions_;
    bool has_local_functions_ = false;
    std::vector<Begin> begins_;                                   // symbols of code, in order
    std::unordered_set<std::string_view> names_;                  // those that other files see
    std::unordered_multimap<uint64_t, std::string_view> parts_;   // names of functions, by place
    std::unordered_multimap<uint64_t, std::string_view> clones_;  // symbols with a suffix, by place
};

}  // namespace btf_extra::generator

#endif
