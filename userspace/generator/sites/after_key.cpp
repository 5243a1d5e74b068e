// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/after_key.h"

#include <algorithm>

#include "userspace/format/core_api.h"

namespace btf_extra::generator {
namespace {

constexpr uint64_t kShortReach = 128 + 2;  // at least the reach of a short jump

}  // namespace

StaticKeys::StaticKeys(const DebugFile &file, const DefinedSymbols &symbols,
                       const ProbedCode &probed)
    : file_(file), symbols_(symbols), probed_(probed) {
    const CodeTables &tables = probed.tables();
    if (file.elf().relocatable() || !tables.alternatives || !file.has_code())
        return;
    std::unordered_map<uint32_t, uint64_t> bases;  // by index of the section
    for (const ElfSection &section : file.elf().sections())
        bases[section.index] = section.address;
    const auto address_of = [&](const Place &place) { return bases[place.section] + place.offset; };

    const auto instructions = Instructions::of_file(file);
    std::vector<CodeRange> functions;
    for (const CodeJump &jump : tables.key_jumps) {
        const uint64_t address = address_of(jump.from), target = address_of(jump.to);
        by_table_.emplace(target, address);
        const auto edges = instructions->edges(code_at(file, address));
        if (!edges)
            continue;
        keys_[address] = {.next = address + edges->size, .target = target};
        for (const uint64_t place : {address, target})
            if (const auto section = file.executable_section(place)) {
                const uint64_t base = file.sections()[*section].address;
                if (const auto around = symbols.around(*section, place - base))
                    functions.push_back({base + around->first, base + around->second});
            }
    }
    for (const CodeJump &fixup : tables.fixups) {
        fixups_[address_of(fixup.from)] = address_of(fixup.to);
        by_table_.emplace(address_of(fixup.to), address_of(fixup.from));
    }
    for (const ClosedText &text : *tables.alternatives)
        alternatives_.push_back(
            {address_of({text.section, text.begin}), address_of({text.section, text.end})});
    join(alternatives_);
    std::ranges::sort(functions);
    const auto repeats = std::ranges::unique(functions);
    functions.erase(repeats.begin(), repeats.end());
    entered_.emplace(file, std::move(functions));
}

const StaticKeys::Key *StaticKeys::at(uint64_t address) const {
    const auto found = keys_.find(address);
    return found == keys_.end() ? nullptr : &found->second;
}

std::optional<uint64_t> StaticKeys::fixup(uint64_t address) const {
    const auto found = fixups_.find(address);
    return found == fixups_.end() ? std::nullopt : std::optional(found->second);
}

bool StaticKeys::has_alternative(uint64_t address) const {
    const auto after = std::ranges::upper_bound(alternatives_, address, {}, &CodeRange::begin);
    return after != alternatives_.begin() && address < std::prev(after)->end;
}

bool StaticKeys::takes_probe(uint64_t address) const {
    const auto section = file_.executable_section(address);
    return section && !has_alternative(address) &&
           probed_.takes_probe(*section, address - file_.sections()[*section].address);
}

bool StaticKeys::entered(uint64_t address, std::span<const CodeRange> ranges,
                         Instructions &instructions) const {
    const CodeRange function = entered_->function_of(address);
    const auto [first, last] = by_table_.equal_range(address);
    const bool begins_range =
        std::ranges::any_of(ranges, [&](const CodeRange &range) { return range.begin == address; });
    return function.begin == function.end || (function.begin == address && !begins_range) ||
           entered_->entered(address, ranges) ||
           std::any_of(first, last, [&](const auto &each) { return !hold(ranges, each.second); }) ||
           jumped_to_from_near(address, ranges, instructions);
}

// Looks for short jumps in the functions beside that of an address.
bool StaticKeys::jumped_to_from_near(uint64_t address, std::span<const CodeRange> ranges,
                                     Instructions &instructions) const {
    const auto section = file_.executable_section(address);
    const CodeRange function = entered_->function_of(address);
    const uint64_t base = file_.sections()[*section].address;
    const Bytes code = file_.code(*section);
    const auto is_displacement = [&](uint64_t at) {
        const auto byte = static_cast<int8_t>(code[at]);
        return base + at + 1 + static_cast<uint64_t>(int64_t{byte}) == address;
    };
    const uint64_t offset = address - base;
    const uint64_t begin = offset - std::min(offset, kShortReach);
    const uint64_t end = std::min<uint64_t>(offset + kShortReach, code.size());
    for (uint64_t at = begin; at < end; ++at) {
        const uint64_t place = base + at;
        if ((place >= function.begin && place < function.end) || hold(ranges, place) ||
            !is_displacement(at))
            continue;
        const auto around = symbols_.around(*section, at);
        if (around && instructions.any_jump_to(
                          address, {base + around->first,
                                    code.subspan(around->first, around->second - around->first)}))
            return true;
    }
    return false;
}

// The code of one body, with the tables of the kernel.
class AfterKey::Code : public FlowCode {
  public:
    Code(const AfterKey &after, std::span<const CodeRange> ranges)
        : file_(after.file_), keys_(after.keys_), instructions_(*after.instructions_),
          ranges_(ranges) {}

    std::optional<FlowEdges> edges(uint64_t address) override {
        std::optional<FlowEdges> edges = instructions_.edges(code_at(file_, address));
        if (!edges)
            return edges;
        if (const StaticKeys::Key *key = keys_.at(address)) {
            edges->falls = true;
            edges->jump = key->target;
        }
        edges->falls |= keys_.has_alternative(address);
        edges->fixup = keys_.fixup(address);
        return edges;
    }
    std::optional<FlowChanges> changes(uint64_t address) override {
        if (keys_.has_alternative(address))
            return std::nullopt;
        if (keys_.at(address))
            return FlowChanges{};
        return instructions_.changes(code_at(file_, address));
    }
    bool entered(uint64_t address) override {
        return keys_.entered(address, ranges_, instructions_);
    }

  private:
    const DebugFile &file_;
    const StaticKeys &keys_;
    Instructions &instructions_;
    std::span<const CodeRange> ranges_;
};

AfterKey::AfterKey(const DebugFile &file, const StaticKeys &keys)
    : file_(file), keys_(keys), instructions_(Instructions::of_file(file)) {}

AfterKey::Body AfterKey::read(std::span<const CodeRange> ranges, uint64_t entry) {
    Code code(*this, ranges);
    return {.ranges = {ranges.begin(), ranges.end()},
            .flow = BodyFlow::read({ranges.begin(), ranges.end()}, entry, code)};
}

std::optional<FlowChanges> AfterKey::changes(uint64_t address, const Body &body) {
    const StaticKeys::Key *key = keys_.at(address);
    if (!key || !body.flow || keys_.has_alternative(address) || !keys_.takes_probe(key->next))
        return std::nullopt;
    Code code(*this, body.ranges);
    return body.flow->detour(address, key->next, code);
}

bool keeps(const LocParam &param, const FlowChanges &changes) {
    if ((param.flags & LOC_REG) == 0)
        return (param.flags & LOC_CONST) != 0;
    // Two values are two registers, unless the second one is an offset.
    const uint32_t nr_registers = (param.flags & (LOC_OFFSET | LOC_DEREF)) != 0 ? 1 : param.vlen;
    for (uint32_t i = 0; i < nr_registers; ++i)
        if (param.values[i] >= 16 || (changes.writes >> param.values[i] & 1) != 0)
            return false;
    return (param.flags & LOC_DEREF) == 0 || !changes.stores;
}

}  // namespace btf_extra::generator
