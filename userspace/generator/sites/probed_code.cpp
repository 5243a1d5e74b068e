// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/probed_code.h"

#include <algorithm>

#include "userspace/format/core_api.h"

namespace btf_extra::generator {

ProbedCode::ProbedCode(const DebugFile &file, const DefinedSymbols &symbols)
    : file_(file), symbols_(symbols), tables_(code_tables(file.elf(), file.symbols())),
      instructions_(file.elf(), tables_) {
    if (const loc_arch *arch = loc_arch_of(file.elf().machine()))
        hook_before_ = arch->hook_before;
}

bool ProbedCode::has_one(const std::vector<Place> &places, uint32_t section,
                         uint64_t offset) const {
    const auto around = symbols_.around(section, offset);
    if (!around)
        return false;
    const uint32_t index = file_.sections()[section].index;
    const auto first = std::ranges::lower_bound(places, Place{index, around->first});
    return first != places.end() && *first < Place{index, around->second};
}

bool ProbedCode::traced(uint32_t section, uint64_t offset) const {
    if (has_one(tables_.ftrace_calls, section, offset))
        return true;
    const auto around = symbols_.around(section, offset);
    return around && hook_before_ != 0 && around->first >= hook_before_ &&
           std::ranges::binary_search(tables_.ftrace_calls, Place{file_.sections()[section].index,
                                                                  around->first - hook_before_});
}

bool ProbedCode::kept_out(uint32_t section, uint64_t offset) const {
    const Place place = {file_.sections()[section].index, offset};
    return has_one(tables_.blacklisted, section, offset) ||
           std::ranges::any_of(tables_.closed,
                               [&](const ClosedText &text) { return text.holds(place); });
}

bool ProbedCode::takes_probe(uint32_t section, uint64_t offset) const {
    const auto around = symbols_.around(section, offset);
    return instructions_.refusal({file_.sections()[section].index, offset},
                                 around ? offset - around->first : 0) == nullptr;
}

}  // namespace btf_extra::generator
