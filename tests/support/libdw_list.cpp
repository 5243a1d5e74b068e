// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/libdw_list.h"

#include <optional>
#include <stdexcept>
#include <utility>

#include <dwarf.h>

namespace btf_extra::test {

namespace {

constexpr unsigned kGnuLocviews = 0x2137;  // DW_AT_GNU_locviews

class ViewNumbers {
  public:
    explicit ViewNumbers(std::span<const uint8_t> bytes) : bytes_(bytes) {}

    uint64_t next() {
        uint64_t value = 0;
        for (unsigned shift = 0; at_ < bytes_.size() && shift < 64; shift += 7) {
            const uint8_t byte = bytes_[at_++];
            value |= uint64_t{byte & 0x7fu} << shift;
            if (!(byte & 0x80))
                return value;
        }
        throw std::runtime_error("location views: malformed");
    }

  private:
    std::span<const uint8_t> bytes_;
    size_t at_ = 0;
};

std::optional<ViewNumbers> views_of(Dwarf_Die &param, std::span<const uint8_t> lists) {
    Dwarf_Attribute locviews;
    Dwarf_Word offset = 0;
    if (!dwarf_attr(&param, kGnuLocviews, &locviews))
        return std::nullopt;
    if (dwarf_formudata(&locviews, &offset) != 0 || offset >= lists.size())
        throw std::runtime_error("DW_AT_GNU_locviews: malformed");
    return ViewNumbers(lists.subspan(offset));
}

}  // namespace

bool is_location_list(Dwarf_Attribute &location) {
    switch (dwarf_whatform(&location)) {
    case DW_FORM_exprloc:
    case DW_FORM_block:
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
        return false;
    default:
        return true;
    }
}

// Takes the entry whose interval of views has DW_AT_GNU_entry_view in it (0 if that is missing, and
// for bodies). If there is none, it takes the first entry that begins there at a later view, and
// never one that begins there at an earlier view and has ended.
InForce operations_in_force(Dwarf_Die &param, Dwarf_Attribute &location,
                            std::span<const uint8_t> lists, uint64_t address, uint64_t view) {
    InForce result;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (!is_location_list(location)) {
        result.decoded = result.found = dwarf_getlocation(&location, &ops, &count) == 0;
        result.ops = {ops, count};
        return result;
    }
    std::optional<ViewNumbers> views = views_of(param, lists);
    using Point = std::pair<uint64_t, uint64_t>;  // address, view
    const Point here(address, view);
    Point nearest;
    Dwarf_Addr base, begin, end;
    ptrdiff_t at = 0;
    while ((at = dwarf_getlocations(&location, at, &base, &begin, &end, &ops, &count)) > 0) {
        Point first(begin, 0), last(end, 0);
        if (views) {
            first.second = views->next();
            last.second = views->next();
        }
        if (first >= last)
            continue;  // the entry is empty
        if (first <= here && here < last)
            return {.found = true, .ops = {ops, count}, .zero_length = begin == end};
        if (begin == address && first > here && (!result.found || first < nearest)) {
            nearest = first;
            result = {.found = true,
                      .ops = {ops, count},
                      .zero_length = begin == end,
                      .later_view = true};
        }
    }
    result.decoded = at == 0;
    return result;
}

}  // namespace btf_extra::test
