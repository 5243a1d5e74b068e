// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/symbols.h"

#include <fmt/format.h>

namespace btf_extra {

std::optional<std::string> Symbols::text(Place place) const {
    const auto found = around(place);
    if (!found)
        return {};
    return fmt::format("{}+{:#x}", found->symbol, found->distance);
}

}  // namespace btf_extra
