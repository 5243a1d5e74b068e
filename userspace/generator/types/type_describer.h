// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What tells new types apart, across units: a text for each that is equal just
// where all that can be reached from two types is equal. Cycles included, in
// time and space that go with the number of types, and without recursion.
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
    // What stands for a type that needs no description: "#17" of the base. Empty: it is new.
    using Known = std::function<std::string(TypeRef)>;

    TypeDescriber(TypeSource &source, Known known) : source_(source), known_(std::move(known)) {}

    // Of a new type; valid until the next call.
    const std::string &describe(TypeRef ref);

  private:
    using Signature = std::array<uint64_t, 2>;
    struct Reference {
        TypeRef ref;
        std::string known;  // empty: a new type
    };
    struct Node {
        std::string own_text;  // all but what it refers to
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
