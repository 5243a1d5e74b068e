// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/symbols.h"

#include <algorithm>

#include <fmt/format.h>

namespace btf_extra {

std::optional<std::string> Symbols::text(Place place) const {
    const auto found = around(place);
    if (!found)
        return {};
    return fmt::format("{}+{:#x}", found->symbol, found->distance);
}

Place Symbols::begin_of_body(Place place, const loc_arch *arch) const {
    if (arch == nullptr || arch->hook_size == 0 || !names(place).empty())
        return place;
    const auto before = around(place);
    if (!before || before->distance > arch->hook_size)
        return place;
    return {place.section, place.offset - before->distance};
}

std::vector<std::string_view> Symbols::names_of_body(Place place, const loc_arch &arch) const {
    return names(begin_of_body(place, &arch));
}

std::vector<Place> Symbols::places(std::string_view name) const {
    std::vector<Place> out;
    if (!asked_) {
        asked_ = true;
        for_each([&](std::string_view each, Place place) {
            if (each == name)
                out.push_back(place);
        });
    } else {
        if (!by_name_) {
            by_name_ = std::make_unique<ByName>();
            by_name_->places.reserve(count());
            for_each(
                [&](std::string_view each, Place place) { by_name_->places.emplace(each, place); });
        }
        const auto [first, end] = by_name_->places.equal_range(name);
        for (auto found = first; found != end; ++found)
            out.push_back(found->second);
    }
    std::ranges::sort(out);
    return out;
}

std::string_view Symbols::module_of(std::string_view, Place) const {
    return {};
}

std::vector<std::string_view> Symbols::all_names() const {
    std::vector<std::string_view> out;
    for_each([&](std::string_view name, Place) { out.push_back(name); });
    return out;
}

}  // namespace btf_extra
