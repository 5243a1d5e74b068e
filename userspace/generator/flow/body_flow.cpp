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
            if (!edges || edges->size == 0 || edges->size > range.end - address)
                return std::nullopt;
            flow.jumps_anywhere_ |= edges->anywhere;
            for (const std::optional<uint64_t> &target : {edges->jump, edges->fixup})
                if (target)
                    flow.jumps_.push_back({*target, flow.steps_.size()});
            for (const uint64_t target : edges->others)
                flow.jumps_.push_back({target, flow.steps_.size()});
            flow.steps_.push_back({.address = address, .edges = *edges});
            address += edges->size;
        }
    std::ranges::sort(flow.jumps_);
    // Padding after a jump does not run, nor does what follows it because of that. In order of
    // address one look at each is enough.
    for (size_t i = 0; i < flow.steps_.size(); ++i) {
        Step &step = flow.steps_[i];
        const auto before = flow.falls_to(i);
        step.live = (before && flow.steps_[*before].live) || step.address == entry ||
                    !flow.jumps_to(step.address).empty() || code.entered(step.address);
    }
    flow.find_roots();
    return flow;
}

template <class Visit> void BodyFlow::for_each_next(size_t step, Visit visit) const {
    const FlowEdges &edges = steps_[step].edges;
    const auto to = [&](uint64_t address) {
        if (const auto next = find(address))
            visit(*next);
    };
    if (edges.falls)
        to(steps_[step].address + edges.size);
    if (edges.jump)
        to(*edges.jump);
    if (edges.fixup)
        to(*edges.fixup);
    for (const uint64_t other : edges.others)
        to(other);
}

void BodyFlow::run(std::vector<size_t> open, const Marks &stops, std::span<const CodeRange> ranges,
                   Marks &reached) const {
    for (const size_t step : open)
        reached[step] = true;
    while (!open.empty()) {
        const size_t step = open.back();
        open.pop_back();
        if (stops[step] || (!ranges.empty() && !hold(ranges, steps_[step].address)))
            continue;
        for_each_next(step, [&](size_t next) {
            if (!reached[next])
                open.push_back(next);
            reached[next] = true;
        });
    }
}

// Padding is no root, but code after it may be.
void BodyFlow::find_roots() {
    const Marks none(steps_.size());
    runs_.resize(steps_.size());
    if (const auto entry = find(entry_))
        run({*entry}, none, {}, runs_);
    for (size_t step = 0; step < steps_.size(); ++step)
        if (!runs_[step] && !steps_[step].edges.idle) {
            roots_.push_back(step);
            run({step}, none, {}, runs_);
        }
}

BodyFlow::Marks BodyFlow::run_from_entry(std::span<const uint64_t> stops) const {
    Marks reached(steps_.size()), marks(steps_.size());
    for (const uint64_t stop : stops)
        if (const auto step = find(stop))
            marks[*step] = true;
    std::vector<size_t> open = roots_;
    if (const auto entry = find(entry_))
        open.push_back(*entry);
    run(std::move(open), marks, {}, reached);
    return reached;
}

// The algorithm is that of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001).
const std::vector<size_t> &BodyFlow::dominators() const {
    if (!dominators_.empty())
        return dominators_;
    const size_t top = steps_.size();  // leads to the entry and to all roots
    std::vector<size_t> order, number(top + 1), parent(top + 1, top);
    {
        std::vector<std::pair<size_t, bool>> open;
        Marks seen(top);
        const auto add = [&](size_t step) {
            if (!seen[step])
                open.push_back({step, false});
        };
        std::ranges::for_each(roots_, add);
        if (const auto entry = find(entry_))
            add(*entry);
        while (!open.empty()) {
            const auto [step, done] = open.back();
            open.pop_back();
            if (done)
                order.push_back(step);
            if (done || seen[step])
                continue;
            seen[step] = true;
            open.push_back({step, true});
            for_each_next(step, add);
        }
    }
    order.push_back(top);
    for (size_t i = 0; i < order.size(); ++i)
        number[order[i]] = i;
    std::vector<std::vector<size_t>> from(top);
    for (const size_t step : order)
        if (step != top)
            for_each_next(step, [&](size_t next) { from[next].push_back(step); });
    for (const size_t root : roots_)
        from[root].push_back(top);
    if (const auto entry = find(entry_))
        from[*entry].push_back(top);

    constexpr size_t kNone = SIZE_MAX;
    std::ranges::fill(parent, kNone);
    parent[top] = top;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = order.size() - 1; i-- > 0;) {
            size_t common = kNone;
            for (size_t other : from[order[i]]) {
                if (parent[other] == kNone)
                    continue;
                while (common != kNone && common != other) {
                    while (number[common] < number[other])
                        common = parent[common];
                    while (number[other] < number[common])
                        other = parent[other];
                }
                common = other;
            }
            changed |= parent[order[i]] != common;
            parent[order[i]] = common;
        }
    }
    dominators_ = std::move(parent);
    return dominators_;
}

