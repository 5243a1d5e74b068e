// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Computes the meaning of a LOC_PARAM record on a concrete machine, by the rules of the wire format
// for size and sign. Every consumer must read the same.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/machine.h"
#include "userspace/generator/model/site_model.h"

namespace btf_extra::test {

using namespace generator;

// Returns the bytes of a parameter. Returns nullopt if the combination is not accepted, or if a
// register is not below `registers`.
std::optional<std::vector<uint8_t>> record_bytes(const LocParam &param, uint64_t param_size,
                                                 uint32_t registers, const Machine &machine);

}  // namespace btf_extra::test
