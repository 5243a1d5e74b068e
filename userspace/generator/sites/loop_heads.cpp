// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/loop_heads.h"

#include <algorithm>

namespace btf_extra::generator {

LoopHeads::LoopHeads(const DebugFile &file)
    : file_(file), instructions_(Instructions::of_file(file)) {}

Code LoopHeads::code_of(CodeRange range) {
    const auto holds = [&](uint32_t section) {
        const ElfSection &held = file_.sections()[section];
        return range.begin - held.address < held.size;
    };
    if (!section_ || !holds(*section_))
        section_ = file_.executable_section(range.begin);
    if (!section_ || range.end <= range.begin)
        return {};
    const Bytes all = file_.code(*section_);
    const uint64_t first = range.begin - file_.sections()[*section_].address;
    if (first >= all.size())
        return {};
    return {range.begin,
            all.subspan(first, std::min<uint64_t>(range.end - range.begin, all.size() - first))};
}

bool LoopHeads::is_loop_head(uint64_t entry, std::span<const CodeRange> ranges) {
    return std::ranges::any_of(
        ranges, [&](CodeRange range) { return instructions_->any_jump_to(entry, code_of(range)); });
}

}  // namespace btf_extra::generator
