// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/flow/body_flow.h"

#include <algorithm>

namespace btf_extra::generator {

std::optional<BodyFlow> BodyFlow::read(std::vector<CodeRange> ranges, uint64_t entry,
                                       FlowCode &code) {
    BodyFlow flow;
    flow.entry_ = entry;
    join(ranges);
    for (const CodeRange &range : ranges)
        for (uint64_t address = range.begin; address < range.end;) {
            const std::optional<FlowEdges> edges = code.edges(address);
            if (!edges || edges->anywhere || edges->size == 0 || edges->size > range.end - address)
                return std::nullopt;
            for (const std::optional<uint64_t> &target : {edges->jump, edges->fixup})
                if (target)
                    flow.jumps_.push_back({*target, flow.steps_.size()});
            flow.steps_.push_back({.address = address, .edges = *edges});
            address += edges->size;
        }
    std::ranges::sort(flow.jumps_);
    // Padding after a jump does not run, nor does what follows it because of that. In order of
    // address one look at each is enough.
    for (size_t i = 0; i < flow.steps_.size(); ++i) {
        Step &step = flow.steps_[i];
        const auto before = flow.before(i);
        step.live = (before && flow.steps_[*before].live) || step.address == entry ||
                    !flow.jumps_to(step.address).empty() || code.entered(step.address);
    }
    return flow;
}

// Returns the number of the instruction at an address.
std::optional<size_t> BodyFlow::find(uint64_t address) const {
    const auto found = std::ranges::lower_bound(steps_, address, {}, &Step::address);
    if (found == steps_.end() || found->address != address)
        return std::nullopt;
    return static_cast<size_t>(found - steps_.begin());
}

std::span<const BodyFlow::Jump> BodyFlow::jumps_to(uint64_t address) const {
    const auto found = std::ranges::equal_range(jumps_, address, {}, &Jump::to);
    return {found.begin(), found.end()};
}

// Returns the number of the instruction that falls to one.
std::optional<size_t> BodyFlow::before(size_t step) const {
    if (step == 0 || !steps_[step - 1].edges.falls ||
        steps_[step - 1].address + steps_[step - 1].edges.size != steps_[step].address)
        return std::nullopt;
    return step - 1;
}

// Says whether from each of these instructions a way leads to another one.
bool BodyFlow::all_come_to(size_t to, const std::vector<size_t> &way) const {
    std::vector<bool> come(way.size());
    size_t count = 0;
    std::vector<size_t> open{to};
    const auto add = [&](size_t step) {
        const auto place = std::ranges::lower_bound(way, step);
        const auto number = static_cast<size_t>(place - way.begin());
        if (place == way.end() || *place != step || come[number])
            return;
        come[number] = true;
        ++count;
        open.push_back(step);
    };
    while (!open.empty()) {
        const size_t step = open.back();
        open.pop_back();
        for (const Jump &jump : jumps_to(steps_[step].address))
            add(jump.from);
        if (const auto falls = before(step))
            add(*falls);
    }
    return count == way.size();
}

std::optional<FlowChanges> BodyFlow::detour(uint64_t from, uint64_t to, FlowCode &code) const {
    const auto key = find(from), after = find(to);
    if (!key || !after || before(*after) != key || !steps_[*key].edges.jump || to == entry_)
        return std::nullopt;

    FlowChanges out;
    std::vector<size_t> way;  // in order of address
    std::vector<bool> seen(steps_.size());
    std::vector<uint64_t> open{*steps_[*key].edges.jump};
    while (!open.empty()) {
        const uint64_t address = open.back();
        open.pop_back();
        if (address == to)
            continue;
        const auto step = find(address);
        if (!step || address == from || address == entry_)
            return std::nullopt;
        if (seen[*step])
            continue;
        seen[*step] = true;
        way.push_back(*step);
        const FlowEdges &edges = steps_[*step].edges;
        const auto changes = code.changes(address);
        if (!changes || edges.fixup || (!edges.falls && !edges.jump))
            return std::nullopt;
        out.writes |= changes->writes;
        out.stores |= changes->stores;
        if (edges.falls)
            open.push_back(address + edges.size);
        if (edges.jump)
            open.push_back(*edges.jump);
    }
    std::ranges::sort(way);
    if (!all_come_to(*after, way))
        return std::nullopt;

    const auto led_to_by_others = [&](size_t step) {
        for (const Jump &jump : jumps_to(steps_[step].address))
            if (jump.from != *key && !seen[jump.from])
                return true;
        const auto falls = before(step);
        return (falls && *falls != *key && !seen[*falls] && steps_[*falls].live) ||
               code.entered(steps_[step].address);
    };
    if (led_to_by_others(*after) || std::ranges::any_of(way, led_to_by_others))
        return std::nullopt;
    return out;
}

}  // namespace btf_extra::generator
