// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The base BTF (all its levels). It is indexed by names, by what types refer to, and by the shapes
// of anonymous types.
#ifndef BTF_EXTRA_BASE_TYPES_H
#define BTF_EXTRA_BASE_TYPES_H

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "userspace/format/core_api.h"
#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// The records after a type: its members, enumerators or parameters.
template <class T> const T *records(const btf_type *type) {
    return reinterpret_cast<const T *>(type + 1);
}

class BaseTypes {
  public:
    // Every level of base must be indexed, and outlive this. nullptr: there is no base. FUNCs below
    // first_func_id belong to another object (to vmlinux, if the input is a module). `below` may
    // have a level of base, and what is below that: these are then not indexed again.
    explicit BaseTypes(const btf_blob *base, uint32_t first_func_id = 0,
                       std::shared_ptr<const BaseTypes> below = nullptr);

    uint32_t end_id() const { return end_id_; }
    uint32_t end_string() const { return end_string_; }
    // nullptr: there is no such type. Callers must ask, because the references of a base are not
    // checked.
    const btf_type *type(uint32_t id) const {
        if (id < first_id_)
            return below_ ? below_->type(id) : nullptr;
        return id < end_id_ ? types_[id - first_id_] : nullptr;
    }
    uint32_t kind(uint32_t id) const { return type(id) ? loc_kind(type(id)) : 0; }
    std::string_view string(uint32_t offset) const;
    std::string_view name(uint32_t id) const { return string(type(id)->name_off); }

    // Returns ids in ascending order. Kinds are BTF_KIND_*.
    std::vector<uint32_t> named(uint32_t kind, std::string_view name) const;
    // Returns the id if exactly one type has that kind and name, otherwise 0.
    uint32_t unique(uint32_t kind, std::string_view name) const;
    // Returns the id of an unsigned INT of 1, 2, 4 or 8 bytes, whatever its name is, or 0.
    uint32_t unsigned_int(uint32_t size) const;
    // Returns the id of a PTR, CONST, VOLATILE or RESTRICT, or 0.
    uint32_t reference(uint32_t kind, uint32_t target) const;
    uint32_t type_tag(std::string_view name, uint32_t target) const;
    uint32_t array(uint32_t element, uint32_t count) const;
    // The index type that arrays of the base have, or 0.
    uint32_t array_index() const { return array_index_; }
    // Returns a prototype with these types and names, or one without any names, or 0. The void that
    // ends a variadic prototype is not among the types.
    uint32_t func_proto(uint32_t result, std::span<const uint32_t> types,
                        std::span<const std::string_view> names, bool variadic) const;
    // Returns the object's FUNC of that name whose prototype has these types and names, or 0. BTF
    // may have been made from another definition, a weak one, with other names of parameters.
    uint32_t func(std::string_view name, uint32_t result, std::span<const uint32_t> types,
                  std::span<const std::string_view> names, bool variadic) const;
    // The names in an anonymous type: of a member and its type, or of an enumerator. A type that
    // has no name by its kind, as a pointer, has "".
    struct Names {
        std::string_view member;
        std::string_view type;
    };
    // Returns anonymous structs, unions and enums that may match.
    std::vector<uint32_t> anonymous(uint32_t kind, uint32_t size,
                                    std::span<const Names> members) const;
    // Returns the offset of a string, or UINT32_MAX.
    uint32_t find_string(std::string_view text) const;

  private:
    // Returns true if a FUNC_PROTO has these types, and these names where there are any.
    bool is_proto(uint32_t id, uint32_t result, std::span<const uint32_t> types,
                  std::span<const std::string_view> names, bool variadic) const;
    uint64_t shape(uint32_t id) const;
    uint64_t anonymous_shape(const btf_type *type) const;
    // Returns the name that a source has for the type, which has no tags.
    std::string_view source_name(uint32_t id) const;
    // Calls back with the ids of a bucket, of which each may have that shape, in descending order.
    template <class Visit> void each(uint64_t shape, Visit visit) const;
    template <class Match> uint32_t first(uint64_t shape, Match match) const;
    template <class Match> std::vector<uint32_t> all(uint64_t shape, Match match) const;
    void index_strings();

    const btf_blob *base_;
    uint32_t first_func_id_;
    std::shared_ptr<const BaseTypes> below_;
    // All that follows is of the levels above that.
    uint32_t first_id_ = 1;
    uint32_t end_id_ = 1;
    uint32_t end_string_ = 0;  // a base has at least the empty string
    uint32_t array_index_ = 0;
    std::vector<const btf_type *> types_;  // by id, from first_id_ on
    // Hash chains: the last id of each bucket, and for each id the one before.
    std::vector<uint32_t> buckets_;
    std::vector<uint32_t> previous_;
    std::vector<uint32_t> string_table_;  // open addressing; offset + 1
};

}  // namespace btf_extra::generator

#endif
