// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/entry_marks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "userspace/format/core_api.h"
#include "userspace/generator/sites/address_checks.h"

namespace btf_extra::generator {

void EntryMarks::find_marked_entries() {
    for (uint32_t i = 0; i < state_.instances.size(); ++i) {
        Site *site =
            state_.instances[i].site ? &state_.sites.sites[*state_.instances[i].site] : nullptr;
        if (site && (site->marks & SITE_MARK_NO_ENTRY) && state_.copied_entries.has_entry(i) &&
            !state_.functions.written_by_macro(*state_.instances[i].function))
            site->marks &= static_cast<uint8_t>(~SITE_MARK_NO_ENTRY);
    }
    std::vector<CopiedEntries::Copy> copies = state_.copied_entries.find(), in_macros;
    std::erase_if(copies, [&](CopiedEntries::Copy &copy) {
        const bool is_in_macro =
            state_.functions.written_by_macro(*state_.instances[copy.instances.front()].function);
        if (is_in_macro)
            in_macros.push_back(std::move(copy));
        return is_in_macro;
    });
    for (const CopiedEntries::Copy &copy : copies)
        for (const uint32_t instance : copy.instances)
            state_.calls.add_copy(instance, copy.point.address);
    for (const CopiedEntries::Copy &copy : copies)
        add_copied_site(copy);
    add_sites_in_macros(in_macros);
    judge_unlikely_entries();
}

void EntryMarks::drop_entries() {
    for (Site &site : state_.sites.sites)
        if (site.site_class == SiteClass::kInline)
            site.marks |= SITE_MARK_NO_ENTRY;
}

void EntryMarks::judge_remainders() {
    for (size_t i = 0; i < state_.remainder_sites.size(); ++i)
        if (const auto site = state_.remainder_sites[i]) {
            const CallEntries::Remainder remainder = state_.calls.remainders()[i];
            state_.sites.sites[*site].marks |= mark_of_remainder(remainder, remainder.address);
        }
}

uint8_t EntryMarks::mark_of_remainder(const CallEntries::Remainder &remainder, uint64_t address) {
    const uint8_t mark = state_.calls.mark_of(remainder, address);
    if (mark == SITE_MARK_PART || !remainder.beginning_instance)
        return mark;
    // A call of foo.part.0 would be a remainder, too.
    const SourceFunctions::Function *function =
        state_.instances[*remainder.beginning_instance].function;
    if (std::ranges::any_of(state_.sites.sites, [&](const Site &site) {
            return site.site_class == SiteClass::kBody && site.function == function->number &&
                   (site.marks & SITE_MARK_PART) != 0;
        }))
        return mark;
    std::vector<CallEntries::Beginning> others;
    for (uint32_t number = 0; number < state_.instances.size(); ++number) {
        const Instance &instance = state_.instances[number];
        if (number == *remainder.beginning_instance || instance.function != function ||
            instance.enclosing.body != remainder.body || instance.remainder || !instance.site ||
            state_.calls.has_remainder(number))
            continue;
        const Site &site = state_.sites.sites[*instance.site];
        if ((site.marks & SITE_MARK_NO_ENTRY) == 0)
            others.push_back({number, state_.address_of(site)});
    }
    return others.empty() ? mark : state_.calls.mark_of(remainder, address, others);
}

void EntryMarks::add_sites_in_macros(std::span<const CopiedEntries::Copy> copies) {
    std::map<uint32_t, std::vector<CodePoint>> places;
    for (const CopiedEntries::Copy &copy : copies)
        if (const auto number = state_.copied_entries.only_instance_at(copy)) {
            std::vector<CodePoint> &found = places[*number];
            if (found.empty() || found.back().address != copy.point.address)
                found.push_back(copy.point);
        }
    for (const auto &[number, points] : places) {
        const Instance &instance = state_.instances[number];
        if (!instance.site || (state_.sites.sites[*instance.site].marks & SITE_MARK_NO_ENTRY) != 0)
            continue;
        const Site &first = state_.sites.sites[*instance.site];
        std::vector<uint64_t> entries{state_.address_of(first)};
        const auto ranges = state_.copied_entries.ranges_of(number);
        std::vector<CodePoint> outside;
        for (const CodePoint &point : points)
            if (state_.calls.entered_from_outside(instance.enclosing.body, point.address, ranges)) {
                outside.push_back(point);
                entries.push_back(point.address);
            }
        for (const CodePoint &point : outside) {
            std::vector<uint64_t> others = entries;
            std::erase(others, point.address);
            const uint32_t body = instance.enclosing.body;
            CallOrder order = state_.calls.order(body, point.address, others);
            // If no code of the instance is left, other code that joins there is not of a call.
            if (order == CallOrder::kOwn && !hold(ranges, point.address) &&
                state_.calls.code_of(body).flow->before(point.address).size() != 1)
                order = CallOrder::kEither;
            // An instruction of a call may be scheduled before its mark.
            const bool comes_before =
                state_.calls.order(body, entries.front(), {&point.address, 1}) != CallOrder::kOwn;
            if (comes_before)
                continue;
            if (order == CallOrder::kOwn)
                state_.calls.add_copy(number, point.address);
            if (order != CallOrder::kAfter)
                add_copied_site({.point = point, .instances = {number}},
                                order == CallOrder::kOwn ? uint8_t{0} : SITE_MARK_NO_ENTRY);
        }
    }
}

// GCC moves code that it takes for unlikely out of the rest of a body. If the entry of an instance
// is in that code, and code of the instance in the rest runs without it, the entry sees few of the
// calls.
void EntryMarks::judge_unlikely_entries() {
    for (uint32_t number = 0; number < state_.instances.size(); ++number) {
        const Instance &instance = state_.instances[number];
        if (!instance.site || (state_.sites.sites[*instance.site].marks & SITE_MARK_NO_ENTRY) != 0)
            continue;
        const auto pieces = state_.copied_entries.ranges_of_body(instance.enclosing.body);
        if (pieces.size() < 2)
            continue;
        const CodeRange likely = piece_at(pieces, instance.enclosing.entry);
        Site &site = state_.sites.sites[*instance.site];
        const uint64_t entry = state_.address_of(site);
        std::vector<CodeRange> elsewhere;
        for (const CodeRange &range : state_.copied_entries.ranges_of(number))
            if (range.begin < range.end && range.begin >= likely.begin && range.begin < likely.end)
                elsewhere.push_back(range);
        if (elsewhere.empty() || (likely.begin <= entry && entry < likely.end))
            continue;
        if (state_.calls.runs_without_entries(instance.enclosing.body, number, entry, elsewhere))
            site.marks |= SITE_MARK_NO_ENTRY;
    }
}

// A copy that may be of a remainder is judged as that. If it may also be of an instance that does
// not begin the calls of the remainder, it is not known whose it is.
uint8_t EntryMarks::mark_of_copy(const CopiedEntries::Copy &copy) {
    std::optional<uint8_t> mark;
    for (const uint32_t number : copy.instances)
        if (const auto remainder = state_.instances[number].remainder)
            mark = mark_of_remainder(state_.calls.remainders()[*remainder], copy.point.address);
    if (!mark || *mark == 0)
        return 0;
    const bool is_of_others = std::ranges::any_of(copy.instances, [&](uint32_t number) {
        return !state_.instances[number].remainder && !state_.calls.has_remainder(number);
    });
    return is_of_others ? SITE_MARK_NO_ENTRY : *mark;
}

// Several instances may be the one that is copied: then a parameter is located if it is at the same
// place in all of them.
void EntryMarks::add_copied_site(const CopiedEntries::Copy &copy, uint8_t marks) {
    const Instance &first = state_.instances[copy.instances.front()];
    Site site{.function = first.function->number,
              .marks = static_cast<uint8_t>(marks | mark_of_copy(copy))};
    const auto pieces = state_.copied_entries.ranges_of_body(first.enclosing.body);
    if ((!pieces.empty() && !hold(pieces, copy.point.address)) ||
        !marker_.place(site, copy.point.address, first.enclosing))
        return;
    std::vector<ParamSlot> agreed;
    for (const uint32_t number : copy.instances) {
        const Instance &instance = state_.instances[number];
        if (instance.function != first.function)
            return;
        if (marker_.is_loop_head(copy.point.address, state_.copied_entries.ranges_of(number)))
            site.marks |= SITE_MARK_LOOP_HEAD;
        OpenSite open{
            .function = *instance.function, .point = copy.point, .enclosing = instance.enclosing};
        params_.begin(open);
        params_.read_all(state_.unit.die_at(instance.die), open);
        const auto slots = params_.of(open);
        if (agreed.empty())
            agreed.assign(slots.begin(), slots.end());
        for (size_t i = 0; i < slots.size(); ++i)
            if (agreed[i] != slots[i])
                agreed[i] = missing_slot(is_computed(agreed[i]) && is_computed(slots[i]) &&
                                                 reason_of(agreed[i]) == reason_of(slots[i])
                                             ? reason_of(slots[i])
                                             : MissingReason::kNoLocationHere);
        params_.end(open);
    }
    site.params = state_.sites.param_lists.add(agreed);
    marker_.judge_key(site, first.enclosing, agreed);
    state_.sites.sites.push_back(site);
}

}  // namespace btf_extra::generator
