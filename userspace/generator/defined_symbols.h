// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What the linker has made of functions: which of them are overridden. The body of a weak
// definition that gave way to another stays in the code and in DWARF, but nothing names it.
#ifndef BTF_EXTRA_DEFINED_SYMBOLS_H
#define BTF_EXTRA_DEFINED_SYMBOLS_H

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "userspace/generator/debug_file.h"

namespace btf_extra {

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

  private:
    bool has_local_functions_ = false;
    std::vector<std::vector<bool>> begins_;       // by section and offset: a symbol of code
    std::unordered_set<std::string_view> names_;  // of those that other files see
};

}  // namespace btf_extra

#endif
