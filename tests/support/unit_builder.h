// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Fills the sites of units by hand, as if they had been read, and merges them.
#ifndef BTF_EXTRA_TESTS_UNIT_BUILDER_H
#define BTF_EXTRA_TESTS_UNIT_BUILDER_H

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "userspace/format/core_api.h"
#include "userspace/generator/write/site_merge.h"

namespace btf_extra::test {

using namespace generator;

inline constexpr ParamSlot kOut = missing_slot(MissingReason::kOptimizedOut);        // 1
inline constexpr ParamSlot kNotHere = missing_slot(MissingReason::kNoLocationHere);  // 2
inline constexpr ParamSlot kEntryValue = missing_slot(MissingReason::kEntryValue);   // 5

inline LocParam in_register(uint32_t reg) {
    return {.size = 8, .flags = LOC_REG, .vlen = 1, .values = {reg}};
}

// Ids of types of the base.
inline constexpr TypeId kInt = 1, kLong = 2;

// Fills one unit by hand.
class UnitBuilder {
  public:
    explicit UnitBuilder(std::string_view name) : name_(name) {}

    // Returns the number of the function.
    uint32_t function(std::string_view name, std::string_view file,
                      const std::vector<TypeId> &params = {kLong}, uint32_t base_id = 0) {
        SourceFunction function;
        function.name = name;
        function.file = file;
        function.unit = name_;
        function.first_param = static_cast<uint32_t>(unit_.param_types.size());
        function.nr_params = static_cast<uint32_t>(params.size());
        unit_.param_types.insert(unit_.param_types.end(), params.begin(), params.end());
        unit_.param_names.resize(unit_.param_types.size(), "p");
        function.base_id = base_id;
        unit_.functions.push_back(std::move(function));
        return static_cast<uint32_t>(unit_.functions.size() - 1);
    }
    SourceFunction &at(uint32_t number) { return unit_.functions[number]; }

    // Returns the number of a location, counted in the order in which the unit meets them.
    ParamSlot reg(uint32_t number) {
        const LocParam param = in_register(number);
        const auto found = std::find(unit_.loc_params.begin(), unit_.loc_params.end(), param);
        const auto slot = static_cast<ParamSlot>(found - unit_.loc_params.begin());
        if (found == unit_.loc_params.end())
            unit_.loc_params.push_back(param);
        return slot;
    }

    // Returns the slot of a parameter with such a code, which a LOC_PARAM lacks for that reason.
    ParamSlot computed(const ExpressionCode &code,
                       MissingReason reason = MissingReason::kArithmetic) {
        unit_.expressions.push_back(code);
        return computed_slot(static_cast<uint32_t>(unit_.expressions.size() - 1), reason);
    }

    UnitBuilder &site(uint32_t function, uint32_t offset, const std::vector<ParamSlot> &slots,
                      SiteClass site_class = SiteClass::kInline, uint32_t section = 0) {
        Site site;
        site.function = function;
        site.section = section;
        site.offset = offset;
        site.site_class = site_class;
        site.params = unit_.param_lists.add(slots);
        unit_.sites.push_back(site);
        unit_.inline_instances += site_class == SiteClass::kInline;
        return *this;
    }

    UnitSites unit_;

  private:
    std::string_view name_;
};

inline std::vector<UnitSites> units_of(std::initializer_list<UnitBuilder> builders) {
    std::vector<UnitSites> units;
    for (const UnitBuilder &builder : builders)
        units.push_back(builder.unit_);
    return units;
}

struct Merged : MergedUnits {
    std::vector<MergedSection> sections;
};

inline Merged merged_sites(const std::vector<UnitSites> &units, size_t threads) {
    Merged merged{merge_units(units, threads), {}};
    merged.sections = merge_sites(units, merged);
    return merged;
}

}  // namespace btf_extra::test

#endif
