// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads line programs (.debug_line): the header, and where statements of the source begin in the
// code.
#ifndef BTF_EXTRA_LINE_PROGRAM_H
#define BTF_EXTRA_LINE_PROGRAM_H

#include <dwarf.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "userspace/generator/dwarf/address_list.h"
#include "userspace/generator/dwarf/dwarf_unit.h"

namespace btf_extra::generator {

struct LineHeader {
    uint16_t version = 0;
    uint8_t offset_size = 4;   // 4: 32-bit DWARF
    uint64_t end = 0;          // where the program ends in .debug_line
    uint64_t operations = 0;   // where its operations begin there
    uint64_t tables = 0;       // where its tables of folders and files begin there
    uint8_t address_unit = 0;  // bytes: minimum_instruction_length
    bool default_is_stmt = false;
    int8_t line_base = 0;
    uint8_t line_range = 0;
    uint8_t opcode_base = 0;
    Bytes operands;  // the number of LEB128 operands of each standard opcode, from opcode 1 on
};

// Reads the header of a unit's line program. nullopt: there is none, or it is malformed.
std::optional<LineHeader> read_line_header(const DebugSections &sections, const Unit &unit);

// A place in the source. Files have the numbers that one unit gives them.
struct SourcePlace {
    uint64_t file = 0;
    uint64_t line = 0;
    uint64_t column = 0;  // 0: not known

    // Takes an attribute of a declaration.
    void set(uint16_t name, const AttributeValue &value) {
        if (name == DW_AT_decl_file)
            file = value.number;
        else if (name == DW_AT_decl_line)
            line = value.number;
        else if (name == DW_AT_decl_column)
            column = value.number;
    }
    auto operator<=>(const SourcePlace &) const = default;
};

struct LineRow {
    SourcePlace place;
    CodePoint point;       // views are counted as DW_AT_GNU_entry_view counts them
    bool is_stmt = false;  // a statement begins here
    bool ends = false;     // the point is after the last instruction; it is no place
};

// Calls visit with each row of a unit's line program. false: the program is malformed after the
// rows that were visited.
using VisitRow = std::function<void(const LineRow &)>;
bool for_each_row(const DebugSections &sections, const Unit &unit, const VisitRow &visit);

}  // namespace btf_extra::generator

#endif
