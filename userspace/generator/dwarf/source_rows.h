// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The places of the source that the instructions of a unit are of, with lines and columns.
#ifndef BTF_EXTRA_SOURCE_ROWS_H
#define BTF_EXTRA_SOURCE_ROWS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "userspace/generator/dwarf/line_program.h"
#include "userspace/generator/model/code_range.h"

namespace btf_extra::generator {

class SourceRows {
  public:
    // Reads the line program, up to where it is malformed.
    SourceRows(const DebugSections &sections, const Unit &unit);

    // Returns true if it is known which line an instruction is of.
    bool has_line(uint64_t address) const;

    // Code of one place of the source, and other code of that place.
    struct Repeated {
        CodeRange first, again;
    };
    // Returns the code in the ranges that is of the same place as one of these addresses, and
    // begins elsewhere. Copied code is so, and code between which the compiler has scheduled other.
    std::vector<Repeated> repeated(std::span<const uint64_t> addresses,
                                   std::span<const CodeRange> ranges) const;

  private:
    // Holds up to the next row. A row after code has line 0, as has code of no known line.
    struct Row {
        uint64_t address = 0;
        SourcePlace place;
    };
    // Returns the number of the row that holds at an address; the count of rows if there is none.
    size_t row_at(uint64_t address) const;
    CodeRange code_of(size_t row) const;

    std::vector<Row> rows_;  // in order of address, one for each
};

}  // namespace btf_extra::generator

#endif
