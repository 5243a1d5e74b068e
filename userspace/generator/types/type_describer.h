// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Describes new types, so that those of different units can be compared: two descriptions are equal
// if and only if all that can be reached from the two types is equal. Cycles are allowed. Time and
// space grow with the number of types, and nothing recurses.
#ifndef BTF_EXTRA_TYPE_DESCRIBER_H
#define BTF_EXTRA_TYPE_DESCRIBER_H

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

class TypeDescriber {
  public:
    // Returns a text for a type that needs no description: "#17" is of the base. Empty: it is new.
    using Known = std::function<std::string(TypeRef)>;

    TypeDescriber(TypeSource &source, Known known) : source_(source), known_(std::move(known)) {}

    // Describes a new type. The text is valid until the next call.
    const std::string &describe(TypeRef ref);

  private:
    using Signature = std::array<uint64_t, 2>;
    struct Reference {
        TypeRef ref;
        std::string known;  // empty: a new type
    };
    struct Node {
        std::string own_text;  // without what it refers to
        std::vector<Reference> references;
        size_t next = 0;  // reference to look at
        uint32_t low = 0;
        bool open = true;  // its component is not complete
        Signature signature{};
        std::string description;
    };

    uint32_t add(TypeRef ref);
    void close_component(uint32_t first);
    std::string text(const Node &node) const;
    static Signature sign(const std::string &text);

    TypeSource &source_;
    Known known_;
    std::deque<Node> nodes_;
    std::unordered_map<TypeRef, uint32_t> numbers_;
    std::vector<uint32_t> open_;  // Tarjan's stack: nodes of components that are not complete
};

}  // namespace btf_extra::generator

#endif
