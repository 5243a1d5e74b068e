// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/dwarf/dwarf_types.h"

namespace btf_extra::generator {

namespace {

constexpr uint16_t kTagLlvmAnnotation = 0x6000;
constexpr uint32_t kMaxTypeDepth = 128;  // of qualifiers and arrays around a type

TypeKind kind_of(uint16_t tag) {
    switch (tag) {
    case DW_TAG_base_type:
        return TypeKind::kInt;
    case DW_TAG_pointer_type:
        return TypeKind::kPtr;
    case DW_TAG_const_type:
        return TypeKind::kConst;
    case DW_TAG_volatile_type:
        return TypeKind::kVolatile;
    case DW_TAG_restrict_type:
        return TypeKind::kRestrict;
    case DW_TAG_typedef:
        return TypeKind::kTypedef;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
        return TypeKind::kStruct;
    case DW_TAG_union_type:
        return TypeKind::kUnion;
    case DW_TAG_enumeration_type:
        return TypeKind::kEnum;
    case DW_TAG_array_type:
        return TypeKind::kArray;
    case DW_TAG_subroutine_type:
        return TypeKind::kFuncProto;
    case DW_TAG_unspecified_type:
        return TypeKind::kVoid;
    default:
        return TypeKind::kUnsupported;
    }
}

void set_encoding(SourceType &type, uint64_t encoding) {
    switch (encoding) {
    case DW_ATE_boolean:
        type.is_bool = true;
        break;
    case DW_ATE_signed_char:
        type.is_signed = true;
        type.is_char = true;
        break;
    case DW_ATE_unsigned_char:
        type.is_char = true;
        break;
    case DW_ATE_signed:
        type.is_signed = true;
        break;
    case DW_ATE_float:
        type.kind = TypeKind::kFloat;
        break;
    case DW_ATE_unsigned:
    case DW_ATE_UTF:
    case DW_ATE_address:
        break;
    default:  // complex, decimal, ...
        type.kind = TypeKind::kUnsupported;
        break;
    }
}

}  // namespace

const Unit *DwarfTypes::unit_at(uint64_t offset) {
    if (!last_ || offset < last_->header.offset || offset >= last_->header.end)
        last_ = units_.at(offset);
    return last_;
}

SourceType DwarfTypes::describe(TypeRef ref, bool details) {
    SourceType type;
    const Unit *unit = nullptr;
    Die die;
    // BTF has no _Atomic; the type that it qualifies has the same layout.
    for (uint32_t depth = 0; ref != 0 && depth < kMaxTypeDepth; ++depth) {
        unit = unit_at(ref);
        die = unit ? unit->die_at(ref) : Die{};
        if (die.tag() != DW_TAG_atomic_type)
            break;
        ref = type_ref(unit->attribute(die, DW_AT_type));
    }
    if (ref == 0)
        return type;
    if (!die.abbreviation) {
        refers_to_nothing_ = true;
        type.kind = TypeKind::kUnsupported;
        return type;
    }
    type.kind = kind_of(die.tag());
    uint64_t encoding = 0;
    unit->for_each_attribute(die, [&](uint16_t name, const AttributeValue &value) {
        switch (name) {
        case DW_AT_name:
            type.name = value.string;
            break;
        case DW_AT_byte_size:
            if (value.is_constant())
                type.size = value.number;
            break;
        case DW_AT_encoding:
            encoding = value.number;
            break;
        case DW_AT_declaration:
            type.declaration = value.number != 0;
            break;
        case DW_AT_type:
            type.target = type_ref(value);
            break;
        default:
            break;
        }
    });
    if (type.kind == TypeKind::kInt)
        set_encoding(type, encoding);
    if (type.kind == TypeKind::kVoid)
        return {};
    const bool needs_children = type.kind == TypeKind::kArray || type.kind == TypeKind::kPtr;
    if (die.abbreviation->has_children && (details || needs_children))
        read_children(*unit, die, type);
    return type;
}

void DwarfTypes::read_children(const Unit &unit, const Die &die, SourceType &type) {
    if (type.kind == TypeKind::kArray)
        type.elements = 1;
    uint64_t offset = unit.after_attributes(die);
    while (offset != 0) {
        const Die child = unit.die_at(offset);
        if (!child.abbreviation)
            break;
        switch (child.tag()) {
        case DW_TAG_member:
            // The layout has no static members.
            if (!unit.attribute(child, DW_AT_external))
                type.members.push_back(read_member(unit, child));
            break;
        case DW_TAG_enumerator: {
            SourceEnumerator enumerator;
            enumerator.name = unit.attribute(child, DW_AT_name).string;
            const AttributeValue value = unit.attribute(child, DW_AT_const_value);
            enumerator.value = value.number;
            if (value.kind == AttributeValue::kSigned && static_cast<int64_t>(value.number) < 0)
                type.is_signed = true;
            type.enumerators.push_back(enumerator);
            break;
        }
        case DW_TAG_subrange_type: {
            const AttributeValue count = unit.attribute(child, DW_AT_count);
            const AttributeValue bound = unit.attribute(child, DW_AT_upper_bound);
            if (count.is_constant())
                type.elements *= count.number;
            else
                type.elements *= bound.is_constant() ? bound.number + 1 : 0;
            break;
        }
        case DW_TAG_formal_parameter: {
            type.params.push_back({.name = unit.attribute(child, DW_AT_name).string,
                                   .type = type_ref(unit.attribute(child, DW_AT_type))});
            break;
        }
        case DW_TAG_unspecified_parameters:
            type.variadic = true;
            break;
        case kTagLlvmAnnotation:
            if (unit.attribute(child, DW_AT_name).string == "btf_type_tag")
                type.type_tags.push_back(unit.attribute(child, DW_AT_const_value).string);
            break;
        default:
            break;
        }
        offset = unit.next_sibling(child);
    }
}

SourceMember DwarfTypes::read_member(const Unit &unit, const Die &die) {
    SourceMember member;
    uint64_t byte_offset = 0;
    uint64_t byte_size = 0;
    std::optional<uint64_t> bit_offset;      // from the start of the struct
    std::optional<uint64_t> old_bit_offset;  // DWARF 2 and 3 count from the top of the storage unit
    unit.for_each_attribute(die, [&](uint16_t name, const AttributeValue &value) {
        switch (name) {
        case DW_AT_name:
            member.name = value.string;
            break;
        case DW_AT_type:
            member.type = type_ref(value);
            break;
        case DW_AT_bit_size:
            member.bit_size = static_cast<uint32_t>(value.number);
            break;
        case DW_AT_byte_size:
            byte_size = value.number;
            break;
        case DW_AT_data_bit_offset:
            bit_offset = value.number;
            break;
        case DW_AT_bit_offset:
            old_bit_offset = value.number;
            break;
        case DW_AT_data_member_location:
            if (value.is_constant()) {
                byte_offset = value.number;
            } else if (value.kind == AttributeValue::kBlock && !value.block.empty() &&
                       value.block[0] == DW_OP_plus_uconst) {
                byte_offset = ByteReader(value.block, 1).uleb();
            }
            break;
        default:
            break;
        }
    });
    member.bit_offset = byte_offset * 8;
    if (bit_offset)
        member.bit_offset = *bit_offset;
    else if (old_bit_offset && byte_size)
        member.bit_offset += byte_size * 8 - *old_bit_offset - member.bit_size;
    return member;
}

uint64_t DwarfTypes::size_of(TypeRef ref) {
    uint64_t count = 1;
    for (uint32_t depth = 0; depth < kMaxTypeDepth; ++depth) {
        const SourceType type = describe(ref, false);
        switch (type.kind) {
        case TypeKind::kPtr:
            return count * 8;
        case TypeKind::kConst:
        case TypeKind::kVolatile:
        case TypeKind::kRestrict:
        case TypeKind::kTypedef:
            break;
        case TypeKind::kArray:
            count *= type.elements;
            break;
        case TypeKind::kVoid:
        case TypeKind::kFuncProto:
            return 0;
        default:
            return count * type.size;
        }
        ref = type.target;
    }
    return 0;
}

}  // namespace btf_extra::generator
