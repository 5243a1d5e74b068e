// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Interns lists of 32-bit words: each distinct list is kept once.
#ifndef BTF_EXTRA_INTERNED_LISTS_H
#define BTF_EXTRA_INTERNED_LISTS_H

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "userspace/generator/model/hash.h"

namespace btf_extra::generator {

class InternedLists {
  public:
    // Returns the number of a list, in order of first use.
    uint32_t add(std::span<const uint32_t> words) {
        if ((size() + 1) * 2 > buckets_.size())
            grow();
        for (size_t bucket = hash_of_list(words);; ++bucket) {
            uint32_t &entry = buckets_[bucket &= buckets_.size() - 1];
            if (entry == 0) {
                words_.insert(words_.end(), words.begin(), words.end());
                ends_.push_back(static_cast<uint32_t>(words_.size()));
                entry = size();
                return size() - 1;
            }
            const std::span<const uint32_t> known = at(entry - 1);
            if (std::equal(known.begin(), known.end(), words.begin(), words.end()))
                return entry - 1;
        }
    }

    uint32_t size() const { return static_cast<uint32_t>(ends_.size()) - 1; }
    std::span<const uint32_t> at(uint32_t number) const {
        return std::span(words_).subspan(ends_[number], ends_[number + 1] - ends_[number]);
    }

  private:
    static uint64_t hash_of_list(std::span<const uint32_t> words) {
        uint64_t hash = words.size();
        for (const uint32_t word : words)
            hash = hash_mix(hash, word);
        return hash;
    }
    void grow() {
        buckets_.assign(std::max<size_t>(buckets_.size() * 2, 64), 0);
        for (uint32_t number = 0; number < size(); ++number) {
            size_t bucket = hash_of_list(at(number));
            while (buckets_[bucket &= buckets_.size() - 1] != 0)
                ++bucket;
            buckets_[bucket] = number + 1;
        }
    }

    std::vector<uint32_t> words_;    // all lists, one after the other
    std::vector<uint32_t> ends_{0};  // [number + 1]: where its words end
    std::vector<uint32_t> buckets_;  // open addressing; number + 1
};

}  // namespace btf_extra::generator

#endif
