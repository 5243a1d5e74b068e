// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/types/type_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "userspace/format/variadic.h"

namespace btf_extra::generator {

namespace {

constexpr uint32_t kMaxDepth = 256;  // of pointers, qualifiers, arrays, prototypes around a type

uint32_t btf_kind_of(TypeKind kind) {
    switch (kind) {
    case TypeKind::kInt:
        return BTF_KIND_INT;
    case TypeKind::kFloat:
        return BTF_KIND_FLOAT;
    case TypeKind::kPtr:
        return BTF_KIND_PTR;
    case TypeKind::kConst:
        return BTF_KIND_CONST;
    case TypeKind::kVolatile:
        return BTF_KIND_VOLATILE;
    case TypeKind::kRestrict:
        return BTF_KIND_RESTRICT;
    case TypeKind::kTypedef:
        return BTF_KIND_TYPEDEF;
    case TypeKind::kStruct:
        return BTF_KIND_STRUCT;
    case TypeKind::kUnion:
        return BTF_KIND_UNION;
    case TypeKind::kEnum:
        return BTF_KIND_ENUM;
    case TypeKind::kArray:
        return BTF_KIND_ARRAY;
    case TypeKind::kFuncProto:
        return BTF_KIND_FUNC_PROTO;
    case TypeKind::kVoid:
    case TypeKind::kUnsupported:
        break;
    }
    return BTF_KIND_UNKN;
}

bool is_aggregate(TypeKind kind) {
    return kind == TypeKind::kStruct || kind == TypeKind::kUnion;
}

bool int_is(const btf_type *type, const SourceType &source) {
    const uint32_t word = *records<uint32_t>(type);
    const uint32_t encoding = BTF_INT_ENCODING(word);
    return type->size == source.size && BTF_INT_BITS(word) == source.size * 8 &&
           ((encoding & BTF_INT_BOOL) != 0) == source.is_bool &&
           ((encoding & BTF_INT_SIGNED) != 0) == source.is_signed;
}

}  // namespace

std::pair<TypeId, bool> NewTypes::intern(const std::string &description) {
    const std::lock_guard lock(mutex_);
    const auto [entry, fresh] =
        by_description_.try_emplace(description, static_cast<uint32_t>(types_.size()));
    if (fresh) {
        types_.emplace_back().description = description;
        description_bytes_ += description.size();
    }
    return {kNewType | entry->second, fresh};
}

void NewTypes::fill(TypeId id, NewType type) {
    const std::lock_guard lock(mutex_);
    NewType &entry = types_[id & ~kNewType];
    type.description = std::move(entry.description);
    entry = std::move(type);
}

TypeId TypeMap::map(TypeRef ref) {
    const uint32_t id = find(ref);
    if (id != kNotInBase)
        return id;
    return is_finite(ref) ? make(ref) : opaque();
}

TypeId TypeMap::map_param(TypeRef ref) {
    const TypeId id = map(ref);
    return id ? id : opaque();
}

TypeId TypeMap::opaque() {
    const auto [id, fresh] = new_types_.intern("");
    if (fresh) {
        NewType type;
        type.kind = TypeKind::kUnsupported;
        new_types_.fill(id, std::move(type));
    }
    return id;
}

uint32_t TypeMap::find(TypeRef ref) {
    if (ref == 0)
        return 0;
    // This is the answer while the type is looked for: a type that contains itself without a struct
    // between is not in the base.
    const auto [entry, fresh] = found_.try_emplace(ref, kNotInBase);
    if (!fresh)
        return entry->second;
    if (depth_ >= kMaxDepth)
        return kNotInBase;
    ++depth_;
    const uint32_t id = find_uncached(ref);
    --depth_;
    found_[ref] = id;
    return id;
}

bool TypeMap::is_finite(TypeRef ref) {
    for (uint32_t depth = 0; depth < kMaxDepth; ++depth) {
        const SourceType type = source_.describe(ref, false);
        switch (type.kind) {
        case TypeKind::kPtr:
        case TypeKind::kConst:
        case TypeKind::kVolatile:
        case TypeKind::kRestrict:
        case TypeKind::kTypedef:
        case TypeKind::kArray:
            ref = type.target;
            break;
        default:
            return true;
        }
        if (ref == 0)
            return true;
    }
    return false;
}

uint32_t TypeMap::find_uncached(TypeRef ref) {
    const SourceType type = source_.describe(ref, false);
    switch (type.kind) {
    case TypeKind::kVoid:
        return 0;
    case TypeKind::kPtr:
    case TypeKind::kConst:
    case TypeKind::kVolatile:
    case TypeKind::kRestrict:
    case TypeKind::kArray:
        return find_reference(type);
    case TypeKind::kInt:
        for (const uint32_t id : base_.named(BTF_KIND_INT, type.name))
            if (int_is(base_.type(id), type))
                return id;
        return kNotInBase;
    case TypeKind::kFloat:
        for (const uint32_t id : base_.named(BTF_KIND_FLOAT, type.name))
            if (base_.type(id)->size == type.size)
                return id;
        return kNotInBase;
    case TypeKind::kTypedef:
        return find_named(type, ref);
    case TypeKind::kStruct:
    case TypeKind::kUnion:
    case TypeKind::kEnum:
        return find_aggregate(type, ref);
    case TypeKind::kFuncProto:
        return find_func_proto(ref);
    case TypeKind::kUnsupported:
        break;
    }
    return kNotInBase;
}

uint32_t TypeMap::first_equivalent(TypeRef ref, const std::vector<uint32_t> &candidates) {
    for (const uint32_t id : candidates) {
        std::set<Pair> assumed;
        if (equivalent(ref, id, assumed))
            return id;
    }
    return kNotInBase;
}

// If a name is unique in the base, there is nothing to compare.
uint32_t TypeMap::find_named(const SourceType &type, TypeRef ref) {
    const uint32_t id = unique(type.kind, type.name);
    return id ? id : first_equivalent(ref, base_.named(btf_kind_of(type.kind), type.name));
}

uint32_t TypeMap::unique(TypeKind kind, std::string_view name) const {
    const uint32_t id = base_.unique(btf_kind_of(kind), name);
    if (kind != TypeKind::kEnum)
        return id;
    // An enum may be of either of two kinds.
    const bool wide = !base_.named(BTF_KIND_ENUM64, name).empty();
    if (id != 0)
        return wide ? 0 : id;
    return wide && base_.named(BTF_KIND_ENUM, name).empty() ? base_.unique(BTF_KIND_ENUM64, name)
                                                            : 0;
}

uint32_t TypeMap::find_aggregate(const SourceType &type, TypeRef ref) {
    if (type.name.empty()) {
        const SourceType full = source_.describe(ref, true);
        const auto size = static_cast<uint32_t>(full.size);
        std::vector<BaseTypes::Names> names;
        for (const SourceMember &member : full.members)
            names.push_back({member.name, source_.describe(member.type, false).name});
        for (const SourceEnumerator &enumerator : full.enumerators)
            names.push_back({enumerator.name, {}});
        const uint32_t id =
            first_equivalent(ref, base_.anonymous(btf_kind_of(type.kind), size, names));
        if (id != kNotInBase || type.kind != TypeKind::kEnum)
            return id;
        return first_equivalent(ref, base_.anonymous(BTF_KIND_ENUM64, size, names));
    }
    if (!type.declaration) {
        uint32_t id = find_named(type, ref);
        if (id == kNotInBase && type.kind == TypeKind::kEnum)
            id = first_equivalent(ref, base_.named(BTF_KIND_ENUM64, type.name));
        return id;
    }
    // A declaration means the one definition. If there are several, it does not say which.
    if (const uint32_t id = unique(type.kind, type.name))
        return id;
    for (const uint32_t id : base_.named(BTF_KIND_FWD, type.name))
        if (loc_kind_flag(base_.type(id)) == (type.kind == TypeKind::kUnion ? 1u : 0u))
            return id;
    return kNotInBase;
}

uint32_t TypeMap::find_reference(const SourceType &type) {
    uint32_t target = find(type.target);
    if (target == kNotInBase)
        return kNotInBase;
    if (type.kind == TypeKind::kArray) {
        const uint32_t id = base_.array(target, static_cast<uint32_t>(type.elements));
        return id ? id : kNotInBase;
    }
    // A base without these tags was made by a tool that does not write any.
    for (const std::string_view tag : type.type_tags)
        if (const uint32_t tagged = base_.type_tag(tag, target))
            target = tagged;
    const uint32_t id = base_.reference(btf_kind_of(type.kind), target);
    return id ? id : kNotInBase;
}

uint32_t TypeMap::find_func_proto(TypeRef ref) {
    const SourceType type = source_.describe(ref, true);
    const uint32_t result = find(type.target);
    if (result == kNotInBase)
        return kNotInBase;
    std::vector<uint32_t> types;
    std::vector<std::string_view> names;
    for (const SourceParam &param : type.params) {
        types.push_back(find(param.type));
        names.push_back(param.name);
        if (types.back() == kNotInBase)
            return kNotInBase;
    }
    const uint32_t id = base_.func_proto(result, types, names, type.variadic);
    return id ? id : kNotInBase;
}

bool TypeMap::equivalent(TypeRef ref, uint32_t id, std::set<Pair> &assumed) {
    // The chain of tags in a base is not checked, and may be endless.
    for (uint32_t tags = 0; tags < kMaxDepth && base_.kind(id) == BTF_KIND_TYPE_TAG; ++tags)
        id = base_.type(id)->type;
    if (ref == 0 || id == 0)
        return ref == 0 && id == 0;
    const SourceType type = source_.describe(ref, false);
    const btf_type *base = base_.type(id);
    const uint32_t kind = base_.kind(id);
    if (type.kind == TypeKind::kVoid || !base)
        return false;
    const bool is_fwd = kind == BTF_KIND_FWD && is_aggregate(type.kind);
    const bool is_enum64 = kind == BTF_KIND_ENUM64 && type.kind == TypeKind::kEnum;
    if (kind != btf_kind_of(type.kind) && !is_fwd && !is_enum64)
        return false;
    switch (type.kind) {
    case TypeKind::kPtr:
    case TypeKind::kConst:
    case TypeKind::kVolatile:
    case TypeKind::kRestrict:
        return equivalent(type.target, base->type, assumed);
    case TypeKind::kArray:
        return records<btf_array>(base)->nelems == type.elements &&
               equivalent(type.target, records<btf_array>(base)->type, assumed);
    case TypeKind::kFuncProto:
        return equivalent_params(source_.describe(ref, true), id, assumed);
    default:
        break;
    }
    if (base_.name(id) != type.name)
        return false;
    if (type.kind == TypeKind::kInt)
        return int_is(base, type);
    if (type.kind == TypeKind::kFloat)
        return base->size == type.size;
    if (is_fwd || type.declaration)
        return true;
    // A name that is unique decides here, too.
    if (!type.name.empty() && unique(type.kind, type.name) == id)
        return true;
    if (type.kind == TypeKind::kTypedef)
        return equivalent(type.target, base->type, assumed);
    if (base->size != type.size || !assumed.emplace(ref, id).second)
        return base->size == type.size;
    const SourceType full = source_.describe(ref, true);
    return type.kind == TypeKind::kEnum ? equivalent_enumerators(full, id)
                                        : equivalent_members(full, id, assumed);
}

bool TypeMap::equivalent_members(const SourceType &type, uint32_t id, std::set<Pair> &assumed) {
    const btf_type *base = base_.type(id);
    if (loc_vlen(base) != type.members.size())
        return false;
    const auto *members = records<btf_member>(base);
    const bool has_bit_sizes = loc_kind_flag(base) != 0;
    // The cheap comparisons come first, for all members.
    for (size_t i = 0; i < type.members.size(); ++i) {
        const uint32_t offset = members[i].offset;
        const uint64_t bit_offset = has_bit_sizes ? BTF_MEMBER_BIT_OFFSET(offset) : offset;
        const uint32_t bit_size = has_bit_sizes ? BTF_MEMBER_BITFIELD_SIZE(offset) : 0;
        if (bit_offset != type.members[i].bit_offset || bit_size != type.members[i].bit_size ||
            base_.string(members[i].name_off) != type.members[i].name)
            return false;
    }
    for (size_t i = 0; i < type.members.size(); ++i)
        if (!equivalent(type.members[i].type, members[i].type, assumed))
            return false;
    return true;
}

bool TypeMap::equivalent_enumerators(const SourceType &type, uint32_t id) const {
    const btf_type *base = base_.type(id);
    if (loc_vlen(base) != type.enumerators.size())
        return false;
    for (size_t i = 0; i < type.enumerators.size(); ++i) {
        uint32_t name = 0;
        uint64_t mask = UINT32_MAX;
        uint64_t value = 0;
        if (base_.kind(id) == BTF_KIND_ENUM) {
            const btf_enum &entry = records<btf_enum>(base)[i];
            name = entry.name_off;
            value = static_cast<uint32_t>(entry.val);
        } else {
            const btf_enum64 &entry = records<btf_enum64>(base)[i];
            name = entry.name_off;
            value = entry.val_lo32 | uint64_t{entry.val_hi32} << 32;
            mask = UINT64_MAX;
        }
        if (base_.string(name) != type.enumerators[i].name ||
            value != (type.enumerators[i].value & mask))
            return false;
    }
    return true;
}

bool TypeMap::equivalent_params(const SourceType &type, uint32_t id, std::set<Pair> &assumed) {
    const btf_type *base = base_.type(id);
    if (loc_vlen(base) != type.params.size() + (type.variadic ? 1 : 0) ||
        !equivalent(type.target, base->type, assumed))
        return false;
    const auto *params = records<btf_param>(base);
    for (size_t i = 0; i < type.params.size(); ++i)
        if (!equivalent(type.params[i].type, params[i].type, assumed))
            return false;
    return !type.variadic || ends_variadic(params[type.params.size()]);
}

std::string TypeMap::known(TypeRef ref) {
    const uint32_t id = find(ref);
    if (id != kNotInBase)
        return fmt::format("#{}", id);
    return is_finite(ref) ? "" : "!";
}

TypeId TypeMap::make(TypeRef ref) {
    const TypeId id = intern(ref);
    while (!unfilled_.empty()) {
        const auto [next, next_id] = unfilled_.back();
        unfilled_.pop_back();
        fill(next, next_id);
    }
    return id;
}

TypeId TypeMap::intern(TypeRef ref) {
    const auto before = made_.find(ref);
    if (before != made_.end())
        return before->second;
    if (new_types_.too_many())
        return opaque();
    const auto [id, fresh] = new_types_.intern(describer_.describe(ref));
    made_.emplace(ref, id);
    if (fresh)
        unfilled_.emplace_back(ref, id);
    return id;
}

// Makes a type that another one refers to. It is filled in later.
TypeId TypeMap::refer(TypeRef ref) {
    const uint32_t id = find(ref);
    if (id != kNotInBase)
        return id;
    return is_finite(ref) ? intern(ref) : opaque();
}

void TypeMap::fill(TypeRef ref, TypeId id) {
    const SourceType source = source_.describe(ref, true);
    NewType type;
    type.kind = source.kind;
    type.name = source.name;
    type.size = source.size;
    type.declaration = source.declaration;
    type.is_signed = source.is_signed;
    type.is_char = source.is_char;
    type.is_bool = source.is_bool;
    type.variadic = source.variadic;
    type.elements = source.elements;
    if (source.kind != TypeKind::kUnsupported && !is_aggregate(source.kind) &&
        source.kind != TypeKind::kEnum)
        type.target = refer(source.target);
    for (const SourceMember &member : source.members)
        type.members.push_back({.name = std::string(member.name),
                                .type = refer(member.type),
                                .bit_offset = member.bit_offset,
                                .bit_size = member.bit_size});
    for (const SourceEnumerator &enumerator : source.enumerators)
        type.enumerators.emplace_back(enumerator.name, enumerator.value);
    for (const SourceParam &param : source.params) {
        const TypeId param_type = refer(param.type);
        type.params.push_back(
            {.name = std::string(param.name), .type = param_type ? param_type : opaque()});
    }
    new_types_.fill(id, std::move(type));
}

}  // namespace btf_extra::generator
