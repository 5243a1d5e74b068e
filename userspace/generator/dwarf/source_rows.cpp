// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/dwarf/source_rows.h"

#include <algorithm>

namespace btf_extra::generator {

SourceRows::SourceRows(const DebugSections &sections, const Unit &unit) {
    for_each_row(sections, unit, [&](const LineRow &row) {
        rows_.push_back({row.point.address, row.ends ? SourcePlace{} : row.place});
    });
    // The end of one sequence may be the beginning of another. Otherwise the last row at an address
    // holds for its instruction.
    std::ranges::stable_sort(rows_, [](const Row &a, const Row &b) {
        return a.address != b.address ? a.address < b.address
                                      : a.place.line == 0 && b.place.line != 0;
    });
    size_t kept = 0;
    for (const Row &row : rows_)
        if (kept != 0 && rows_[kept - 1].address == row.address)
            rows_[kept - 1] = row;
        else
            rows_[kept++] = row;
    rows_.resize(kept);
}

size_t SourceRows::row_at(uint64_t address) const {
    const auto after = std::ranges::upper_bound(rows_, address, {}, &Row::address);
    return after == rows_.begin() ? rows_.size() : static_cast<size_t>(after - rows_.begin()) - 1;
}

bool SourceRows::has_line(uint64_t address) const {
    const size_t row = row_at(address);
    return row < rows_.size() && rows_[row].place.line != 0;
}

CodeRange SourceRows::code_of(size_t row) const {
    return {rows_[row].address,
            row + 1 < rows_.size() ? rows_[row + 1].address : rows_[row].address};
}

std::vector<SourceRows::Repeated> SourceRows::repeated(std::span<const uint64_t> addresses,
                                                       std::span<const CodeRange> ranges) const {
    std::vector<size_t> known;
    for (const uint64_t address : addresses)
        if (has_line(address))
            known.push_back(row_at(address));
    std::vector<Repeated> out;
    for (const CodeRange &range : ranges)
        for (auto row = std::ranges::lower_bound(rows_, range.begin, {}, &Row::address);
             row != rows_.end() && row->address < range.end; ++row) {
            const auto number = static_cast<size_t>(row - rows_.begin());
            if (std::ranges::find(known, number) != known.end())
                continue;
            for (const size_t first : known)
                if (rows_[first].place == row->place)
                    out.push_back({code_of(first), code_of(number)});
        }
    return out;
}

}  // namespace btf_extra::generator
