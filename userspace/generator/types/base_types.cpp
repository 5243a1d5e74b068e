// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/types/base_types.h"

#include <algorithm>
#include <bit>

#include "userspace/format/variadic.h"

namespace btf_extra::generator {

namespace {

constexpr uint32_t kMaxTags = 256;  // around a type; a base is not checked, and may have a circle

}  // namespace

BaseTypes::BaseTypes(const btf_blob *base, uint32_t first_func_id,
                     std::shared_ptr<const BaseTypes> below)
    : base_(base), first_func_id_(first_func_id) {
    for (const btf_blob *level = base; level && below && !below_; level = level->base)
        if (level == below->base_)
            below_ = std::move(below);
    if (base) {
        end_id_ = btf_blob_end_id(base);
        end_string_ = btf_blob_end_string(base);
    }
    if (below_) {
        first_id_ = below_->end_id_;
        array_index_ = below_->array_index_;
    }
    types_.resize(end_id_ - first_id_);
    previous_.resize(types_.size());
    buckets_.resize(std::bit_ceil(types_.size() * 2));
    for (uint32_t id = first_id_; id < end_id_; ++id)
        types_[id - first_id_] = btf_blob_type(base, id);
    for (uint32_t id = first_id_; id < end_id_; ++id) {
        const btf_type *type = types_[id - first_id_];
        if (!type)
            continue;
        uint32_t &bucket = buckets_[shape(id) & (buckets_.size() - 1)];
        previous_[id - first_id_] = bucket;
        bucket = id;
        if (kind(id) == BTF_KIND_ARRAY && array_index_ == 0)
            array_index_ = records<btf_array>(type)->index_type;
    }
    index_strings();
}

std::string_view BaseTypes::string(uint32_t offset) const {
    const char *text = base_ ? btf_blob_string(base_, offset) : nullptr;
    return text ? text : std::string_view();
}

void BaseTypes::index_strings() {
    const btf_blob *indexed = below_ ? below_->base_ : nullptr;
    // It is never full: a string has a NUL.
    string_table_.resize(std::bit_ceil(end_string_ - (below_ ? below_->end_string_ : 0) + 1));
    for (const btf_blob *level = base_; level != indexed; level = level->base) {
        if (!level->data)
            continue;
        const auto *text = reinterpret_cast<const char *>(level->data + level->strings_off);
        for (uint32_t at = 0; at < level->strings_len;) {
            const std::string_view string(text + at);
            size_t slot = hash_of(string);
            while (string_table_[slot &= string_table_.size() - 1] != 0)
                ++slot;
            string_table_[slot] = level->first_string + at + 1;
            at += static_cast<uint32_t>(string.size()) + 1;
        }
    }
}

uint32_t BaseTypes::find_string(std::string_view text) const {
    for (size_t slot = hash_of(text);; ++slot) {
        const uint32_t entry = string_table_[slot &= string_table_.size() - 1];
        if (entry == 0)
            return below_ ? below_->find_string(text) : UINT32_MAX;
        if (string(entry - 1) == text)
            return entry - 1;
    }
}

// Returns a hash of what look-ups of this kind ask for.
uint64_t BaseTypes::shape(uint32_t id) const {
    const btf_type *type = this->type(id);
    const uint32_t kind = loc_kind(type);
    switch (kind) {
    case BTF_KIND_PTR:
    case BTF_KIND_CONST:
    case BTF_KIND_VOLATILE:
    case BTF_KIND_RESTRICT:
        return hash_mix(kind, type->type);
    case BTF_KIND_TYPE_TAG:
        return hash_mix(hash_mix(kind, type->type), hash_of(string(type->name_off)));
    case BTF_KIND_ARRAY: {
        const auto *array = records<btf_array>(type);
        return hash_mix(hash_mix(kind, array->type), array->nelems);
    }
    case BTF_KIND_FUNC_PROTO: {
        const auto *params = records<btf_param>(type);
        uint64_t hash = hash_mix(kind, type->type);
        for (uint32_t i = 0; i < loc_vlen(type); ++i)
            hash = hash_mix(hash, params[i].type);
        return hash;
    }
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64:
        if (type->name_off == 0)
            return anonymous_shape(type);
        [[fallthrough]];
    default:
        return hash_mix(kind, hash_of(string(type->name_off)));
    }
}

// All names count: of Debian's 6.1, 693 unions differ in nothing but the name of a member's type.
uint64_t BaseTypes::anonymous_shape(const btf_type *type) const {
    const uint32_t kind = loc_kind(type);
    const uint32_t vlen = loc_vlen(type);
    uint64_t hash = hash_mix(kind, type->size);
    for (uint32_t i = 0; i < vlen; ++i) {
        if (kind == BTF_KIND_ENUM) {
            hash = hash_mix(hash, hash_of(string(records<btf_enum>(type)[i].name_off)));
        } else if (kind == BTF_KIND_ENUM64) {
            hash = hash_mix(hash, hash_of(string(records<btf_enum64>(type)[i].name_off)));
        } else {
            const btf_member &member = records<btf_member>(type)[i];
            hash = hash_mix(hash, hash_of(string(member.name_off)));
            hash = hash_mix(hash, hash_of(source_name(member.type)));
        }
    }
    return hash;
}

std::string_view BaseTypes::source_name(uint32_t id) const {
    for (uint32_t tags = 0; tags < kMaxTags && kind(id) == BTF_KIND_TYPE_TAG; ++tags)
        id = type(id)->type;
    switch (kind(id)) {
    case BTF_KIND_INT:
    case BTF_KIND_FLOAT:
    case BTF_KIND_TYPEDEF:
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64:
    case BTF_KIND_FWD:
        return name(id);
    default:
        return {};
    }
}

template <class Visit> void BaseTypes::each(uint64_t shape, Visit visit) const {
    for (uint32_t id = buckets_[shape & (buckets_.size() - 1)]; id; id = previous_[id - first_id_])
        visit(id);
    if (below_)
        below_->each(shape, visit);
}

template <class Match> uint32_t BaseTypes::first(uint64_t shape, Match match) const {
    uint32_t found = 0;
    each(shape, [&](uint32_t id) {
        if (match(id))
            found = id;
    });
    return found;
}

template <class Match> std::vector<uint32_t> BaseTypes::all(uint64_t shape, Match match) const {
    std::vector<uint32_t> found;
    each(shape, [&](uint32_t id) {
        if (match(id))
            found.push_back(id);
    });
    std::reverse(found.begin(), found.end());
    return found;
}

std::vector<uint32_t> BaseTypes::named(uint32_t kind, std::string_view name) const {
    return all(hash_mix(kind, hash_of(name)),
               [&](uint32_t id) { return this->kind(id) == kind && this->name(id) == name; });
}

uint32_t BaseTypes::unique(uint32_t kind, std::string_view name) const {
    uint32_t found = 0, count = 0;
    each(hash_mix(kind, hash_of(name)), [&](uint32_t id) {
        if (this->kind(id) == kind && this->name(id) == name) {
            found = id;
            count++;
        }
    });
    return count == 1 ? found : 0;
}

uint32_t BaseTypes::unsigned_int(uint32_t size) const {
    for (const char *name : {"unsigned char", "short unsigned int", "unsigned short",
                             "unsigned int", "long unsigned int", "unsigned long"})
        if (const uint32_t id = unique(BTF_KIND_INT, name); id != 0 && type(id)->size == size)
            return id;
    return 0;
}

uint32_t BaseTypes::reference(uint32_t kind, uint32_t target) const {
    return first(hash_mix(kind, target),
                 [&](uint32_t id) { return this->kind(id) == kind && type(id)->type == target; });
}

uint32_t BaseTypes::type_tag(std::string_view name, uint32_t target) const {
    const uint32_t kind = BTF_KIND_TYPE_TAG;
    return first(hash_mix(hash_mix(kind, target), hash_of(name)), [&](uint32_t id) {
        return this->kind(id) == kind && type(id)->type == target && this->name(id) == name;
    });
}

uint32_t BaseTypes::array(uint32_t element, uint32_t count) const {
    const uint32_t kind = BTF_KIND_ARRAY;
    return first(hash_mix(hash_mix(kind, element), count), [&](uint32_t id) {
        if (this->kind(id) != kind)
            return false;
        const auto *array = records<btf_array>(type(id));
        return array->type == element && array->nelems == count;
    });
}

uint32_t BaseTypes::func_proto(uint32_t result, std::span<const uint32_t> types,
                               std::span<const std::string_view> names, bool variadic) const {
    uint64_t hash = hash_mix(BTF_KIND_FUNC_PROTO, result);
    for (const uint32_t type : types)
        hash = hash_mix(hash, type);
    if (variadic)
        hash = hash_mix(hash, 0);
    return first(hash, [&](uint32_t id) { return is_proto(id, result, types, names, variadic); });
}

bool BaseTypes::is_proto(uint32_t id, uint32_t result, std::span<const uint32_t> types,
                         std::span<const std::string_view> names, bool variadic) const {
    const btf_type *proto = type(id);
    if (!proto || loc_kind(proto) != BTF_KIND_FUNC_PROTO || proto->type != result ||
        loc_vlen(proto) != types.size() + (variadic ? 1 : 0))
        return false;
    const auto *params = records<btf_param>(proto);
    for (size_t i = 0; i < types.size(); ++i)
        if (params[i].type != types[i])
            return false;
    for (size_t i = 0; i < names.size(); ++i)
        if (string(params[i].name_off) != names[i])
            return false;
    return !variadic || ends_variadic(params[types.size()]);
}

uint32_t BaseTypes::func(std::string_view name, uint32_t result, std::span<const uint32_t> types,
                         std::span<const std::string_view> names, bool variadic) const {
    return first(hash_mix(BTF_KIND_FUNC, hash_of(name)), [&](uint32_t id) {
        const bool named =
            id >= first_func_id_ && kind(id) == BTF_KIND_FUNC && this->name(id) == name;
        return named && is_proto(type(id)->type, result, types, names, variadic);
    });
}

std::vector<uint32_t> BaseTypes::anonymous(uint32_t kind, uint32_t size,
                                           std::span<const Names> members) const {
    uint64_t hash = hash_mix(kind, size);
    for (const Names &names : members) {
        hash = hash_mix(hash, hash_of(names.member));
        if (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION)
            hash = hash_mix(hash, hash_of(names.type));
    }
    return all(hash, [&](uint32_t id) {
        return this->kind(id) == kind && type(id)->name_off == 0 && type(id)->size == size &&
               loc_vlen(type(id)) == members.size();
    });
}

}  // namespace btf_extra::generator
