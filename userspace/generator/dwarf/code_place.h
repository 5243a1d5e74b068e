// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds the code of an entry, which is a body or an inlined instance.
#ifndef BTF_EXTRA_CODE_PLACE_H
#define BTF_EXTRA_CODE_PLACE_H

#include <cstdint>
#include <optional>
#include <vector>

#include "userspace/generator/dwarf/address_list.h"

namespace btf_extra::generator {

// The attributes that say where code is, and where it is entered.
struct CodePlace {
    AttributeValue entry_pc;
    AttributeValue low_pc;
    AttributeValue high_pc;
    AttributeValue ranges;

    // false: the attribute is none of them.
    bool set(uint16_t name, const AttributeValue &value) {
        switch (name) {
        case DW_AT_entry_pc:
            entry_pc = value;
            return true;
        case DW_AT_low_pc:
            low_pc = value;
            return true;
        case DW_AT_high_pc:
            high_pc = value;
            return true;
        case DW_AT_ranges:
            ranges = value;
            return true;
        default:
            return false;
        }
    }

    // Returns the link-time address where a call begins. Without DW_AT_entry_pc that is where the
    // first range begins. nullopt: there is no code, or the entry is malformed.
    std::optional<uint64_t> entry(const DebugSections &sections, const Unit &unit) const {
        if (entry_pc && !entry_pc.is_constant())
            return unit.address_of(entry_pc);
        std::optional<uint64_t> start = unit.address_of(low_pc);
        if (!start && ranges)
            start = first_range_start(sections, unit, ranges);
        if (start && entry_pc)
            *start += entry_pc.number;
        return start;
    }

    // Returns true if it is known where the code ends. DW_AT_low_pc alone is one address.
    bool has_extent() const { return high_pc || ranges; }

    // Appends all ranges of the code, in the order of DW_AT_ranges, with those that are empty. A
    // malformed list ends early.
    void append_ranges(const DebugSections &sections, const Unit &unit,
                       std::vector<CodeRange> &out) const {
        if (ranges) {
            for_each_range(sections, unit, ranges, [&](CodeRange range) {
                out.push_back(range);
                return true;
            });
        } else if (const std::optional<uint64_t> low = unit.address_of(low_pc)) {
            const uint64_t from = high_pc.is_constant() ? *low : 0;
            const std::optional<uint64_t> high =
                high_pc.is_constant() ? high_pc.number : unit.address_of(high_pc);
            if (high)
                out.push_back({*low, from + *high});
        }
    }
};

}  // namespace btf_extra::generator

#endif
