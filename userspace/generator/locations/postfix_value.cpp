// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/locations/postfix_value.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "userspace/format/core_api.h"

namespace btf_extra::generator {

namespace {

uint64_t low_bits(uint64_t value, uint32_t bits) {
    return narrow_extend_bits(value, bits, false);
}

bool is_signed_comparison(uint8_t op) {
    return op == LOC_CODE_LESS_SIGNED || op == LOC_CODE_LESS_EQUAL_SIGNED;
}

// Returns the width of the narrowest operation that has such a shift.
uint32_t least_width(uint32_t count) {
    return std::max(8u, std::bit_ceil(count + 1));
}

// Returns true if a shift to the right has the same result for an int and for a long.
bool is_same_int(uint64_t number, bool arithmetic_shift) {
    return static_cast<uint64_t>(static_cast<int32_t>(number)) == number &&
           (arithmetic_shift || number <= INT32_MAX);
}

uint8_t operator_of(Comparison how, bool is_signed) {
    switch (how) {
    case Comparison::kEqual:
        return LOC_CODE_EQUAL;
    case Comparison::kNotEqual:
        return LOC_CODE_NOT_EQUAL;
    case Comparison::kLess:
        return is_signed ? LOC_CODE_LESS_SIGNED : LOC_CODE_LESS;
    case Comparison::kLessEqual:
        break;
    }
    return is_signed ? LOC_CODE_LESS_EQUAL_SIGNED : LOC_CODE_LESS_EQUAL;
}

}  // namespace

PostfixValue PostfixValue::constant(uint64_t number) {
    PostfixValue value;
    value.number_ = number;
    return value;
}

PostfixValue PostfixValue::address(uint64_t number, ExprContext &context) {
    const AddressConstant known = context.address_constant(number);
    if (known.kind == AddressConstant::kUnknown)
        return unknown(MissingReason::kStaticMemory);
    PostfixValue value = constant(known.value);
    if (known.kind == AddressConstant::kMoves) {
        value.kind_ = kAddress;
        value.is_memory_ = known.is_memory;
    }
    return value;
}

PostfixValue PostfixValue::of_register(uint32_t reg, uint64_t add) {
    PostfixValue value = of_code(PostfixCode::of_register(reg), 64);
    value.add_ = add;
    return value;
}

PostfixValue PostfixValue::unknown(MissingReason reason) {
    PostfixValue value;
    value.kind_ = kUnknown;
    value.reason_ = reason;
    return value;
}

PostfixValue PostfixValue::arithmetic() {
    return unknown(MissingReason::kArithmetic);
}

PostfixValue PostfixValue::zero() const {
    return code_.has_checks() ? arithmetic() : constant(0);
}

PostfixValue PostfixValue::of_code(PostfixCode code, uint32_t width) {
    if (!code.fits())
        return arithmetic();
    PostfixValue value;
    value.kind_ = kCode;
    value.code_ = std::move(code);
    value.width_ = std::min(width, 64u);
    return value;
}

uint32_t PostfixValue::width() const {
    if (kind_ == kConst)
        return static_cast<uint32_t>(std::bit_width(number_));
    if (kind_ != kCode || (bits_ < 64 && sign_))
        return 64;
    const uint32_t before_shift = std::min(bits_, add_ == 0 ? width_ : 64);
    return std::min(before_shift + shift_, 64u);
}

PostfixCode PostfixValue::whole_code() const {
    if (kind_ == kConst)
        return PostfixCode::number(number_);
    if (kind_ == kAddress)
        return PostfixCode::address(number_);
    PostfixCode code = code_;
    if (add_ != 0)
        code.combine_with(LOC_CODE_ADD, narrow_extend_bits(add_, bits_, true));
    if (bits_ < 64 && (add_ != 0 || bits_ % 8 != 0 || !code.narrow_load(bits_ / 8, sign_)))
        code.extend(sign_ ? LOC_CODE_SIGN_EXTEND : LOC_CODE_ZERO_EXTEND, bits_);
    if (shift_ != 0)
        code.combine_with(LOC_CODE_SHIFT_LEFT, shift_);
    return code;
}

PostfixValue PostfixValue::settled() const {
    // Bits may have been shifted out of fewer than 64.
    PostfixValue value = of_code(whole_code(), shift_ != 0 && !is_wide() ? 64 : width());
    value.right_ = right();
    value.right_if_checked_ = right_if_checked_;
    value.wide_ = is_wide();
    return value;
}

PostfixValue PostfixValue::used(uint32_t bytes) const {
    if (is_unknown() || kind_ != kCode)
        return *this;
    PostfixValue value = *this;
    if (bytes == 8 || right() >= 8 * bytes)
        value.code_.drop_checks();
    else if (bytes >= 4 && right_if_checked_)
        value.code_.keep_checks();
    else
        return arithmetic();
    value.right_ = 64;
    value.right_if_checked_ = false;
    return value;
}

PostfixValue PostfixValue::checked(uint32_t bits, bool optional) const {
    if (width() <= bits)
        return *this;
    PostfixValue value = settled();
    if (value.is_unknown())
        return value;
    value.code_.check_bits(bits, optional);
    if (!value.code_.fits())
        return arithmetic();
    if (!optional)
        value.width_ = bits;
    return value;
}

PostfixValue PostfixValue::of_any_width(bool is_signed) const {
    return checked(is_signed ? 31 : 32, true);
}

// A count that must be less than 32, because an operation of 32 bits may have it, is checked to be.
PostfixValue PostfixValue::as_count(bool of_64_bits) const {
    if (is_unknown() || width() <= 6)
        return right() == 64 ? *this : arithmetic();
    if (is_constant() || !is_right_if_checked())
        return arithmetic();
    PostfixValue count = used(4).checked(6, false);
    return count.is_unknown() || of_64_bits ? count : count.checked(5, true);
}

PostfixValue PostfixValue::plus_constant(uint64_t addend) const {
    if (addend == 0 || is_unknown())
        return *this;
    if (kind_ == kConst || kind_ == kAddress) {
        PostfixValue sum = *this;
        sum.number_ += addend;
        return sum;
    }
    PostfixValue sum = is_sum() ? *this : settled();
    sum.add_ += addend;
    return sum;
}

// The code has any bits, and what is known of the value is true of it, too.
PostfixValue PostfixValue::with_code(PostfixCode code) const {
    PostfixValue value = of_code(std::move(code), 64);
    value.right_ = right();
    value.right_if_checked_ = right_if_checked_;
    value.wide_ = is_wide();
    return value;
}

// Both are known.
PostfixValue PostfixValue::combined(uint8_t op, const PostfixValue &other, uint32_t width) const {
    PostfixCode code = whole_code();
    if (other.is_constant())
        code.combine_with(op, other.number_);
    else
        code.combine(op, other.whole_code());
    PostfixValue value = of_code(std::move(code), width);
    value.right_ = std::min(right(), other.right());
    value.right_if_checked_ =
        value.right_ < 64 && is_right_if_checked() && other.is_right_if_checked();
    value.wide_ = is_wide() || other.is_wide();
    return value;
}

PostfixValue PostfixValue::plus(const PostfixValue &other) const {
    if (is_unknown())
        return *this;
    if (other.is_unknown())
        return other;
    if (other.is_constant())
        return plus_constant(other.number_);
    if (is_constant())
        return other.plus_constant(number_);
    // Numbers are added last.
    PostfixValue left = *this;
    PostfixValue right = other;
    uint64_t number = 0;
    for (PostfixValue *side : {&left, &right})
        if (side->is_sum())
            number += std::exchange(side->add_, 0);
    if (left.kind_ == kAddress)
        left.number_ += std::exchange(number, 0);
    else if (right.kind_ == kAddress)
        right.number_ += std::exchange(number, 0);
    return left.combined(LOC_CODE_ADD, right, 64).plus_constant(number);
}

PostfixValue PostfixValue::minus(const PostfixValue &other) const {
    if (is_unknown())
        return *this;
    if (other.is_unknown())
        return other;
    if (other.is_constant())
        return plus_constant(0 - other.number_);
    if (is_constant())
        return other.negated().plus_constant(number_);
    if (kind_ == kAddress && other.kind_ == kAddress)
        return constant(number_ - other.number_);
    PostfixValue left = *this;
    PostfixValue right = other;
    uint64_t number = 0;
    if (left.is_sum())
        number += std::exchange(left.add_, 0);
    if (right.is_sum())
        number -= std::exchange(right.add_, 0);
    return left.combined(LOC_CODE_SUBTRACT, right, 64).plus_constant(number);
}

PostfixValue PostfixValue::times(const PostfixValue &other) const {
    if (is_unknown())
        return *this;
    if (other.is_unknown())
        return other;
    if (is_constant() && other.is_constant())
        return constant(number_ * other.number_);
    if (is_constant())
        return other.times(*this);
    if (!other.is_constant())
        return combined(LOC_CODE_MULTIPLY, other, 64);
    if (other.number_ == 0)
        return zero();
    if (std::has_single_bit(other.number_))
        return shift_left(constant(static_cast<uint64_t>(std::countr_zero(other.number_))));
    return combined(LOC_CODE_MULTIPLY, other, 64);
}

PostfixValue PostfixValue::bit_and(const PostfixValue &other) const {
    if (is_unknown())
        return *this;
    if (other.is_unknown())
        return other;
    if (is_constant() && other.is_constant())
        return constant(number_ & other.number_);
    if (is_constant())
        return other.bit_and(*this);
    if (!other.is_constant())
        return combined(LOC_CODE_AND, other, std::min(width(), other.width()));
    if (other.number_ == 0)
        return zero();
    const uint64_t bits = low_bits(~uint64_t{0}, width());
    if ((other.number_ & bits) == bits)
        return *this;
    const auto ones = static_cast<uint32_t>(std::countr_one(other.number_));
    // A mask of another width than that of a type extends nothing.
    const bool may_extend = ones == 8 || ones == 16 || ones == 32;
    if (other.number_ == low_bits(~uint64_t{0}, ones) && (may_extend || ones <= right()))
        return truncated(ones, false);
    PostfixValue masked = combined(LOC_CODE_AND, other, std::min(width(), other.width()));
    if (other.width() <= right()) {
        masked.right_ = 64;
        masked.right_if_checked_ = false;
        masked.code_.drop_checks();
    }
    return masked;
}

PostfixValue PostfixValue::bit_or(const PostfixValue &other) const {
    if (is_unknown())
        return *this;
    if (other.is_unknown())
        return other;
    if (is_constant() && other.is_constant())
        return constant(number_ | other.number_);
    if (is_constant())
        return other.bit_or(*this);
    if (other.is_constant() && other.number_ == 0)
        return *this;
    return combined(LOC_CODE_OR, other, std::max(width(), other.width()));
}

PostfixValue PostfixValue::bit_xor(const PostfixValue &other) const {
    if (is_unknown())
        return *this;
    if (other.is_unknown())
        return other;
    if (is_constant() && other.is_constant())
        return constant(number_ ^ other.number_);
    if (is_constant())
        return other.bit_xor(*this);
    if (other.is_constant() && other.number_ == 0)
        return *this;
    if (other.is_constant() && other.number_ == ~uint64_t{0})
        return complement();
    return combined(LOC_CODE_XOR, other, std::max(width(), other.width()));
}

PostfixValue PostfixValue::shift_left(const PostfixValue &count) const {
    if (is_unknown())
        return *this;
    if (count.is_unknown())
        return count;
    // DWARF has no value if the count is not less than the width.
    const PostfixValue below_64 = count.as_count(false);
    if (below_64.is_unknown())
        return below_64;
    if (!count.is_constant()) {
        PostfixValue shifted = combined(LOC_CODE_SHIFT_LEFT, below_64, 64);
        shifted.wide_ = is_wide();
        if (count.width() > 6) {
            shifted.right_ = 0;
            shifted.right_if_checked_ = is_right_if_checked();
        }
        return shifted;
    }
    if (is_constant())
        return constant(number_ << count.number_);
    PostfixValue shifted = kind_ == kAddress ? settled() : *this;
    if (shifted.is_unknown())
        return shifted;
    shifted.shift_ += static_cast<uint32_t>(count.number_);
    return shifted.shift_ >= 64 ? zero() : shifted;
}

// Returns true if the width of an operation on it is 64 bits. The mask of an unsigned int does not
// tell that of what is shifted to the left after it.
bool PostfixValue::is_certain() const {
    return is_wide() && (shift_ == 0 || bits_ != 32);
}

// The highest bit that can be set may be the sign.
bool PostfixValue::is_bare_load() const {
    return kind_ == kCode && shift_ == 0 && bits_ == 64 && add_ == 0 && width_ < 64 &&
           width_ % 8 == 0 && std::has_single_bit(width_ / 8) && !is_wide();
}

// Returns how many low bits are right after a shift to the right, if all are before.
uint32_t PostfixValue::right_after_shift(uint32_t count, bool arithmetic_shift) const {
    const uint32_t least = least_width(count);
    if (is_certain() || is_constant() || shift_ >= 32 || least == 64)
        return 64;
    if (shift_ != 0)  // bits may have been shifted out of fewer than 64
        return least - count;
    if (bits_ < 64)
        return arithmetic_shift || !sign_ ? 64 : least - count;
    return width_ == 64 || add_ != 0 ? least - count : 64;
}

PostfixValue PostfixValue::shift_right(const PostfixValue &count, bool arithmetic_shift) const {
    if (is_unknown())
        return *this;
    if (count.is_unknown())
        return count;
    const PostfixValue below_64 = count.as_count(is_certain());
    if (below_64.is_unknown())
        return below_64;
    if (right() < 64)
        return arithmetic();
    // Its highest bit may be a sign. If it is 0, that does not matter.
    if (arithmetic_shift && is_bare_load())
        return checked(width_ - 1, false).shift_right(count, true);
    if (is_constant() && !is_wide() && !is_same_int(number_, arithmetic_shift))
        return arithmetic();
    // The sign is 0.
    const bool is_signed = arithmetic_shift && width() == 64;
    const uint8_t op = is_signed ? LOC_CODE_SHIFT_RIGHT_SIGNED : LOC_CODE_SHIFT_RIGHT;
    if (!count.is_constant()) {
        const bool certain = right_after_shift(0, arithmetic_shift) == 64;
        const PostfixValue value = certain ? *this : of_any_width(arithmetic_shift);
        if (value.is_unknown())
            return value;
        PostfixValue shifted = value.combined(op, below_64, is_signed ? 64 : width());
        shifted.wide_ = is_wide();
        shifted.right_ = certain && (count.width() <= 6 || is_certain()) ? 64 : 0;
        shifted.right_if_checked_ = shifted.right_ == 0;
        return shifted;
    }
    const auto bits = static_cast<uint32_t>(count.number_);
    if (is_constant())
        return constant(is_signed ? static_cast<uint64_t>(static_cast<int64_t>(number_) >> bits)
                                  : number_ >> bits);
    if (bits == 0)
        return *this;
    const uint32_t right_after = right_after_shift(bits, arithmetic_shift);
    if (kind_ == kCode && shift_ != 0 && bits >= shift_) {
        PostfixValue before = *this;
        before.shift_ = 0;
        PostfixValue shifted = before.truncated(64 - shift_, is_signed)
                                   .shift_right(constant(bits - shift_), is_signed);
        // A check of what is shifted to the left says nothing of the bits that this shifts out.
        shifted.right_ = std::min(shifted.right_, right_after);
        shifted.right_if_checked_ = false;
        shifted.code_.drop_checks();
        return shifted;
    }
    if (!is_signed && width() <= bits)
        return right_after == 64 ? zero() : arithmetic();
    const PostfixValue value = right_after == 64 ? *this : of_any_width(arithmetic_shift);
    if (value.is_unknown())
        return value;
    PostfixValue shifted = value.combined(op, count, is_signed ? 64 : width() - bits);
    shifted.right_ = right_after;
    shifted.right_if_checked_ = right_after < 64;
    return shifted;
}

PostfixValue PostfixValue::divided(const PostfixValue &other) const {
    if (is_unknown())
        return *this;
    if (other.is_unknown())
        return other;
    // Only by powers of 2; DWARF's numbers have a sign.
    if (!other.is_constant() || !std::has_single_bit(other.number_) || other.width() == 64 ||
        right() < 64)
        return arithmetic();
    const auto bits = static_cast<uint32_t>(std::countr_zero(other.number_));
    if (bits == 0)
        return *this;
    if (is_constant())
        return constant(static_cast<uint64_t>(static_cast<int64_t>(number_) /
                                              static_cast<int64_t>(other.number_)));
    if (is_bare_load())
        return checked(width_ - 1, false).divided(other);
    // An extended value has the same quotient in more bits.
    const bool is_exact = is_certain() || (shift_ == 0 && bits_ < 64);
    PostfixValue rounded = is_exact ? *this : of_any_width(true);
    if (rounded.is_unknown())
        return rounded;
    if (width() == 64)
        rounded = rounded.combined(LOC_CODE_ADD_IF_NEGATIVE, constant(other.number_ - 1), 64);
    rounded.wide_ = true;
    rounded.right_ = 64;
    PostfixValue quotient = rounded.shift_right(constant(bits), true);
    if (!quotient.is_unknown()) {
        quotient.right_ = is_exact ? 64 : 0;
        quotient.right_if_checked_ = !is_exact;
        quotient.wide_ = is_wide();
    }
    return quotient;
}

PostfixValue PostfixValue::upper(uint32_t bit) const {
    PostfixValue all = *this;
    all.wide_ = true;
    return all.shift_right(constant(bit), false);
}

PostfixValue PostfixValue::selected(const PostfixValue &condition, const PostfixValue &first,
                                    const PostfixValue &second) {
    for (const PostfixValue *value : {&condition, &first, &second})
        if (value->is_unknown())
            return *value;
    if (condition.right() < 64)
        return arithmetic();
    if (condition.is_constant())
        return (condition.number_ != 0 ? second : first).code_.has_checks() ? arithmetic()
               : condition.number_ != 0                                     ? first
                                                                            : second;
    PostfixCode code = first.whole_code();
    code.select(second.whole_code(), condition.whole_code());
    PostfixValue value = of_code(std::move(code), std::max(first.width(), second.width()));
    value.right_ = std::min(first.right(), second.right());
    value.right_if_checked_ =
        value.right_ < 64 && first.is_right_if_checked() && second.is_right_if_checked();
    value.wide_ = first.is_wide() && second.is_wide();
    return value;
}

PostfixValue PostfixValue::negated() const {
    if (is_unknown())
        return *this;
    if (is_constant())
        return constant(0 - number_);
    PostfixValue value = *this;
    const uint64_t add = is_sum() ? std::exchange(value.add_, 0) : 0;
    PostfixCode code = value.whole_code();
    code.apply(LOC_CODE_NEGATE);
    return value.with_code(std::move(code)).plus_constant(0 - add);
}

PostfixValue PostfixValue::complement() const {
    if (is_unknown())
        return *this;
    if (is_constant())
        return constant(~number_);
    PostfixCode code = whole_code();
    code.apply(LOC_CODE_COMPLEMENT);
    return with_code(std::move(code));
}

PostfixValue PostfixValue::compared(Comparison how, const PostfixValue &other,
                                    bool is_signed) const {
    if (is_unknown())
        return *this;
    if (other.is_unknown())
        return other;
    if (right() < 64 || other.right() < 64)
        return arithmetic();
    const uint8_t op = operator_of(how, is_signed);
    if (is_constant() && other.is_constant())
        return constant(loc_step_binary(op, number_, other.number_));
    if (is_constant() && (how == Comparison::kEqual || how == Comparison::kNotEqual))
        return other.compared(how, *this, is_signed);
    // GCC compares narrow values at the upper end of the register.
    if (kind_ == kCode && shift_ != 0 && other.is_constant() &&
        low_bits(other.number_, shift_) == 0) {
        PostfixValue before = *this;
        before.shift_ = 0;
        PostfixValue number = other;
        number.wide_ = true;
        number = number.shift_right(constant(shift_), is_signed_comparison(op));
        return before.truncated(64 - shift_, is_signed_comparison(op))
            .compared(how, number, is_signed);
    }
    return combined(op, other, 1);
}

PostfixValue PostfixValue::load(uint32_t bytes) const {
    if (is_unknown())
        return *this;
    if (kind_ == kConst || (kind_ == kAddress && !is_memory_))
        return unknown(MissingReason::kStaticMemory);
    // A typed address of fewer bits is no address.
    if (!std::has_single_bit(bytes) || bytes > 8 || (!type_generic && type_bits < 64))
        return arithmetic();
    PostfixValue address = used(8);
    const uint64_t offset = is_sum() ? std::exchange(address.add_, 0) : 0;
    PostfixCode code = address.whole_code();
    code.load(bytes, offset);
    PostfixValue loaded = of_code(std::move(code), 8 * bytes);
    loaded.wide_ = bytes == 8;
    return loaded;
}

PostfixValue PostfixValue::truncated(uint32_t bits, bool sign_extend) const {
    if (is_unknown() || bits >= 64)
        return *this;
    if (bits == 0)
        return constant(0);
    if (is_constant())
        return constant(narrow_extend_bits(number_, bits, sign_extend));
    const bool by_checks = right() < bits;
    if (by_checks && (bits < 32 || !right_if_checked_))
        return arithmetic();
    PostfixValue low = *this;
    if (kind_ == kCode && by_checks)
        low.code_.keep_checks();
    else if (kind_ == kCode)
        low.code_.drop_checks();
    low.right_if_checked_ = false;
    if (by_checks)
        low.right_ = 64;
    // The value may have no other bits, and the sign 0; or its sign is extended from further down.
    const bool is_same = width() < bits || (width() == bits && !sign_extend) ||
                         (kind_ == kCode && shift_ == 0 && bits_ < bits && sign_extend);
    if (!is_same) {
        if (kind_ != kCode || shift_ != 0 || bits > bits_)
            low = low.settled();
        if (low.is_unknown())
            return low;
        low.bits_ = bits;
        low.sign_ = sign_extend;
        low.right_ = 64;
    }
    low.wide_ |= bits == 32;
    return low;
}

PostfixCode PostfixValue::code(uint32_t bytes) const {
    if (kind_ != kCode)
        return whole_code();
    PostfixValue low = *this;
    if (bits_ + shift_ >= 8 * bytes)
        low.bits_ = 64;
    if (low.bits_ == 64 && shift_ == 0) {
        low.add_ = narrow_extend_bits(add_, 8 * bytes, true);
        if (low.add_ == 0)
            low.code_.narrow_load(bytes, false);
    }
    return low.whole_code();
}

}  // namespace btf_extra::generator
