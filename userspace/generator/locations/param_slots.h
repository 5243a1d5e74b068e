// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Gives locations of parameters the ParamSlots of one unit: it keeps each distinct LocParam and
// each distinct expression once.
#ifndef BTF_EXTRA_PARAM_SLOTS_H
#define BTF_EXTRA_PARAM_SLOTS_H

#include <cstdint>
#include <map>
#include <memory_resource>
#include <unordered_map>

#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

class ParamSlots {
  public:
    // Adds new ones to sites.loc_params and sites.expressions, which nobody else does. Its tables
    // are in memory. Both outlive it.
    ParamSlots(UnitSites &sites, std::pmr::memory_resource *memory)
        : sites_(sites), numbers_(memory), expressions_(memory) {}

    ParamSlot slot_of(const Location &location) {
        if (!location.available())
            return location.code.empty() ? missing_slot(location.reason)
                                         : computed_slot_of(location);
        const auto [entry, fresh] =
            numbers_.try_emplace(location.param, static_cast<uint32_t>(sites_.loc_params.size()));
        if (fresh)
            sites_.loc_params.push_back(location.param);
        return entry->second;
    }

    // slot is that of a parameter, not kVariadicEnd.
    Location location_of(ParamSlot slot) const {
        if (slot & kMissing)
            return {.param = {},
                    .reason = reason_of(slot),
                    .code = is_computed(slot) ? sites_.expressions[expression_of(slot)]
                                              : ExpressionCode()};
        return {.param = sites_.loc_params[slot]};
    }

  private:
    ParamSlot computed_slot_of(const Location &location) {
        const auto number = static_cast<uint32_t>(sites_.expressions.size());
        const auto [entry, fresh] = expressions_.try_emplace(location.code, number);
        if (fresh && number == kMaxExpressions) {
            expressions_.erase(entry);
            return missing_slot(location.reason);
        }
        if (fresh)
            sites_.expressions.push_back(location.code);
        return computed_slot(entry->second, location.reason);
    }

    UnitSites &sites_;
    std::pmr::unordered_map<LocParam, uint32_t, LocParamHash> numbers_;
    std::pmr::map<ExpressionCode, uint32_t> expressions_;
};

}  // namespace btf_extra::generator

#endif
