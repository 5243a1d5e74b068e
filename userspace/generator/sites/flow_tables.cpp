// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/flow_tables.h"

#include <algorithm>
#include <iterator>

namespace btf_extra::generator {
namespace {

constexpr uint64_t kShortReach = 128 + 2;  // at least the reach of a short jump
constexpr uint64_t kStubSize = 32;         // more than the test and two jumps of .altinstr_aux

}  // namespace

FlowTables::FlowTables(const DebugFile &file, const DefinedSymbols &symbols,
                       const ProbedCode &probed)
    : file_(file), symbols_(symbols), probed_(probed) {
    const CodeTables &tables = probed.tables();
    std::unordered_map<uint32_t, uint64_t> bases;  // by index of the section
    for (const ElfSection &section : file.sections())
        bases[section.index] = section.address;
    const auto address_of = [&](const Place &place) { return bases[place.section] + place.offset; };
    const auto range_of = [&](const ClosedText &text) {
        return CodeRange{address_of({text.section, text.begin}),
                         address_of({text.section, text.end})};
    };

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
    if (!tables.alternatives)
        return;
    for (const Alternative &alternative : *tables.alternatives) {
        alternatives_.push_back({range_of(alternative.code), range_of(alternative.replacement)});
        replaced_.push_back(alternatives_.back().code);
    }
    std::ranges::sort(alternatives_);
    join(replaced_);
    if (file.elf().relocatable() || !file.has_code() || !instructions->finds_displacements())
        return;
    std::ranges::sort(functions);
    const auto repeats = std::ranges::unique(functions);
    functions.erase(repeats.begin(), repeats.end());
    entered_.emplace(file, std::move(functions));
}

const FlowTables::Key *FlowTables::key_at(uint64_t address) const {
    const auto found = keys_.find(address);
    return found == keys_.end() ? nullptr : &found->second;
}

bool FlowTables::has_alternative(uint64_t address) const {
    const auto after = std::ranges::upper_bound(replaced_, address, {}, &CodeRange::begin);
    return after != replaced_.begin() && address < std::prev(after)->end;
}

void FlowTables::add_edges(uint64_t address, std::span<const CodeRange> ranges,
                           Instructions &instructions, FlowEdges &edges) const {
    if (const Key *key = key_at(address)) {
        edges.falls = true;
        if (edges.jump && *edges.jump != key->target)
            edges.others.push_back(*edges.jump);
        edges.jump = key->target;
    }
    if (const auto fixup = fixups_.find(address); fixup != fixups_.end())
        edges.fixup = fixup->second;
    if (!has_alternative(address))
        return;
    // Several alternatives may be for one place.
    edges.falls = true;
    const auto first = std::ranges::lower_bound(
        alternatives_, address, {}, [](const Replaced &each) { return each.code.begin; });
    for (auto each = first; each != alternatives_.end() && each->code.begin == address; ++each)
        add_jumps_of(each->replacement, ranges, instructions, edges);
    // The jump of static_cpu_has() leads out of the body to code that comes back.
    if (edges.jump && !hold(ranges, *edges.jump))
        add_jumps_of({*edges.jump, *edges.jump + kStubSize}, ranges, instructions, edges);
}

// Adds where code that is not in the ranges jumps into them.
void FlowTables::add_jumps_of(CodeRange code, std::span<const CodeRange> ranges,
                              Instructions &instructions, FlowEdges &edges) const {
    for (uint64_t address = code.begin; address < code.end;) {
        const auto step = instructions.edges(code_at(file_, address));
        if (!step || step->size == 0)
            return;
        edges.anywhere |= step->anywhere;
        if (step->jump && hold(ranges, *step->jump))
            edges.others.push_back(*step->jump);
        if (!step->falls)
            return;
        address += step->size;
    }
}

bool FlowTables::takes_probe(uint64_t address) const {
    const auto section = file_.executable_section(address);
    return section && !has_alternative(address) &&
           probed_.takes_probe(*section, address - file_.sections()[*section].address);
}

bool FlowTables::entered(uint64_t address, std::span<const CodeRange> ranges,
                         Instructions &instructions) const {
    if (!entered_)
        return true;
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
bool FlowTables::jumped_to_from_near(uint64_t address, std::span<const CodeRange> ranges,
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

}  // namespace btf_extra::generator
