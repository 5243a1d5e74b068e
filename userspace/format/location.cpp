// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/location.h"

namespace btf_extra {
namespace {

uint64_t words(const uint32_t *values, uint32_t count) {
    return count == 2 ? values[0] | uint64_t{values[1]} << 32 : values[0];
}

}  // namespace

uint64_t sign_extend(uint64_t value, uint32_t size) {
    if (size == 0 || size >= 8)
        return value;
    unsigned shift = 64 - size * 8;
    return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}

uint64_t zero_extend(uint64_t value, uint32_t size) {
    return size >= 8 ? value : value & ((uint64_t{1} << size * 8) - 1);
}

std::optional<Location> decode_location(const btf_type *param) {
    uint32_t flags = loc_param_flags(param);
    uint32_t vlen = loc_vlen(param);
    const uint32_t *values = loc_param_values(param);
    Location loc = {.size = param->size,
                    .is_signed = (flags & LOC_SIGNED) != 0,
                    .deref = (flags & LOC_DEREF) != 0,
                    .shape = Location::kConstant,
                    .registers = {},
                    .value = 0};
    switch (flags & ~LOC_SIGNED) {
    case LOC_CONST:
    case LOC_CONST | LOC_ADDR:
        if (vlen != 1 && vlen != 2)
            return {};
        loc.shape = flags & LOC_ADDR ? Location::kAddress : Location::kConstant;
        loc.value = words(values, vlen);
        if (loc.is_signed)
            loc.value = sign_extend(loc.value, vlen == 1 && loc.size > 4 ? 4 : loc.size);
        return loc;
    case LOC_REG:
    case LOC_REG | LOC_DEREF:
        if (loc.is_signed || vlen < 1 || vlen > (loc.deref ? 1 : 2))
            return {};
        loc.shape = vlen == 2 ? Location::kPair : Location::kRegister;
        loc.registers = {values[0], vlen == 2 ? values[1] : 0};
        return loc;
    case LOC_REG | LOC_OFFSET:
    case LOC_REG | LOC_DEREF | LOC_OFFSET:
        if (vlen != 2 && vlen != 3)
            return {};
        loc.shape = Location::kRegisterOffset;
        loc.registers = {values[0], 0};
        loc.value = words(values + 1, vlen - 1);
        if (vlen == 2 && loc.is_signed)
            loc.value = sign_extend(loc.value, 4);
        return loc;
    default:
        return {};
    }
}

}  // namespace btf_extra
