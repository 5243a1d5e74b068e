// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/libdw_location.h"

#include <algorithm>
#include <string_view>

#include <dwarf.h>

#include "userspace/format/core_api.h"

namespace btf_extra::test {

namespace {

std::optional<uint64_t> register_of(const Dwarf_Op &op) {
    if (op.atom >= DW_OP_reg0 && op.atom <= DW_OP_reg31)
        return op.atom - DW_OP_reg0;
    if (op.atom == DW_OP_regx)
        return op.number;
    return std::nullopt;
}

std::optional<uint64_t> constant_of(const Dwarf_Op &op) {
    if (op.atom >= DW_OP_lit0 && op.atom <= DW_OP_lit31)
        return op.atom - DW_OP_lit0;
    switch (op.atom) {
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return op.number;
    default:
        return std::nullopt;
    }
}

bool is_cfa(std::span<const DwarfOperation> frame_base) {
    return frame_base.size() == 1 && frame_base[0].op == Op::kCallFrameCfa;
}

// Returns register + offset, if one operation says that.
std::optional<CfaRule> based(const Dwarf_Op &op, const LocationPlace &place) {
    if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31)
        return CfaRule{uint64_t{op.atom} - DW_OP_breg0, static_cast<int64_t>(op.number)};
    if (op.atom == DW_OP_bregx)
        return CfaRule{op.number, static_cast<int64_t>(op.number2)};
    if (op.atom == DW_OP_call_frame_cfa)
        return place.cfa();
    if (op.atom == DW_OP_fbreg && is_cfa(place.frame_base)) {
        std::optional<CfaRule> cfa = place.cfa();
        if (cfa)
            cfa->offset += static_cast<int64_t>(op.number);
        return cfa;
    }
    return std::nullopt;
}

bool is_entry_value(const Dwarf_Op &op) {
    return op.atom == DW_OP_entry_value || op.atom == DW_OP_GNU_entry_value;
}

// Returns the register that DW_OP_entry_value names.
std::optional<uint64_t> entry_register(const LocationOps &location, const Dwarf_Op &op) {
    Dwarf_Attribute inner;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (dwarf_getlocation_attr(location.attribute, &op, &inner) != 0 ||
        dwarf_getlocation(&inner, &ops, &count) != 0 || count != 1)
        return std::nullopt;
    return register_of(ops[0]);
}

PlainLocation in_register(uint64_t reg, uint64_t size) {
    return {static_cast<uint32_t>(size), LOC_REG, {static_cast<uint32_t>(reg)}};
}

// An offset of two words is signed if and only if SIGNED is set.
std::optional<PlainLocation> at_register(CfaRule base, uint64_t size, uint32_t flags) {
    if (base.reg >= kRegisters)
        return std::nullopt;
    PlainLocation plain = in_register(base.reg, size);
    plain.flags |= flags;
    if (base.offset == 0)
        return plain;
    plain.flags |= LOC_OFFSET;
    const auto offset = static_cast<uint64_t>(base.offset);
    plain.values.push_back(static_cast<uint32_t>(offset));
    if (base.offset < 0 && base.offset >= INT32_MIN)
        plain.flags |= LOC_SIGNED;
    else if (offset > UINT32_MAX)
        plain.values.push_back(static_cast<uint32_t>(offset >> 32));
    return plain;
}

// A number of one or two words. It is a value, not an address constant.
PlainLocation number(uint64_t value, uint64_t size, uint32_t flags) {
    PlainLocation plain{static_cast<uint32_t>(size), flags, {static_cast<uint32_t>(value)}};
    if (size < 4)
        plain.values[0] = static_cast<uint32_t>(low_bytes(value, static_cast<uint32_t>(size)));
    else if (size > 4)
        plain.values.push_back(static_cast<uint32_t>(low_bytes(value, size) >> 32));
    return plain;
}

std::optional<PlainLocation> plain_address(uint64_t link, uint64_t size,
                                           const LocationPlace &place) {
    const LinkedAddress address = place.linked_address(link);
    if (size > 8 || address.kind == LinkedAddress::kElsewhere)
        return std::nullopt;
    if (address.kind == LinkedAddress::kFixed)
        return number(link, size, LOC_CONST);
    if (size != 8)  // a part of an address: adding the object's base to it would be wrong
        return std::nullopt;
    return number(address.relative, size, LOC_CONST | LOC_ADDR);
}

// ---- operations for the evaluator ----

OperandType operand_type(const LocationOps &location, const Dwarf_Op &op) {
    Dwarf_Die type;
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    if (dwarf_getlocation_die(location.attribute, &op, &type) != 0)
        return {};  // type 0 is the generic type
    const int bytes = dwarf_bytesize(&type);
    OperandType out{.kind = OperandType::kOther};
    if (bytes < 1 || bytes > 8 ||
        dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attribute), &encoding) != 0)
        return out;
    out.bytes = static_cast<uint32_t>(bytes);
    out.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    if (out.is_signed || encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char ||
        encoding == DW_ATE_boolean)
        out.kind = OperandType::kInteger;
    // clang 14 has this name for a type of one bit, and no DW_AT_bit_size.
    const char *name = dwarf_diename(&type);
    if (name && std::string_view(name) == "DW_ATE_unsigned_1")
        out.bits = 1;
    return out;
}

