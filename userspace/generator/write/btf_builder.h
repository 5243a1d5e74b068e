// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Builds a split BTF blob: records, strings, header. It knows the layout of every kind that the
// generator writes, and nothing of what they mean.
#ifndef BTF_EXTRA_BTF_BUILDER_H
#define BTF_EXTRA_BTF_BUILDER_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "userspace/generator/model/hash.h"

namespace btf_extra::generator {

class BtfBuilder {
  public:
    // Returns where a string is in the base, or UINT32_MAX.
    using FindString = std::function<uint32_t(std::string_view)>;

    BtfBuilder(uint32_t first_id, uint32_t first_string, FindString find_base_string);

    uint32_t next_id() const { return next_id_; }
    // A string section is never empty.
    uint32_t end_string() const {
        return first_string_ + static_cast<uint32_t>(strings_.empty() ? 1 : strings_.size());
    }
    uint32_t string(std::string_view text);

    // Begins a record and returns its id; kind is BTF_KIND_* or LOC_KIND_*.
    uint32_t begin(uint32_t kind, std::string_view name, uint32_t vlen, uint32_t size_or_type,
                   bool kind_flag = false);
    void word(uint32_t value) { words_.push_back(value); }

    // Returns header, types, [layout,] strings. With the layout section the header is the long one.
    std::vector<std::byte> finish(bool with_layout) const;

  private:
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return hash_of(text); }
    };

    uint32_t next_id_;
    uint32_t first_string_;
    FindString find_base_string_;
    std::vector<uint32_t> words_;
    std::string strings_;
    std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> known_strings_;
};

}  // namespace btf_extra::generator

#endif
