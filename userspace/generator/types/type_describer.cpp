// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/types/type_describer.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "userspace/generator/model/hash.h"

namespace btf_extra::generator {

const std::string &TypeDescriber::describe(TypeRef ref) {
    const auto before = numbers_.find(ref);
    if (before != numbers_.end())
        return nodes_[before->second].description;
    // Tarjan's strongly connected components; a node's index is its number.
    const uint32_t root = add(ref);
    std::vector<uint32_t> path{root};
    while (!path.empty()) {
        const uint32_t number = path.back();
        Node &node = nodes_[number];
        if (node.next < node.references.size()) {
            const Reference &reference = node.references[node.next++];
            if (!reference.known.empty())
                continue;
            const auto seen = numbers_.find(reference.ref);
            if (seen == numbers_.end())
                path.push_back(add(reference.ref));
            else if (nodes_[seen->second].open)
                node.low = std::min(node.low, seen->second);
            continue;
        }
        path.pop_back();
        if (node.low == number)
            close_component(number);
        else
            nodes_[path.back()].low = std::min(nodes_[path.back()].low, node.low);
    }
    return nodes_[root].description;
}

uint32_t TypeDescriber::add(TypeRef ref) {
    const SourceType type = source_.describe(ref, true);
    const auto number = static_cast<uint32_t>(nodes_.size());
    numbers_.emplace(ref, number);
    open_.push_back(number);
    Node &node = nodes_.emplace_back();
    node.low = number;
    node.own_text =
        fmt::format("{}:{}:{}:{}{}{}{}{}:{}", static_cast<int>(type.kind), type.name, type.size,
                    int{type.declaration}, int{type.is_signed}, int{type.is_char},
                    int{type.is_bool}, int{type.variadic}, type.elements);
    const auto refer = [&](TypeRef to) { node.references.push_back({to, known_(to)}); };
    switch (type.kind) {
    case TypeKind::kUnsupported:
        break;
    case TypeKind::kStruct:
    case TypeKind::kUnion:
        for (const SourceMember &member : type.members) {
            node.own_text +=
                fmt::format(";{}@{}:{}", member.name, member.bit_offset, member.bit_size);
            refer(member.type);
        }
        break;
    case TypeKind::kEnum:
        for (const SourceEnumerator &enumerator : type.enumerators)
            node.own_text += fmt::format(";{}={}", enumerator.name, enumerator.value);
        break;
    case TypeKind::kFuncProto:
        for (const SourceParam &param : type.params) {
            node.own_text += fmt::format(";{}", param.name);
            refer(param.type);
        }
        [[fallthrough]];
    default:
        refer(type.target);
        break;
    }
    return number;
}

// Refines the classes of a component's types until there are no more of them than before: then
// types of one class refer to the same classes, however far one follows. A signature of the whole
// component is part of each member's, because a class does not show its component.
void TypeDescriber::close_component(uint32_t first) {
    const auto begin = std::lower_bound(open_.begin(), open_.end(), first);  // it is ascending
    const std::vector<uint32_t> members(begin, open_.end());
    open_.erase(begin, open_.end());
    for (const uint32_t member : members)
        nodes_[member].signature = sign(nodes_[member].own_text);
    std::set<Signature> classes;
    for (const uint32_t member : members)
        classes.insert(nodes_[member].signature);
    std::set<std::pair<Signature, Signature>> whole;  // signatures of the last two rounds
    for (size_t before = 0; before < classes.size();) {
        before = classes.size();
        classes.clear();
        whole.clear();
        std::vector<Signature> refined;
        for (const uint32_t member : members)
            refined.push_back(sign(text(nodes_[member])));
        for (size_t i = 0; i < members.size(); i++) {
            Signature &signature = nodes_[members[i]].signature;
            whole.emplace(signature, refined[i]);
            signature = refined[i];
            classes.insert(refined[i]);
        }
    }
    std::string all;
    for (const auto &[one, other] : whole)
        all += fmt::format("{:x}.{:x}.{:x}.{:x};", one[0], one[1], other[0], other[1]);
    const Signature component = sign(all);
    for (const uint32_t member : members) {
        Node &node = nodes_[member];
        node.signature = sign(fmt::format("{:x}.{:x}.{:x}.{:x}", node.signature[0],
                                          node.signature[1], component[0], component[1]));
        node.open = false;
    }
    for (const uint32_t member : members) {
        Node &node = nodes_[member];
        node.description = text(node);
        node.own_text.clear();
        node.references.clear();
    }
}

// Returns the text with the signatures of what it refers to.
std::string TypeDescriber::text(const Node &node) const {
    std::string out = node.own_text + '{';
    for (const Reference &reference : node.references) {
        if (reference.known.empty()) {
            const Signature &signature = nodes_[numbers_.at(reference.ref)].signature;
            out += fmt::format("{:x}.{:x}", signature[0], signature[1]);
        } else {
            out += reference.known;
        }
        out += ';';
    }
    return out + '}';
}

TypeDescriber::Signature TypeDescriber::sign(const std::string &text) {
    // FNV-1a goes beside the other hash: two texts do not share 128 bits by chance.
    uint64_t fnv = 0xcbf29ce484222325u;
    for (const char c : text)
        fnv = (fnv ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return {hash_of(text), fnv};
}

}  // namespace btf_extra::generator
