// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// DWARF location expressions to LOC_PARAM, exactly or not at all: what an expression comes to on
// symbols must be a shape of the wire format that has the same value in every machine state. Pure:
// bytes and facts in, a Location out.
#ifndef BTF_EXTRA_LOCATION_EXPR_H
#define BTF_EXTRA_LOCATION_EXPR_H

#include <cstdint>
#include <span>

#include "userspace/generator/locations/expr_context.h"
#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// A parameter of param_size bytes at the expression (DW_AT_location, or the
// location-list entry that covers the site). Little-endian targets.
Location locate(std::span<const uint8_t> expression, uint64_t param_size, const ExprFormat &format,
                ExprContext &context);

}  // namespace btf_extra::generator

#endif
