// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Hashes for tables in memory. They are the same in every run, and mean nothing outside.
#ifndef BTF_EXTRA_HASH_H
#define BTF_EXTRA_HASH_H

#include <cstdint>
#include <cstring>
#include <string_view>

namespace btf_extra::generator {

inline uint64_t hash_mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

inline uint64_t hash_of(std::string_view text) {
    uint64_t hash = text.size();
    uint64_t word = 0;
    for (; text.size() >= sizeof(word); text.remove_prefix(sizeof(word))) {
        std::memcpy(&word, text.data(), sizeof(word));
        hash = hash_mix(hash, word);
    }
    word = 0;
    if (!text.empty())  // the data of an empty one may be null
        std::memcpy(&word, text.data(), text.size());
    return hash_mix(hash, word);
}

}  // namespace btf_extra::generator

#endif
