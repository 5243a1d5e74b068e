// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A value of a DWARF expression as the code that computes it. A SymbolicValue becomes a LOC_PARAM,
// and this becomes an expression.
#ifndef BTF_EXTRA_POSTFIX_VALUE_H
#define BTF_EXTRA_POSTFIX_VALUE_H

#include <algorithm>
#include <cstdint>

#include "userspace/generator/locations/comparison.h"
#include "userspace/generator/locations/expr_context.h"
#include "userspace/generator/locations/postfix_code.h"
#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// One of
//   kConst    number
//   kAddress  the base of the object + number
//   kCode     extend(low `bits` of (code + add)) << shift, modulo 2^64
//   kUnknown  anything else, with the reason
// Additions, extensions and shifts stay outside the code until another operator needs the value:
// many of them cancel out. A value has the code of the expression exactly, or is kUnknown.
//
// DWARF's value may not be that of the program: GCC 12 shifts an int to the right as the 64 bits of
// its register, of which the upper half is anything. (It extends what it compares, and the low bits
// of all other results depend on no higher ones.) The width of an operation is known only from the
// extension of an operand, from a load, or if the result is used as 64 bits. If it is not known,
// but the result is used as 32 bits or more, the operation has at least 32: then the operand is
// checked to be such that 32 and 64 bits have the same result.
class PostfixValue {
  public:
    static PostfixValue constant(uint64_t number);
    // An address of the link.
    static PostfixValue address(uint64_t number, ExprContext &context);
    static PostfixValue of_register(uint32_t reg, uint64_t add = 0);
    static PostfixValue unknown(MissingReason reason);

    // A DWARF base type; by default the generic type, 64 bits.
    uint32_t type_bits = 64;
    bool type_signed = false;
    bool type_generic = true;

    bool is_constant() const { return kind_ == kConst; }
    bool is_unknown() const { return kind_ == kUnknown; }
    MissingReason reason() const { return reason_; }

    PostfixValue plus(const PostfixValue &other) const;
    PostfixValue minus(const PostfixValue &other) const;
    PostfixValue times(const PostfixValue &other) const;
    PostfixValue bit_and(const PostfixValue &other) const;
    PostfixValue bit_or(const PostfixValue &other) const;
    PostfixValue bit_xor(const PostfixValue &other) const;
    PostfixValue shift_left(const PostfixValue &count) const;
    PostfixValue shift_right(const PostfixValue &count, bool arithmetic) const;
    // Both are signed; rounds towards 0.
    PostfixValue divided(const PostfixValue &other) const;
    PostfixValue negated() const;
    PostfixValue complement() const;
    // 1 or 0, of the generic type.
    PostfixValue compared(Comparison how, const PostfixValue &other, bool is_signed) const;
    // Reads memory at this address: `bytes` bytes, zero-extended.
    PostfixValue load(uint32_t bytes) const;
    // If the condition is not 0, the first value, otherwise the second.
    static PostfixValue selected(const PostfixValue &condition, const PostfixValue &first,
                                 const PostfixValue &second);
    // Takes the low bits, and extends them to 64.
    PostfixValue truncated(uint32_t bits, bool sign_extend) const;

    // Returns the value as it is if the low `bytes` bytes, 1 to 8, are used: it has the checks that
    // this requires. Unknown: they need not be the program's.
    PostfixValue used(uint32_t bytes) const;
    // Returns the bits from `bit` on, of a value of which 8 bytes count.
    PostfixValue upper(uint32_t bit) const;
    // Returns the code of a value of which the low `bytes` bytes count. The value is known.
    PostfixCode code(uint32_t bytes) const;

  private:
    enum Kind : uint8_t { kConst, kAddress, kCode, kUnknown };

    static PostfixValue of_code(PostfixCode code, uint32_t width);
    static PostfixValue arithmetic();
    // Returns 0, as the result of an operation on this value; unknown: its checks would be lost.
    PostfixValue zero() const;
    PostfixValue with_code(PostfixCode code) const;

    // Returns the value with a check that it has only that many low bits, unless that is known.
    PostfixValue checked(uint32_t bits, bool optional) const;
    // Returns the value as the operand of a shift or of a division whose width is not known.
    PostfixValue of_any_width(bool is_signed) const;
    // Returns a count that is less than 64; unknown: it need not be right. of_64_bits: the shift
    // is.
    PostfixValue as_count(bool of_64_bits) const;
    bool is_right_if_checked() const { return right() == 64 || right_if_checked_; }

    bool is_sum() const { return kind_ == kCode && bits_ == 64 && shift_ == 0; }
    // Returns how many low bits may be set.
    uint32_t width() const;
    // Returns how many low bits are right, whatever the width of the operations.
    uint32_t right() const { return std::min(right_ + shift_, 64u); }
    bool is_bare_load() const;
    bool is_certain() const;
    bool is_wide() const { return kind_ == kAddress || wide_; }
    uint32_t right_after_shift(uint32_t count, bool arithmetic) const;
    PostfixCode whole_code() const;
    // Returns the same value with nothing outside its code.
    PostfixValue settled() const;
    PostfixValue plus_constant(uint64_t addend) const;
    PostfixValue combined(uint8_t op, const PostfixValue &other, uint32_t width) const;

    Kind kind_ = kConst;
    MissingReason reason_{};
    bool is_memory_ = false;  // the address is that of memory which may be read
    bool sign_ = false;       // the extension is that of the sign
    bool wide_ = false;       // the program has the value in 64 bits
    uint64_t number_ = 0;
    PostfixCode code_;
    uint32_t width_ = 64;  // of the code
    uint32_t right_ = 64;  // as right(), before the shift
    // All bits are right for a use of 32 bits or more, by the optional checks of the code.
    bool right_if_checked_ = false;
    uint64_t add_ = 0;
    uint32_t bits_ = 64;
    uint32_t shift_ = 0;
};

}  // namespace btf_extra::generator

#endif
