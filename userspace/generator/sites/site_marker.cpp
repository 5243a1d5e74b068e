// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/site_marker.h"

#include <algorithm>
#include <utility>

#include "userspace/format/core_api.h"
#include "userspace/generator/sites/closed_code.h"

namespace btf_extra::generator {

bool SiteMarker::is_loop_head(uint64_t entry, std::span<const CodeRange> ranges) {
    if (state_.tools.loop_heads.is_loop_head(entry, ranges))
        return true;
    // Code of the instance may fall to the entry, and a table may lead there.
    if (!state_.input.flow_tables.leads_to(entry) &&
        std::ranges::none_of(ranges, [&](const CodeRange &range) {
            return range.begin < entry && entry <= range.end;
        }))
        return false;
    const BodyCode code = state_.tools.flows.read(ranges, entry);
    return code.flow && code.flow->repeats(entry, ranges);
}

void SiteMarker::look_up_body(const SourceFunctions::Function *function, Enclosing &body) const {
    const auto section = state_.input.file.executable_section(body.entry);
    if (!section)
        return;
    const uint64_t offset = body.entry - state_.input.file.sections()[*section].address;
    if (state_.input.probed.kept_out(*section, offset))
        return;
    body.function = function ? function->number + 1 : 0;
    body.traced = state_.input.probed.traced(*section, offset);
}

void SiteMarker::judge_untraced_unit() {
    if (is_traced_)
        return;
    const bool open = open_by_path(state_.functions.unit_path());
    for (Site &site : state_.sites.sites)
        if (const uint32_t body = std::exchange(site.body, 0);
            open && body != 0 && !closed_by_name(state_.sites.functions[body - 1].name))
            site.marks |= SITE_MARK_UNLISTED;
}

bool SiteMarker::place(Site &site, uint64_t address, const Enclosing &enclosing) {
    const auto section = state_.input.file.executable_section(address);
    if (!section)
        return false;
    site.section = *section;
    site.offset = static_cast<uint32_t>(address - state_.input.file.sections()[*section].address);
    const bool kept_out = state_.input.probed.kept_out(*section, site.offset);
    if (kept_out)
        site.marks |= SITE_MARK_CLOSED;
    if (!state_.input.probed.known())
        return true;
    const bool traced = state_.input.probed.traced(*section, site.offset);
    is_traced_ |= traced;
    site.no_probe = kept_out || !state_.input.probed.takes_probe(*section, site.offset);
    site.untraced = !traced;
    if (kept_out || traced)
        return true;
    if (enclosing.traced)
        site.marks |= SITE_MARK_UNLISTED;
    else
        site.body = enclosing.function;
    return true;
}

// Returns the slots at the instruction after a key. nullopt: one of the LOC_PARAMs is lost there.
// An expression that is lost has no location.
std::optional<std::vector<ParamSlot>> SiteMarker::slots_after(const FlowChanges &changes,
                                                              std::span<const ParamSlot> slots) {
    std::vector<ParamSlot> out(slots.begin(), slots.end());
    for (ParamSlot &slot : out) {
        if ((slot & kMissing) == 0) {
            if (!keeps(state_.sites.loc_params[slot], changes))
                return std::nullopt;
        } else if (is_computed(slot)) {
            const auto reads = reads_of(state_.sites.expressions[expression_of(slot)],
                                        state_.input.file.elf().machine());
            if (!reads || !keeps(*reads, changes))
                slot = missing_slot(reason_of(slot));
        }
    }
    return out;
}

void SiteMarker::judge_key(Site &site, const Enclosing &enclosing,
                           std::span<const ParamSlot> slots) {
    const uint64_t address = state_.address_of(site);
    if (!site.no_probe || (site.marks & SITE_MARK_CLOSED) != 0 ||
        state_.input.flow_tables.key_at(address) == nullptr)
        return;
    const auto [entry, fresh] = at_keys_.try_emplace(address);
    if (fresh) {
        entry->second = changes_after_key(address, state_.calls.code_of(enclosing.body),
                                          state_.input.flow_tables, state_.tools.flows);
    }
    if (!entry->second)
        return;
    if (const auto after = slots_after(*entry->second, slots)) {
        site.marks |= SITE_MARK_AFTER_KEY;
        site.params = state_.sites.param_lists.add(*after);
    }
}

}  // namespace btf_extra::generator
