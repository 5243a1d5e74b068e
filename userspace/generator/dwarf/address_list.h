// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads location lists (.debug_loclists, .debug_loc) and range lists (.debug_rnglists,
// .debug_ranges).
#ifndef BTF_EXTRA_ADDRESS_LIST_H
#define BTF_EXTRA_ADDRESS_LIST_H

#include <cstdint>
#include <functional>
#include <optional>

#include "userspace/generator/dwarf/dwarf_unit.h"
#include "userspace/generator/model/code_range.h"

namespace btf_extra::generator {

// A point in a function. GCC 8 and later may see several positions of the source at one address,
// and numbers them: these are location views (-gvariable-location-views, DWARF issue 170427.1).
struct CodePoint {
    uint64_t address = 0;
    uint64_t view = 0;  // as in DW_AT_GNU_entry_view
};

// Finds the expression of a location list that is in force at a point. That is the entry whose
// interval of (address, view) holds the point. If there is none, it is the first entry that begins
// at the same address at a later view, since no instruction runs between views.
// list is a kSectionOffset or kListIndex; locviews is DW_AT_GNU_locviews, an offset into the same
// section. An interval that is not inside of around, the code of the function without a gap, counts
// as malformed and is passed over. nullopt: there is no such entry, or the list is malformed.
std::optional<Bytes> expression_at(const DebugSections &sections, const Unit &unit,
                                   const AttributeValue &list, std::optional<uint64_t> locviews,
                                   CodePoint point, CodeRange around);

// Calls visit with each entry of a location list that has an interval, in their order. Views are
// passed over. false: the list is malformed.
using VisitLocation = std::function<void(CodeRange range, Bytes expression)>;
bool for_each_location(const DebugSections &sections, const Unit &unit, const AttributeValue &list,
                       const VisitLocation &visit);

// Calls visit with each range of a DW_AT_ranges, in their order, until it returns false. Ranges may
// be empty and hold no code then (DWARF 5, 2.17.3).
using VisitRange = std::function<bool(CodeRange)>;
void for_each_range(const DebugSections &sections, const Unit &unit, const AttributeValue &ranges,
                    const VisitRange &visit);

// Returns the beginning of the first of them that holds code.
std::optional<uint64_t> first_range_start(const DebugSections &sections, const Unit &unit,
                                          const AttributeValue &ranges);

}  // namespace btf_extra::generator

#endif
