// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds in libdw's line table where the compiler has copied the beginning of an inlined instance.
// This is a second witness, which shares no code with the generator.
#ifndef BTF_EXTRA_TESTS_LIBDW_COPIES_H
#define BTF_EXTRA_TESTS_LIBDW_COPIES_H

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include <elfutils/libdw.h>

#include "tests/support/objdump_flow.h"

namespace btf_extra::test {

// The entry is DW_AT_entry_pc (an address, or a constant that is an offset from low_pc or from the
// first range), else DW_AT_low_pc, else the start of the first range. An inlined instance whose
// entry is not in its own code has none: one of the two is wrong (DWARF 5, 2.18).
std::optional<Dwarf_Addr> libdw_entry(Dwarf_Die *die);

// A statement that begins where the function is declared, without a DW_AT_entry_pc.
struct LibdwCopy {
    uint64_t address = 0;
    uint64_t view = 0;                 // number of rows before it at that address
    std::vector<Dwarf_Die> instances;  // it belongs to one of these
    bool is_entry = true;              // false: not each call that runs there begins there
};

struct LibdwEntries {
    std::vector<LibdwCopy> copies;  // of all inlined instances of a unit
    // The offsets of instances without a DW_AT_entry_pc that are entered where they begin.
    std::set<Dwarf_Off> unmarked;
};
// In functions whose head a macro writes, all statements are at one place of the source. The flow
// of control shows which of these begin a call. Without it there are no copies of such functions.
LibdwEntries libdw_entries(Dwarf_Die unit, const ObjdumpFlow *flow);

}  // namespace btf_extra::test

#endif