// Returns true if the second step may run after the first without what is on all ways to both.
bool BodyFlow::runs_after(size_t first, size_t second) const {
    const std::vector<size_t> &parents = dominators();
    const size_t top = steps_.size();
    Marks above(top + 1);
    for (size_t step = first;; step = parents[step]) {
        above[step] = true;
        if (step == top || parents[step] > top)
            break;
    }
    size_t common = second;
    while (common != top && !above[common]) {
        if (parents[common] > top)
            return false;
        common = parents[common];
    }
    if (common == second)
        return false;
    if (common == first)
        return true;
    Marks stops(top), reached(top);
    if (common != top)
        stops[common] = true;
    run({first}, stops, {}, reached);
    return reached[second];
}

CallOrder BodyFlow::order(uint64_t address, std::span<const uint64_t> others,
                          std::span<const uint64_t> leading) const {
    const auto step = find(address);
    if (!step || !knows_jumps())
        return CallOrder::kUnknown;
    const auto is_one_of = [](std::span<const uint64_t> places, uint64_t place) {
        return std::ranges::find(places, place) != places.end();
    };
    std::vector<uint64_t> stops(others.begin(), others.end());
    stops.push_back(address);
    const Marks reached = run_from_entry(stops);
    const bool begins_here =
        address == entry_ || std::ranges::find(roots_, *step) != roots_.end() ||
        std::ranges::any_of(before(address), [&](uint64_t from) {
            return reached[*find(from)] && !is_one_of(stops, from) && !is_one_of(leading, from);
        });
    if (!begins_here || is_one_of(others, address))
        return CallOrder::kAfter;
    if (!leading.empty())
        return CallOrder::kEither;
    for (const uint64_t other : others)
        if (const auto first = find(other); first && runs_after(*first, *step))
            return CallOrder::kEither;
    return CallOrder::kOwn;
}

std::optional<uint64_t> BodyFlow::branch_after(uint64_t address) const {
    const auto first = find(address);
    if (!first)
        return std::nullopt;
    for (size_t step = *first; step < steps_.size(); ++step) {
        size_t count = 0;
        for_each_next(step, [&](size_t) { ++count; });
        if (count == 2)
            return steps_[step].address;
        if (count != 1 || step + 1 == steps_.size() || falls_to(step + 1) != step ||
            before(steps_[step + 1].address).size() != 1)
            break;
    }
    return std::nullopt;
}

bool BodyFlow::repeats(uint64_t address, std::span<const CodeRange> ranges) const {
    const auto step = find(address);
    if (!step)
        return false;
    Marks reached(steps_.size());
    run({*step}, Marks(steps_.size()), ranges, reached);
    return std::ranges::any_of(
        before(address), [&](uint64_t from) { return hold(ranges, from) && reached[*find(from)]; });
}

bool BodyFlow::runs_without(std::span<const CodeRange> ranges,
                            std::span<const uint64_t> addresses) const {
    const Marks reached = run_from_entry(addresses);
    for (size_t step = 0; step < steps_.size(); ++step)
        if (reached[step] && hold(ranges, steps_[step].address) &&
            std::ranges::find(addresses, steps_[step].address) == addresses.end())
            return true;
    return false;
}

