// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The sites of a function with all the names that other tracers take for a place.
#ifndef BTF_EXTRA_PLACED_SITE_H
#define BTF_EXTRA_PLACED_SITE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "userspace/cli/tables.h"
#include "userspace/format/result.h"

namespace btf_extra {

struct PlacedSite {
    uint32_t number;  // in the index of its view
    bool body;
    std::optional<uint64_t> from_stext;  // distance from _stext; nothing for a module's
    std::string symbol;                  // that it is in; empty: not known
    uint64_t distance = 0;               // from the symbol
    size_t namesakes = 0;                // symbols of that name
    const char *dead = nullptr;          // why nothing can be put there
};

// In order of address, where that is known, else of number.
Result<std::vector<PlacedSite>> place_sites(Tables &tables, const Table &table, uint32_t func_id);

}  // namespace btf_extra

#endif
