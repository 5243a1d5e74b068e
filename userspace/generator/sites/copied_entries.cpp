// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/copied_entries.h"

#include <algorithm>
#include <bitset>
#include <memory>

#include "userspace/generator/model/hash.h"

namespace btf_extra::generator {

namespace {

// Most statements are at no declaration; one bit of the filter says so.
using PlaceFilter = std::bitset<1 << 16>;

size_t filter_bit(const SourcePlace &place) {
    return hash_mix(hash_mix(place.file, place.line), place.column) % PlaceFilter().size();
}

}  // namespace

void CopiedEntries::add_body(const SourcePlace &declared, uint64_t entry,
                             std::span<const CodeRange> ranges) {
    bodies_.push_back(keep(ranges));
    known_.push_back({declared, entry});
}

void CopiedEntries::add_instance(const SourcePlace &declared, uint64_t entry,
                                 std::span<const CodeRange> ranges) {
    instances_.push_back({.declared = declared,
                          .number = static_cast<uint32_t>(instances_.size()),
                          .body = static_cast<uint32_t>(bodies_.size() - 1)});
    instance_ranges_.push_back(keep(ranges));
    known_.push_back({declared, entry});
}

CopiedEntries::Ranges CopiedEntries::keep(std::span<const CodeRange> ranges) {
    const Ranges kept{static_cast<uint32_t>(ranges_.size()), static_cast<uint32_t>(ranges.size())};
    ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
    return kept;
}

std::span<const CodeRange> CopiedEntries::ranges_of(uint32_t instance) const {
    const Ranges &ranges = instance_ranges_[instance];
    return std::span(ranges_).subspan(ranges.first, ranges.count);
}

bool CopiedEntries::hold(Ranges ranges, uint64_t address) const {
    return std::ranges::any_of(
        std::span(ranges_).subspan(ranges.first, ranges.count),
        [&](CodeRange range) { return range.begin <= address && address < range.end; });
}

std::vector<CopiedEntries::Copy> CopiedEntries::find(const DebugSections &sections,
                                                     const Unit &unit) {
    std::vector<Copy> found;
    if (instances_.empty())
        return found;
    std::ranges::stable_sort(instances_, {}, &Instance::declared);
    std::ranges::sort(known_);
    std::vector<Row> rows = rows_at_declarations(sections, unit);
    std::ranges::sort(rows);
    for (std::span<const Row> left = rows; !left.empty();) {
        const auto end = std::ranges::find_if(left, [&](const Row &row) {
            return row.entry.declared != left.front().entry.declared;
        });
        const auto rows_here = left.first(static_cast<size_t>(end - left.begin()));
        left = left.subspan(rows_here.size());
        if (written_by_macro(rows_here))
            continue;
        for (const Row &row : rows_here) {
            if (!row.is_stmt || std::ranges::binary_search(known_, row.entry))
                continue;
            std::vector<uint32_t> instances = instances_at(row.entry);
            if (!instances.empty())
                found.push_back({{row.entry.address, row.view}, std::move(instances)});
        }
    }
    return found;
}

std::vector<CopiedEntries::Row> CopiedEntries::rows_at_declarations(const DebugSections &sections,
                                                                    const Unit &unit) const {
    const auto filter = std::make_unique<PlaceFilter>();
    for (const Instance &instance : instances_)
        filter->set(filter_bit(instance.declared));
    std::vector<Row> rows;
    for_each_row(sections, unit, [&](const LineRow &row) {
        if (filter->test(filter_bit(row.place)) &&
            std::ranges::binary_search(instances_, row.place, {}, &Instance::declared))
            rows.push_back({{row.place, row.point.address}, row.point.view, row.is_stmt});
    });
    return rows;
}

// A macro puts all statements of a function in one place, and the entry cannot be told from the
// rest. It shows in two ways: instructions of an instance are in that place, or more statements
// than instances begin at one entry.
bool CopiedEntries::written_by_macro(std::span<const Row> rows) const {
    const auto same =
        std::ranges::equal_range(instances_, rows.front().entry.declared, {}, &Instance::declared);
    size_t statements = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
        const Entry &entry = rows[i].entry;
        if (!rows[i].is_stmt) {
            if (std::ranges::any_of(same, [&](const Instance &instance) {
                    return hold(instance_ranges_[instance.number], entry.address);
                }))
                return true;
            continue;
        }
        statements = i != 0 && rows[i - 1].entry == entry ? statements + 1 : 1;
        const auto known = std::ranges::equal_range(known_, entry);
        if (!known.empty() && statements > known.size())
            return true;
    }
    return false;
}

// If several instances hold the code, each is nested in the one before, and the innermost counts.
// If none does, the compiler has moved the code that was at the entry: then it is one of the
// instances that the function around it has.
std::vector<uint32_t> CopiedEntries::instances_at(const Entry &entry) const {
    std::vector<uint32_t> around;
    const Instance *innermost = nullptr;
    for (const Instance &instance :
         std::ranges::equal_range(instances_, entry.declared, {}, &Instance::declared)) {
        if (hold(instance_ranges_[instance.number], entry.address))
            innermost = &instance;
        if (hold(bodies_[instance.body], entry.address))
            around.push_back(instance.number);
    }
    return innermost ? std::vector{innermost->number} : around;
}

}  // namespace btf_extra::generator
