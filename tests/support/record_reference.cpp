// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/record_reference.h"

#include "userspace/format/core_api.h"

namespace btf_extra::test {

std::optional<std::vector<uint8_t>> record_bytes(const LocParam &param, uint64_t param_size,
                                                 uint32_t registers, const Machine &machine) {
    const uint32_t kind = param.flags & ~uint32_t{LOC_SIGNED};
    const bool is_signed = param.flags & LOC_SIGNED;
    const auto wide = [&](uint32_t at) {
        return uint64_t{param.values[at]} | uint64_t{param.values[at + 1]} << 32;
    };
    if (param.size < 1 || param.size > LOC_PARAM_MAX_SIZE || param.size > param_size)
        return std::nullopt;
    if (param.vlen > param.values.size())
        return std::nullopt;
    for (uint32_t i = param.vlen; i < param.values.size(); i++) {
        if (param.values[i] != 0)
            return std::nullopt;  // records are compared as a whole
    }
    if ((kind & LOC_REG) && param.vlen >= 1 && param.values[0] >= registers)
        return std::nullopt;

    uint64_t number = 0;  // the low 8 bytes of the value
    uint64_t high = 0;    // the bytes above
    std::optional<uint64_t> address;
    switch (kind) {
    case LOC_CONST:
    case LOC_CONST | LOC_ADDR:
        if (param.size > 8 || param.vlen < 1 || param.vlen > 2 ||
            (param.size > 4 && param.vlen != 2))
            return std::nullopt;
        number = param.vlen == 2 ? wide(0)
                 : is_signed     ? sign_extended(param.values[0], 4)
                                 : param.values[0];
        if (kind & LOC_ADDR)
            number += machine.object_base;
        break;
    case LOC_REG:
        if (is_signed || param.vlen < 1 || param.vlen > 2)
            return std::nullopt;
        if (param.vlen == 2 ? param.size < 9 || param.values[1] >= registers : param.size > 8)
            return std::nullopt;
        number = machine.registers[param.values[0]];
        if (param.vlen == 2)
            high = machine.registers[param.values[1]];
        break;
    case LOC_REG | LOC_DEREF:
        if (is_signed || param.vlen != 1)
            return std::nullopt;
        address = machine.registers[param.values[0]];
        break;
    case LOC_REG | LOC_OFFSET:
    case LOC_REG | LOC_DEREF | LOC_OFFSET: {
        if (param.vlen < 2 || param.vlen > 3)
            return std::nullopt;
        const uint64_t offset = param.vlen == 3 ? wide(1)
                                : is_signed     ? sign_extended(param.values[1], 4)
                                                : param.values[1];
        const uint64_t sum = machine.registers[param.values[0]] + offset;
        if (kind & LOC_DEREF)
            address = sum;
        else if (param.size > 8)
            return std::nullopt;
        else
            number = sum;
        break;
    }
    default:
        return std::nullopt;
    }

    std::vector<uint8_t> bytes;
    for (uint32_t i = 0; i < param.size; i++) {
        if (address)
            bytes.push_back(machine.byte_at(*address + i));
        else
            bytes.push_back(static_cast<uint8_t>((i < 8 ? number : high) >> (8 * (i % 8))));
    }
    const bool fill = is_signed && (bytes.back() & 0x80);
    bytes.resize(param_size, fill ? 0xff : 0x00);
    return bytes;
}

}  // namespace btf_extra::test
