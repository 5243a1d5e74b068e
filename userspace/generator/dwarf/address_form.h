// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Debug information gives addresses in these forms.
#ifndef BTF_EXTRA_ADDRESS_FORM_H
#define BTF_EXTRA_ADDRESS_FORM_H

#include <cstdint>

namespace btf_extra::generator {

// An address: the value of a DWARF register plus an offset.
struct RegisterOffset {
    uint32_t reg = 0;
    int64_t offset = 0;
};

// An address constant in the terms of the output.
struct AddressConstant {
    enum Kind : uint8_t {
        kMoves,    // it moves with the object; value is relative to the object's base
        kFixed,    // it is the same in every boot; value is the address
        kUnknown,  // its distance to the base is not fixed
    } kind = kUnknown;
    uint64_t value = 0;
    // It moves, and its memory is what it was linked for as long as the kernel runs: it is neither
    // per-CPU data, which each processor has elsewhere, nor freed after the boot.
    bool is_memory = false;
};

}  // namespace btf_extra::generator

#endif
