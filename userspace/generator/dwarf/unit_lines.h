// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The lines of the source that the instructions of a unit are of.
#ifndef BTF_EXTRA_UNIT_LINES_H
#define BTF_EXTRA_UNIT_LINES_H

#include <cstdint>
#include <string>
#include <vector>

#include "userspace/generator/dwarf/dwarf_unit.h"
#include "userspace/generator/dwarf/source_path.h"
#include "userspace/generator/model/code_range.h"

namespace btf_extra::generator {

struct UnitLines {
    static constexpr uint32_t kNoFile = UINT32_MAX;

    // Holds up to the next row.
    struct Row {
        uint64_t address = 0;
        uint32_t file = kNoFile;  // number in files
        uint32_t line = 0;
    };
    // Code without a gap: its rows in order of address, one for each address. The last one has no
    // file and is after the code.
    struct Sequence {
        uint32_t first = 0;  // in rows
        uint32_t end = 0;
    };

    std::vector<std::string> files;  // relative to the source tree
    std::vector<Row> rows;
    std::vector<Sequence> sequences;
};

// Returns the code that a unit has by its own entry, joined and in order.
std::vector<CodeRange> code_of(const DebugSections &sections, const Unit &unit);

// Lines of other code, and what is malformed, are left out.
UnitLines read_unit_lines(const DebugSections &sections, const Unit &unit,
                          const std::vector<CodeRange> &code, const SourceTree &tree);

}  // namespace btf_extra::generator

#endif
