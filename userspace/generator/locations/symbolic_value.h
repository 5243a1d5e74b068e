// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A value of a DWARF expression as a symbol: what is true of a 64-bit stack entry in every machine
// state at once.
#ifndef BTF_EXTRA_SYMBOLIC_VALUE_H
#define BTF_EXTRA_SYMBOLIC_VALUE_H

#include <cstdint>

#include "userspace/generator/locations/comparison.h"
#include "userspace/generator/locations/expr_context.h"
#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// One of
//   kConst    number
//   kAddress  number + add, where number is an address of the link that may move
//             with the object
//   kWord     (extend(low `bits` of (source + add)) + post) << shift, modulo 2^64,
//             where source is a register, or `bytes` bytes of little-endian
//             memory at register + offset, zero-extended
//   kUnknown  anything else, with the reason
// A word of 64 bits has post 0. An operation that has no exact result in this form gives kUnknown,
// and the first reason stays.
//
// The value of the expression may not be that of the program. GCC 12 and 14 write a right shift of
// an int as a shift of 64 bits, although its memory is zero-extended and the upper half of its
// register is undefined. LLVM 14 does so, too. The expression does not contain the width of the
// operation, so a shift that has another result at another width has only right_ low bits.
class SymbolicValue {
  public:
    static SymbolicValue constant(uint64_t number);
    static SymbolicValue address(uint64_t number, ExprContext &context);
    static SymbolicValue of_register(uint32_t reg, uint64_t add = 0);
    static SymbolicValue unknown(MissingReason reason);

    // A DWARF base type; by default the generic type, 64 bits.
    uint32_t type_bits = 64;
    bool type_signed = false;
    bool type_generic = true;

    bool is_constant() const { return kind_ == kConst; }
    bool is_unknown() const { return kind_ == kUnknown; }
    uint64_t number() const { return number_; }
    MissingReason reason() const { return reason_; }

    SymbolicValue plus(const SymbolicValue &other) const;
    SymbolicValue minus(const SymbolicValue &other) const;
    SymbolicValue times(const SymbolicValue &other) const;
    SymbolicValue bit_and(const SymbolicValue &other) const;
    SymbolicValue bit_or(const SymbolicValue &other) const;
    SymbolicValue bit_xor(const SymbolicValue &other) const;
    SymbolicValue shift_left(const SymbolicValue &count) const;
    SymbolicValue shift_right(const SymbolicValue &count, bool arithmetic) const;
    SymbolicValue divided(const SymbolicValue &other) const;
    SymbolicValue negated() const;
    SymbolicValue complement() const;
    static SymbolicValue selected(const SymbolicValue &condition, const SymbolicValue &first,
                                  const SymbolicValue &second);
    SymbolicValue compared(Comparison how, const SymbolicValue &other, bool is_signed) const;
    // Reads memory at this address: `bytes` bytes, zero-extended.
    SymbolicValue load(uint32_t bytes) const;
    // Takes the low bits, and extends them to 64.
    SymbolicValue truncated(uint32_t bits, bool sign_extend) const;

    // Locates a parameter of size bytes that is this value.
    Location as_value(uint32_t size, uint32_t registers, ExprContext &context) const;
    // Locates a parameter of size bytes that is in memory at this address.
    Location as_memory(uint32_t size, uint32_t registers) const;

  private:
    enum Kind : uint8_t { kConst, kAddress, kWord, kUnknown };

    bool is_plain_register() const;
    uint32_t right_after_shift(uint32_t count, bool arithmetic) const;
    SymbolicValue plus_constant(uint64_t addend) const;
    SymbolicValue extracted(uint32_t low_bit, uint32_t bits, bool sign_extend) const;

    Kind kind_ = kConst;
    MissingReason reason_{};
    uint64_t number_ = 0;
    bool in_memory_ = false;
    uint32_t reg_ = 0;
    int64_t offset_ = 0;  // of the memory
    uint32_t bytes_ = 8;  // in memory
    uint64_t add_ = 0;
    uint32_t bits_ = 64;
    bool sign_ = false;
    uint64_t post_ = 0;
    uint32_t shift_ = 0;
    uint32_t right_ = 64;  // low bits before << shift that are the program's; if < 64, bits_ < 64
};

}  // namespace btf_extra::generator

#endif
