// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Computes the meaning of an expression on a concrete machine, by DWARF 5, 2.5 and 2.6. It shares
// only the plain structures with the code under test.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tests/support/expr_context.h"
#include "tests/support/machine.h"

namespace btf_extra::test {

// The bytes of a parameter. A byte is nullopt if the expression does not define it.
using ParamBytes = std::vector<std::optional<uint8_t>>;

// All bytes are undefined if the expression is malformed or not covered here (floating point).
ParamBytes expression_bytes(std::span<const uint8_t> expression, uint64_t param_size,
                            const ExprFormat &format, TestContext &context, const Machine &machine);

}  // namespace btf_extra::test
