// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes the section of expressions: see kernel/core/loc_expression.h.
#ifndef BTF_EXTRA_EXPRESSION_WRITER_H
#define BTF_EXTRA_EXPRESSION_WRITER_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "userspace/generator/write/site_merge.h"

namespace btf_extra::generator {

// proto_ids are the ids of the LOC_PROTOs, by the number of their lists. They ascend. Empty: no
// parameter has an expression.
std::vector<std::byte> write_expressions(const MergedUnits &merged,
                                         std::span<const uint32_t> proto_ids);

}  // namespace btf_extra::generator

#endif
