// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/locations/loc_param.h"

#include "userspace/format/core_api.h"

namespace btf_extra::generator::loc_param {

namespace {

uint32_t low_word(uint64_t value) {
    return static_cast<uint32_t>(value);
}

uint32_t high_word(uint64_t value) {
    return static_cast<uint32_t>(value >> 32);
}

// Adds an offset after the register. It has one word if its sign allows that: one word is signed
// if and only if the record has SIGNED, which also says that a narrow value is sign-extended.
void add_offset(LocParam &param, int64_t offset, Extension extension) {
    const bool fits_signed = offset == static_cast<int32_t>(offset);
    const bool fits_unsigned = offset >= 0 && offset <= UINT32_MAX;
    bool one_word = fits_unsigned;
    if (extension == kSigned) {
        param.flags |= LOC_SIGNED;
        one_word = fits_signed;
    } else if (extension == kFull && offset < 0 && fits_signed) {
        param.flags |= LOC_SIGNED;
        one_word = true;
    }
    param.flags |= LOC_OFFSET;
    param.values[param.vlen++] = low_word(static_cast<uint64_t>(offset));
    if (!one_word)
        param.values[param.vlen++] = high_word(static_cast<uint64_t>(offset));
}

LocParam register_based(uint32_t flags, uint32_t reg, int64_t offset, uint32_t size,
                        Extension extension) {
    LocParam param{.size = size, .flags = flags | LOC_REG, .vlen = 1, .values = {reg}};
    // SIGNED needs OFFSET beside it, even for 0.
    if (offset != 0 || extension == kSigned)
        add_offset(param, offset, extension);
    return param;
}

LocParam two_words(uint64_t number, uint32_t size, uint32_t flags) {
    LocParam param{.size = size, .flags = flags, .vlen = 1, .values = {low_word(number)}};
    if (size > 4) {
        param.values[1] = high_word(number);
        param.vlen = 2;
    }
    return param;
}

}  // namespace

LocParam constant(uint64_t number, uint32_t size, Extension extension) {
    if (size < 8)
        number &= (uint64_t{1} << (size * 8)) - 1;
    return two_words(number, size, LOC_CONST | (extension == kSigned ? LOC_SIGNED : 0));
}

LocParam address(uint64_t relative, uint32_t size) {
    return two_words(relative, size, LOC_CONST | LOC_ADDR);
}

LocParam in_register(uint32_t reg, int64_t offset, uint32_t size, Extension extension) {
    return register_based(0, reg, offset, size, extension);
}

LocParam register_pair(uint32_t low, uint32_t high, uint32_t size) {
    return {.size = size, .flags = LOC_REG, .vlen = 2, .values = {low, high}};
}

LocParam memory(uint32_t reg, int64_t offset, uint32_t size, Extension extension) {
    return register_based(LOC_DEREF, reg, offset, size, extension);
}

}  // namespace btf_extra::generator::loc_param
