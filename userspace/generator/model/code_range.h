// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#ifndef BTF_EXTRA_CODE_RANGE_H
#define BTF_EXTRA_CODE_RANGE_H

#include <compare>
#include <cstdint>

namespace btf_extra::generator {

// Code from one link-time address up to another, which is behind its last byte.
struct CodeRange {
    uint64_t begin = 0;
    uint64_t end = 0;

    auto operator<=>(const CodeRange &) const = default;
};

}  // namespace btf_extra::generator

#endif
