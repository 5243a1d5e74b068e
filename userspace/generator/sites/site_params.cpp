// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/site_params.h"

#include <algorithm>
#include <utility>

#include "userspace/format/core_api.h"
#include "userspace/generator/sites/address_checks.h"

namespace btf_extra::generator {

SiteParams::SiteParams(UnitState &state)
    : state_(state), format_{.registers = loc_arch_of(state.input.file.elf().machine())->nr_numbers,
                             .saved = loc_arch_of(state.input.file.elf().machine())->nr_registers,
                             .address_size = state.unit.header.address_size,
                             .offset_size = state.unit.header.offset_size,
                             .version = static_cast<uint8_t>(state.unit.header.version)} {}

void SiteParams::begin(OpenSite &site) {
    site.first_slot = slots_.size();
    slots_.resize(slots_.size() + site.function.params.size(),
                  missing_slot(MissingReason::kOptimizedOut));
    if (site.function.variadic)
        slots_.push_back(kVariadicEnd);
}

uint64_t SiteParams::read(const Die &die, OpenSite &site) {
    ParameterPlace place;
    uint64_t entry = die.offset;  // of the parameter in the abstract instance
    const uint64_t next =
        state_.unit.for_each_attribute(die, [&](uint16_t name, const AttributeValue &value) {
            if (!place.set(name, value) && name == DW_AT_abstract_origin)
                entry = value.kind == AttributeValue::kReference ? value.number : 0;
        });
    if (next == 0)
        return 0;
    const int position = state_.functions.position_of(site.function, entry, die.offset);
    if (position >= 0) {
        const auto number = static_cast<size_t>(position);
        // A parameter may have several entries: the first with a location here counts, even if
        // the wire format has no shape for it.
        ParamSlot &slot = slots_[site.first_slot + number];
        if (slot == missing_slot(MissingReason::kOptimizedOut) ||
            slot == missing_slot(MissingReason::kNoLocationHere)) {
            const uint64_t size = site.function.params[number].size;
            const Location found = locate(place, site, size);
            if (found.reason != MissingReason::kOptimizedOut)
                slot = state_.param_slots.slot_of(found);
            if (found.reason == MissingReason::kPieces && site.body)
                if (auto parts = register_parts(context_of(site)
                                                    .expression(place.location, place.locviews)
                                                    .value_or(Bytes()),
                                                size))
                    site.parts[position] = std::move(*parts);
        }
        if (state_.sites.has_last_values && !site.is_another)
            note_values(number, place, site);
    }
    return die.abbreviation->has_children ? state_.unit.next_sibling(die) : next;
}

void SiteParams::read_all(const Die &die, OpenSite &site) {
    uint64_t offset = die.abbreviation->has_children ? state_.unit.after_attributes(die) : 0;
    while (offset != 0) {
        const Die child = state_.unit.die_at(offset);
        if (!child.abbreviation)
            break;
        offset = child.tag() == DW_TAG_formal_parameter ? read(child, site)
                                                        : state_.unit.next_sibling(child);
    }
}

SiteContext SiteParams::context_of(const OpenSite &site, uint64_t distance) const {
    const CodePoint point = {.address = site.point.address + distance, .view = site.point.view};
    return SiteContext(
        state_.input.file, state_.unit, *state_.tools.frames, state_.tools.types, point,
        site.enclosing,
        piece_at(state_.copied_entries.ranges_of_body(site.enclosing.body), point.address),
        site.body != nullptr);
}

Location SiteParams::locate(const ParameterPlace &place, const OpenSite &site, uint64_t size) {
    SiteContext here = context_of(site);
    const Location found = place.at(here, size, format_);
    if (found.reason != MissingReason::kNoLocationHere || !site.body ||
        !state_.sites.has_last_values)
        return found;
    // LLVM's lists begin after the hooks of tracers, which leave registers and stack as they are.
    const uint64_t hooks = state_.tools.assigned.hooks_size(site.point.address);
    if (hooks == 0)
        return found;
    SiteContext after = context_of(site, hooks);
    return place.at(after, size, format_);
}

void SiteParams::note_values(size_t position, const ParameterPlace &place, const OpenSite &site) {
    const AttributeValue &location = place.location;
    if (!location)
        return;
    std::vector<AssignedParams::Entry> entries;
    if (location.kind == AttributeValue::kBlock) {
        // It is of the whole scope. Only its last instruction may write to the place.
        std::vector<CodeRange> ranges = site.ranges;
        join(ranges);
        for (size_t i = 0; i < ranges.size(); ++i)
            entries.push_back({{ranges[i].begin, ranges[i].end + (i + 1 < ranges.size() ? 1 : 0)},
                               location.block});
    } else if (!for_each_location(state_.sections, state_.unit, location,
                                  [&](CodeRange range, Bytes expression) {
                                      entries.push_back({range, expression});
                                  })) {
        return;
    }
    const AssignedParams::Values found = state_.tools.assigned.values(
        std::move(entries), {.frame_register = frame_register(site.enclosing.frame_base),
                             .at_entry = site.body != nullptr});
    auto &values = state_.sites.functions[site.function.number].values;
    const uint64_t bit = uint64_t{1} << std::min<size_t>(position, 63);
    if (found.may_be_assigned)
        values.assigned |= bit;
    if (found.is_placed) {
        values.again |= values.placed & bit;
        values.placed |= bit;
    }
}

}  // namespace btf_extra::generator
