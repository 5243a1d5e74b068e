// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Computes the meaning of the bytes of an expression on a concrete machine. It shares only the
// plain structures with the code under test.
#pragma once

#include <cstdint>
#include <span>

#include "tests/support/dwarf_evaluator.h"
#include "tests/support/expr_context.h"

namespace btf_extra::test {

// All bytes are undefined if the expression is malformed or not covered here.
ParamBytes expression_bytes(std::span<const uint8_t> expression, uint64_t param_size,
                            TestContext &context, const Machine &machine);

}  // namespace btf_extra::test
