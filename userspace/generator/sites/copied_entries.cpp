// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/copied_entries.h"

#include <algorithm>
#include <bitset>
#include <memory>
#include <optional>

#include "userspace/generator/model/hash.h"

namespace btf_extra::generator {

namespace {

// Most statements are at no declaration; one bit of the filter says so.
using PlaceFilter = std::bitset<1 << 16>;

size_t filter_bit(const SourcePlace &place) {
    return hash_mix(hash_mix(place.file, place.line), place.column) % PlaceFilter().size();
}

}  // namespace

uint32_t CopiedEntries::add_body(const SourcePlace &declared, uint64_t entry,
                                 std::span<const CodeRange> ranges) {
    bodies_.push_back(keep(ranges));
    body_entries_.push_back(entry);
    known_.push_back({declared, entry});
    return static_cast<uint32_t>(bodies_.size() - 1);
}

void CopiedEntries::add_instance(const SourcePlace &declared, uint64_t entry, bool has_entry,
                                 std::span<const CodeRange> ranges, uint32_t body) {
    instances_.push_back({.entry = {declared, entry},
                          .number = static_cast<uint32_t>(instances_.size()),
                          .body = body});
    instance_ranges_.push_back(keep(ranges));
    has_entry_.push_back(has_entry);
    if (has_entry)
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

std::span<const CodeRange> CopiedEntries::ranges_of_body(uint32_t body) const {
    return std::span(ranges_).subspan(bodies_[body].first, bodies_[body].count);
}

std::vector<CodeRange> CopiedEntries::pieces() const {
    std::vector<CodeRange> found;
    for (uint32_t body = 0; body < bodies_.size(); ++body) {
        if (bodies_[body].count == 0)
            found.push_back({body_entries_[body], body_entries_[body]});
        for (const CodeRange range : ranges_of_body(body))
            if (range.begin < range.end)
                found.push_back(range);
    }
    std::ranges::sort(found);
    return found;
}

bool CopiedEntries::hold(Ranges ranges, uint64_t address) const {
    return std::ranges::any_of(
        std::span(ranges_).subspan(ranges.first, ranges.count),
        [&](CodeRange range) { return range.begin <= address && address < range.end; });
}

// GCC leaves a range of no length where it has moved all code of an instance away from a point.
bool CopiedEntries::end_at(Ranges ranges, uint64_t address) const {
    return std::ranges::any_of(
        std::span(ranges_).subspan(ranges.first, ranges.count),
        [&](CodeRange range) { return range.begin == address && range.end == address; });
}

bool CopiedEntries::known(const Entry &entry) const {
    return std::ranges::binary_search(known_, entry);
}

void CopiedEntries::read_rows(const DebugSections &sections, const Unit &unit,
                              std::span<const uint64_t> same_files) {
    if (instances_.empty())
        return;
    const auto use_lowest_number = [&](SourcePlace &place) {
        if (place.file < same_files.size())
            place.file = same_files[place.file];
    };
    for (Instance &instance : instances_)
        use_lowest_number(instance.entry.declared);
    for (Entry &entry : known_)
        use_lowest_number(entry.declared);
    std::ranges::stable_sort(instances_, {}, &Instance::entry);
    std::ranges::sort(known_);
    const auto declared = [](const Instance &instance) { return instance.entry.declared; };
    const auto filter = std::make_unique<PlaceFilter>();
    for (const Instance &instance : instances_)
        filter->set(filter_bit(instance.entry.declared));
    for_each_row(sections, unit, [&](const LineRow &row) {
        if (row_addresses_.empty() || row_addresses_.back() != row.point.address)
            row_addresses_.push_back(row.point.address);
        SourcePlace place = row.place;
        use_lowest_number(place);
        if (row.is_stmt && filter->test(filter_bit(place)) &&
            std::ranges::binary_search(instances_, place, {}, declared))
            rows_.push_back({{place, row.point.address}, row.point.view});
    });
    if (!std::ranges::is_sorted(row_addresses_))
        std::ranges::sort(row_addresses_);
    std::ranges::sort(rows_);
    // A row more than there are known entries is the entry of another instance that begins there.
    std::vector<Entry> found;
    for (const Instance &instance : instances_) {
        if (has_entry_[instance.number] ||
            std::ranges::equal_range(rows_, instance.entry, {}, &Row::entry).size() <=
                std::ranges::equal_range(known_, instance.entry).size())
            continue;
        has_entry_[instance.number] = true;
        found.push_back(instance.entry);
    }
    known_.insert(known_.end(), found.begin(), found.end());
    std::ranges::sort(known_);
}

std::vector<CopiedEntries::Copy> CopiedEntries::find() const {
    std::vector<Copy> found;
    for (const Row &row : rows_) {
        if (known(row.entry))
            continue;
        std::vector<uint32_t> instances = instances_at(row.entry);
        if (!instances.empty())
            found.push_back({{row.entry.address, row.view}, std::move(instances)});
    }
    return found;
}

std::optional<uint32_t> CopiedEntries::only_instance_at(const Copy &copy) const {
    std::optional<uint32_t> only;
    size_t left = 0;
    for (const uint32_t number : copy.instances) {
        if (hold(instance_ranges_[number], copy.point.address))
            return number;
        if (end_at(instance_ranges_[number], copy.point.address)) {
            only = number;
            ++left;
        }
    }
    return left == 1 ? only : std::nullopt;
}

// If several instances hold the code, each is nested in the one before, and the innermost counts.
// Besides, it may be one of those of which nothing but a range of no length is left there. If there
// is none of either, it is one of the instances that the function around it has.
std::vector<uint32_t> CopiedEntries::instances_at(const Entry &entry) const {
    std::vector<uint32_t> around, left;
    std::optional<uint32_t> innermost;
    for (const Instance &instance :
         std::ranges::equal_range(instances_, entry.declared, {}, [](const Instance &instance) {
             return instance.entry.declared;
         })) {
        if (!has_entry_[instance.number])
            continue;
        const Ranges ranges = instance_ranges_[instance.number];
        if (hold(ranges, entry.address))
            innermost = std::max(innermost.value_or(0), instance.number);
        if (end_at(ranges, entry.address))
            left.push_back(instance.number);
        if (hold(bodies_[instance.body], entry.address))
            around.push_back(instance.number);
    }
    if (innermost)
        left.push_back(*innermost);
    return left.empty() ? around : left;
}

}  // namespace btf_extra::generator
