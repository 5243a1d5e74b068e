// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/agreed_expressions.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

namespace btf_extra::generator {

namespace {

using Slots = std::vector<ParamSlot>;
// A place in a unit, the function, and the list without its expressions and reasons.
using Key = std::tuple<uint32_t, uint32_t, SiteClass, uint32_t, Slots>;

Key key_of(const Site &site, std::span<const ParamSlot> slots) {
    Slots words;
    for (const ParamSlot slot : slots)
        words.push_back(std::min(slot, kMissing));
    return {site.section, site.offset, site.site_class, site.function, std::move(words)};
}

bool same_code(ParamSlot a, ParamSlot b) {
    return is_computed(a) && is_computed(b) && expression_of(a) == expression_of(b);
}

// Names the place of a site in its unit.
uint64_t place_of(const Site &site) {
    return uint64_t{site.section} << 32 | site.offset;
}

// The expressions on which the sites of one place agree. Few places have any.
class Agreement {
  public:
    explicit Agreement(UnitSites &unit) : unit_(unit) {
        for (const Site &site : unit_.sites)
            if (const auto slots = slots_of(site); std::ranges::any_of(slots, is_computed)) {
                places_.insert(place_of(site));
                agreed_.try_emplace(key_of(site, slots), slots.begin(), slots.end());
            }
    }

    void reach() {
        visit([](Slots &agreed, Site &, std::span<const ParamSlot> slots) {
            for (size_t i = 0; i < slots.size(); ++i)
                if (is_computed(agreed[i]) && !same_code(agreed[i], slots[i]))
                    agreed[i] = missing_slot(reason_of(agreed[i]));
        });
    }

    void apply() {
        visit([&](const Slots &agreed, Site &site, std::span<const ParamSlot> slots) {
            Slots out(slots.begin(), slots.end());
            for (size_t i = 0; i < out.size(); ++i)
                if (is_computed(out[i]) && !is_computed(agreed[i]))
                    out[i] = missing_slot(reason_of(out[i]));
            site.params = unit_.param_lists.add(out);
        });
    }

  private:
    std::span<const ParamSlot> slots_of(const Site &site) const {
        return unit_.param_lists.at(site.params);
    }

    template <class Visit> void visit(Visit visit) {
        for (Site &site : unit_.sites) {
            if (!places_.contains(place_of(site)))
                continue;
            const auto slots = slots_of(site);
            if (const auto entry = agreed_.find(key_of(site, slots)); entry != agreed_.end())
                visit(entry->second, site, slots);
        }
    }

    UnitSites &unit_;
    std::unordered_set<uint64_t> places_;
    std::map<Key, Slots> agreed_;
};

}  // namespace

void drop_disputed_expressions(std::vector<UnitSites> &units) {
    for (UnitSites &unit : units) {
        if (unit.expressions.empty())
            continue;
        Agreement agreement(unit);
        agreement.reach();
        agreement.apply();
    }
}

}  // namespace btf_extra::generator
