// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/locations/postfix_code.h"

#include <algorithm>
#include <bit>

#include "userspace/format/core_api.h"

namespace btf_extra::generator {

namespace {

// Returns the n of a load of 1 << n bytes.
uint8_t log_of(uint32_t bytes) {
    return static_cast<uint8_t>(std::countr_zero(bytes));
}

}  // namespace

PostfixCode PostfixCode::of_register(uint32_t reg) {
    PostfixCode code;
    code.begin(static_cast<uint8_t>(LOC_CODE_REGISTER + reg));
    code.depth_ = 1;
    return code;
}

PostfixCode PostfixCode::number(uint64_t number) {
    PostfixCode code;
    code.begin(LOC_CODE_NUMBER);
    code.append_number(number);
    code.depth_ = 1;
    return code;
}

PostfixCode PostfixCode::address(uint64_t relative) {
    PostfixCode code;
    code.begin(LOC_CODE_ADDRESS);
    code.append_number(relative);
    code.depth_ = 1;
    return code;
}

bool PostfixCode::fits() const {
    return nr_operators_ <= LOC_EXPRESSION_OPERATORS && nr_loads_ <= LOC_EXPRESSION_LOADS &&
           depth_ <= LOC_EXPRESSION_DEPTH;
}

void PostfixCode::apply(uint8_t op) {
    begin(op);
}

void PostfixCode::extend(uint8_t op, uint32_t bits) {
    begin(op);
    operators_.push_back(static_cast<uint8_t>(bits));
}

void PostfixCode::combine_with(uint8_t op, uint64_t number) {
    begin(static_cast<uint8_t>(op + LOC_CODE_WITH));
    append_number(number);
}

void PostfixCode::combine(uint8_t op, const PostfixCode &right) {
    append(right, 1);
    begin(op);
}

void PostfixCode::check_bits(uint32_t bits, bool optional) {
    if (optional)
        optional_checks_.push_back(static_cast<uint32_t>(operators_.size()));
    extend(LOC_CODE_FITS, bits);
    ++nr_checks_;
}

void PostfixCode::drop_checks() {
    for (; !optional_checks_.empty(); optional_checks_.pop_back()) {
        const uint32_t at = optional_checks_.back();
        operators_.erase(operators_.begin() + at, operators_.begin() + at + 2);
        --nr_operators_;
        --nr_checks_;
        if (last_ > at)
            last_ -= 2;
        else if (last_ == at)
            last_ = 0;
    }
}

void PostfixCode::select(const PostfixCode &otherwise, const PostfixCode &condition) {
    append(otherwise, 1);
    append(condition, 2);
    begin(LOC_CODE_SELECT);
}

void PostfixCode::load(uint32_t bytes, uint64_t offset) {
    begin(LOC_CODE_LOAD + log_of(bytes));
    append_number(offset);
    ++nr_loads_;
}

bool PostfixCode::narrow_load(uint32_t bytes, bool is_signed) {
    if (bytes > 4 || !std::has_single_bit(bytes) || operators_.empty())
        return false;
    uint8_t &op = operators_[last_];
    if (op < LOC_CODE_LOAD + log_of(bytes) || op >= LOC_CODE_LOAD_SIGNED)
        return false;
    op = (is_signed ? LOC_CODE_LOAD_SIGNED : LOC_CODE_LOAD) + log_of(bytes);
    return true;
}

void PostfixCode::append_piece(const PostfixCode &value, uint32_t bytes) {
    append(value, 0);
    begin(static_cast<uint8_t>(LOC_CODE_PIECE + bytes));
}

ExpressionCode PostfixCode::with_header(uint32_t size) const {
    ExpressionCode code = {static_cast<uint8_t>(size), static_cast<uint8_t>(nr_operators_)};
    code.insert(code.end(), operators_.begin(), operators_.end());
    return code;
}

// below: the values that the stack has already.
void PostfixCode::append(const PostfixCode &other, uint32_t below) {
    const auto size = static_cast<uint32_t>(operators_.size());
    operators_.insert(operators_.end(), other.operators_.begin(), other.operators_.end());
    for (const uint32_t check : other.optional_checks_)
        optional_checks_.push_back(size + check);
    nr_operators_ += other.nr_operators_;
    nr_loads_ += other.nr_loads_;
    nr_checks_ += other.nr_checks_;
    depth_ = std::max(depth_, below + other.depth_);
}

void PostfixCode::begin(uint8_t op) {
    last_ = static_cast<uint32_t>(operators_.size());
    operators_.push_back(op);
    ++nr_operators_;
}

// Appends a signed LEB128.
void PostfixCode::append_number(uint64_t number) {
    auto left = static_cast<int64_t>(number);
    for (;;) {
        const auto byte = static_cast<uint8_t>(left & 0x7f);
        left >>= 7;
        if (left == ((byte & 0x40) != 0 ? -1 : 0))
            return operators_.push_back(byte);
        operators_.push_back(byte | 0x80);
    }
}

}  // namespace btf_extra::generator
