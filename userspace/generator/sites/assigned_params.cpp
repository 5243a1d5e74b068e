// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/assigned_params.h"

#include <dwarf.h>

#include <algorithm>
#include <tuple>

#include "userspace/format/byte_reader.h"

namespace btf_extra::generator {

namespace {

// Returns the place of a value that is a register, or memory at a register, as it is.
std::optional<MachinePlace> place_of(Bytes expression, std::optional<uint32_t> frame_register) {
    ByteReader reader(expression, 0);
    const uint8_t op = reader.u8();
    MachinePlace out;
    if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
        out.reg = op - DW_OP_reg0;
    } else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
        out = {.is_memory = true, .reg = uint32_t{op} - DW_OP_breg0, .offset = reader.sleb()};
    } else if (op == DW_OP_fbreg && frame_register) {
        out = {.is_memory = true, .reg = *frame_register, .offset = reader.sleb()};
    } else {
        return std::nullopt;
    }
    if (reader.failed() || reader.offset() != expression.size())
        return std::nullopt;
    return out;
}

// Returns the register whose value at the entry of the function an expression has.
std::optional<uint32_t> entry_value(Bytes expression) {
    ByteReader reader(expression, 0);
    const uint8_t op = reader.u8();
    if (op != DW_OP_entry_value && op != DW_OP_GNU_entry_value)
        return std::nullopt;
    const uint64_t size = reader.uleb();
    const uint8_t inner = reader.u8();
    const uint8_t end = reader.u8();
    if (reader.failed() || size != 1 || inner < DW_OP_reg0 || inner > DW_OP_reg31 ||
        end != DW_OP_stack_value || reader.offset() != expression.size())
        return std::nullopt;
    return inner - DW_OP_reg0;
}

bool holds(CodeRange range, uint64_t address) {
    return range.begin <= address && address < range.end;
}

}  // namespace

AssignedParams::AssignedParams(const DebugFile &file)
    : file_(file), instructions_(Instructions::of_file(file)) {}

void AssignedParams::begin_body(std::span<const CodeRange> pieces) {
    pieces_.assign(pieces.begin(), pieces.end());
    is_known_.reset();
}

bool AssignedParams::read_body() {
    for (std::vector<Write> &writes : writes_)
        writes.clear();
    copies_.clear();
    jumped_to_.clear();
    join(pieces_);
    const bool known =
        std::ranges::all_of(pieces_, [&](CodeRange piece) { return read_piece(piece); });
    std::ranges::sort(jumped_to_);
    return known;
}

bool AssignedParams::read_piece(CodeRange piece) {
    Code code = code_at(file_, piece.begin);
    while (code.first < piece.end) {
        const auto effects = instructions_->effects(code);
        if (!effects || effects->size == 0)
            return false;
        const uint64_t end = code.first + effects->size;
        if (const auto edges = instructions_->edges(code); edges && edges->jump)
            jumped_to_.push_back(*edges->jump);
        for (uint32_t reg = 0; reg < writes_.size(); ++reg)
            if ((effects->writes >> reg & 1) != 0)
                writes_[reg].push_back({code.first, end});
        for (const auto &copy : effects->copies)
            if (copy)
                copies_.insert({end, {code.first, *copy}});
        code = {end, code.bytes.subspan(effects->size)};
    }
    return true;
}

uint64_t AssignedParams::hooks_size(uint64_t entry) const {
    return instructions_->hooks_size(code_at(file_, entry).bytes);
}

// Returns true if an instruction writes to a register in a range. The last one of the range may:
// the entry ends for it.
bool AssignedParams::is_written(uint32_t reg, CodeRange range) const {
    if (reg >= writes_.size())
        return true;
    const auto first = std::ranges::lower_bound(writes_[reg], range.begin, {}, &Write::address);
    return first != writes_[reg].end() && first->end < range.end;
}

// Returns true if the instruction before an address writes to a register.
bool AssignedParams::is_fresh(uint32_t reg, uint64_t address) const {
    if (reg >= writes_.size())
        return true;
    const auto after = std::ranges::lower_bound(writes_[reg], address, {}, &Write::address);
    return after != writes_[reg].begin() && std::prev(after)->end == address;
}

// Returns true if a register holds a copy of another entry's register since before an entry begins:
// LLVM may keep a value in two, and name the second one when the first is gone. All is in one
// straight piece of code.
bool AssignedParams::copied_before(MachinePlace place, const Entry &entry, const Entry &other,
                                   const Context &context) const {
    const auto source = place_of(other.expression, context.frame_register);
    if (place.is_memory || place.reg >= writes_.size() || !source || source->is_memory)
        return false;
    const std::vector<Write> &writes = writes_[place.reg];
    const auto after = std::ranges::lower_bound(writes, entry.range.begin, {}, &Write::address);
    if (after == writes.begin())
        return false;
    const Write last = *std::prev(after);
    const auto [first, end] = copies_.equal_range(last.end);
    const bool copies = std::any_of(first, end, [&](const auto &each) {
        return each.second.copy.to == place && each.second.copy.from == *source;
    });
    const auto entered = std::ranges::upper_bound(jumped_to_, last.address);
    return copies && other.range.end == entry.range.begin &&
           (entered == jumped_to_.end() || *entered > entry.range.begin) &&
           !is_written(source->reg, {last.end, other.range.end});
}

bool AssignedParams::same_value(const Entry &entry, std::span<const Entry> earlier,
                                const Context &context) const {
    const auto place = place_of(entry.expression, context.frame_register);
    if (!place) {
        if (const auto reg = entry_value(entry.expression); reg && context.at_entry)
            return place_of(earlier.front().expression, context.frame_register) ==
                   MachinePlace{.is_memory = false, .reg = *reg, .offset = 0};
        return std::ranges::any_of(earlier, [&](const Entry &other) {
            return std::ranges::equal(other.expression, entry.expression);
        });
    }
    const auto [first, last] = copies_.equal_range(entry.range.begin);
    for (auto at = first; at != last; ++at) {
        const auto &[address, copy] = at->second;
        if (copy.to == *place && std::ranges::any_of(earlier, [&](const Entry &other) {
                return holds(other.range, address) &&
                       place_of(other.expression, context.frame_register) == copy.from;
            }))
            return true;
    }
    if (std::ranges::any_of(earlier, [&](const Entry &other) {
            return copied_before(*place, entry, other, context);
        }))
        return true;
    const bool known_place = std::ranges::any_of(earlier, [&](const Entry &other) {
        return place_of(other.expression, context.frame_register) == place;
    });
    return known_place && (place->is_memory || !is_fresh(place->reg, entry.range.begin));
}

AssignedParams::Values AssignedParams::values(std::vector<Entry> entries, const Context &context) {
    Values out;
    std::erase_if(entries, [](const Entry &entry) { return entry.range.begin >= entry.range.end; });
    if (entries.empty())
        return out;
    if (!is_known_)
        is_known_ = read_body();
    std::ranges::sort(entries, {}, [](const Entry &entry) { return entry.range.begin; });
    const std::span<const Entry> all(entries);
    for (size_t i = 0; i < all.size(); ++i) {
        const auto place = place_of(all[i].expression, context.frame_register);
        out.is_placed |= place.has_value();
        if ((i > 0 && (!*is_known_ || !same_value(all[i], all.first(i), context))) ||
            (place && !place->is_memory && (!*is_known_ || is_written(place->reg, all[i].range))))
            out.may_be_assigned = true;
    }
    return out;
}

}  // namespace btf_extra::generator
