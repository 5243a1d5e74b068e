// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A LOC_PARAM taken apart.
#ifndef BTF_EXTRA_LOCATION_H
#define BTF_EXTRA_LOCATION_H

#include <array>
#include <cstdint>
#include <optional>

#include "userspace/format/core_api.h"

namespace btf_extra {

struct Location {
    uint32_t size;
    bool is_signed;
    bool deref;
    enum { kConstant, kAddress, kRegister, kPair, kRegisterOffset } shape;
    std::array<uint32_t, 2> registers;
    uint64_t value;  // of a constant or address, as its words have it; the offset, sign-extended
};

// Any LOC_PARAM record is safe; nothing for combinations that the format lacks.
std::optional<Location> decode_location(const btf_type *param);

// A value of that many bytes, from 1 to 8, as one of eight.
uint64_t sign_extend(uint64_t value, uint32_t size);
uint64_t zero_extend(uint64_t value, uint32_t size);

}  // namespace btf_extra

#endif
