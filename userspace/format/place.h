// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#ifndef BTF_EXTRA_PLACE_H
#define BTF_EXTRA_PLACE_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace btf_extra {

// A place in code or data. In an ELF file it is counted from a section, whose index is never 0; in
// the running kernel it is an address.
struct Place {
    uint32_t section = 0;
    uint64_t offset = 0;
    auto operator<=>(const Place &) const = default;
};

}  // namespace btf_extra

template <> struct std::hash<btf_extra::Place> {
    size_t operator()(const btf_extra::Place &place) const noexcept {
        return std::hash<uint64_t>{}(place.offset ^ uint64_t{place.section} << 48);
    }
};

#endif
