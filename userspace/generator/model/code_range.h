// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#ifndef BTF_EXTRA_CODE_RANGE_H
#define BTF_EXTRA_CODE_RANGE_H

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace btf_extra::generator {

// Code from one link-time address up to another, which is after its last byte.
struct CodeRange {
    uint64_t begin = 0;
    uint64_t end = 0;

    auto operator<=>(const CodeRange &) const = default;
};

// Returns true if one of the ranges holds an address.
inline bool hold(std::span<const CodeRange> ranges, uint64_t address) {
    return std::ranges::any_of(ranges, [&](const CodeRange &range) {
        return range.begin <= address && address < range.end;
    });
}

// Brings ranges into order, and joins those that overlap or touch. Empty ones hold no code and go.
inline void join(std::vector<CodeRange> &ranges) {
    std::erase_if(ranges, [](const CodeRange &range) { return range.begin >= range.end; });
    std::ranges::sort(ranges);
    size_t kept = 0;
    for (const CodeRange &range : ranges)
        if (kept != 0 && range.begin <= ranges[kept - 1].end)
            ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
        else
            ranges[kept++] = range;
    ranges.resize(kept);
}

}  // namespace btf_extra::generator

#endif
