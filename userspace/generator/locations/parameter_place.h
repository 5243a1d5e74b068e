// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds where the value of a parameter is at a site.
#ifndef BTF_EXTRA_PARAMETER_PLACE_H
#define BTF_EXTRA_PARAMETER_PLACE_H

#include <cstdint>
#include <optional>

#include "userspace/generator/locations/site_context.h"

namespace btf_extra::generator {

// The attributes that say where a parameter is, or which value it has.
struct ParameterPlace {
    AttributeValue location;
    AttributeValue const_value;
    std::optional<uint64_t> locviews;

    // false: the attribute is none of them.
    bool set(uint16_t name, const AttributeValue &value) {
        switch (name) {
        case DW_AT_location:
            location = value;
            return true;
        case DW_AT_const_value:
            const_value = value;
            return true;
        case DW_AT_GNU_locviews:
            locviews = value.number;
            return true;
        default:
            return false;
        }
    }

    // Locates a parameter of size bytes. It is kOptimizedOut if the entry has no such attribute.
    Location at(SiteContext &site, uint64_t size, const ExprFormat &format) const;
};

}  // namespace btf_extra::generator

#endif
