// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/instruction_starts.h"

#include <algorithm>
#include <optional>

namespace btf_extra::generator {

InstructionStarts::InstructionStarts(const DebugFile &file)
    : file_(file), instructions_(Instructions::of_file(file)) {}

bool InstructionStarts::may_begin_at(uint64_t address, uint64_t first,
                                     std::span<const uint64_t> rows) {
    const auto section = file_.executable_section(address);
    if (address == first || !section)
        return true;
    const uint64_t base = file_.sections()[*section].address;
    const Bytes all = file_.code(*section);
    if (first < base || address - base >= all.size())
        return true;
    const auto begins = [&](uint64_t from) {
        return instructions_->begins_at(address, {from, all.subspan(from - base)});
    };
    // The row before it is near, so that there is little to decode. The beginning of the code is
    // more certain.
    const auto at = std::ranges::lower_bound(rows, address);
    if (at != rows.begin() && *std::prev(at) > first && begins(*std::prev(at)).value_or(false))
        return true;
    return begins(first).value_or(at != rows.end() && *at == address);
}

}  // namespace btf_extra::generator
