// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/flow_entries.h"

#include <algorithm>
#include <set>
#include <vector>

#include "userspace/format/core_api.h"

namespace btf_extra::generator {
namespace {

// Returns true if code in the ranges leads to an address by nothing but code of no line. LLVM gives
// line 0 to code that it has merged from several places, and some of that is of the ranges.
bool comes_from(const SourceRows &rows, const BodyFlow &flow, uint64_t address,
                std::span<const CodeRange> ranges) {
    std::vector<uint64_t> open = flow.before(address);
    std::set<uint64_t> seen(open.begin(), open.end());
    while (!open.empty()) {
        const uint64_t from = open.back();
        open.pop_back();
        if (hold(ranges, from))
            return true;
        if (!rows.has_line(from))
            for (const uint64_t each : flow.before(from))
                if (seen.insert(each).second)
                    open.push_back(each);
    }
    return false;
}

}  // namespace

std::optional<Site> FlowEntries::site_at(uint32_t number, const CallEntries::Entry &entry) {
    const Instance &instance = state_.instances[number];
    Site site{.function = instance.function->number,
              .site_class = SiteClass::kInline,
              .marks = entry.is_proven ? uint8_t{0} : uint8_t{SITE_MARK_NO_ENTRY}};
    if (!marker_.place(site, entry.address, instance.enclosing))
        return {};
    if (marker_.is_loop_head(entry.address, state_.copied_entries.ranges_of(number)))
        site.marks |= SITE_MARK_LOOP_HEAD;
    OpenSite open{.function = *instance.function,
                  .point = {.address = entry.address, .view = 0},
                  .enclosing = instance.enclosing,
                  .is_another = true};
    params_.begin(open);
    params_.read_all(state_.unit.die_at(instance.die), open);
    site.params = state_.sites.param_lists.add(params_.of(open));
    marker_.judge_key(site, instance.enclosing, params_.of(open));
    params_.end(open);
    return site;
}

void FlowEntries::doubt(uint32_t number, std::span<CallEntries::Entry> entries) {
    const BodyCode &code = state_.calls.code_of(state_.instances[number].enclosing.body);
    const auto ranges = state_.copied_entries.ranges_of(number);
    std::vector<uint64_t> addresses;
    for (CallEntries::Entry &entry : entries) {
        addresses.push_back(entry.address);
        entry.is_proven &= !comes_from(rows_, *code.flow, entry.address, ranges);
    }
    // If a loop is unrolled, straight code has one call after the other in it.
    const auto repeated = rows_.repeated(addresses, ranges);
    if (std::ranges::any_of(repeated, [&](const SourceRows::Repeated &each) {
            return code.flow->does_the_same(each.first, each.again);
        }))
        for (CallEntries::Entry &entry : entries)
            entry.is_proven = false;
}

void FlowEntries::find() {
    for (uint32_t number = 0; number < state_.instances.size(); ++number) {
        const Instance &instance = state_.instances[number];
        if (!instance.site)
            continue;
        const auto ranges = state_.copied_entries.ranges_of(number);
        std::vector<CallEntries::Entry> entries =
            state_.calls.entries(instance.enclosing.body, ranges);
        doubt(number, entries);
        bool is_first = true;
        for (const CallEntries::Entry &entry : entries) {
            const std::optional<Site> site = site_at(number, entry);
            if (!site)
                continue;
            if (is_first)
                state_.sites.sites[*instance.site] = *site;
            else
                state_.sites.sites.push_back(*site);
            is_first = false;
        }
    }
}

}  // namespace btf_extra::generator
