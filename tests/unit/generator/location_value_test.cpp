// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Location expressions that compute a value: constants, addresses, offsets, masks, extensions and
// types. See also location_expr_test.cpp.
#include "userspace/generator/locations/constant_location.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/expr_rows.h"

namespace btf_extra::test {
namespace {

using enum Op;

TEST(LocationValue, RegisterPlusOffsetIsTheValue) {
    constexpr uint32_t kSigned = kSum | LOC_SIGNED;
    const auto value = [](int64_t offset) { return breg(5, offset) + kStackValue; };
    const Row rows[] = {
        {"no offset", value(0), 8, at(8, kPlain, {5})},
        {"no offset, narrow", value(0), 2, at(2, kPlain, {5})},
        {"positive", value(24), 8, at(8, kSum, {5, 24})},
        {"negative", value(-1), 8, at(8, kSigned, {5, 0xffffffff})},
        {"negative, narrow", value(-1), 4, at(4, kSigned, {5, 0xffffffff})},
        {"bit 31", value(0x80000000), 8, at(8, kSum, {5, 0x80000000})},
        {"bit 31 is the sign of four bytes", value(0x80000000), 4, at(4, kSigned, {5, 0x80000000})},
        {"-16 as a large number", value(0xfffffff0), 4, at(4, kSigned, {5, 0xfffffff0})},
        {"beyond 32 bits", value(0x123456789), 8, at(8, kSum, {5, 0x23456789, 1})},
        {"beyond four bytes", value(0x100000004), 4, at(4, kSum, {5, 4})},
        {"a multiple of four bytes", value(0x100000000), 4, at(4, kPlain, {5})},
        {"below 32 bits", value(-0x80000001LL), 8, at(8, kSum, {5, 0x7fffffff, 0xffffffff})},
        {"bit 7 is the sign of a byte", value(0x80), 1, at(1, kSigned, {5, 0xffffff80})},
        {"beyond a byte", value(0x17f), 1, at(1, kSum, {5, 0x7f})},
        {"bit 15 is the sign of two bytes", value(0x8000), 2, at(2, kSigned, {5, 0xffff8000})},
        {"five bytes", value(0x8000000001), 5, at(5, kSum, {5, 1, 0xffffff80})},
        {"sums", breg(5, -8) + plus_uconst(4) + lit(1) + kMinus + kStackValue, 8,
         at(8, kSigned, {5, 0xfffffffb})},
        {"modulo 2^64", breg(5, INT64_MIN) + const8u(0x8000000000000001) + kPlus + kStackValue, 8,
         at(8, kSum, {5, 1})},
        {"minus the register", lit(8) + breg(5, 0) + kMinus + kStackValue, 8, kArithmetic,
         "-%rdi + 0x8"},
        {"negated", breg(5, 0) + kNeg + kStackValue, 8, kArithmetic, "-%rdi"},
        {"complement", breg(5, 0) + kNot + kStackValue, 4, kArithmetic, "~%rdi"},
        {"twice", breg(5, 0) + kDup + kPlus + kStackValue, 8, kArithmetic, "%rdi + %rdi"},
        {"two registers", breg(5, 0) + breg(4, 0) + kPlus + kStackValue, 8, kArithmetic,
         "%rdi + %rsi"},
        {"times 3", breg(5, 0) + lit(3) + kMul + kStackValue, 8, kArithmetic, "%rdi * 0x3"},
        {"shifted left", breg(5, 0) + lit(3) + kShl + kStackValue, 8, kArithmetic, "%rdi << 0x3"},
        {"shifted right", breg(5, 0) + lit(3) + kShr + kStackValue, 8, kArithmetic, "%rdi >> 0x3"},
        {"shifted right by 32", breg(5, 0) + const1u(32) + kShr + kStackValue, 4, kArithmetic,
         "%rdi >> 0x20"},
        {"or", breg(5, 0) + lit(1) + kOr + kStackValue, 4, kArithmetic, "%rdi | 0x1"},
        {"xor", breg(5, 0) + lit(1) + kXor + kStackValue, 4, kArithmetic, "%rdi ^ 0x1"},
    };
    check(rows);
}

TEST(LocationValue, Constants) {
    const Row rows[] = {
        {"lit0", lit(0) + kStackValue, 4, at(4, kConst, {0})},
        {"lit31", lit(31) + kStackValue, 1, at(1, kConst, {31})},
        {"lit0, eight bytes", lit(0) + kStackValue, 8, at(8, kConst, {0, 0})},
        {"const1u", const1u(0xff) + kStackValue, 8, at(8, kConst, {0xff, 0})},
        {"const1s", const1s(-2) + kStackValue, 8, at(8, kConst, {0xfffffffe, 0xffffffff})},
        {"const2u", const2u(0xfffe) + kStackValue, 4, at(4, kConst, {0xfffe})},
        {"const2s", const2s(-2) + kStackValue, 4, at(4, kConst, {0xfffffffe})},
        {"const4u", const4u(0xfffffffe) + kStackValue, 8, at(8, kConst, {0xfffffffe, 0})},
        {"const4s", const4s(-2) + kStackValue, 8, at(8, kConst, {0xfffffffe, 0xffffffff})},
        {"const8u", const8u(0x123456789abcdef0) + kStackValue, 8,
         at(8, kConst, {0x9abcdef0, 0x12345678})},
        {"const8u, cut", const8u(0x123456789abcdef0) + kStackValue, 4, at(4, kConst, {0x9abcdef0})},
        {"const8s", const8s(-2) + kStackValue, 8, at(8, kConst, {0xfffffffe, 0xffffffff})},
        {"constu", constu(300) + kStackValue, 4, at(4, kConst, {300})},
        {"constu of 64 bits", constu(~uint64_t{0}) + kStackValue, 8,
         at(8, kConst, {0xffffffff, 0xffffffff})},
        {"consts", consts(-300) + kStackValue, 4, at(4, kConst, {0xfffffed4})},
        {"consts of 64 bits", consts(INT64_MIN) + kStackValue, 8, at(8, kConst, {0, 0x80000000})},
        {"-1 in 1", const1s(-1) + kStackValue, 1, at(1, kConst, {0xff})},
        {"-1 in 2", const1s(-1) + kStackValue, 2, at(2, kConst, {0xffff})},
        {"-1 in 3", const1s(-1) + kStackValue, 3, at(3, kConst, {0xffffff})},
        {"-1 in 4", const1s(-1) + kStackValue, 4, at(4, kConst, {0xffffffff})},
        {"-1 in 5", const1s(-1) + kStackValue, 5, at(5, kConst, {0xffffffff, 0xff})},
        {"-1 in 6", const1s(-1) + kStackValue, 6, at(6, kConst, {0xffffffff, 0xffff})},
        {"-1 in 7", const1s(-1) + kStackValue, 7, at(7, kConst, {0xffffffff, 0xffffff})},
        {"-1 in 8", const1s(-1) + kStackValue, 8, at(8, kConst, {0xffffffff, 0xffffffff})},

        {"plus", lit(5) + lit(3) + kPlus + kStackValue, 4, at(4, kConst, {8})},
        {"minus", lit(3) + lit(5) + kMinus + kStackValue, 4, at(4, kConst, {0xfffffffe})},
        {"mul", lit(7) + const1s(-6) + kMul + kStackValue, 4, at(4, kConst, {0xffffffd6})},
        {"and", lit(12) + lit(10) + kAnd + kStackValue, 4, at(4, kConst, {8})},
        {"or", lit(12) + lit(10) + kOr + kStackValue, 4, at(4, kConst, {14})},
        {"xor", lit(12) + lit(10) + kXor + kStackValue, 4, at(4, kConst, {6})},
        {"shl", lit(1) + lit(31) + kShl + kStackValue, 4, at(4, kConst, {0x80000000})},
        {"shl to the top", lit(1) + const1u(63) + kShl + kStackValue, 8,
         at(8, kConst, {0, 0x80000000})},
        {"shr", const1s(-1) + const1u(60) + kShr + kStackValue, 4, at(4, kConst, {15})},
        {"shra", const1s(-16) + lit(2) + kShra + kStackValue, 4, at(4, kConst, {0xfffffffc})},
        {"neg", lit(5) + kNeg + kStackValue, 4, at(4, kConst, {0xfffffffb})},
        {"not", lit(5) + kNot + kStackValue, 8, at(8, kConst, {0xfffffffa, 0xffffffff})},
        {"plus_uconst", lit(5) + plus_uconst(300) + kStackValue, 4, at(4, kConst, {305})},
        {"modulo 2^64", const1s(-1) + plus_uconst(2) + kStackValue, 8, at(8, kConst, {1, 0})},
        {"shl by 64", lit(1) + const1u(64) + kShl + kStackValue, 4, kArithmetic},
        {"shr by 64", lit(1) + const1u(64) + kShr + kStackValue, 4, kArithmetic},
        {"shra by -24", lit(1) + const1s(-24) + kShra + kStackValue, 4, kArithmetic},
        {"a number for 16 bytes", lit(5) + kStackValue, 16, kRefused},

        {"implicit_value", implicit_value({0x78, 0x56, 0x34, 0x12}), 4,
         at(4, kConst, {0x12345678})},
        {"implicit_value of one byte", implicit_value({0xff}), 1, at(1, kConst, {0xff})},
        {"implicit_value of three", implicit_value({1, 2, 0xff}), 3, at(3, kConst, {0xff0201})},
        {"implicit_value of eight", implicit_value({1, 2, 3, 4, 5, 6, 7, 0x88}), 8,
         at(8, kConst, {0x04030201, 0x88070605})},
        {"implicit_value of 16, small",
         implicit_value({1, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0}), 16,
         at(8, kConst, {1, 0x80000000})},
        {"implicit_value of 16, negative",
         implicit_value({0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                         0xff, 0xff, 0xff, 0xff}),
         16, at(8, kConst | LOC_SIGNED, {0xfffffffe, 0xffffffff})},
        {"implicit_value of 16, large",
         implicit_value({1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}), 16, kRefused,
         "{0x1:u64, 0x1:u64}"},
        {"implicit_value of 16, no sign-extension",
         implicit_value({1, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
         16, kRefused, "{0x1:u64, -0x1:u64}"},
        {"implicit_value too short", implicit_value({1, 2}), 4, kRefused},
    };
    check(rows);
}

TEST(LocationValue, ConstantAttribute) {
    constexpr uint64_t kLarge = 0x8877665544332211;
    const struct {
        const char *name;
        uint64_t value;
        bool is_signed;
        uint64_t size;
        Location expected;
    } numbers[] = {
        {"one byte", kLarge, false, 1, at(1, kConst, {0x11})},
        {"two bytes", kLarge, false, 2, at(2, kConst, {0x2211})},
        {"three bytes", kLarge, false, 3, at(3, kConst, {0x332211})},
        {"four bytes", kLarge, false, 4, at(4, kConst, {0x44332211})},
        {"five bytes", kLarge, true, 5, at(5, kConst, {0x44332211, 0x55})},
        {"eight bytes", kLarge, false, 8, at(8, kConst, {0x44332211, 0x88776655})},
        {"-1, four bytes", ~uint64_t{0}, true, 4, at(4, kConst, {0xffffffff})},
        {"-1, eight bytes", ~uint64_t{0}, true, 8, at(8, kConst, {0xffffffff, 0xffffffff})},
        {"16 bytes", 5, false, 16, at(8, kConst, {5, 0})},
        {"16 bytes, positive", 5, true, 16, at(8, kConst, {5, 0})},
        {"16 bytes, negative", ~uint64_t{1}, true, 16,
         at(8, kConst | LOC_SIGNED, {0xfffffffe, 0xffffffff})},
        {"16 bytes, large", kLarge, false, 16, at(8, kConst, {0x44332211, 0x88776655})},
        {"9 bytes, negative", ~uint64_t{1}, true, 9,
         at(8, kConst | LOC_SIGNED, {0xfffffffe, 0xffffffff})},
        {"no size", 5, false, 0, kSize},
        {"17 bytes", 5, false, 17, kSize},
    };
    for (const auto &row : numbers) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(constant(row.value, row.is_signed, row.size), row.expected);
    }

    using Bytes = std::vector<uint8_t>;
    const auto sixteen = [](uint8_t first, uint8_t eighth, uint8_t upper) {
        Bytes bytes(16, upper);
        bytes[0] = first;
        for (size_t i = 1; i < 7; i++)
            bytes[i] = 0xff;
        bytes[7] = eighth;
        return bytes;
    };
    const struct {
        const char *name;
        Bytes bytes;
        uint64_t size;
        Location expected;
    } blocks[] = {
        {"one byte", {0xfe}, 1, at(1, kConst, {0xfe})},
        {"three bytes", {1, 2, 3}, 3, at(3, kConst, {0x030201})},
        {"four bytes", {1, 2, 3, 0x84}, 4, at(4, kConst, {0x84030201})},
        {"six bytes", {1, 2, 3, 4, 5, 6}, 6, at(6, kConst, {0x04030201, 0x0605})},
        {"eight bytes", {1, 2, 3, 4, 5, 6, 7, 8}, 8, at(8, kConst, {0x04030201, 0x08070605})},
        {"16 bytes, zero above", sixteen(1, 0xff, 0), 16, at(8, kConst, {0xffffff01, 0xffffffff})},
        {"16 bytes, the sign above", sixteen(1, 0xff, 0xff), 16,
         at(8, kConst | LOC_SIGNED, {0xffffff01, 0xffffffff})},
        {"16 bytes, another sign above", sixteen(1, 0x7f, 0xff), 16, kRefused},
        {"16 bytes, more above", sixteen(1, 0x7f, 1), 16, kRefused},
        {"12 bytes of zero", Bytes(12), 12, at(8, kConst, {0, 0})},
        {"fewer than the parameter", {1, 2}, 4, kRefused},
        {"none", {}, 4, kRefused},
        {"no size", {1}, 0, kSize},
        {"17 bytes", Bytes(17), 17, kSize},
    };
    for (const auto &row : blocks) {
        SCOPED_TRACE(row.name);
        const Location found = constant(row.bytes, row.size);
        if (row.expected != kRefused || found.available()) {
            EXPECT_EQ(found, row.expected);
        }
    }
}

TEST(LocationValue, Addresses) {
    constexpr uint32_t kAddress = LOC_CONST | LOC_ADDR;
    const Row rows[] = {
        {"moves", addr(kText + 0x1234) + kStackValue, 8, at(8, kAddress, {0x1234, 0})},
        {"base itself", addr(kText) + kStackValue, 8, at(8, kAddress, {0, 0})},
        {"fixed", addr(0x1c0) + kStackValue, 8, at(8, kConst, {0x1c0, 0})},
        {"fixed, cut", addr(0x1c0) + kStackValue, 4, at(4, kConst, {0x1c0})},
        {"no fixed distance", addr(kElsewhere) + kStackValue, 8, kStatic},
        {"plus", addr(kText) + plus_uconst(8) + kStackValue, 8, at(8, kAddress, {8, 0})},
        {"minus", addr(kText + 8) + lit(4) + kMinus + kStackValue, 8, at(8, kAddress, {4, 0})},
        {"constant first", lit(8) + addr(kText) + kPlus + kStackValue, 8, at(8, kAddress, {8, 0})},
        {"fixed plus", addr(0x1c0) + plus_uconst(8) + kStackValue, 8, at(8, kConst, {0x1c8, 0})},
        {"elsewhere plus", addr(kElsewhere) + plus_uconst(8) + kStackValue, 8, kStatic},
        {"addrx", addrx(0) + kStackValue, 8, at(8, kAddress, {0x1000, 0})},
        {"addrx, large index", addrx(200) + kStackValue, 8, at(8, kAddress, {0x20, 0})},
        {"addrx, fixed", addrx(1) + kStackValue, 8, at(8, kConst, {0x2000, 0})},
        {"addrx, no fixed distance", addrx(2) + kStackValue, 8, kStatic},
        {"addrx, no entry", addrx(3) + kStackValue, 8, kRefused},
        {"GNU_addr_index", kGnuAddrIndex + uleb(0) + kStackValue, 8, at(8, kAddress, {0x1000, 0})},
        {"constx", kConstx + uleb(1) + kStackValue, 8, at(8, kConst, {0x2000, 0})},
        {"GNU_const_index", kGnuConstIndex + uleb(1) + kStackValue, 8, at(8, kConst, {0x2000, 0})},
        {"negated", addr(kText) + kNeg + kStackValue, 8, kRefused, "-&base+0"},
        {"masked", addr(kText + 0x1234) + const1u(0xff) + kAnd + kStackValue, 8, kRefused,
         "(u8)&base+4660"},
        {"plus a register", addr(kText) + breg(5, 0) + kPlus + kStackValue, 8, kRefused,
         "&base+0 + %rdi"},
        {"memory", addr(kText), 8, kStatic, "*(u64 *)&base+0"},
        {"fixed memory", addr(0x1c0), 8, kStatic},
        {"freed memory", addr(kFreed), 8, kStatic},
        {"address of freed memory, masked", addr(kFreed) + const1u(0xff) + kAnd + kStackValue, 8,
         kRefused, "(u8)&base+25165824"},
        {"memory elsewhere", addr(kElsewhere), 8, kStatic},
        {"memory by addrx", addrx(0), 8, kStatic, "*(u64 *)&base+4096"},
        {"memory at a sum", addr(kText) + plus_uconst(8), 4, kStatic, "*(u32 *)&base+8"},
        {"value of memory", addr(kText) + kDeref + kStackValue, 8, kStatic, "*(u64 *)&base+0"},
        {"narrow value of memory", addr(kText) + deref_size(4) + kStackValue, 8, kStatic,
         "*(u32 *)&base+0"},
        {"struct", addr(kText), 16, kStatic, "{*(u64 *)&base+0:u64, *(u64 *)&base+8:u64}"},
    };
    check(rows);
}

TEST(LocationValue, Masks) {
    constexpr uint32_t kSigned = kSum | LOC_SIGNED;
    const auto masked = [](uint64_t mask) {
        return breg(5, 0) + constu(mask) + kAnd + kStackValue;
    };
    const auto extended = [](uint8_t count, Op right) {
        return breg(5, 0) + const1u(count) + kShl + const1u(count) + right + kStackValue;
    };
    const Row rows[] = {
        {"0xff in 1", breg(5, 0) + const1u(0xff) + kAnd + kStackValue, 1, at(1, kPlain, {5})},
        {"0xff in 2", masked(0xff), 2, at(1, kPlain, {5})},
        {"0xff in 4", masked(0xff), 4, at(1, kPlain, {5})},
        {"0xff in 8", masked(0xff), 8, at(1, kPlain, {5})},
        {"mask first", const1u(0xff) + breg(5, 0) + kAnd + kStackValue, 8, at(1, kPlain, {5})},
        {"0xffff in 1", masked(0xffff), 1, at(1, kPlain, {5})},
        {"0xffff in 2", masked(0xffff), 2, at(2, kPlain, {5})},
        {"0xffff in 8", masked(0xffff), 8, at(2, kPlain, {5})},
        {"0xffffff in 8: no consumer loads three bytes", masked(0xffffff), 8, kArithmetic,
         "%rdi & 0xffffff"},
        {"0xffffff in 2", masked(0xffffff), 2, at(2, kPlain, {5})},
        {"0xffffffff in 4", masked(0xffffffff), 4, at(4, kPlain, {5})},
        {"0xffffffff in 8", masked(0xffffffff), 8, at(4, kPlain, {5})},
        {"all ones in 8", breg(5, 0) + const1s(-1) + kAnd + kStackValue, 8, at(8, kPlain, {5})},
        {"0x1ff in 1", masked(0x1ff), 1, at(1, kPlain, {5})},
        {"0x1ff in 2", masked(0x1ff), 2, kArithmetic, "%rdi & 0x1ff"},
        {"0x1ff in 8", masked(0x1ff), 8, kArithmetic, "%rdi & 0x1ff"},
        {"0x7 in 1", masked(7), 1, kArithmetic, "%rdi & 0x7"},
        {"0x7 in 4", masked(7), 4, kArithmetic, "%rdi & 0x7"},
        {"0xff00 in 4", masked(0xff00), 4, kArithmetic, "%rdi & 0xff00"},
        {"0xfffffff0 in 4", masked(0xfffffff0), 4, kArithmetic, "%rdi & 0xfffffff0"},
        {"0xff twice", breg(5, 0) + constu(0xffff) + kAnd + constu(0xff) + kAnd + kStackValue, 4,
         at(1, kPlain, {5})},
        {"of a sum", breg(5, 4) + const1u(0xff) + kAnd + kStackValue, 4, at(1, kSum, {5, 4})},
        {"of a difference", breg(5, -4) + constu(0xffffffff) + kAnd + kStackValue, 8,
         at(4, kSum, {5, 0xfffffffc, 0xffffffff})},
        {"of a difference, full", breg(5, -4) + constu(0xffffffff) + kAnd + kStackValue, 4,
         at(4, kSigned, {5, 0xfffffffc})},
        {"moved", breg(5, 0) + const1u(0xff) + kAnd + plus_uconst(4) + kStackValue, 8, kArithmetic,
         "(u8)%rdi + 0x4"},
        {"moved, cut", breg(5, 0) + constu(0xffffffff) + kAnd + plus_uconst(4) + kStackValue, 4,
         at(4, kSum, {5, 4})},

        {"(s8) in 1", extended(56, kShra), 1, at(1, kPlain, {5})},
        {"(s8) in 2", extended(56, kShra), 2, at(1, kSigned, {5, 0})},
        {"(s8) in 4", extended(56, kShra), 4, at(1, kSigned, {5, 0})},
        {"(s8) in 8", extended(56, kShra), 8, at(1, kSigned, {5, 0})},
        {"(s16) in 4", extended(48, kShra), 4, at(2, kSigned, {5, 0})},
        {"(s32) in 4", extended(32, kShra), 4, at(4, kPlain, {5})},
        {"(s32) in 8", extended(32, kShra), 8, at(4, kSigned, {5, 0})},
        {"(u8) in 4", extended(56, kShr), 4, at(1, kPlain, {5})},
        {"(u16) in 8", extended(48, kShr), 8, at(2, kPlain, {5})},
        {"(u32) in 8", extended(32, kShr), 8, at(4, kPlain, {5})},
        {"(u32) in 4", extended(32, kShr), 4, at(4, kPlain, {5})},
        {"four bits", extended(60, kShra), 4, kArithmetic, "(s4)%rdi"},
        {"63 bits", extended(1, kShra), 8, kArithmetic, "(s63)%rdi"},
        // An int of 0x40000000 gives 0xc0000000, and 64 bits give 0x40000000.
        {"63 bits in 4, or 31", extended(1, kShra), 4, kArithmetic},
        {"count 64", extended(64, kShra), 8, kArithmetic},
        {"count 64, unsigned", extended(64, kShr), 4, kArithmetic},
        {"count -24", breg(5, 0) + const1s(-24) + kShl + const1s(-24) + kShra + kStackValue, 1,
         kArithmetic},
        {"count -24 to the left", breg(5, 0) + const1s(-24) + kShl + kStackValue, 1, kArithmetic},
        {"56, 48", breg(5, 0) + const1u(56) + kShl + const1u(48) + kShra + kStackValue, 8,
         kArithmetic, "(s64)(%rdi << 0x38) >> 0x30"},
        {"48, 56", breg(5, 0) + const1u(48) + kShl + const1u(56) + kShra + kStackValue, 8,
         kArithmetic, "(s64)(s16)%rdi >> 0x8"},
        {"count in a register", breg(5, 0) + breg(4, 0) + kShl + kStackValue, 8, kArithmetic,
         "%rdi << fits(%rsi, 6)"},
        {"(long)(int)reg + 4",
         breg(5, 0) + const1u(32) + kShl + const1u(32) + kShra + plus_uconst(4) + kStackValue, 8,
         kArithmetic, "(s32)%rdi + 0x4"},
        {"(long)(int)reg + 4 in 4",
         breg(5, 0) + const1u(32) + kShl + const1u(32) + kShra + plus_uconst(4) + kStackValue, 4,
         at(4, kSum, {5, 4})},
        {"(int)(reg + 4)", breg(5, 4) + const1u(32) + kShl + const1u(32) + kShra + kStackValue, 8,
         at(4, kSigned, {5, 4})},
        {"(int)(reg - 4)", breg(5, -4) + const1u(32) + kShl + const1u(32) + kShra + kStackValue, 8,
         at(4, kSigned, {5, 0xfffffffc})},
        {"(s8)(u32)reg",
         breg(5, 0) + constu(0xffffffff) + kAnd + const1u(56) + kShl + const1u(56) + kShra +
             kStackValue,
         8, at(1, kSigned, {5, 0})},
        {"(u32)(s8)reg",
         breg(5, 0) + const1u(56) + kShl + const1u(56) + kShra + constu(0xffffffff) + kAnd +
             kStackValue,
         8, kArithmetic, "(u32)(s8)%rdi"},
    };
    check(rows);
}

TEST(LocationValue, ValuesInMemory) {
    constexpr uint32_t kSigned = kMemorySum | LOC_SIGNED;
    const auto loaded = [](int64_t offset) { return breg(5, offset) + kDeref; };
    const Expr to_int = const1u(32) + kShl + const1u(32) + kShra;
    const Row rows[] = {
        {"deref", loaded(0) + kStackValue, 8, at(8, kMemory, {5})},
        {"deref, cut", loaded(8) + kStackValue, 4, at(4, kMemorySum, {5, 8})},
        {"deref below", loaded(-8) + kStackValue, 8, at(8, kSigned, {5, 0xfffffff8})},
        {"deref_size 8", breg(5, 0) + deref_size(8) + kStackValue, 8, at(8, kMemory, {5})},
        {"deref_size 1 in 1", breg(5, 0) + deref_size(1) + kStackValue, 1, at(1, kMemory, {5})},
        {"deref_size 1 in 4", breg(5, 0) + deref_size(1) + kStackValue, 4, at(1, kMemory, {5})},
        {"deref_size 2 in 4", breg(5, 6) + deref_size(2) + kStackValue, 4,
         at(2, kMemorySum, {5, 6})},
        {"deref_size 4 in 8", breg(5, 0) + deref_size(4) + kStackValue, 8, at(4, kMemory, {5})},
        {"deref_size 4 below, in 8", breg(5, -8) + deref_size(4) + kStackValue, 8,
         at(4, kMemorySum, {5, 0xfffffff8, 0xffffffff})},
        {"deref_size 4 below, in 4", breg(5, -8) + deref_size(4) + kStackValue, 4,
         at(4, kSigned, {5, 0xfffffff8})},
        {"deref_size 4 in 2", breg(5, 0) + deref_size(4) + kStackValue, 2, at(2, kMemory, {5})},
        {"deref_size 0", breg(5, 0) + deref_size(0) + kStackValue, 4, kRefused},
        {"deref_size 9", breg(5, 0) + deref_size(9) + kStackValue, 8, kRefused},
        {"masked", loaded(0) + const1u(0xff) + kAnd + kStackValue, 8, at(1, kMemory, {5})},
        {"masked at an offset", loaded(16) + constu(0xffff) + kAnd + kStackValue, 4,
         at(2, kMemorySum, {5, 16})},
        {"u16, masked to a byte", breg(5, 0) + deref_size(2) + const1u(0xff) + kAnd + kStackValue,
         4, at(1, kMemory, {5})},
        {"u16, masked wider", breg(5, 0) + deref_size(2) + constu(0xffffffff) + kAnd + kStackValue,
         8, at(2, kMemory, {5})},
        {"odd mask", loaded(0) + constu(0x3ff) + kAnd + kStackValue, 4, kArithmetic,
         "*(u64 *)%rdi & 0x3ff"},
        {"sign-extended", loaded(0) + to_int + kStackValue, 8, at(4, kSigned, {5, 0})},
        {"sign-extended, at an offset", loaded(8) + to_int + kStackValue, 8,
         at(4, kSigned, {5, 8})},
        {"sign-extended, below", loaded(-8) + to_int + kStackValue, 8,
         at(4, kSigned, {5, 0xfffffff8})},
        {"sign-extended, far", loaded(0x80000000) + to_int + kStackValue, 8,
         at(4, kSigned, {5, 0x80000000, 0})},
        {"sign-extended int", breg(5, 0) + deref_size(4) + to_int + kStackValue, 8,
         at(4, kSigned, {5, 0})},
        {"sign-extended byte",
         breg(5, 0) + deref_size(1) + const1u(56) + kShl + const1u(56) + kShra + kStackValue, 4,
         at(1, kSigned, {5, 0})},
        {"sign-extended u16: never negative", breg(5, 0) + deref_size(2) + to_int + kStackValue, 8,
         at(2, kMemory, {5})},
        {"sign-extended, full", loaded(0) + to_int + kStackValue, 4, at(4, kMemory, {5})},
        {"second byte", loaded(0) + lit(8) + kShr + const1u(0xff) + kAnd + kStackValue, 4,
         at(1, kMemorySum, {5, 1})},
        {"second byte by shifts",
         loaded(-1) + const1u(48) + kShl + const1u(56) + kShr + kStackValue, 4,
         at(1, kMemory, {5})},
        {"upper half of an int", breg(5, 0) + deref_size(4) + lit(16) + kShr + kStackValue, 4,
         at(2, kMemorySum, {5, 2})},
        {"upper half, signed", loaded(0) + const1u(32) + kShra + kStackValue, 8,
         at(4, kSigned, {5, 4})},
        {"four bytes from bit 4", loaded(0) + lit(28) + kShl + const1u(32) + kShr + kStackValue, 8,
         kArithmetic, "(*(u64 *)%rdi & 0xfffffffff) >> 0x4"},
        {"shifted further left than right",
         loaded(0) + const1u(32) + kShl + lit(24) + kShr + kStackValue, 8, kArithmetic,
         "(*(u64 *)%rdi << 0x20) >> 0x18"},
        {"second byte of a sum",
         loaded(0) + plus_uconst(0x100) + lit(8) + kShr + const1u(0xff) + kAnd + kStackValue, 4,
         kArithmetic, "(u8)((*(u64 *)%rdi + 0x100) >> 0x8)"},
        {"upper seven bytes", loaded(0) + lit(8) + kShr + kStackValue, 8, kArithmetic,
         "*(u64 *)%rdi >> 0x8"},
        {"upper bits", loaded(0) + lit(4) + kShr + kStackValue, 8, kArithmetic,
         "*(u64 *)%rdi >> 0x4"},
        {"last byte after the largest offset", loaded(INT64_MAX) + const1u(56) + kShr + kStackValue,
         8, at(1, kMemorySum, {5, 6, 0x80000000})},
        {"three bytes", loaded(0) + constu(0xffffff) + kAnd + kStackValue, 4, kArithmetic,
         "*(u64 *)%rdi & 0xffffff"},
        {"twice", loaded(0) + kDeref + kStackValue, 8, kArithmetic, "*(u64 *)*(u64 *)%rdi"},
        {"twice, moved", loaded(0) + plus_uconst(8) + kDeref + kStackValue, 8, kArithmetic,
         "*(u64 *)(*(u64 *)%rdi + 0x8)"},
        {"plus", loaded(0) + plus_uconst(1) + kStackValue, 8, kArithmetic, "*(u64 *)%rdi + 0x1"},
        {"plus, narrow", breg(5, 0) + deref_size(4) + plus_uconst(1) + kStackValue, 4, kArithmetic,
         "*(u32 *)%rdi + 0x1"},
        {"plus a register", loaded(0) + breg(4, 0) + kPlus + kStackValue, 8, kArithmetic,
         "*(u64 *)%rdi + %rsi"},
        {"struct by stack_value", loaded(0) + kStackValue, 16, kRefused},
        {"at a sum of registers", breg(5, 0) + breg(4, 0) + kPlus + kDeref + kStackValue, 8,
         kArithmetic, "*(u64 *)(%rdi + %rsi)"},
        {"on the stack", fbreg(-32) + kDeref + kStackValue, 8, at(8, kSigned, {7, 0xfffffff0})},
        {"at a small number", lit(8) + kDeref + kStackValue, 8, kStatic},
    };
    check(rows);
}

// GCC 12 and 14 write a right shift of an int as one of 64 bits. If the two differ, the location is
// that of neither. The comments have the results of both for one operand.
TEST(LocationValue, ShiftsOfUnknownWidth) {
    const Expr reg = breg(5, 0);
    const auto number = [](uint32_t bytes) { return breg(5, 0) + deref_size(bytes); };
    const auto both = [](uint8_t count, Op right) {
        return const1u(count) + kShl + const1u(count) + right;
    };
    const auto shifted = [](uint8_t count, Op right) { return const1u(count) + right; };
    const Row rows[] = {
        // -131072 >> 16 is -2, 0xfffffffe; 64 bits give 0x0000fffe.
        {"int >> 16", number(4) + shifted(16, kShra) + kStackValue, 4, kArithmetic,
         "fits(*(u32 *)%rdi, 31) >> 0x10"},
        {"int >> 16, as 8 bytes", number(4) + shifted(16, kShra) + kStackValue, 8, kArithmetic,
         "fits(*(u32 *)%rdi, 31) >> 0x10"},
        {"(short)(int >> 16)", number(4) + shifted(16, kShra) + kStackValue, 2,
         at(2, kMemorySum, {5, 2})},
        {"(int >> 16) & 0xffff",
         number(4) + shifted(16, kShra) + constu(0xffff) + kAnd + kStackValue, 4,
         at(2, kMemorySum, {5, 2})},
        {"(int >> 24) & 0xffff: a sign of 8 bits",
         number(4) + shifted(24, kShra) + constu(0xffff) + kAnd + kStackValue, 4, kArithmetic,
         "fits(*(u32 *)%rdi, 31) >> 0x18"},
        {"(long)(short)(int >> 16)", number(4) + shifted(16, kShra) + both(48, kShra) + kStackValue,
         8, at(2, kMemorySum | LOC_SIGNED, {5, 2})},
        {"(int >> 16) + 4 in 2", number(4) + shifted(16, kShra) + plus_uconst(4) + kStackValue, 2,
         kArithmetic, "(fits(*(u32 *)%rdi, 31) >> 0x10) + 0x4"},
        {"int >> 16 >> 8", number(4) + shifted(16, kShra) + shifted(8, kShra) + kStackValue, 1,
         kArithmetic, "(fits(*(u32 *)%rdi, 31) >> 0x10) >> 0x8"},
        {"unsigned >> 16", number(4) + shifted(16, kShr) + kStackValue, 4,
         at(2, kMemorySum, {5, 2})},
        // short: 0x8000 >> 8 is -128, 0xffffff80; 64 bits give 0x80.
        {"short >> 8", number(2) + shifted(8, kShra) + kStackValue, 4, kArithmetic,
         "fits(*(u16 *)%rdi, 15) >> 0x8"},
        {"short >> 8 in 1", number(2) + shifted(8, kShra) + kStackValue, 1,
         at(1, kMemorySum, {5, 1})},
        {"u8 >> 8: at least 16 bits", number(1) + shifted(8, kShra) + kStackValue, 4,
         at(4, kConst, {0})},
        {"long >> 32", breg(5, 0) + kDeref + shifted(32, kShra) + kStackValue, 8,
         at(4, kMemorySum | LOC_SIGNED, {5, 4})},
        {"(s64 >> 32)",
         breg(5, 0) + deref_type(8, kS8) + shifted(32, kShra) + convert(0) + kStackValue, 8,
         at(4, kMemorySum | LOC_SIGNED, {5, 4})},

        // unsigned: 0x12345678 << 8 >> 24 is 0x34; 64 bits give 0x1234.
        {"unsigned << 8 >> 24", number(4) + lit(8) + kShl + lit(24) + kShr + kStackValue, 4,
         kArithmetic},
        {"unsigned << 8 >> 24 in 1", number(4) + lit(8) + kShl + lit(24) + kShr + kStackValue, 1,
         at(1, kMemorySum, {5, 2})},
        // int: 0x80 << 24 >> 24 is -128, 0xffffff80; 64 bits give 0x80.
        {"reg << 24 >> 24", reg + both(24, kShra) + kStackValue, 4, kArithmetic},
        {"reg << 24 >> 24 in 2", reg + both(24, kShra) + kStackValue, 2, kArithmetic},
        {"reg << 24 >> 24 in 1", reg + both(24, kShra) + kStackValue, 1, at(1, kPlain, {5})},
        {"(reg << 24 >> 24) & 0xff", reg + both(24, kShra) + const1u(0xff) + kAnd + kStackValue, 4,
         at(1, kPlain, {5})},
        {"(reg << 24 >> 24) & 0xffff", reg + both(24, kShra) + constu(0xffff) + kAnd + kStackValue,
         2, kArithmetic},
        {"reg << 16 >> 16 in 2", reg + both(16, kShr) + kStackValue, 2, at(2, kPlain, {5})},
        {"long << 24 >> 24", breg(5, 0) + kDeref + both(24, kShra) + kStackValue, 4,
         at(4, kMemory, {5})},
        {"u64 << 24 >> 24", regval_type(5, kU8) + both(24, kShr) + convert(0) + kStackValue, 4,
         at(4, kPlain, {5})},
        // n of memset16() on x86: 0x80000001 * 2 / 2 is 1; 64 bits give 0x80000001.
        {"(size_t)(unsigned * 2 / 2)",
         reg + both(1, kShr) + constu(0xffffffff) + kAnd + kStackValue, 8, kArithmetic},
        // A bit-field of bpfptr_t on arm64: 0x55 << 7 >> 7 is 1 in a byte; 64 bits give 0x55.
        {"the lowest bit of a byte", reg + both(7, kShr) + kStackValue, 1, kArithmetic},
        {"the lowest bit of a byte in memory", number(1) + both(7, kShr) + kStackValue, 1,
         kArithmetic},

        {"u16 << 8 >> 8, unsigned", reg + constu(0xffff) + kAnd + both(8, kShr) + kStackValue, 4,
         kArithmetic},
        {"u16 << 16 >> 16, unsigned", reg + constu(0xffff) + kAnd + both(16, kShr) + kStackValue, 4,
         at(2, kPlain, {5})},
        // int: 0x8000 << 16 >> 16 is -32768, 0xffff8000; 64 bits give 0x8000.
        {"u16 << 16 >> 16", reg + constu(0xffff) + kAnd + both(16, kShra) + kStackValue, 4,
         kArithmetic},
        {"u8 << 16 >> 16", reg + constu(0xff) + kAnd + both(16, kShra) + kStackValue, 4,
         at(1, kPlain, {5})},
        {"s8 << 8 >> 8", reg + both(56, kShra) + both(8, kShra) + kStackValue, 4,
         at(1, kPlain | LOC_SIGNED | LOC_OFFSET, {5, 0})},
        // LLVM masks a register of 32 bits, and then shifts 64.
        {"u32 << 8 >> 8", reg + constu(0xffffffff) + kAnd + both(8, kShra) + kStackValue, 4,
         kArithmetic},

        // -16 >> 2, unsigned, is 0x3ffffffc; 64 bits give 0x3ffffffffffffffc.
        {"-16 >> 2, unsigned", const1s(-16) + shifted(2, kShr) + kStackValue, 4, kArithmetic},
        {"-16 >> 2", const1s(-16) + shifted(2, kShra) + kStackValue, 4,
         at(4, kConst, {0xfffffffc})},
        // 0xfffffff0 >> 4 is -1; 64 bits give 0x0fffffff.
        {"0xfffffff0 >> 4", const4u(0xfffffff0) + shifted(4, kShra) + kStackValue, 4, kArithmetic},
        {"300 >> 2", const2u(300) + shifted(2, kShra) + kStackValue, 4, at(4, kConst, {75})},
        {"-16 >> 0, unsigned", const1s(-16) + lit(0) + kShr + kStackValue, 4,
         at(4, kConst, {0xfffffff0})},
    };
    check(rows);
}

// Each location is that of every width that the shift may have. The reference has that width
// instead: x << a >> b in `width` bits is the upper end of 64 bits, shifted.
TEST(LocationValue, ShiftsAgreeAtEachWidth) {
    static const std::vector<Machine> machines = machine_states(64);
    const Expr reg = breg(5, 0);
    const struct {
        const char *name;
        Expr expression;
        uint32_t least;
        bool extended = false;  // the operation has more bits, because GCC extends it
    } operands[] = {
        {"register", reg, 8},
        {"byte in memory", reg + deref_size(1), 8},
        {"two bytes in memory", reg + deref_size(2), 16},
        {"four bytes in memory", reg + deref_size(4), 32},
        {"eight bytes in memory", reg + kDeref, 64},
        {"u8", reg + const1u(0xff) + kAnd, 8, true},
        {"s8", reg + const1u(56) + kShl + const1u(56) + kShra, 8, true},
        {"u16", reg + constu(0xffff) + kAnd, 16, true},
        {"s16", reg + const1u(48) + kShl + const1u(48) + kShra, 16, true},
        {"u32", reg + constu(0xffffffff) + kAnd, 32, true},
        {"s32", reg + const1u(32) + kShl + const1u(32) + kShra, 32, true},
    };
    uint32_t located = 0, computed = 0;
    for (const auto &operand : operands) {
        for (const Op right : {kShr, kShra})
            for (uint8_t to_right = 1; to_right < 64; to_right++)
                for (const uint8_t to_left : {uint8_t{0}, uint8_t{8}, uint8_t{24}, to_right})
                    for (const uint32_t size : {1U, 2U, 4U, 8U}) {
                        TestContext context;
                        const Expr written = operand.expression + const1u(to_left) + kShl +
                                             const1u(to_right) + right + kStackValue;
                        const Location found = locate(written.bytes, size, kX86, context);
                        if (!found.available() && found.code.empty())
                            continue;
                        located += found.available();
                        computed += !found.available();
                        // A value of that size that has fewer bits would be extended.
                        const uint32_t extended = operand.extended ? 2 * operand.least : 8;
                        const uint32_t least = found.available() ? 8 : std::max(8 * size, extended);
                        for (uint8_t width = 8; width <= 64; width *= 2) {
                            if (width < operand.least || width < least || width <= to_right)
                                continue;
                            const auto above = static_cast<uint8_t>(64 - width);
                            const Expr meant = operand.expression + const1u(to_left) + kShl +
                                               const1u(above) + kShl + const1u(above) + right +
                                               const1u(to_right) + right + kStackValue;
                            EXPECT_EQ(difference(found, meant, size, kX86, context, machines), "")
                                << operand.name << " << " << +to_left << " >> " << +to_right
                                << (right == kShra ? ", signed" : "") << ", " << +width
                                << " bits as " << size << " bytes";
                        }
                    }
    }
    EXPECT_GT(located, 100U);
    EXPECT_GT(computed, 100U);
}

TEST(LocationValue, TypedOperations) {
    constexpr uint32_t kSigned = kSum | LOC_SIGNED;
    const Expr generic = convert(0) + kStackValue;
    const std::vector<uint8_t> minus_two = {0xfe, 0xff, 0xff, 0xff};
    const Row rows[] = {
        {"(long)(s32)reg", regval_type(5, kS4) + generic, 8, at(4, kSigned, {5, 0})},
        {"(long)(u32)reg", regval_type(5, kU4) + generic, 8, at(4, kPlain, {5})},
        {"(int)(u32)reg", regval_type(5, kU4) + generic, 4, at(4, kPlain, {5})},
        {"(int)(s32)reg", regval_type(5, kS4) + generic, 4, at(4, kPlain, {5})},
        {"(int)(s8)reg", regval_type(5, kS1) + generic, 4, at(1, kSigned, {5, 0})},
        {"(long)(u64)reg", regval_type(5, kU8) + generic, 8, at(8, kPlain, {5})},
        {"(long)(s64)reg", regval_type(5, kS8) + generic, 8, at(8, kPlain, {5})},
        {"without convert", regval_type(5, kU4) + kStackValue, 4, at(4, kPlain, {5})},
        {"convert s32", breg(5, 0) + convert(kS4) + generic, 8, at(4, kSigned, {5, 0})},
        {"convert u32", breg(5, 0) + convert(kU4) + generic, 8, at(4, kPlain, {5})},
        {"convert u32 of reg + 4", breg(5, 4) + convert(kU4) + generic, 8, at(4, kSum, {5, 4})},
        {"u8, s32", breg(5, 0) + convert(kU1) + convert(kS4) + generic, 8, at(1, kPlain, {5})},
        {"s8, u32", breg(5, 0) + convert(kS1) + convert(kU4) + generic, 8, kArithmetic,
         "(u32)(s8)%rdi"},
        {"s8, s32", breg(5, 0) + convert(kS1) + convert(kS4) + generic, 8, at(1, kSigned, {5, 0})},
        {"s32, u8", breg(5, 0) + convert(kS4) + convert(kU1) + generic, 8, at(1, kPlain, {5})},
        // DW_ATE_unsigned_1 of clang: the bit above the lowest is not of the value.
        {"one bit", breg(5, 0) + convert(kBit) + convert(kU1) + generic, 1, kArithmetic,
         "%rdi & 0x1"},
        {"one bit of 2", lit(2) + convert(kBit) + convert(kU1) + generic, 1, at(1, kConst, {0})},
        {"one bit of 3", lit(3) + convert(kBit) + convert(kU4) + generic, 4, at(4, kConst, {1})},
        {"u64, s32", regval_type(5, kU8) + convert(kS4) + generic, 8, at(4, kSigned, {5, 0})},
        {"(u32)reg + 4", regval_type(5, kU4) + plus_uconst(4) + generic, 8, at(4, kSum, {5, 4})},
        {"(s32)reg + (s32)4", regval_type(5, kS4) + const_type(kS4, {4, 0, 0, 0}) + kPlus + generic,
         8, at(4, kSigned, {5, 4})},
        {"(s32)reg - (s32)4",
         regval_type(5, kS4) + const_type(kS4, {4, 0, 0, 0}) + kMinus + generic, 8,
         at(4, kSigned, {5, 0xfffffffc})},
        {"(u32)reg & (u32)0xff",
         regval_type(5, kU4) + const_type(kU4, {0xff, 0, 0, 0}) + kAnd + generic, 8,
         at(1, kPlain, {5})},
        {"(s32)reg << 32", regval_type(5, kS4) + const1u(32) + kShl + generic, 8, kArithmetic},
        {"(long)(s32)reg + 4", regval_type(5, kS4) + convert(0) + plus_uconst(4) + kStackValue, 8,
         kArithmetic, "(s32)%rdi + 0x4"},
        {"deref_type s32", breg(5, 8) + deref_type(4, kS4) + generic, 8,
         at(4, kMemorySum | LOC_SIGNED, {5, 8})},
        {"deref_type u32", breg(5, 8) + deref_type(4, kU4) + generic, 8, at(4, kMemorySum, {5, 8})},
        {"deref_type u8", breg(5, 0) + deref_type(1, kU1) + generic, 4, at(1, kMemory, {5})},
        {"deref_type of another size", breg(5, 0) + deref_type(2, kU4) + generic, 4, kRefused},
        {"const_type s32", const_type(kS4, minus_two) + generic, 8,
         at(8, kConst, {0xfffffffe, 0xffffffff})},
        {"const_type u32", const_type(kU4, minus_two) + generic, 8, at(8, kConst, {0xfffffffe, 0})},
        {"const_type of another size", const_type(kU8, minus_two) + generic, 8, kRefused},
        {"reinterpret u32 as s32", regval_type(5, kU4) + reinterpret(kS4) + generic, 8,
         at(4, kSigned, {5, 0})},
        {"reinterpret u64 as generic", regval_type(5, kU8) + reinterpret(0) + kStackValue, 8,
         at(8, kPlain, {5})},
        {"reinterpret s32 as generic", regval_type(5, kS4) + reinterpret(0) + kStackValue, 8,
         kRefused},
        {"reinterpret s32 as u64", regval_type(5, kS4) + reinterpret(kU8) + generic, 8, kRefused},
        {"types that differ", regval_type(5, kU4) + breg(5, 0) + kPlus + generic, 8, kRefused},
        {"float", regval_type(17, kFloat8) + convert(kS8) + generic, 8, kRefused},
        {"float of an int", regval_type(5, kS4) + convert(kFloat4) + kStackValue, 4, kRefused},
        {"float constant", const_type(kFloat4, {0, 0, 0x80, 0x3f}) + convert(kS4) + generic, 4,
         kRefused},
        {"16 bytes", regval_type(5, kS16) + generic, 8, kRefused},
        {"no such type", regval_type(5, kNoType) + generic, 8, kRefused},
        {"convert to no such type", breg(5, 0) + convert(kNoType) + generic, 8, kRefused},
        {"xmm0", regval_type(17, kS4) + generic, 8, kRefused},

        {"GNU_regval_type s32",
         kGnuRegvalType + uleb(5) + uleb(kS4) + kGnuConvert + uleb(0) + kStackValue, 8,
         at(4, kSigned, {5, 0})},
        {"GNU_convert u32",
         breg(5, 0) + kGnuConvert + uleb(kU4) + kGnuConvert + uleb(0) + kStackValue, 8,
         at(4, kPlain, {5})},
        {"GNU_deref_type s16",
         breg(5, 0) + kGnuDerefType + fixed(2, 1) + uleb(kS2) + kGnuConvert + uleb(0) + kStackValue,
         4, at(2, kMemorySum | LOC_SIGNED, {5, 0})},
        {"GNU_const_type s32", kGnuConstType + uleb(kS4) + fixed(4, 1) + raw(minus_two) + generic,
         8, at(8, kConst, {0xfffffffe, 0xffffffff})},
        {"GNU_reinterpret",
         kGnuRegvalType + uleb(5) + uleb(kU4) + kGnuReinterpret + uleb(kS4) + generic, 8,
         at(4, kSigned, {5, 0})},
    };
    check(rows);
}

// GCC 12 has `int x = y >> 3;` as "breg, lit3, shra": the shift takes in what the upper half of the
// register is. Only as 64 bits, of an extended operand or of a load it is that of the program.
TEST(LocationValue, ExpressionsOfShifts) {
    const Expr word = breg(5, 0) + deref_size(4);
    const Expr low = constu(0xffffffff) + kAnd;
    const Row rows[] = {
        {"long", breg(5, 0) + lit(3) + kShra + kStackValue, 8, kArithmetic, "(s64)%rdi >> 0x3"},
        {"int", breg(5, 0) + lit(3) + kShra + kStackValue, 4, kArithmetic,
         "(s64)fits(%rdi, 31) >> 0x3"},
        {"unsigned int", breg(5, 0) + lit(3) + kShr + kStackValue, 4, kArithmetic,
         "fits(%rdi, 32) >> 0x3"},
        {"short", breg(5, 0) + lit(3) + kShra + kStackValue, 2, kArithmetic},
        {"unsigned short", breg(5, 0) + lit(3) + kShr + kStackValue, 2, kArithmetic},
        {"(long)int", breg(5, 0) + lit(3) + kShr + low + kStackValue, 8, kArithmetic,
         "(u32)(fits(%rdi, 32) >> 0x3)"},
        {"aligned", breg(5, 0) + lit(8) + kShr + lit(6) + kShl + kStackValue, 4, kArithmetic,
         "(fits(%rdi, 32) >> 0x8) << 0x6"},
        {"aligned long", breg(5, 0) + lit(8) + kShr + lit(6) + kShl + kStackValue, 8, kArithmetic,
         "(%rdi >> 0x8) << 0x6"},
        {"sum of two",
         breg(5, 0) + lit(3) + kShr + breg(4, 0) + lit(2) + kShr + kPlus + kStackValue, 4,
         kArithmetic, "(fits(%rdi, 32) >> 0x3) + (fits(%rsi, 32) >> 0x2)"},
        {"sum of two, as 8 bytes",
         breg(5, 0) + lit(3) + kShr + breg(4, 0) + lit(2) + kShr + kPlus + kStackValue, 8,
         kArithmetic, "(%rdi >> 0x3) + (%rsi >> 0x2)"},
        {"twice", breg(5, 0) + lit(3) + kShr + lit(2) + kShr + kStackValue, 4, kArithmetic},
        {"by 32", breg(5, 0) + const1u(32) + kShr + kStackValue, 4, kArithmetic, "%rdi >> 0x20"},
        {"of (u32)", breg(5, 0) + low + lit(3) + kShr + kStackValue, 4, kArithmetic,
         "(u32)%rdi >> 0x3"},
        {"a bit", breg(5, 0) + lit(3) + kShr + lit(1) + kAnd + kStackValue, 4, kArithmetic,
         "(%rdi >> 0x3) & 0x1"},
        {"bits of more than a byte", breg(5, 0) + lit(3) + kShr + constu(0x3f) + kAnd + kStackValue,
         4, kArithmetic, "(fits(%rdi, 32) >> 0x3) & 0x3f"},
        {"index of a long", breg(5, 0) + lit(3) + kShr + constu(0x3f) + kAnd + kStackValue, 8,
         kArithmetic, "(%rdi >> 0x3) & 0x3f"},
        {"left and right", breg(5, 0) + lit(24) + kShl + lit(28) + kShr + kStackValue, 4,
         kArithmetic},
        {"int in memory", word + lit(2) + kShra + kStackValue, 4, kArithmetic,
         "fits(*(u32 *)%rdi, 31) >> 0x2"},
        {"unsigned int in memory", word + lit(2) + kShr + kStackValue, 4, kArithmetic,
         "*(u32 *)%rdi >> 0x2"},
        {"u8 in memory", breg(5, 0) + deref_size(1) + lit(2) + kShra + kStackValue, 4, kArithmetic,
         "fits(*(u8 *)%rdi, 7) >> 0x2"},
        // If the check does not fail, nothing is left; but it may fail.
        {"sign of a char in memory", breg(5, 0) + deref_size(1) + lit(7) + kShra + kStackValue, 1,
         kArithmetic},
        {"long in memory", breg(5, 0) + kDeref + lit(12) + kShr + kStackValue, 4, kArithmetic,
         "*(u64 *)%rdi >> 0xc"},
        {"compared", breg(5, 0) + lit(3) + kShr + lit(1) + kLt + kStackValue, 4, kArithmetic},
        {"an address", breg(5, 0) + lit(3) + kShr + breg(4, 0) + kPlus, 4, kArithmetic,
         "*(u32 *)((%rdi >> 0x3) + %rsi)"},
        // More would be shifted out of an int, and out of a long.
        {"by a count of any width", lit(1) + breg(4, 0) + kShl + kStackValue, 4, kArithmetic,
         "0x1 << fits(fits(%rsi, 6), 5)"},
        {"a long by a count of any width", lit(1) + breg(4, 0) + kShl + kStackValue, 8, kArithmetic,
         "0x1 << fits(%rsi, 6)"},
        {"a short by a count of any width", lit(1) + breg(4, 0) + kShl + kStackValue, 2,
         kArithmetic},
        {"to the right by an int", breg(5, 0) + breg(4, 0) + low + kShr + kStackValue, 8,
         kArithmetic, "%rdi >> fits((u32)%rsi, 6)"},
        {"an int to the right by an int", breg(5, 0) + breg(4, 0) + low + kShr + kStackValue, 4,
         kArithmetic, "fits(%rdi, 32) >> fits(fits((u32)%rsi, 6), 5)"},
        {"a long in memory by an int, as 4 bytes",
         breg(5, 0) + kDeref + breg(4, 0) + low + kShr + kStackValue, 4, kArithmetic,
         "*(u64 *)%rdi >> fits((u32)%rsi, 6)"},
        {"by a number that is too large", breg(5, 0) + const1u(64) + kShl + kStackValue, 8,
         kArithmetic},
        {"by five bits", lit(1) + breg(4, 0) + lit(31) + kAnd + kShl + kStackValue, 4, kArithmetic,
         "0x1 << (%rsi & 0x1f)"},
        {"ints compared",
         breg(5, 0) + const1u(32) + kShl + breg(4, 0) + const1u(32) + kShl + kLt + kStackValue, 1,
         kArithmetic, "(s64)(%rdi << 0x20) < (s64)(%rsi << 0x20)"},
        {"an int compared",
         breg(5, 0) + const1u(32) + kShl + const8u(0x500000000) + kLe + kStackValue, 1, kArithmetic,
         "(s64)(s32)%rdi <= 0x5"},
    };
    check(rows);
}

// The same is true of divisions. In C they round towards 0.
TEST(LocationValue, Divisions) {
    const Expr by_8 = lit(8) + kDiv + kStackValue;
    const Expr to_int = const1u(32) + kShl + const1u(32) + kShra;
    const Row rows[] = {
        {"long", breg(5, 0) + by_8, 8, kArithmetic, "(s64)%rdi / 0x8"},
        {"int", breg(5, 0) + by_8, 4, kArithmetic, "(s64)fits(%rdi, 31) / 0x8"},
        {"short", breg(5, 0) + by_8, 2, kArithmetic},
        {"of (s32)", breg(5, 0) + to_int + by_8, 4, kArithmetic, "(s64)(s32)%rdi / 0x8"},
        {"of (u32)", breg(5, 0) + constu(0xffffffff) + kAnd + by_8, 4, kArithmetic,
         "(u32)%rdi >> 0x3"},
        // For 0x01000000 an int has 0, and 64 bits have 0x20000000.
        {"u32 << 8", breg(5, 0) + constu(0xffffffff) + kAnd + lit(8) + kShl + by_8, 4, kArithmetic,
         "fits((u32)%rdi << 0x8, 31) >> 0x3"},
        {"long in memory", breg(5, 0) + kDeref + by_8, 4, kArithmetic, "(s64)*(u64 *)%rdi / 0x8"},
        {"int in memory", breg(5, 0) + deref_size(4) + by_8, 4, kArithmetic,
         "fits(*(u32 *)%rdi, 31) >> 0x3"},
        {"word of a bitmap",
         breg(5, 0) + const1u(64) + kDiv + lit(3) + kShl + breg(4, 0) + kPlus + kStackValue, 8,
         kArithmetic, "(((s64)%rdi / 0x40) << 0x3) + %rsi"},
        {"by 2^62", breg(5, 0) + const8u(uint64_t{1} << 62) + kDiv + kStackValue, 8, kArithmetic,
         "(s64)%rdi / 0x4000000000000000"},
        {"by -2^63", breg(5, 0) + const8u(uint64_t{1} << 63) + kDiv + kStackValue, 8, kArithmetic},
        {"by -8", breg(5, 0) + const1s(-8) + kDiv + kStackValue, 8, kArithmetic},
        {"by 3", breg(5, 0) + lit(3) + kDiv + kStackValue, 8, kArithmetic},
        {"by 0", breg(5, 0) + lit(0) + kDiv + kStackValue, 8, kArithmetic},
        {"by a register", breg(5, 0) + breg(4, 0) + kDiv + kStackValue, 8, kArithmetic},
        {"-9 / 8", const1s(-9) + by_8, 8, kArithmetic, "-0x1"},
    };
    check(rows);
}

// GCC writes MIN_EXPR and MAX_EXPR so, and nothing else branches.
TEST(LocationValue, Selected) {
    const Expr low = constu(0xffffffff) + kAnd;
    const Expr other = bra(1) + kSwap + kDrop + kStackValue;
    const Row rows[] = {
        {"max(long, 0)", breg(5, 0) + kDup + lit(0) + kSwap + kOver + kGt + other, 8, kArithmetic,
         "(0x0 < (s64)%rdi) ? %rdi : 0x0"},
        {"min(unsigned, 6)", breg(5, 0) + kDup + low + lit(6) + kSwap + kOver + low + kLt + other,
         4, kArithmetic, "((s64)(u32)%rdi < 0x6) ? %rdi : 0x6"},
        {"min of two", breg(5, 0) + breg(4, 0) + kOver + kOver + kLe + other, 8, kArithmetic,
         "((s64)%rdi <= (s64)%rsi) ? %rdi : %rsi"},
        {"of a shifted int", breg(5, 0) + lit(3) + kShr + breg(4, 0) + breg(1, 0) + other, 4,
         kArithmetic, "%rdx ? (fits(%rdi, 32) >> 0x3) : %rsi"},
        {"by what is not certain", breg(5, 0) + breg(4, 0) + breg(1, 0) + lit(3) + kShr + other, 4,
         kArithmetic},
        {"by a number", breg(5, 0) + breg(4, 0) + lit(0) + other, 8, kArithmetic, "%rsi"},
        {"over another operation",
         lit(1) + breg(5, 0) + breg(4, 0) + bra(1) + kNeg + kDrop + kStackValue, 8, kArithmetic},
        {"over two",
         breg(5, 0) + breg(4, 0) + breg(1, 0) + bra(2) + kSwap + kDrop + lit(1) + kStackValue, 8,
         kArithmetic},
        {"of one value", breg(5, 0) + lit(1) + other, 8, kArithmetic},
        {"before its end", breg(5, 0) + breg(4, 0) + breg(1, 0) + bra(1) + kSwap, 8, kArithmetic},
    };
    check(rows);
}

TEST(LocationValue, Refused) {
    const Row rows[] = {
        {"eq", breg(5, 0) + lit(0) + kEq + kStackValue, 4, kArithmetic, "%rdi == 0x0"},
        {"ne", breg(5, 0) + lit(0) + kNe + kStackValue, 1, kArithmetic, "%rdi != 0x0"},
        {"lt", breg(5, 0) + lit(0) + kLt + kStackValue, 4, kArithmetic, "(s64)%rdi < 0x0"},
        {"le", breg(5, 0) + lit(0) + kLe + kStackValue, 4, kArithmetic, "(s64)%rdi <= 0x0"},
        {"gt", breg(5, 0) + lit(0) + kGt + kStackValue, 4, kArithmetic, "0x0 < (s64)%rdi"},
        {"ge", breg(5, 0) + lit(0) + kGe + kStackValue, 4, kArithmetic, "0x0 <= (s64)%rdi"},
        {"mod", breg(5, 0) + lit(8) + kMod + kStackValue, 8, kArithmetic},
        {"abs", breg(5, 0) + kAbs + kStackValue, 8, kArithmetic},
        {"bra", lit(1) + breg(5, 0) + bra(1) + kNeg + kStackValue, 4, kArithmetic},
        {"bra to the same place", lit(1) + breg(5, 0) + bra(0) + kStackValue, 4, kArithmetic},
        {"max(reg, 0)", breg(5, 0) + kDup + lit(0) + kLt + bra(2) + kDrop + lit(0) + kStackValue, 4,
         kArithmetic},
        {"skip", lit(1) + skip(1) + kNeg + kStackValue, 4, kArithmetic},
        {"for ever", skip(-3), 4, kArithmetic},
    };
    check(rows);
}

// These could be located, but they are rare. The result may be a refusal or an exact location.
TEST(LocationValue, RefusedOrExact) {
    static const std::vector<Machine> machines = machine_states(64);
    const Expr to_s8 = const1u(56) + kShl + const1u(56) + kShra;
    const struct {
        const char *name;
        Expr expression;
        uint64_t size;
    } rows[] = {
        // A sum keeps the class of its address, whatever the resulting number is.
        {"moves, lands in fixed", addr(kText) + plus_uconst(0x100 - kText), 8},
        {"fixed, lands in moving", addr(0x100) + const8u(kText) + kPlus, 8},
        {"elsewhere, lands in moving", addr(kElsewhere) + const8u(kText - kElsewhere) + kPlus, 8},
        {"moving - moving", addr(kText + 8) + addr(kText) + kMinus, 8},
        {"moving - fixed", addr(kText + 8) + addr(0x100) + kMinus, 8},
        {"moving + fixed", addr(kText + 8) + addr(0x100) + kPlus, 8},
        {"fixed - moving", addr(0x100) + addr(kText + 8) + kMinus, 8},
        {"fixed + register", addr(0x100) + breg(5, 0) + kPlus, 8},
        {"moving, cut", addr(kText + 8), 4},
        {"moving, masked", addr(kText + 8) + constu(0xfff) + kAnd, 4},
        {"reg - reg", breg(5, 4) + breg(5, 0) + kMinus, 8},
        {"reg ^ reg", breg(5, 4) + kDup + kXor, 8},
        {"reg & 0", breg(5, 4) + lit(0) + kAnd, 8},
        {"-1 - reg, complement", const1s(-1) + breg(5, 0) + kMinus + kNot, 8},
        {"-(-reg)", breg(5, 0) + kNeg + kNeg, 8},
        {"(u32)(s8)reg in 4", breg(5, 0) + to_s8 + constu(0xffffffff) + kAnd, 4},
        {"s8, u32 in 4", breg(5, 0) + convert(kS1) + convert(kU4) + convert(0), 4},
        {"(u32)reg << 24 >> 24", regval_type(5, kU4) + lit(24) + kShl + lit(24) + kShr + convert(0),
         8},
        {"(s32)reg << 24 >> 24",
         regval_type(5, kS4) + lit(24) + kShl + lit(24) + kShra + convert(0), 8},
        {"(u8)reg & 0xff00ff", breg(5, 0) + constu(0xff) + kAnd + constu(0xff00ff) + kAnd, 8},
        {"(s8)reg & 0xff00ff", breg(5, 0) + to_s8 + constu(0xff00ff) + kAnd, 8},
        {"((u8)reg + 4) & 0xff00ff",
         breg(5, 0) + constu(0xff) + kAnd + plus_uconst(4) + constu(0xff00ff) + kAnd, 8},
        {"(reg << 8 & 0xffff) >> 8",
         breg(5, 0) + lit(8) + kShl + constu(0xffff) + kAnd + lit(8) + kShr, 4},
        {"(reg << 3 & 0xffff) >> 3",
         breg(5, 0) + lit(3) + kShl + constu(0xffff) + kAnd + lit(3) + kShr, 1},
        {"s32 as 8 bytes", regval_type(5, kS4), 8},
        {"u32 as 8 bytes", regval_type(5, kU4), 8},
        {"two bytes of (s8)reg", breg(5, 0) + to_s8 + constu(0xffff) + kAnd, 4},
        {"upper bytes of (s32)mem",
         breg(5, 0) + deref_size(4) + const1u(32) + kShl + const1u(32) + kShra + lit(16) + kShr, 8},
    };
    for (const auto &row : rows) {
        TestContext context;
        const Expr expression = row.expression + kStackValue;
        SCOPED_TRACE(std::string(row.name) + ": " + hex(expression.bytes));
        const Location found = locate(expression.bytes, row.size, kX86, context);
        if (found.available()) {
            EXPECT_EQ(difference(found, expression, row.size, kX86, context, machines), "");
        }
    }
}

}  // namespace
}  // namespace btf_extra::test
