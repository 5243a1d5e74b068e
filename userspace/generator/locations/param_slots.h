// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Gives locations of parameters the ParamSlots of one unit: it keeps each distinct LocParam once.
#ifndef BTF_EXTRA_PARAM_SLOTS_H
#define BTF_EXTRA_PARAM_SLOTS_H

#include <cstdint>
#include <memory_resource>
#include <unordered_map>

#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

class ParamSlots {
  public:
    // Adds new ones to sites.loc_params, which nobody else does. Its table is in memory. Both
    // outlive it.
    ParamSlots(UnitSites &sites, std::pmr::memory_resource *memory)
        : sites_(sites), numbers_(memory) {}

    ParamSlot slot_of(const Location &location) {
        if (!location.available())
            return missing_slot(location.reason);
        const auto [entry, fresh] =
            numbers_.try_emplace(location.param, static_cast<uint32_t>(sites_.loc_params.size()));
        if (fresh)
            sites_.loc_params.push_back(location.param);
        return entry->second;
    }

    // slot is that of a parameter, not kVariadicEnd.
    Location location_of(ParamSlot slot) const {
        if (slot & kMissing)
            return Location::missing(static_cast<MissingReason>(slot & ~kMissing));
        return {.param = sites_.loc_params[slot]};
    }

  private:
    UnitSites &sites_;
    std::pmr::unordered_map<LocParam, uint32_t, LocParamHash> numbers_;
};

}  // namespace btf_extra::generator

#endif
