// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds what leads from elsewhere into the middle of some functions. It takes all bytes for what
// could name a place there. So it may find too much, but never too little.
#ifndef BTF_EXTRA_ENTERED_PLACES_H
#define BTF_EXTRA_ENTERED_PLACES_H

#include <cstdint>
#include <span>
#include <vector>

#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/model/code_range.h"

namespace btf_extra::generator {

// It does not change, so that threads can share it. Addresses are those of a linked file.
class EnteredPlaces {
  public:
    // functions are in order and do not overlap. Short jumps do not count.
    EnteredPlaces(const DebugFile &file, std::vector<CodeRange> functions);

    // Returns the function that holds an address, or an empty range: then nothing is known of it.
    CodeRange function_of(uint64_t address) const;
    // Returns true if something leads there that is neither in the function around nor in these
    // ranges.
    bool entered(uint64_t address, std::span<const CodeRange> ranges) const;

  private:
    struct Entry {
        uint64_t to = 0;
        uint64_t from = 0;  // an address in code; 0: in data
        auto operator<=>(const Entry &) const = default;
    };

    std::vector<CodeRange> functions_;
    std::vector<Entry> entries_;  // in order
};

}  // namespace btf_extra::generator

#endif
