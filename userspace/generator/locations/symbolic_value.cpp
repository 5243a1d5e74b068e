// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/locations/symbolic_value.h"

#include <algorithm>
#include <bit>

#include "userspace/format/core_api.h"
#include "userspace/generator/locations/constant_location.h"
#include "userspace/generator/locations/loc_param.h"

namespace btf_extra::generator {

namespace {

uint64_t low_bits(uint64_t value, uint32_t bits) {
    return narrow_extend_bits(value, bits, false);
}

bool is_narrow_size(uint32_t bits) {
    return bits == 8 || bits == 16 || bits == 32;
}

SymbolicValue arithmetic() {
    return SymbolicValue::unknown(MissingReason::kArithmetic);
}

}  // namespace

SymbolicValue SymbolicValue::constant(uint64_t number) {
    SymbolicValue value;
    value.number_ = number;
    return value;
}

SymbolicValue SymbolicValue::address(uint64_t number, ExprContext &) {
    SymbolicValue value;
    value.kind_ = kAddress;
    value.number_ = number;
    return value;
}

SymbolicValue SymbolicValue::of_register(uint32_t reg, uint64_t add) {
    SymbolicValue value;
    value.kind_ = kWord;
    value.reg_ = reg;
    value.add_ = add;
    return value;
}

SymbolicValue SymbolicValue::unknown(MissingReason reason) {
    SymbolicValue value;
    value.kind_ = kUnknown;
    value.reason_ = reason;
    return value;
}

bool SymbolicValue::is_plain_register() const {
    return kind_ == kWord && !in_memory_ && bits_ == 64 && shift_ == 0;
}

SymbolicValue SymbolicValue::plus_constant(uint64_t addend) const {
    SymbolicValue sum = *this;
    if (kind_ == kConst) {
        sum.number_ += addend;
    } else if (kind_ == kAddress) {
        sum.add_ += addend;
    } else if (kind_ == kWord) {
        if (addend == 0)
            return sum;
        if (shift_ != 0)
            return arithmetic();
        if (bits_ == 64)
            sum.add_ += addend;
        else
            sum.post_ += addend;
    }
    return sum;
}

SymbolicValue SymbolicValue::plus(const SymbolicValue &other) const {
    if (is_unknown())
        return *this;
    if (other.is_constant())
        return plus_constant(other.number_);
    if (other.is_unknown())
        return other;
    return is_constant() ? other.plus_constant(number_) : arithmetic();
}

SymbolicValue SymbolicValue::minus(const SymbolicValue &other) const {
    if (is_unknown())
        return *this;
    if (other.is_constant())
        return plus_constant(0 - other.number_);
    return other.is_unknown() ? other : arithmetic();
}

SymbolicValue SymbolicValue::times(const SymbolicValue &other) const {
    if (is_unknown())
        return *this;
    if (other.is_unknown())
        return other;
    if (is_constant() && other.is_constant())
        return constant(number_ * other.number_);
    if (!is_constant() && !other.is_constant())
        return arithmetic();
    const SymbolicValue &word = is_constant() ? other : *this;
    const uint64_t factor = is_constant() ? number_ : other.number_;
    if (factor == 0)
        return constant(0);
    if (!std::has_single_bit(factor))
        return arithmetic();
    return word.shift_left(constant(static_cast<uint64_t>(std::countr_zero(factor))));
}

SymbolicValue SymbolicValue::bit_and(const SymbolicValue &other) const {
    if (is_unknown())
        return *this;
    if (other.is_unknown())
        return other;
    if (is_constant() && other.is_constant())
        return constant(number_ & other.number_);
    if (!is_constant() && !other.is_constant())
        return arithmetic();
    const SymbolicValue &word = is_constant() ? other : *this;
    const uint64_t mask = is_constant() ? number_ : other.number_;
    if (mask == 0)
        return constant(0);
    const auto ones = static_cast<uint32_t>(std::countr_one(mask));
    if (ones == 64 || mask == low_bits(~uint64_t{0}, ones))
        return word.truncated(ones, false);
    // The mask keeps every bit that can be set.
    if (word.kind_ == kWord && !word.sign_ && word.post_ == 0 && word.shift_ == 0 &&
        ones >= word.bits_)
        return word;
    return arithmetic();
}

SymbolicValue SymbolicValue::bit_or(const SymbolicValue &other) const {
    if (is_unknown())
        return *this;
    if (other.is_unknown())
        return other;
    if (is_constant() && other.is_constant())
        return constant(number_ | other.number_);
    if (other.is_constant() && other.number_ == 0)
        return *this;
    return is_constant() && number_ == 0 ? other : arithmetic();
}

SymbolicValue SymbolicValue::bit_xor(const SymbolicValue &other) const {
    if (is_constant() && other.is_constant())
        return constant(number_ ^ other.number_);
    return bit_or(other);  // it does the same if one side is 0
}

SymbolicValue SymbolicValue::shift_left(const SymbolicValue &count) const {
    if (is_unknown())
        return *this;
    if (!count.is_constant())
        return count.is_unknown() ? count : arithmetic();
    if (count.number_ >= 64 || kind_ == kAddress)
        return arithmetic();
    if (is_constant())
        return constant(number_ << count.number_);
    SymbolicValue shifted = *this;
    shifted.shift_ += static_cast<uint32_t>(count.number_);
    return shifted.shift_ >= 64 ? constant(0) : shifted;
}

// Returns how many low bits of a shift to the right are the same at each width that the operation
// of the program may have. All bits of the value are right.
uint32_t SymbolicValue::right_after_shift(uint32_t count, bool arithmetic_shift) const {
    if (!type_generic)
        return 64;  // only types of 64 bits are shifted
    // The operand has at least its own width, which a register does not tell. It needs more after a
    // shift to the left.
    uint32_t least = in_memory_ || bits_ < 64 ? bits_ : 0;
    uint32_t needed = bits_ < 64 && post_ == 0 ? bits_ + shift_ : 64;
    bool is_signed = sign_;
    if (is_constant()) {
        is_signed = number_ >> 63 != 0;
        least = static_cast<uint32_t>(std::bit_width(is_signed ? ~number_ << 1 : number_));
        needed = least;
    }
    // The narrowest operation: none is narrower than its operand, or shifts by its width.
    const uint32_t width = std::bit_ceil(std::max({least, count + 1, 8U}));
    // An operand that fits is the same at each width if its highest bit is the sign in all or none.
    const bool fits =
        is_signed == arithmetic_shift ? needed <= width : !is_signed && needed < width;
    return width == 64 || fits ? 64 : width - count;
}

SymbolicValue SymbolicValue::shift_right(const SymbolicValue &count, bool arithmetic_shift) const {
    if (is_unknown())
        return *this;
    if (!count.is_constant())
        return count.is_unknown() ? count : arithmetic();
    if (count.number_ >= 64 || kind_ == kAddress)
        return arithmetic();
    if (count.number_ == 0)
        return *this;
    if (right_ + shift_ < 64)
        return arithmetic();
    const auto bits = static_cast<uint32_t>(count.number_);
    const uint32_t right = right_after_shift(bits, arithmetic_shift);
    if (is_constant()) {
        if (right < 64)
            return arithmetic();
        return constant(arithmetic_shift
                            ? static_cast<uint64_t>(static_cast<int64_t>(number_) >> bits)
                            : number_ >> bits);
    }
    // Bits [bits - shift, 64 - shift) of the value before its left shift remain.
    if (bits < shift_)
        return arithmetic();
    SymbolicValue unshifted = *this;
    unshifted.shift_ = 0;
    SymbolicValue shifted = unshifted.extracted(bits - shift_, 64 - bits, arithmetic_shift);
    shifted.right_ = right;
    return shifted;
}

SymbolicValue SymbolicValue::divided(const SymbolicValue &other) const {
    return is_unknown() ? *this : other.is_unknown() ? other : arithmetic();
}

// Takes bits [low_bit, low_bit + bits) and extends them to 64. They are right, and shift_ is 0.
SymbolicValue SymbolicValue::extracted(uint32_t low_bit, uint32_t bits, bool sign_extend) const {
    if (low_bit == 0)
        return truncated(bits, sign_extend);
    // Whole bytes in the middle of memory are memory at a higher address.
    if (!in_memory_ || add_ != 0 || post_ != 0 || low_bit % 8 != 0 || bits_ != bytes_ * 8 ||
        (sign_ && low_bit + bits > bits_))
        return arithmetic();
    if (low_bit >= bits_)
        return constant(0);
    SymbolicValue part = *this;
    part.sign_ = sign_extend;
    if (low_bit + bits > bits_) {  // zeros above
        bits = bits_ - low_bit;
        part.sign_ = false;
    }
    if (bits % 8 != 0)
        return arithmetic();
    part.offset_ = static_cast<int64_t>(static_cast<uint64_t>(offset_) + low_bit / 8);
    part.bytes_ = bits / 8;
    part.bits_ = bits;
    return part;
}

SymbolicValue SymbolicValue::negated() const {
    if (is_unknown())
        return *this;
    return is_constant() ? constant(0 - number_) : arithmetic();
}

SymbolicValue SymbolicValue::complement() const {
    if (is_unknown())
        return *this;
    return is_constant() ? constant(~number_) : arithmetic();
}

SymbolicValue SymbolicValue::selected(const SymbolicValue &condition, const SymbolicValue &first,
                                      const SymbolicValue &second) {
    for (const SymbolicValue *value : {&condition, &first, &second})
        if (value->is_unknown())
            return *value;
    return unknown(MissingReason::kArithmetic);
}

SymbolicValue SymbolicValue::compared(Comparison, const SymbolicValue &other, bool) const {
    if (is_unknown())
        return *this;
    return other.is_unknown() ? other : arithmetic();
}

SymbolicValue SymbolicValue::load(uint32_t bytes) const {
    if (is_unknown())
        return *this;
    if (kind_ == kConst || kind_ == kAddress)
        return unknown(MissingReason::kStaticMemory);
    if (!is_plain_register())
        return arithmetic();
    SymbolicValue loaded;
    loaded.kind_ = kWord;
    loaded.in_memory_ = true;
    loaded.reg_ = reg_;
    loaded.offset_ = static_cast<int64_t>(add_);
    loaded.bytes_ = bytes;
    loaded.bits_ = bytes * 8;
    return loaded;
}

SymbolicValue SymbolicValue::truncated(uint32_t bits, bool sign_extend) const {
    if (is_unknown() || bits >= 64)
        return *this;
    if (is_constant())
        return constant(narrow_extend_bits(number_, bits, sign_extend));
    if (kind_ == kAddress)
        return arithmetic();
    if (shift_ != 0)
        return bits <= shift_ ? constant(0) : arithmetic();
    SymbolicValue low = *this;
    if (bits <= right_)
        low.right_ = 64;
    if (bits <= bits_) {
        low.add_ += post_;
        low.post_ = 0;
        low.bits_ = bits;
        low.sign_ = sign_extend;
        return low;
    }
    // More bits are wanted than there are: the value is extended already, unless the sum after the
    // extension can carry, or its sign would be cut off.
    if (post_ != 0 || (sign_ && !sign_extend))
        return arithmetic();
    return low;
}

Location SymbolicValue::as_value(uint32_t size, uint32_t registers, ExprContext &context) const {
    if (is_unknown())
        return Location::missing(reason_);
    if (!type_generic && type_bits < size * 8)
        return Location::missing(MissingReason::kArithmetic);
    if (size > 8)
        return Location::missing(MissingReason::kPieces);
    if (is_constant())
        return generator::constant(number_, false, size);
    if (kind_ == kAddress) {
        const AddressConstant address = context.address_constant(number_);
        if (address.kind == AddressConstant::kUnknown)
            return Location::missing(MissingReason::kStaticMemory);
        if (address.kind == AddressConstant::kFixed)
            return generator::constant(address.value + add_, false, size);
        if (size != 8)
            return Location::missing(MissingReason::kArithmetic);
        return {.param = loc_param::address(address.value + add_, size)};
    }
    SymbolicValue value = *this;
    const uint32_t wanted = size * 8;
    if (value.shift_ != 0 || value.right_ < wanted || (value.post_ != 0 && value.bits_ < wanted))
        return Location::missing(MissingReason::kArithmetic);
    if (value.bits_ >= wanted) {
        value.add_ += value.post_;
        value.bits_ = wanted;
    } else if (!is_narrow_size(value.bits_)) {
        return Location::missing(MissingReason::kArithmetic);
    }
    if (value.reg_ >= registers)
        return Location::missing(MissingReason::kArithmetic);
    const loc_param::Extension extension = value.bits_ == wanted ? loc_param::kFull
                                           : value.sign_         ? loc_param::kSigned
                                                                 : loc_param::kZero;
    if (value.in_memory_) {
        if (low_bits(value.add_, value.bits_) != 0)
            return Location::missing(MissingReason::kArithmetic);
        return {.param = loc_param::memory(value.reg_, value.offset_, value.bits_ / 8, extension)};
    }
    const auto offset = static_cast<int64_t>(narrow_extend_bits(value.add_, value.bits_, true));
    return {.param = loc_param::in_register(value.reg_, offset, value.bits_ / 8, extension)};
}

Location SymbolicValue::as_memory(uint32_t size, uint32_t registers) const {
    if (is_unknown())
        return Location::missing(reason_);
    if (kind_ == kConst || kind_ == kAddress)
        return Location::missing(MissingReason::kStaticMemory);
    if (!is_plain_register() || reg_ >= registers)
        return Location::missing(MissingReason::kArithmetic);
    return {.param = loc_param::memory(reg_, static_cast<int64_t>(add_), size, loc_param::kFull)};
}

}  // namespace btf_extra::generator
