// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds which expression of a DW_AT_location is valid at a site. libdw reads the list, and GCC's
// location views count. Written from the description of the wire format; it shares no code with the
// generator.
#ifndef BTF_EXTRA_TESTS_LIBDW_LIST_H
#define BTF_EXTRA_TESTS_LIBDW_LIST_H

#include <cstdint>
#include <span>

#include <elfutils/libdw.h>

namespace btf_extra::test {

struct InForce {
    bool decoded = true;  // false: the list has an operation that libdw does not know
    bool found = false;
    std::span<Dwarf_Op> ops;
    bool zero_length = false;  // the entry has zero length
    bool later_view = false;   // the entry begins at the same address, at a later view
};

// A single expression is valid everywhere.
bool is_location_list(Dwarf_Attribute &location);

// lists is the section of location lists, which also has the views. Throws std::runtime_error if
// the views are malformed.
InForce operations_in_force(Dwarf_Die &param, Dwarf_Attribute &location,
                            std::span<const uint8_t> lists, uint64_t address, uint64_t view);

}  // namespace btf_extra::test

#endif
