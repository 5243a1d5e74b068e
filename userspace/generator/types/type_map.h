// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Maps types of the debug information to ids of the base BTF. A type that the base lacks becomes a
// new type with all that it refers to, and the same one for every unit that has it.
#ifndef BTF_EXTRA_TYPE_MAP_H
#define BTF_EXTRA_TYPE_MAP_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "userspace/generator/model/site_model.h"
#include "userspace/generator/types/base_types.h"
#include "userspace/generator/types/type_describer.h"

namespace btf_extra::generator {

struct NewMember {
    std::string name;
    TypeId type = 0;
    uint64_t bit_offset = 0;
    uint32_t bit_size = 0;
};

struct NewParam {
    std::string name;
    TypeId type = 0;
};

// A type that the base lacks, in the terms of BTF. It refers to TypeIds, of the base or new as
// well. A kUnsupported has nothing but a size.
struct NewType {
    TypeKind kind = TypeKind::kVoid;
    std::string name;
    uint64_t size = 0;
    bool declaration = false;
    bool is_signed = false;
    bool is_char = false;
    bool is_bool = false;
    bool variadic = false;
    TypeId target = 0;
    uint64_t elements = 0;
    std::vector<NewMember> members;
    std::vector<std::pair<std::string, uint64_t>> enumerators;
    std::vector<NewParam> params;
    // Describes the type completely, and is the same in every unit. New types are compared and
    // ordered by it.
    std::string description;
};

// The new types of all units. Threads may share it; size() and at() are for later.
class NewTypes {
  public:
    explicit NewTypes(size_t max_description_bytes = size_t{1} << 28)
        : max_description_bytes_(max_description_bytes) {}

    // Returns the type of that description. true: it was made just now, and the caller fills it in.
    std::pair<TypeId, bool> intern(const std::string &description);
    void fill(TypeId id, NewType type);

    // A base of the same object does not lack that many, and to go on would take all memory.
    bool too_many() const { return description_bytes_ > max_description_bytes_; }

    size_t size() const { return types_.size(); }
    const NewType &at(size_t number) const { return types_[number]; }

  private:
    size_t max_description_bytes_;
    std::mutex mutex_;
    std::atomic<size_t> description_bytes_ = 0;
    std::unordered_map<std::string, uint32_t> by_description_;
    std::deque<NewType> types_;
};

// The map for one unit. Threads do not share it.
class TypeMap {
  public:
    // Its tables are in memory, which outlives it.
    TypeMap(const BaseTypes &base, NewTypes &new_types, TypeSource &source,
            std::pmr::memory_resource *memory = std::pmr::get_default_resource())
        : base_(base), new_types_(new_types), source_(source), found_(memory), made_(memory),
          describer_(source, [this](TypeRef ref) { return known(ref); }) {}
    TypeMap(const TypeMap &) = delete;
    TypeMap &operator=(const TypeMap &) = delete;

    TypeId map(TypeRef ref);
    // The same for a parameter, which cannot be void.
    TypeId map_param(TypeRef ref);

  private:
    static constexpr uint32_t kNotInBase = UINT32_MAX;

    using Pair = std::pair<TypeRef, uint32_t>;

    // Returns the id in the base, or kNotInBase.
    uint32_t find(TypeRef ref);
    uint32_t find_uncached(TypeRef ref);
    uint32_t find_named(const SourceType &type, TypeRef ref);
    // Returns the one type of the base with that name. 0: there is none, or there are several.
    uint32_t unique(TypeKind kind, std::string_view name) const;
    uint32_t find_aggregate(const SourceType &type, TypeRef ref);
    uint32_t find_reference(const SourceType &type);
    uint32_t find_func_proto(TypeRef ref);
    uint32_t first_equivalent(TypeRef ref, const std::vector<uint32_t> &candidates);

    // Returns true if the type is the one of that id, as far as types are distinguishable. assumed
    // has the pairs that callers are comparing.
    bool equivalent(TypeRef ref, uint32_t id, std::set<Pair> &assumed);
    bool equivalent_members(const SourceType &type, uint32_t id, std::set<Pair> &assumed);
    bool equivalent_enumerators(const SourceType &type, uint32_t id) const;
    bool equivalent_params(const SourceType &type, uint32_t id, std::set<Pair> &assumed);

    // Makes a type that the base lacks, with all that it refers to.
    TypeId make(TypeRef ref);
    TypeId intern(TypeRef ref);
    TypeId refer(TypeRef ref);
    void fill(TypeRef ref, TypeId id);
    // Returns the type that replaces unknown types.
    TypeId opaque();
    // Returns true if something is inside of the pointers, qualifiers and arrays of a type.
    bool is_finite(TypeRef ref);
    // Returns the text for a type in descriptions. Empty: it is a new one.
    std::string known(TypeRef ref);

    const BaseTypes &base_;
    NewTypes &new_types_;
    TypeSource &source_;
    std::pmr::unordered_map<TypeRef, uint32_t> found_;
    std::pmr::unordered_map<TypeRef, TypeId> made_;
    uint32_t depth_ = 0;  // of calls of find()
    TypeDescriber describer_;
    std::vector<std::pair<TypeRef, TypeId>> unfilled_;
};

}  // namespace btf_extra::generator

#endif
