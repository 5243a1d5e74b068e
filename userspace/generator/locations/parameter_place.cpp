// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/locations/parameter_place.h"

#include "userspace/generator/locations/constant_location.h"
#include "userspace/generator/locations/location_expr.h"

namespace btf_extra::generator {

Location ParameterPlace::at(SiteContext &site, uint64_t size, const ExprFormat &format) const {
    if (!location) {
        if (const_value.is_constant())
            return constant(const_value.number, const_value.kind == AttributeValue::kSigned, size);
        if (const_value.kind == AttributeValue::kBlock)
            return constant(const_value.block, size);
        // A string is the memory that the pointer would point to.
        return Location::missing(const_value ? MissingReason::kImplicitPointer
                                             : MissingReason::kOptimizedOut);
    }
    const std::optional<Bytes> expression = site.expression(location, locviews);
    if (!expression)
        return Location::missing(MissingReason::kNoLocationHere);
    Location found = locate(*expression, size, format, site);
    const bool is_of_scope = location.kind == AttributeValue::kBlock;
    const bool too_early =
        found.available()
            ? is_of_scope && site.may_be_stored_later(*expression, found.param)
            : found.reason == MissingReason::kArithmetic && site.before_frame(*expression);
    if (too_early)
        return Location::missing(MissingReason::kNoLocationHere);
    if (!found.code.empty() && site.is_doubtful(found.code, is_of_scope))
        found.code.clear();
    return found;
}

}  // namespace btf_extra::generator