std::vector<uint64_t> BodyFlow::entered(std::span<const CodeRange> ranges) const {
    const auto is_entered = [&](const Step &step) {
        const std::vector<uint64_t> from = before(step.address);
        return step.address == entry_ || from.empty() ||
               std::ranges::any_of(from, [&](uint64_t each) { return !hold(ranges, each); });
    };
    std::vector<uint64_t> out;
    for (const CodeRange &range : ranges)
        for (auto step = std::ranges::lower_bound(steps_, range.begin, {}, &Step::address);
             step != steps_.end() && step->address < range.end; ++step) {
            if (!runs_[static_cast<size_t>(step - steps_.begin())] || !is_entered(*step))
                continue;
            auto aligned = step;
            while (aligned != steps_.end() && aligned->edges.idle && aligned->edges.falls)
                ++aligned;
            if (aligned == step || (aligned != steps_.end() && hold(ranges, aligned->address) &&
                                    !is_entered(*aligned)))
                out.push_back(step->address);
        }
    return out;
}

std::optional<uint64_t> BodyFlow::leads_to(uint64_t address, std::span<const uint64_t> places,
                                           std::span<const CodeRange> ranges) const {
    auto step = find(address);
    for (size_t count = 0; step && count < steps_.size(); ++count) {
        size_t ways = 0;
        std::optional<size_t> next;
        for_each_next(*step, [&](size_t to) {
            next = to;
            ++ways;
        });
        const FlowEdges &edges = steps_[*step].edges;
        if (ways != 1 || edges.calls || edges.anywhere || !hold(ranges, steps_[*next].address))
            break;
        if (std::ranges::find(places, steps_[*next].address) != places.end())
            return steps_[*next].address;
        step = next;
    }
    return std::nullopt;
}

bool BodyFlow::only_jumps(uint64_t address) const {
    const auto step = find(address);
    if (!step)
        return false;
    const FlowEdges &edges = steps_[*step].edges;
    return !edges.falls && edges.others.empty() && edges.jump && find(*edges.jump);
}

bool BodyFlow::does_the_same(const CodeRange &a, const CodeRange &b) const {
    const auto operations = [&](const CodeRange &range) {
        std::vector<uint32_t> out;
        for (auto step = std::ranges::lower_bound(steps_, range.begin, {}, &Step::address);
             step != steps_.end() && step->address < range.end; ++step)
            out.push_back(step->edges.operation);
        return out;
    };
    const std::vector<uint32_t> of_a = operations(a), of_b = operations(b);
    return std::ranges::find_first_of(of_a, of_b) != of_a.end();
}

std::vector<uint64_t> BodyFlow::before(uint64_t address) const {
    std::vector<uint64_t> out;
    for (const Jump &jump : jumps_to(address))
        if (runs_[jump.from])
            out.push_back(steps_[jump.from].address);
    const auto step = find(address);
    if (const auto falls = step ? falls_to(*step) : std::nullopt; falls && runs_[*falls])
        out.push_back(steps_[*falls].address);
    return out;
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
std::optional<size_t> BodyFlow::falls_to(size_t step) const {
    if (step == 0 || !steps_[step - 1].edges.falls ||
        steps_[step - 1].address + steps_[step - 1].edges.size != steps_[step].address)
        return std::nullopt;
    return step - 1;
}

// Returns true if from each of these instructions a way leads to another one.
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
        if (const auto falls = falls_to(step))
            add(*falls);
    }
    return count == way.size();
}

std::optional<FlowChanges> BodyFlow::detour(uint64_t from, uint64_t to, FlowCode &code) const {
    const auto key = find(from), after = find(to);
    if (jumps_anywhere_ || !key || !after || falls_to(*after) != key || !steps_[*key].edges.jump ||
        to == entry_)
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
        if (!changes || edges.fixup || !edges.others.empty() || (!edges.falls && !edges.jump))
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
        const auto falls = falls_to(step);
        return (falls && *falls != *key && !seen[*falls] && steps_[*falls].live) ||
               code.entered(steps_[step].address);
    };
    if (led_to_by_others(*after) || std::ranges::any_of(way, led_to_by_others))
        return std::nullopt;
    return out;
}

}  // namespace btf_extra::generator
