// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Makes LOC_PARAM records of DWARF location expressions, exactly or not at all: the result of an
// expression on symbols must be a shape of the wire format that has the same value in every machine
// state.
#ifndef BTF_EXTRA_LOCATION_EXPR_H
#define BTF_EXTRA_LOCATION_EXPR_H

#include <cstdint>
#include <span>

#include "userspace/generator/locations/expr_context.h"
#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// Locates a parameter of param_size bytes. The expression is that of DW_AT_location, or of the
// entry of a location list that covers the site. The target is little-endian.
Location locate(std::span<const uint8_t> expression, uint64_t param_size, const ExprFormat &format,
                ExprContext &context);

}  // namespace btf_extra::generator

#endif
