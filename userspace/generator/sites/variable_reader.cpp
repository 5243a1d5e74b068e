// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/variable_reader.h"

#include <optional>
#include <string_view>

namespace btf_extra::generator {

namespace {

constexpr uint32_t kMaxOrigins = 8;      // steps from an entry to what it completes
constexpr uint32_t kMaxTypeDepth = 128;  // of qualifiers and arrays around a type

// The attributes of a definition, and those of the entries that it completes.
struct Described {
    std::string_view name;
    std::optional<uint64_t> file;
    const Unit *file_unit = nullptr;  // the one whose number the file is
    TypeRef type = 0;
    bool external = false;
    uint64_t origin = 0;  // of the last entry: the entry that it completes; 0: none

    void add(const Unit &unit, const Die &die) {
        origin = 0;
        unit.for_each_attribute(die, [&](uint16_t attribute, const AttributeValue &value) {
            switch (attribute) {
            case DW_AT_name:
                if (name.empty())
                    name = value.string;
                break;
            case DW_AT_decl_file:
                if (!file) {
                    file = value.number;
                    file_unit = &unit;
                }
                break;
            case DW_AT_type:
                if (type == 0)
                    type = type_ref(value);
                break;
            case DW_AT_external:
                external |= value.number != 0;
                break;
            case DW_AT_specification:
            case DW_AT_abstract_origin:
                if (value.kind == AttributeValue::kReference)
                    origin = value.number;
                break;
            default:
                break;
            }
        });
    }
};

// Reads an expression as far as it names an address. whole: nothing follows it.
std::optional<uint64_t> named_address(const Unit &unit, Bytes expression, bool &whole) {
    if (expression.empty())
        return std::nullopt;
    ByteReader reader(expression, 1);
    std::optional<uint64_t> address;
    if (expression[0] == DW_OP_addr)
        address = reader.unsigned_of(unit.header.address_size);
    else if (expression[0] == DW_OP_addrx || expression[0] == DW_OP_GNU_addr_index)
        address = unit.indexed_address(reader.uleb());
    whole = reader.at_end();
    return reader.failed() ? std::nullopt : address;
}

// Returns the type for a VAR. none: BTF has no form for such a variable. A struct or union is
// returned without typedefs and qualifiers, because the verifier of 6.1 accepts loads of members
// only then (btf_struct_walk()). So is an array without its qualifiers: its elements have them,
// too.
std::optional<TypeRef> var_type(TypeSource &types, TypeRef type) {
    TypeRef ref = type;
    TypeRef unqualified = type;
    bool in_array = false;
    for (uint32_t depth = 0; depth < kMaxTypeDepth; ++depth) {
        const SourceType described = types.describe(ref, false);
        switch (described.kind) {
        case TypeKind::kConst:
        case TypeKind::kVolatile:
        case TypeKind::kRestrict:
            if (unqualified == ref)
                unqualified = described.target;
            ref = described.target;
            break;
        case TypeKind::kArray:
            in_array = true;
            ref = described.target;
            break;
        case TypeKind::kTypedef:
            ref = described.target;
            break;
        case TypeKind::kStruct:
        case TypeKind::kUnion:
            if (described.declaration)
                return std::nullopt;
            return in_array ? unqualified : ref;
        case TypeKind::kEnum:
            if (described.declaration)
                return std::nullopt;
            [[fallthrough]];
        case TypeKind::kInt:
        case TypeKind::kFloat:
        case TypeKind::kPtr:
            return in_array ? unqualified : type;
        case TypeKind::kVoid:
        case TypeKind::kFuncProto:
        case TypeKind::kUnsupported:
            return std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace

uint64_t VariableReader::read(const Die &die, bool of_file) {
    // Nearly all variables of functions are on the stack, and their entries are passed over.
    AttributeValue location;
    bool declaration = false;
    const uint64_t next =
        state_.unit.for_each_attribute(die, [&](uint16_t attribute, const AttributeValue &value) {
            if (attribute == DW_AT_location)
                location = value;
            else if (attribute == DW_AT_declaration)
                declaration = value.number != 0;
        });
    if (next == 0)
        return 0;
    if (state_.input.first_symbols && !declaration)
        add(die, location, of_file);
    return die.abbreviation->has_children ? state_.unit.next_sibling(die) : next;
}

void VariableReader::read_inside(const Die &function, uint64_t offset) {
    if (!state_.input.first_symbols)
        return;
    uint32_t depth = function.abbreviation->has_children ? 1 : 0;
    while (offset != 0 && depth != 0) {
        const Die die = state_.unit.die_at(offset);
        if (die.ends_children) {
            --depth;
            offset = die.attributes;
        } else if (die.tag() == DW_TAG_variable) {
            offset = read(die, false);
        } else if (die.tag() == DW_TAG_lexical_block) {
            depth += die.abbreviation->has_children ? 1 : 0;
            offset = state_.unit.after_attributes(die);
        } else if (die.abbreviation) {
            offset = state_.unit.next_sibling(die);
        } else {
            return;
        }
    }
}

void VariableReader::add(const Die &die, const AttributeValue &location, bool of_file) {
    bool whole = false;
    std::optional<uint64_t> address;
    if (location.kind == AttributeValue::kBlock)
        address = named_address(state_.unit, location.block, whole);
    if (!address && !of_file)
        return;
    Described described;
    described.add(state_.unit, die);
    const Unit *unit = &state_.unit;
    for (uint32_t i = 0; i < kMaxOrigins && described.origin != 0; ++i) {
        if (described.origin < unit->header.offset || described.origin >= unit->header.end)
            unit = state_.input.units.at(described.origin);
        const Die origin = unit ? unit->die_at(described.origin) : Die{};
        if (!origin.abbreviation)
            return;
        described.add(*unit, origin);
    }
    if (described.name.empty())
        return;

    Variable variable;
    variable.name = described.name;
    variable.external = described.external;
    if (described.file)
        variable.file = state_.functions.file_of(*described.file_unit, *described.file);
    if (!address || !whole) {
        const bool no_location =
            location.kind == AttributeValue::kNone ||
            (location.kind == AttributeValue::kBlock && location.block.empty());
        variable.reason = no_location ? VariableReason::kOptimizedOut : VariableReason::kComputed;
        state_.sites.variables.push_back(variable);
        return;
    }
    variable.address = address;
    DwarfTypes &types = state_.tools.types;
    const std::optional<TypeRef> type = var_type(types, described.type);
    const auto refused =
        state_.input.first_symbols->judge(variable.name, *address, type ? types.size_of(*type) : 0);
    if (refused)
        variable.reason = *refused;
    else if (!type)
        variable.reason = VariableReason::kNoType;
    else
        variable.type = state_.functions.type_id(*type);
    state_.sites.variables.push_back(variable);
}

}  // namespace btf_extra::generator
