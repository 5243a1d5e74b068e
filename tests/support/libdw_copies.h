// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Where the compiler has copied the beginning of an inlined instance, as libdw reads the line
// table: a second witness, which shares nothing with the generator.
#ifndef BTF_EXTRA_TESTS_LIBDW_COPIES_H
#define BTF_EXTRA_TESTS_LIBDW_COPIES_H

#include <cstdint>
#include <optional>
#include <vector>

#include <elfutils/libdw.h>

namespace btf_extra::test {

// 'DW_AT_entry_pc (an address, or a constant: an offset from the low_pc or first range), else
// DW_AT_low_pc, else the start of its first range.'
std::optional<Dwarf_Addr> libdw_entry(Dwarf_Die *die);

// A statement that begins where the function is declared, and no DW_AT_entry_pc.
struct LibdwCopy {
    uint64_t address = 0;
    uint64_t view = 0;                 // how many rows the table has before it, at that address
    std::vector<Dwarf_Die> instances;  // of one of these
};

// Of all inlined instances of a unit.
std::vector<LibdwCopy> libdw_copies(Dwarf_Die unit);

}  // namespace btf_extra::test

#endif
