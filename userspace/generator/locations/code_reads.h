// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Says what the code of an expression reads.
#ifndef BTF_EXTRA_CODE_READS_H
#define BTF_EXTRA_CODE_READS_H

#include <cstdint>
#include <optional>

#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

struct CodeReads {
    uint32_t registers = 0;  // a bit for each DWARF number
    bool memory = false;
    // An operator depends on the upper bits of its operands: a comparison, or a shift to the right.
    bool upper_bits = false;

    bool reads(uint32_t reg) const { return reg < 32 && (registers >> reg & 1) != 0; }
};

// nullopt: the code is malformed. machine is the e_machine of its registers.
std::optional<CodeReads> reads_of(const ExpressionCode &code, uint16_t machine);

}  // namespace btf_extra::generator

#endif
