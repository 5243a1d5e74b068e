// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Names the comparisons of DWARF; the others are these with the operands exchanged.
#ifndef BTF_EXTRA_COMPARISON_H
#define BTF_EXTRA_COMPARISON_H

#include <cstdint>

namespace btf_extra::generator {

enum class Comparison : uint8_t { kEqual, kNotEqual, kLess, kLessEqual };

}  // namespace btf_extra::generator

#endif
