// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/expr_generator.h"

#include "tests/support/expr_context.h"

namespace btf_extra::test {

namespace {

constexpr uint64_t kIntegerTypes[] = {kS1, kU1, kS2, kU2, kS4, kU4, kS8, kU8};

uint32_t bytes_of(uint64_t type) {
    switch (type) {
    case kS1:
    case kU1:
        return 1;
    case kS2:
    case kU2:
        return 2;
    case kS4:
    case kU4:
        return 4;
    default:
        return 8;
    }
}

}  // namespace

uint64_t ExprGenerator::param_size() {
    static constexpr uint64_t kSizes[] = {1, 2, 4, 4, 8, 8, 8, 3, 5, 6, 7, 12, 16, 9, 17};
    return any(kSizes);
}

int64_t ExprGenerator::offset() {
    static constexpr int64_t kOffsets[] = {
        0,           0,           0,          1,           -1,         8,
        -8,          127,         128,        -128,        255,        256,
        0x7fff,      0x8000,      -0x8000,    0xffff,      0x7fffffff, 0x80000000,
        -0x80000000, -0x80000001, 0xffffffff, 0x100000000, INT64_MAX,  INT64_MIN};
    return one_in(8) ? static_cast<int64_t>(random_()) : any(kOffsets);
}

Expr ExprGenerator::number(uint64_t value) {
    switch (below(4)) {
    case 0:
        return consts(static_cast<int64_t>(value));
    case 1:
        return const8s(static_cast<int64_t>(value));
    default:
        break;
    }
    if (value < 32)
        return lit(static_cast<uint32_t>(value));
    if (value <= 0xff)
        return const1u(static_cast<uint8_t>(value));
    if (value <= 0xffff)
        return const2u(static_cast<uint16_t>(value));
    if (value <= 0xffffffff)
        return const4u(static_cast<uint32_t>(value));
    return one_in(2) ? constu(value) : const8u(value);
}

Expr ExprGenerator::constant() {
    switch (below(6)) {
    case 0:
        return lit(static_cast<uint32_t>(below(32)));
    case 1:
        return const1s(static_cast<int8_t>(below(256)));
    case 2:
        return const2s(static_cast<int16_t>(below(65536)));
    case 3:
        return const4s(static_cast<int32_t>(random_()));
    default:
        return number(static_cast<uint64_t>(offset()));
    }
}

Expr ExprGenerator::leaf() {
    static constexpr uint64_t kAddresses[] = {kText, kText + 0x1234, kTextEnd - 1, 0,
                                              0x100, kPerCpuEnd - 8, kElsewhere};
    switch (below(24)) {
    case 0:
        return fbreg(offset());
    case 1:
        return Op::kCallFrameCfa;
    case 2:
        return entry_value(reg(reg_number()));
    case 3:
        return entry_value(breg(reg_number(), offset()) + (one_in(2) ? Expr() : Op::kDeref));
    case 4:
        return addr(any(kAddresses));
    case 5:
        return addrx(any({uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{200}}));
    case 6:
    case 7:
        return constant();
    case 8:
    case 9:
        return bregx(reg_number(), offset());
    default:
        return breg(reg_number(), offset());
    }
}

// Returns operations that replace the generic value on the top of the stack.
Expr ExprGenerator::step(uint32_t depth) {
    static constexpr uint64_t kMasks[] = {
        0xff,     0xffff,      0xffffff, 0xffffffff, 0x7f,         0x1ff,  0xff00,
        0,        0xfffffffe,  0x80,     0xfff,      ~uint64_t{0}, 0xfff0, 0xffffffff00000000,
        0xff00ff, 0xff0000ffff};
    static constexpr uint64_t kCounts[] = {56, 56, 48, 48, 32, 32, 32, 24, 16, 8,
                                           40, 0,  1,  3,  4,  28, 31, 33, 60, 63};
    static constexpr uint8_t kLoads[] = {1, 2, 4, 8, 1, 2, 4, 8, 3, 5, 6, 7};
    static constexpr Op kUnary[] = {Op::kNeg, Op::kNot, Op::kAbs, Op::kNop};
    static constexpr Op kBinary[] = {Op::kPlus, Op::kPlus, Op::kMinus, Op::kMinus,
                                     Op::kAnd,  Op::kOr,   Op::kXor,   Op::kMul,
                                     Op::kShl,  Op::kShr,  Op::kShra};
    static constexpr Op kDivide[] = {Op::kDiv, Op::kDiv, Op::kMod};
    static constexpr Op kCompare[] = {Op::kEq, Op::kGe, Op::kGt, Op::kLe, Op::kLt, Op::kNe};
    static constexpr Op kRight[] = {Op::kShr, Op::kShra};
    switch (below(39)) {
    case 0:
    case 1:
    case 2:
        return plus_uconst(static_cast<uint64_t>(offset()));
    case 3:
    case 4:
        return number(static_cast<uint64_t>(offset())) + Op::kPlus;
    case 5:
        return number(static_cast<uint64_t>(offset())) + Op::kMinus;
    case 6:
    case 7:
    case 8:
    case 9:
        return number(any(kMasks)) + Op::kAnd;
    case 10:
    case 11:
    case 12:
    case 13: {
        const uint64_t count = any(kCounts);
        return number(count) + Op::kShl + number(count) + any(kRight);
    }
    case 14: {
        const uint64_t count = any(kCounts);
        return number(count) + Op::kShl + plus_uconst(below(1 << 12) << below(52)) + number(count) +
               any(kRight);
    }
    case 15:
        return number(any(kCounts)) + Op::kShl;
    case 16:
        return number(any(kCounts)) + any(kRight);
    case 17:
    case 18:
        return Op::kDeref;
    case 19:
    case 20:
        return deref_size(any(kLoads));
    case 21: {
        const uint64_t type = any(kIntegerTypes);
        return convert(type) + convert(0);
    }
    case 22: {
        const uint64_t type = any(kIntegerTypes);
        const uint64_t type2 = any(kIntegerTypes);
        return convert(type) + plus_uconst(static_cast<uint64_t>(offset())) + convert(type2) +
               convert(0);
    }
    case 23: {
        const uint64_t type = any(kIntegerTypes);
        return deref_type(static_cast<uint8_t>(bytes_of(type)), type) + convert(0);
    }
    case 31:
        return number(any(kCounts)) + Op::kShl + number(any(kCounts)) + any(kRight);
    case 32:  // takes bytes out of the middle of memory
        return deref_size(any(kLoads)) + number(any(kCounts)) + any(kRight);
    case 33:
        return deref_size(any(kLoads)) + plus_uconst(uint64_t{1} << below(40)) +
               number(any(kCounts)) + any(kRight) + number(any(kMasks)) + Op::kAnd;
    case 24:
        return any(kUnary);
    case 25:
        return value(depth - 1) + any(kBinary);
    case 26:
        return value(depth - 1) + Op::kSwap + any(kBinary);
    case 27:
        return constant() + any(kBinary);
    case 28:
        return value(depth - 1) + (one_in(2) ? Expr(Op::kDrop) : Op::kSwap + Expr(Op::kDrop));
    case 29:
        return one_in(2) ? Op::kDup + Expr(any(kBinary)) : Op::kDup + Expr(Op::kDrop);
    case 30:
        return value(depth - 1) + Op::kOver + Op::kDrop + any(kBinary);
    case 34:
        return (one_in(2) ? constant() : value(depth - 1)) + any(kCompare);
    case 35: {  // as GCC compares narrow values
        const uint64_t count = any(kCounts);
        return number(count) + Op::kShl + number(below(256) << count) + any(kCompare);
    }
    case 36:
        return value(depth - 1) + lit(31) + Op::kAnd + any({Op::kShl, Op::kShr, Op::kShra});
    case 37:  // as GCC writes a minimum
        return (one_in(2) ? constant() : value(depth - 1)) + Op::kOver + Op::kOver + any(kCompare) +
               bra(1) + Op::kSwap + Op::kDrop;
    default:
        return one_in(4)
                   ? (one_in(2) ? constant() : number(uint64_t{1} << below(64))) + any(kDivide)
                   : constant() + constant() + Op::kRot + Op::kRot + Op::kDrop + any(kBinary);
    }
}

Expr ExprGenerator::value(uint32_t depth) {
    if (depth == 0)
        return leaf();
    if (one_in(6)) {
        const uint64_t type = any(kIntegerTypes);
        return typed(type, depth) + convert(0);
    }
    Expr result = leaf();
    for (uint64_t steps = below(depth + 1); steps > 0; steps--)
        result += step(depth);
    return result;
}

Expr ExprGenerator::typed(uint64_t type, uint32_t depth) {
    const uint32_t size = bytes_of(type);
    const auto literal = [&] {
        return const_type(type, fixed(static_cast<uint64_t>(offset()), size).bytes);
    };
    Expr result;
    switch (below(5)) {
    case 0:
    case 1:
        result = regval_type(reg_number(), type);
        break;
    case 2:
        result = breg(reg_number(), offset()) + deref_type(static_cast<uint8_t>(size), type);
        break;
    case 3:
        result = one_in(4) ? literal() : value(depth - 1) + convert(type);
        break;
    default:
        result = typed(any(kIntegerTypes), depth > 1 ? depth - 1 : 1) + convert(type);
        break;
    }
    static constexpr Op kBinary[] = {Op::kPlus, Op::kMinus, Op::kAnd, Op::kOr, Op::kXor, Op::kMul};
    static constexpr Op kShifts[] = {Op::kShl, Op::kShr, Op::kShra};
    if (one_in(3))
        result += literal() + any(kBinary);
    if (one_in(6))
        result += lit(static_cast<uint32_t>(below(32))) + any(kShifts);
    if (one_in(8)) {
        for (const uint64_t other : kIntegerTypes) {
            if (other != type && bytes_of(other) == size)
                result += reinterpret(other) + (one_in(2) ? convert(type) : reinterpret(type));
        }
    }
    return result;
}

Expr ExprGenerator::simple_location(uint64_t size) {
    switch (below(16)) {
    case 0:
        return reg(reg_number());
    case 1:
        return one_in(2) ? regx(reg_number()) : reg(static_cast<uint32_t>(below(32)));
    case 2: {
        std::vector<uint8_t> bytes;
        const uint8_t fill = any({uint8_t{0x00}, uint8_t{0xff}});
        for (uint64_t i = 0; i < size; i++)
            bytes.push_back(i < 8 ? static_cast<uint8_t>(random_()) : fill);
        return implicit_value(bytes);
    }
    case 3:
    case 4:
        return breg(reg_number(), offset());
    case 5:
        return value(2);
    case 6:
        return typed(any(kIntegerTypes), 2) + Op::kStackValue;
    case 7:
        return addr(kText + below(1 << 16)) + plus_uconst(below(1 << 16)) + Op::kStackValue;
    default:
        return value(3) + Op::kStackValue;
    }
}

Expr ExprGenerator::location(uint64_t param_size) {
    if (param_size > 8 && one_in(2))
        return reg(reg_number()) + piece(8) + reg(reg_number()) + piece(param_size - 8);
    if (!one_in(12))
        return simple_location(param_size);
    Expr result;
    uint64_t left = param_size;
    while (left > 0) {
        const uint64_t size = one_in(3) ? left : 1 + below(left);
        result += (one_in(8) ? Expr() : simple_location(size)) + piece(size);
        left -= size;
    }
    return result;
}

Expr ExprGenerator::mutated(Expr expression) {
    auto &bytes = expression.bytes;
    if (bytes.empty())
        return expression;
    const auto at = static_cast<int64_t>(below(bytes.size()));
    switch (below(4)) {
    case 0:
        bytes.resize(static_cast<size_t>(at));
        break;
    case 1:
        bytes.erase(bytes.begin() + at);
        break;
    case 2:
        bytes.insert(bytes.begin() + at, static_cast<uint8_t>(random_()));
        break;
    default:
        bytes[static_cast<size_t>(at)] = static_cast<uint8_t>(random_());
        break;
    }
    return expression;
}

}  // namespace btf_extra::test
