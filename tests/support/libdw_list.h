// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Which expression of a DW_AT_location is in force at a site, GCC's location
// views included, as libdw reads its list. Written from the description of the
// wire format; shares nothing with the generator.
#ifndef BTF_EXTRA_TESTS_LIBDW_LIST_H
#define BTF_EXTRA_TESTS_LIBDW_LIST_H

#include <cstdint>
#include <span>

#include <elfutils/libdw.h>

namespace btf_extra::test {

struct InForce {
    bool decoded = true;  // false: libdw does not know an operation in the list
    bool found = false;
    std::span<Dwarf_Op> ops;
    bool zero_length = false;  // from an entry of zero length
    bool later_view = false;   // from one that begins at the same address, at a later view
};

// An expression of its own is in force everywhere.
bool is_location_list(Dwarf_Attribute &location);

// lists: the section of location lists, which has the views as well. Throws std::runtime_error
// where these are malformed.
InForce operations_in_force(Dwarf_Die &param, Dwarf_Attribute &location,
                            std::span<const uint8_t> lists, uint64_t address, uint64_t view);

}  // namespace btf_extra::test

#endif
