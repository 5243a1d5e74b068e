// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/last_values.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace btf_extra::generator {

namespace {

// The functions of one name, file and number of parameters are taken for one.
using Key = std::tuple<std::string_view, std::string_view, uint32_t>;

Key key_of(const SourceFunction &function) {
    return {function.name, function.file, function.nr_params};
}

// Returns the parameters of a list, without those that may be assigned to.
std::vector<ParamSlot> without(std::span<const ParamSlot> slots, uint64_t doubtful) {
    std::vector<ParamSlot> out(slots.begin(), slots.end());
    for (size_t i = 0; i < out.size(); ++i) {
        if ((doubtful >> std::min<size_t>(i, 63) & 1) == 0)
            continue;
        if ((out[i] & kMissing) == 0)
            out[i] = missing_slot(MissingReason::kPerhapsAssigned);
        else if (is_computed(out[i]))
            out[i] = missing_slot(reason_of(out[i]));
    }
    return out;
}

}  // namespace

void drop_last_values(std::vector<UnitSites> &units) {
    std::map<Key, decltype(SourceFunction::values)> values;
    for (const UnitSites &unit : units)
        for (const SourceFunction &function : unit.functions) {
            if (!unit.has_last_values)
                break;
            auto &all = values[key_of(function)];
            all.assigned |= function.values.assigned;
            all.again |= function.values.again | (all.placed & function.values.placed);
            all.placed |= function.values.placed;
        }
    for (UnitSites &unit : units) {
        if (!unit.has_last_values)
            continue;
        for (Site &site : unit.sites) {
            if (site.site_class != SiteClass::kInline)
                continue;
            const auto &all = values[key_of(unit.functions[site.function])];
            if (const uint64_t doubtful = all.assigned | ~all.again; doubtful != 0)
                site.params =
                    unit.param_lists.add(without(unit.param_lists.at(site.params), doubtful));
        }
    }
}

}  // namespace btf_extra::generator
