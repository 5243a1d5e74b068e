// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/live_in_registers.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "userspace/format/core_api.h"

namespace btf_extra::generator {

LiveInRegisters::LiveInRegisters(const DebugFile &file)
    : file_(file), instructions_(Instructions::of_file(file)) {}

// The code from an address to the end of its range. Empty: it is in none of them.
Code LiveInRegisters::code_at(uint64_t address, std::span<const CodeRange> ranges) const {
    const auto range = std::ranges::find_if(
        ranges, [&](CodeRange each) { return each.begin <= address && address < each.end; });
    const auto section = file_.executable_section(address);
    if (range == ranges.end() || !section)
        return {};
    const Bytes all = file_.code(*section);
    const uint64_t offset = address - file_.sections()[*section].address;
    if (offset >= all.size())
        return {};
    return {address,
            all.subspan(offset, std::min<uint64_t>(range->end - address, all.size() - offset))};
}

bool LiveInRegisters::reads_argument(uint64_t entry, std::span<const CodeRange> ranges,
                                     uint32_t first) {
    const uint32_t nr_arguments = loc_arch_of(file_.elf().machine())->nr_arguments;
    if (first >= nr_arguments)
        return false;
    struct Path {
        uint64_t address;
        uint32_t callers;  // registers that still hold what the caller left there
    };
    std::vector<Path> paths{{entry, (1u << nr_arguments) - (1u << first)}};
    std::unordered_map<uint64_t, uint32_t> seen;  // by address: the registers on paths through it
    while (!paths.empty()) {
        auto [address, callers] = paths.back();
        paths.pop_back();
        Code code = code_at(address, ranges);
        while (callers != 0 && !code.bytes.empty()) {
            uint32_t &before = seen[code.first];
            if ((callers & ~before) == 0)
                break;
            before |= callers;
            const std::optional<Instruction> instruction = instructions_->decode(code);
            if (!instruction)
                break;
            if (instruction->jump)
                paths.push_back({*instruction->jump, callers});
            if (!instruction->is_call) {
                if ((instruction->reads & callers) != 0)
                    return true;
                callers &= ~instruction->writes;
            } else if (!instructions_->may_be_hook(code.first - entry)) {
                break;  // the call of __fentry__ leaves all registers as they are
            }
            if (instruction->is_last)
                break;
            code = {code.first + instruction->size, code.bytes.subspan(instruction->size)};
        }
    }
    return false;
}

}  // namespace btf_extra::generator
