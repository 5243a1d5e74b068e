// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds what the kernel finds by the name of a symbol. kallsyms_lookup_name() returns the first
// symbol of a name in order of address, whatever it is: a function, a variable of another file, an
// absolute number.
#ifndef BTF_EXTRA_FIRST_SYMBOLS_H
#define BTF_EXTRA_FIRST_SYMBOLS_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "userspace/format/variable_list.h"
#include "userspace/generator/dwarf/debug_file.h"

namespace btf_extra::generator {

// It does not change, so that threads can share it. The file must outlive it.
class FirstSymbols {
  public:
    explicit FirstSymbols(const DebugFile &file);

    // Returns the reason why the name of a variable does not lead to it, or to no memory that
    // stays. nullopt: it does. size is that of its type.
    std::optional<VariableReason> judge(std::string_view name, uint64_t address,
                                        uint64_t size) const;

  private:
    struct Symbol {
        uint64_t address = 0;  // the link-time address, as debug information has it
        uint64_t size = 0;     // 0: not known
        uint32_t section = 0;  // index of the section header
        bool only_one = true;  // all symbols of the name are at that address
    };

    void add(std::string_view name, const Symbol &symbol);
    bool freed(const Symbol &symbol) const;
    // Returns false if the kallsyms of a kernel has only symbols of code.
    bool kallsyms_has_data(uint64_t code_symbols, uint64_t data_symbols) const;

    const DebugFile &file_;
    std::unordered_map<std::string_view, Symbol> symbols_;
    std::vector<const ElfSection *> sections_;  // by the index of the section header
    bool has_data_ = true;                      // kallsyms has
    std::pair<uint64_t, uint64_t> init_{};      // of a kernel: addresses that are freed after boot
};

}  // namespace btf_extra::generator

#endif
