// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Makes LOC_PARAM records of constants.
#ifndef BTF_EXTRA_CONSTANT_LOCATION_H
#define BTF_EXTRA_CONSTANT_LOCATION_H

#include <cstdint>
#include <span>

#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// A parameter has param_size bytes and a DW_AT_const_value. That is a number, which is extended
// according to the form of the attribute, or a block of bytes.
Location constant(uint64_t value, bool is_signed, uint64_t param_size);
Location constant(std::span<const uint8_t> bytes, uint64_t param_size);

}  // namespace btf_extra::generator

#endif
