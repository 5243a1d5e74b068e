// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs the code of an expression on a concrete machine, by the evaluator that the kernel runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/machine.h"
#include "userspace/format/core_api.h"
#include "userspace/generator/locations/expr_context.h"
#include "userspace/generator/model/site_model.h"

namespace btf_extra::test {

using namespace generator;

// Returns the e_machine whose registers the format has.
uint16_t machine_of(const ExprFormat &format);

// Returns nullopt if the decoder refuses the code, or if something follows it.
std::optional<loc_expression> decoded(const ExpressionCode &code, const ExprFormat &format);

// Returns the bytes of a parameter; nullopt: the code is not one of a value of that size.
std::optional<std::vector<uint8_t>> code_bytes(const ExpressionCode &code, uint64_t param_size,
                                               const ExprFormat &format, const Machine &machine);

// Returns the bytes of the value of a decoded expression; of: e_machine. nullopt: it has no value.
std::optional<std::vector<uint8_t>> expression_bytes(const loc_expression &expression, uint16_t of,
                                                     const Machine &machine);

}  // namespace btf_extra::test
