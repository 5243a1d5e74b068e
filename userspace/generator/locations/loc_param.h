// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Makes LOC_PARAM records of every accepted shape. Each has one canonical encoding: the same place
// is always written in the same way, so that records can be shared.
#ifndef BTF_EXTRA_LOC_PARAM_H
#define BTF_EXTRA_LOC_PARAM_H

#include <cstdint>

#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator::loc_param {

// Says how a value of `size` bytes becomes the parameter.
enum Extension : uint8_t {
    kFull,    // it is as wide as the parameter
    kZero,    // zero-extended
    kSigned,  // sign-extended
};

// The value is a number, of which the low size bytes count. size 1..8.
LocParam constant(uint64_t number, uint32_t size, Extension extension);
// The value is an address relative to the base of the object. size 8.
LocParam address(uint64_t relative, uint32_t size);
// The value is register + offset. size 1..8.
LocParam in_register(uint32_t reg, int64_t offset, uint32_t size, Extension extension);
// The value has 9..16 bytes; the first 8 are in low.
LocParam register_pair(uint32_t low, uint32_t high, uint32_t size);
// The value is in memory at register + offset. size 1..16.
LocParam memory(uint32_t reg, int64_t offset, uint32_t size, Extension extension);

}  // namespace btf_extra::generator::loc_param

#endif
