// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Makes the code of a parameter that an expression has placed: of a value, of memory, or of pieces.
#ifndef BTF_EXTRA_POSTFIX_PLACE_H
#define BTF_EXTRA_POSTFIX_PLACE_H

#include <cstdint>

#include "userspace/generator/locations/expr_context.h"
#include "userspace/generator/locations/expr_evaluator.h"
#include "userspace/generator/locations/postfix_value.h"

namespace btf_extra::generator {

// size is that of the parameter, 1 to 16 bytes. Empty: it has no code, or one that exceeds a limit.
ExpressionCode code_of(const ExprResult<PostfixValue> &found, uint32_t size,
                       const ExprFormat &format);

}  // namespace btf_extra::generator

#endif
