// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/locations/constant_location.h"

#include "userspace/format/byte_reader.h"
#include "userspace/generator/locations/loc_param.h"

namespace btf_extra::generator {

Location constant(uint64_t value, bool is_signed, uint64_t param_size) {
    if (param_size == 0 || param_size > 16)
        return Location::missing(MissingReason::kSize);
    const auto size = static_cast<uint32_t>(param_size);
    if (size <= 8)
        return {.param = loc_param::constant(value, size, loc_param::kFull)};
    const bool negative = is_signed && static_cast<int64_t>(value) < 0;
    return {.param =
                loc_param::constant(value, 8, negative ? loc_param::kSigned : loc_param::kZero)};
}

Location constant(std::span<const uint8_t> bytes, uint64_t param_size) {
    if (param_size == 0 || param_size > 16)
        return Location::missing(MissingReason::kSize);
    if (bytes.size() < param_size)
        return Location::missing(MissingReason::kPieces);
    ByteReader reader(bytes);
    if (param_size <= 8)
        return constant(reader.unsigned_of(static_cast<uint32_t>(param_size)), false, param_size);
    const uint64_t low = reader.u64();
    const uint64_t high = reader.unsigned_of(static_cast<uint32_t>(param_size) - 8);
    const uint64_t ones = ~uint64_t{0} >> (8 * (16 - param_size));
    const bool negative = high == ones && static_cast<int64_t>(low) < 0;
    if (high != 0 && !negative)
        return Location::missing(MissingReason::kPieces);
    return constant(low, negative, param_size);
}

}  // namespace btf_extra::generator
