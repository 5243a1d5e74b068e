// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/locations/site_context.h"

#include <charconv>
#include <string_view>

#include "userspace/format/core_api.h"
#include "userspace/generator/locations/code_reads.h"

namespace btf_extra::generator {

namespace {

// LLVM makes base types for its own conversions, and names them after the encoding and the number
// of bits: DW_ATE_unsigned_1 has one in a byte (DwarfCompileUnit::createBaseTypeDIEs(), since LLVM
// 9).
std::optional<uint32_t> bits_of(const SourceType &type) {
    const auto whole = static_cast<uint32_t>(type.size * 8);
    if (!type.name.starts_with("DW_ATE_"))
        return whole;
    const std::string_view digits = type.name.substr(type.name.rfind('_') + 1);
    uint32_t bits = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (error != std::errc() || end != digits.data() + digits.size() || bits == 0 || bits > whole)
        return std::nullopt;
    return bits;
}

}  // namespace

std::optional<RegisterOffset> SiteContext::call_frame_cfa() {
    return frames_.cfa(point_.address);
}

Bytes SiteContext::frame_base() {
    if (const std::optional<uint32_t> reg = frame_register(enclosing_.frame_base);
        reg && !is_set_up(*reg))
        return {};
    return expression(enclosing_.frame_base, std::nullopt).value_or(Bytes());
}

bool SiteContext::at_function_entry() const {
    return point_.address == enclosing_.entry;
}

std::optional<uint64_t> SiteContext::indexed_address(uint64_t index) {
    return unit_.indexed_address(index);
}

std::optional<BaseType> SiteContext::base_type(uint64_t unit_offset) {
    const uint64_t offset = unit_.header.offset + unit_offset;
    if (unit_.die_at(offset).tag() != DW_TAG_base_type)
        return std::nullopt;
    const SourceType type = types_.describe(offset, false);
    if (type.kind != TypeKind::kInt && type.kind != TypeKind::kFloat)
        return std::nullopt;
    std::optional<uint32_t> bits = bits_of(type);
    if (!bits)
        return std::nullopt;
    // The ABIs of x86-64 and arm64 pass a bool as a byte that is 0 or 1.
    if (is_body_ && *bits == 1)
        bits = static_cast<uint32_t>(type.size * 8);
    return BaseType{.size = static_cast<uint32_t>(type.size),
                    .bits = *bits,
                    .is_integer = type.kind == TypeKind::kInt,
                    .is_signed = type.is_signed};
}

AddressConstant SiteContext::address_constant(uint64_t link_address) {
    return file_.address_constant(link_address);
}

std::optional<Bytes> SiteContext::expression(const AttributeValue &location,
                                             std::optional<uint64_t> locviews) const {
    if (location.kind == AttributeValue::kBlock)
        return location.block;
    return expression_at(file_.dwarf(), unit_, location, locviews, point_, piece_);
}

bool SiteContext::before_frame(Bytes expression) {
    const std::optional<uint32_t> reg = frame_register(enclosing_.frame_base);
    return reg && !expression.empty() && expression[0] == DW_OP_fbreg && !is_set_up(*reg);
}

bool SiteContext::may_be_stored_later(Bytes expression, const LocParam &param) {
    if (!(param.flags & LOC_DEREF) || expression.back() == DW_OP_stack_value)
        return false;
    // If the frame base is clang's, it is not known which side of the CFA the memory is on.
    if (frame_register(enclosing_.frame_base))
        return true;
    const std::optional<RegisterOffset> cfa = call_frame_cfa();
    loc_location place;
    if (!cfa || loc_location_decode(&place, param.size, param.flags, param.values.data(),
                                    param.vlen) != BTF_FAULT_NONE)
        return false;
    return place.registers[0] == cfa->reg && static_cast<int64_t>(place.value) < cfa->offset;
}

bool SiteContext::is_doubtful(const ExpressionCode &code, bool is_of_scope) {
    const std::optional<CodeReads> reads = reads_of(code, file_.elf().machine());
    if (!reads || (reads->upper_bits && unit_.compiler == Compiler::kClang))
        return true;
    if (!reads->memory || !is_of_scope)
        return false;
    const std::optional<RegisterOffset> cfa = call_frame_cfa();
    const std::optional<uint32_t> frame = frame_register(enclosing_.frame_base);
    return !cfa || reads->reads(cfa->reg) || (frame && reads->reads(*frame));
}

std::optional<uint32_t> frame_register(const AttributeValue &frame_base) {
    if (frame_base.kind != AttributeValue::kBlock || frame_base.block.size() != 1 ||
        frame_base.block[0] < DW_OP_reg0 || frame_base.block[0] > DW_OP_reg31)
        return std::nullopt;
    return frame_base.block[0] - DW_OP_reg0;
}

bool SiteContext::is_set_up(uint32_t reg) {
    const std::optional<RegisterOffset> at_entry = frames_.cfa(enclosing_.entry);
    const std::optional<RegisterOffset> here = call_frame_cfa();
    return at_entry && here && here->reg == reg &&
           (here->reg != at_entry->reg || here->offset != at_entry->offset);
}

}  // namespace btf_extra::generator
