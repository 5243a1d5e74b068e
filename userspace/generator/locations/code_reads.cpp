// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/locations/code_reads.h"

#include <span>

#include "userspace/format/core_api.h"

namespace btf_extra::generator {

std::optional<CodeReads> reads_of(const ExpressionCode &code, uint16_t machine) {
    loc_expression expression;
    byte_view view = byte_view_of(code.data(), code.size(), 0);
    if (loc_expression_decode(&expression, loc_arch_of(machine), &view) != BTF_FAULT_NONE)
        return std::nullopt;
    CodeReads reads{.memory = expression.nr_loads != 0};
    for (const loc_step &step : std::span(expression.steps, expression.nr_steps)) {
        if (step.code == LOC_CODE_REGISTER)
            reads.registers |= 1u << step.number;
        const uint32_t binary = step.code & ~uint32_t{LOC_CODE_WITH};
        reads.upper_bits |= step.code == LOC_CODE_FITS ||
                            (step.code >= LOC_CODE_ADD && binary >= LOC_CODE_SHIFT_RIGHT);
    }
    return reads;
}

}  // namespace btf_extra::generator
