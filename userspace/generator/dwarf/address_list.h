// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Location lists (.debug_loclists, .debug_loc) and range lists
// (.debug_rnglists, .debug_ranges).
#ifndef BTF_EXTRA_ADDRESS_LIST_H
#define BTF_EXTRA_ADDRESS_LIST_H

#include <cstdint>
#include <functional>
#include <optional>

#include "userspace/generator/dwarf/dwarf_unit.h"

namespace btf_extra::generator {

// A point in a function: an address and, of the several positions in the source
// that GCC may see there, the number of one (DW_AT_GNU_entry_view).
struct CodePoint {
    uint64_t address = 0;
    uint64_t view = 0;
};

// The expression of a location list that is in force at a point: the entry
// whose interval of (address, view) holds it, else the first that begins at the
// same address at a later view, since no instruction runs between views.
// list: a kSectionOffset or kListIndex. locviews: DW_AT_GNU_locviews, an offset
// into the same section. nullopt: no such entry, or malformed.
std::optional<Bytes> expression_at(const DebugSections &sections, const Unit &unit,
                                   const AttributeValue &list, std::optional<uint64_t> locviews,
                                   CodePoint point);

// Code from begin up to end.
struct CodeRange {
    uint64_t begin = 0;
    uint64_t end = 0;
};

// Calls visit with each range of a DW_AT_ranges, in their order, until it says false. Empty ranges
// hold no code and do not count (DWARF 5, 2.17.3).
using VisitRange = std::function<bool(CodeRange)>;
void for_each_range(const DebugSections &sections, const Unit &unit, const AttributeValue &ranges,
                    const VisitRange &visit);

// Where the first of them starts.
std::optional<uint64_t> first_range_start(const DebugSections &sections, const Unit &unit,
                                          const AttributeValue &ranges);

}  // namespace btf_extra::generator

#endif
