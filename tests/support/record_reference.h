// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What a LOC_PARAM record means on a concrete machine, by 'Size and sign' of the
// wire format: what every consumer must read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/machine.h"
#include "userspace/generator/model/site_model.h"

namespace btf_extra::test {

// The bytes of a parameter. None: no accepted combination, or a register that is
// not below `registers`.
std::optional<std::vector<uint8_t>> record_bytes(const LocParam &param, uint64_t param_size,
                                                 uint32_t registers, const Machine &machine);

}  // namespace btf_extra::test
