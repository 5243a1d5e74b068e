// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/call_entries.h"

#include <algorithm>

#include "userspace/format/core_api.h"

namespace btf_extra::generator {

uint32_t CallEntries::add(const Remainder &remainder) {
    remainders_.push_back(remainder);
    return static_cast<uint32_t>(remainders_.size() - 1);
}

void CallEntries::add_copy(uint32_t instance, uint64_t address) {
    copies_[instance].push_back(address);
}

const BodyCode &CallEntries::code_of(uint32_t body) {
    const auto [entry, fresh] = bodies_.try_emplace(body);
    if (fresh)
        entry->second =
            flows_.read(instances_.ranges_of_body(body), instances_.entry_of_body(body));
    return entry->second;
}

// Collects where the calls begin that a remainder may be of.
void CallEntries::append_beginnings(const Remainder &remainder, std::vector<uint64_t> &out) const {
    out.push_back(remainder.beginning);
    if (remainder.beginning_instance)
        if (const auto copies = copies_.find(*remainder.beginning_instance);
            copies != copies_.end())
            out.insert(out.end(), copies->second.begin(), copies->second.end());
    if (remainder.around)
        append_beginnings(remainders_[*remainder.around], out);
}

// Collects the tests of an instance with which its calls begin.
void CallEntries::append_tests(const BodyFlow &flow, const Beginning &beginning,
                               std::vector<uint64_t> &out) const {
    std::vector<uint64_t> entries{beginning.entry};
    if (const auto copies = copies_.find(beginning.instance); copies != copies_.end())
        entries.insert(entries.end(), copies->second.begin(), copies->second.end());
    for (const uint64_t entry : entries)
        if (const auto test = flow.branch_after(entry);
            test && hold(instances_.ranges_of(beginning.instance), *test))
            out.push_back(*test);
}

uint8_t CallEntries::mark_of(const Remainder &remainder, uint64_t address,
                             std::span<const Beginning> others) {
    if (address == remainder.beginning)
        return SITE_MARK_PART;
    std::vector<uint64_t> beginnings;
    append_beginnings(remainder, beginnings);
    // A copy may be one of both, of the beginning and of the remainder.
    std::erase(beginnings, address);
    const BodyCode &code = code_of(remainder.body);
    if (!code.flow)
        return SITE_MARK_NO_ENTRY;
    std::vector<uint64_t> leading;
    for (const Beginning &other : others)
        append_tests(*code.flow, other, leading);
    const std::vector<uint64_t> before = code.flow->before(address);
    std::erase_if(leading,
                  [&](uint64_t test) { return std::ranges::find(before, test) == before.end(); });
    switch (code.flow->order(address, beginnings, leading)) {
    case CallOrder::kOwn:
        return 0;
    case CallOrder::kAfter:
        return SITE_MARK_PART;
    case CallOrder::kEither:
    case CallOrder::kUnknown:
        break;
    }
    return SITE_MARK_NO_ENTRY;
}

bool CallEntries::has_remainder(uint32_t instance) const {
    return std::ranges::any_of(remainders_, [&](const Remainder &remainder) {
        return remainder.beginning_instance == instance;
    });
}

CallOrder CallEntries::order(uint32_t body, uint64_t address, std::span<const uint64_t> others) {
    const BodyCode &code = code_of(body);
    return code.flow ? code.flow->order(address, others) : CallOrder::kUnknown;
}

bool CallEntries::entered_from_outside(uint32_t body, uint64_t address,
                                       std::span<const CodeRange> ranges) {
    // Most statements follow one of the instance: their bodies need not be read.
    const auto range = std::ranges::find_if(
        ranges, [&](const CodeRange &each) { return each.begin < address && address < each.end; });
    if (range != ranges.end()) {
        const auto rows = instances_.row_addresses();
        const auto row = std::ranges::lower_bound(rows, address);
        const uint64_t last = row == rows.begin() ? 0 : *std::prev(row);
        if (flows_.falls_to(std::max(last, range->begin), address))
            return false;
    }
    const BodyCode &code = code_of(body);
    if (!code.flow)
        return false;
    const std::vector<uint64_t> before = code.flow->before(address);
    return !before.empty() &&
           std::ranges::none_of(before, [&](uint64_t from) { return hold(ranges, from); });
}

std::vector<CallEntries::Entry> CallEntries::entries(uint32_t body,
                                                     std::span<const CodeRange> ranges) {
    constexpr size_t kMost = 256;  // an instance in a loop that was unrolled has tens
    std::vector<Entry> out;
    const BodyCode &code = code_of(body);
    if (!code.flow || !code.flow->knows_jumps())
        return out;
    std::vector<uint64_t> places = code.flow->entered(ranges);
    if (places.size() > kMost)
        return out;
    const auto order_of = [&](uint64_t place) {
        std::vector<uint64_t> others = places;
        std::erase(others, place);
        return code.flow->order(place, others);
    };
    // On some ways, LLVM computes a value before the place where all ways join. Calls begin there.
    std::vector<uint64_t> joins;
    for (const uint64_t place : places)
        if (order_of(place) == CallOrder::kEither)
            joins.push_back(place);
    if (!joins.empty())
        std::erase_if(places,
                      [&](uint64_t place) { return code.flow->leads_to(place, joins, ranges); });
    for (const uint64_t place : places) {
        const CallOrder order = order_of(place);
        if (order == CallOrder::kOwn || order == CallOrder::kEither)
            out.push_back({place, order == CallOrder::kOwn && !code.flow->only_jumps(place)});
    }
    return out;
}

bool CallEntries::runs_without_entries(uint32_t body, uint32_t instance, uint64_t entry,
                                       std::span<const CodeRange> ranges) {
    std::vector<uint64_t> entries{entry};
    if (const auto copies = copies_.find(instance); copies != copies_.end())
        entries.insert(entries.end(), copies->second.begin(), copies->second.end());
    const BodyCode &code = code_of(body);
    return !code.flow || code.flow->runs_without(ranges, entries);
}

}  // namespace btf_extra::generator