std::vector<DwarfOperation> operations_of(const LocationOps &location);

DwarfOperation operation_of(const LocationOps &location, const Dwarf_Op &op) {
    DwarfOperation out{.op = static_cast<Op>(op.atom),
                       .offset = op.offset,
                       .number = op.number,
                       .second = op.number2};
    switch (op.atom) {
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value: {
        Dwarf_Attribute inner;
        LocationOps ops{.attribute = &inner, .ops = {}};
        Dwarf_Op *first = nullptr;
        size_t count = 0;
        if (dwarf_getlocation_attr(location.attribute, &op, &inner) != 0 ||
            dwarf_getlocation(&inner, &first, &count) != 0)
            out.op = kNotCovered;
        ops.ops = {first, count};
        out.inner = operations_of(ops);
        break;
    }
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type:
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type:
    case DW_OP_convert:
    case DW_OP_GNU_convert:
        out.type = operand_type(location, op);
        break;
    case DW_OP_const_type:
    case DW_OP_GNU_const_type:
    case DW_OP_reinterpret:
    case DW_OP_GNU_reinterpret:
    case DW_OP_implicit_value:
        out.op = kNotCovered;
        break;
    default:
        break;
    }
    return out;
}

std::vector<DwarfOperation> operations_of(const LocationOps &location) {
    std::vector<DwarfOperation> out;
    for (const Dwarf_Op &op : location.ops)
        out.push_back(operation_of(location, op));
    return out;
}

std::optional<ParamValue> whole(const ParamBytes &bytes) {
    ParamValue value{};
    for (size_t i = 0; i < bytes.size(); i++) {
        if (!bytes[i])
            return std::nullopt;
        value[i] = *bytes[i];
    }
    return value;
}

}  // namespace

std::optional<PlainLocation> plain_constant(uint64_t value, uint64_t size) {
    if (size > 8)
        return std::nullopt;
    return number(value, size, LOC_CONST);
}

std::optional<PlainLocation> plain_location(const LocationOps &location, uint64_t size,
                                            const LocationPlace &place) {
    std::span<Dwarf_Op> ops = location.ops;
    if (ops.size() == 4 && ops[1].atom == DW_OP_piece && ops[3].atom == DW_OP_piece) {
        const auto low = register_of(ops[0]), high = register_of(ops[2]);
        if (!low || !high || *low >= kRegisters || *high >= kRegisters || ops[1].number != 8 ||
            size <= 8 || ops[3].number != size - 8)
            return std::nullopt;
        PlainLocation pair = in_register(*low, size);
        pair.values.push_back(static_cast<uint32_t>(*high));
        return pair;
    }
    if (!ops.empty() && ops.back().atom == DW_OP_piece && ops.back().number == size)
        ops = ops.first(ops.size() - 1);
    if (ops.size() == 1) {
        if (const auto reg = register_of(ops[0]))
            return *reg < kRegisters && size <= 8 ? std::optional(in_register(*reg, size))
                                                  : std::nullopt;
        if (const auto base = based(ops[0], place))
            return at_register(*base, size, LOC_DEREF);
        Dwarf_Block block;
        if (ops[0].atom == DW_OP_implicit_value && size <= 8 &&
            dwarf_getlocation_implicit_value(location.attribute, &ops[0], &block) == 0 &&
            block.length == size) {
            uint64_t value = 0;
            std::copy_n(block.data, size, reinterpret_cast<uint8_t *>(&value));
            return number(value, size, LOC_CONST);
        }
    }
    if (ops.size() != 2 || ops[1].atom != DW_OP_stack_value || size > 8)
        return std::nullopt;
    if (const auto constant = constant_of(ops[0]))
        return number(*constant, size, LOC_CONST);
    if (const auto base = based(ops[0], place))
        return at_register(*base, size, 0);
    if (ops[0].atom == DW_OP_addr)
        return plain_address(ops[0].number, size, place);
    if (is_entry_value(ops[0]) && place.at_function_entry)
        if (const auto reg = entry_register(location, ops[0]); reg && *reg < kRegisters)
            return in_register(*reg, size);
    return std::nullopt;
}

std::vector<std::optional<ParamValue>> location_values(const LocationOps &location, uint64_t size,
                                                       const LocationPlace &place,
                                                       std::span<const Machine> machines) {
    const std::vector<DwarfOperation> operations = operations_of(location);
    std::vector<std::optional<ParamValue>> values;
    for (const Machine &machine : machines)
        values.push_back(whole(evaluate(operations, SIZE_MAX, size, place, machine)));
    if (std::ranges::none_of(values, &std::optional<ParamValue>::has_value))
        values.clear();
    return values;
}

}  // namespace btf_extra::test
