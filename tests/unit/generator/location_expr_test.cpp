// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Location expressions. Named rows compare them with their record of the wire format, worked out by
// hand. For all rows, and for random expressions, record and expression must give the same bytes on
// every machine. Rows about a value, not a place, are in location_value_test.cpp.
#include "userspace/generator/locations/location_expr.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/expr_generator.h"
#include "tests/support/expr_rows.h"

namespace btf_extra::test {
namespace {

using enum Op;

TEST(LocationExpr, Registers) {
    const Row rows[] = {
        {"first", reg(0), 8, at(8, kPlain, {0})},
        {"last numbered of x86-64", reg(16), 8, at(8, kPlain, {16})},
        {"narrow parameter", reg(5), 1, at(1, kPlain, {5})},
        {"three bytes", reg(5), 3, at(3, kPlain, {5})},
        {"regx", regx(3), 4, at(4, kPlain, {3})},
        {"regx in two bytes", raw({0x90, 0x85, 0x00}), 4, at(4, kPlain, {5})},
        {"xmm0", reg(17), 8, kArithmetic},
        {"xmm0 by regx", regx(17), 8, kArithmetic},
        {"reg31", reg(31), 4, kArithmetic},
        {"regx above 32 bits", regx(0x100000005), 8, kArithmetic},
        {"regx of the frame base's number", regx(0xffffffff), 8, kArithmetic},
        {"memory at xmm0", breg(17, 0), 8, kArithmetic},
        {"memory at regx above 32 bits", bregx(0x100000005, 0), 8, kArithmetic},
        {"xmm0 + 8", breg(17, 8) + kStackValue, 8, kArithmetic},
    };
    check(rows);

    TestContext context;
    for (uint32_t number = 0; number < 32; number++) {
        const Row all[] = {
            {"numbered", reg(number), 8, at(8, kPlain, {number})},
            {"in memory", breg(number, 16), 8, at(8, kMemorySum, {number, 16})},
        };
        check(all, context, kArm64);
    }
    const Row vector[] = {{"v0", regx(64), 8, kArithmetic}, {"33rd", regx(32), 8, kArithmetic}};
    check(vector, context, kArm64);
}

TEST(LocationExpr, MemoryAtARegister) {
    constexpr uint32_t kSigned = kMemorySum | LOC_SIGNED;
    const Row rows[] = {
        {"no offset", breg(5, 0), 8, at(8, kMemory, {5})},
        {"no offset, narrow", breg(5, 0), 1, at(1, kMemory, {5})},
        {"positive", breg(7, 24), 8, at(8, kMemorySum, {7, 24})},
        {"negative", breg(6, -24), 8, at(8, kSigned, {6, 0xffffffe8})},
        {"negative, narrow", breg(6, -24), 4, at(4, kSigned, {6, 0xffffffe8})},
        {"an address is not reduced", breg(6, 0x1ff), 1, at(1, kMemorySum, {6, 0x1ff})},
        {"top of 31 bits", breg(6, 0x7fffffff), 8, at(8, kMemorySum, {6, 0x7fffffff})},
        {"bit 31", breg(6, 0x80000000), 8, at(8, kMemorySum, {6, 0x80000000})},
        {"bit 31 for four bytes", breg(6, 0x80000000), 4, at(4, kMemorySum, {6, 0x80000000})},
        {"top of 32 bits", breg(6, 0xffffffff), 8, at(8, kMemorySum, {6, 0xffffffff})},
        {"beyond 32 bits", breg(6, 0x100000000), 8, at(8, kMemorySum, {6, 0, 1})},
        {"lowest of 32 bits", breg(6, -0x80000000LL), 8, at(8, kSigned, {6, 0x80000000})},
        {"below 32 bits", breg(6, -0x80000001LL), 8,
         at(8, kMemorySum, {6, 0x7fffffff, 0xffffffff})},
        {"lowest of all", breg(6, INT64_MIN), 8, at(8, kMemorySum, {6, 0, 0x80000000})},
        {"bregx", bregx(12, 4), 4, at(4, kMemorySum, {12, 4})},
        {"sums", breg(5, 4) + plus_uconst(8) + const1s(-2) + kPlus, 8, at(8, kMemorySum, {5, 10})},
        {"sum of nothing", breg(5, 4) + lit(4) + kMinus, 8, at(8, kMemory, {5})},
        {"constant first", lit(8) + breg(5, 0) + kPlus, 8, at(8, kMemorySum, {5, 8})},
        {"12-byte struct", breg(7, 8), 12, at(12, kMemorySum, {7, 8})},
        {"16-byte struct", breg(7, -16), 16, at(16, kSigned, {7, 0xfffffff0})},
        {"16-byte struct, no offset", breg(7, 0), 16, at(16, kMemory, {7})},
        {"array by an index", breg(5, 0) + breg(4, 0) + kPlus, 8, kArithmetic,
         "*(u64 *)(%rdi + %rsi)"},
        {"pointer in memory", breg(5, 0) + kDeref, 8, kArithmetic, "*(u64 *)*(u64 *)%rdi"},
        {"pointer in memory, moved", breg(5, 0) + kDeref + plus_uconst(8), 8, kArithmetic,
         "*(u64 *)(*(u64 *)%rdi + 0x8)"},
        {"at a masked address", breg(5, 0) + const1s(-16) + kAnd, 8, kArithmetic,
         "*(u64 *)(%rdi & -0x10)"},
        {"constant address", const8u(0xffffffff81000000), 8, kStatic},
        {"small constant address", lit(0), 8, kStatic},
    };
    check(rows);
}

TEST(LocationExpr, FrameBase) {
    constexpr uint32_t kSigned = kMemorySum | LOC_SIGNED;
    TestContext context;  // the CFA is reg7 + 16
    const Row by_cfa[] = {
        {"above", fbreg(8), 8, at(8, kMemorySum, {7, 24})},
        {"below", fbreg(-24), 4, at(4, kSigned, {7, 0xfffffff8})},
        {"at the register", fbreg(-16), 8, at(8, kMemory, {7})},
        {"struct", fbreg(0), 16, at(16, kMemorySum, {7, 16})},
        {"address of", fbreg(-20) + kStackValue, 8, at(8, kSum | LOC_SIGNED, {7, 0xfffffffc})},
        {"value of", fbreg(-16) + kDeref + kStackValue, 8, at(8, kMemory, {7})},
        {"cfa itself", kCallFrameCfa + kStackValue, 8, at(8, kSum, {7, 16})},
        {"memory at the cfa", kCallFrameCfa, 8, at(8, kMemorySum, {7, 16})},
    };
    check(by_cfa, context);

    context.frame_base_bytes = reg(6).bytes;
    const Row by_register[] = {
        {"frame pointer", fbreg(-20), 4, at(4, kSigned, {6, 0xffffffec})},
        {"frame pointer, no offset", fbreg(0), 8, at(8, kMemory, {6})},
    };
    check(by_register, context);

    context.frame_base_bytes = breg(7, 8).bytes;
    const Row by_sum[] = {
        {"reg7 + 8", fbreg(8), 8, at(8, kMemorySum, {7, 16})},
        {"reg7 + 8 - 8", fbreg(-8), 8, at(8, kMemory, {7})},
    };
    check(by_sum, context);

    context.frame_base_bytes = regx(6).bytes;
    const Row by_regx[] = {{"regx", fbreg(4), 4, at(4, kMemorySum, {6, 4})}};
    check(by_regx, context);

    context.frame_base_bytes = reg(17).bytes;
    const Row unusable[] = {{"fbreg", fbreg(8), 8, kArithmetic},
                            {"address of", fbreg(8) + kStackValue, 8, kArithmetic}};
    check(unusable, context);
    context.frame_base_bytes = (breg(6, -8) + kDeref).bytes;  // a realigned stack
    const Row in_memory[] = {
        {"at a saved frame", fbreg(8), 8, kArithmetic, "*(u64 *)(*(u64 *)(%rbp - 0x8) + 0x8)"}};
    check(in_memory, context);
    context.frame_base_bytes = {};
    check(unusable, context);
    context.frame_base_bytes = fbreg(0).bytes;  // recurses without end
    check(unusable, context);
    context.frame_base_bytes = {0x9c};
    context.cfa.reset();
    check(unusable, context);
    const Row no_cfa[] = {{"cfa", kCallFrameCfa, 8, kArithmetic},
                          {"address of cfa", kCallFrameCfa + kStackValue, 8, kArithmetic},
                          {"not asked for", breg(5, 0), 8, at(8, kMemory, {5})}};
    check(no_cfa, context);
}

TEST(LocationExpr, OtherFramesAndObjects) {
    const Expr pointer = kImplicitPointer + fixed(0x1234, 4) + sleb(0);
    const Expr gnu_pointer = kGnuImplicitPointer + fixed(0x1234, 4) + sleb(-8);
    const Expr of_reg5 = entry_value(reg(5));
    const Expr gnu_of_reg5 = kGnuEntryValue + block(reg(5));
    const Row inside[] = {
        {"implicit_pointer", pointer, 8, kImplicit},
        {"GNU_implicit_pointer", gnu_pointer, 8, kImplicit},
        {"implicit_pointer in a piece", pointer + piece(8) + reg(5) + piece(8), 16, kRefused},
        {"entry_value", of_reg5 + kStackValue, 8, kEntry},
        {"GNU_entry_value", gnu_of_reg5 + kStackValue, 8, kEntry},
        {"entry_value, narrow", of_reg5 + kStackValue, 4, kEntry},
        {"entry_value and more", of_reg5 + plus_uconst(8) + kStackValue, 8, kEntry},
        {"entry_value, masked", of_reg5 + const1u(0xff) + kAnd + kStackValue, 1, kEntry},
        {"entry_value of an expression", entry_value(breg(5, 8) + kDeref) + kStackValue, 8, kEntry},
        {"memory at entry_value", of_reg5, 8, kEntry},
        {"constant at entry", entry_value(lit(5)) + kStackValue, 8, kRefused},
        {"dropped", of_reg5 + kDrop + breg(5, 8) + kStackValue, 8, at(8, kSum, {5, 8})},
        {"GNU_parameter_ref", kGnuParameterRef + fixed(0x40, 4) + kStackValue, 8, kParameter},
        {"GNU_parameter_ref and more",
         kGnuParameterRef + fixed(0x40, 4) + plus_uconst(1) + kStackValue, 8, kParameter},
        {"thread-local", const8u(0x10) + kGnuPushTlsAddress, 8, kRefused},
        {"form_tls_address", const8u(0x10) + kFormTlsAddress, 8, kRefused},
        {"push_object_address", kPushObjectAddress + kDeref + kStackValue, 8, kRefused},
        {"call2", kCall2 + fixed(0x40, 2) + kStackValue, 8, kRefused},
        {"call4", kCall4 + fixed(0x40, 4) + kStackValue, 8, kRefused},
        {"call_ref", kCallRef + fixed(0x40, 4) + kStackValue, 8, kRefused},
        {"xderef", lit(0) + breg(5, 0) + kXderef + kStackValue, 8, kRefused},
    };
    check(inside);

    TestContext context;
    context.at_entry = true;
    const Row at_entry[] = {
        {"entry_value", of_reg5 + kStackValue, 8, at(8, kPlain, {5})},
        {"GNU_entry_value", gnu_of_reg5 + kStackValue, 8, at(8, kPlain, {5})},
        {"entry_value, narrow", of_reg5 + kStackValue, 4, at(4, kPlain, {5})},
        {"entry_value by breg", entry_value(breg(5, 0)) + kStackValue, 8, at(8, kPlain, {5})},
        {"entry_value by regx", entry_value(regx(5)) + kStackValue, 8, at(8, kPlain, {5})},
        {"entry_value + 8", of_reg5 + plus_uconst(8) + kStackValue, 8, at(8, kSum, {5, 8})},
        {"entry_value, masked", of_reg5 + const1u(0xff) + kAnd + kStackValue, 4,
         at(1, kPlain, {5})},
        {"memory at entry_value", of_reg5, 8, at(8, kMemory, {5})},
        {"entry_value of xmm0", entry_value(reg(17)) + kStackValue, 8, kRefused},
        {"implicit_pointer", pointer, 8, kImplicit},
        {"GNU_parameter_ref", kGnuParameterRef + fixed(0x40, 4) + kStackValue, 8, kParameter},
    };
    check(at_entry, context);

    // The reference is as wide as an address in DWARF 2, and as an offset in 64-bit DWARF.
    const Row wide[] = {
        {"implicit_pointer", kImplicitPointer + fixed(0x1234, 8) + sleb(0), 8, kImplicit},
        {"GNU_implicit_pointer", kGnuImplicitPointer + fixed(0x1234, 8) + sleb(0), 8, kImplicit},
    };
    check(wide, context, {.offset_size = 8});
    check(wide, context, {.version = 2});
}

TEST(LocationExpr, Pieces) {
    const Row rows[] = {
        {"pair", reg(0) + piece(8) + reg(1) + piece(8), 16, at(16, kPlain, {0, 1})},
        {"pair, other order", reg(1) + piece(8) + reg(0) + piece(8), 16, at(16, kPlain, {1, 0})},
        {"pair by regx", regx(3) + piece(8) + regx(12) + piece(8), 16, at(16, kPlain, {3, 12})},
        {"8 + 4", reg(5) + piece(8) + reg(4) + piece(4), 12, at(12, kPlain, {5, 4})},
        {"8 + 1", reg(5) + piece(8) + reg(4) + piece(1), 9, at(9, kPlain, {5, 4})},
        {"4 + 8", reg(5) + piece(4) + reg(4) + piece(8), 12, kPieces,
         "{%rdi:u32, %rsi:u32, (%rsi >> 0x20):u32}"},
        {"4 + 4", reg(0) + piece(4) + reg(1) + piece(4), 8, kPieces, "{%rax:u32, %rdx:u32}"},
        {"8 + 4 + 4", reg(0) + piece(8) + reg(1) + piece(4) + reg(2) + piece(4), 16, kPieces,
         "{%rax:u64, %rdx:u32, %rcx:u32}"},
        {"gap at the end", reg(0) + piece(8) + piece(8), 16, kPieces},
        {"gap at the start", piece(8) + reg(0) + piece(8), 16, kPieces},
        {"gap alone", piece(8), 8, kRefused},
        {"two gaps", piece(8) + piece(8), 16, kPieces},
        {"too few", reg(0) + piece(8) + reg(1) + piece(4), 16, kPieces},
        {"too few for one", reg(0) + piece(4), 8, kPieces},
        {"bit pieces", reg(0) + bit_piece(32, 0) + reg(1) + bit_piece(32, 0), 8, kPieces},
        {"bit piece alone", reg(0) + bit_piece(64, 0), 8, kPieces},
        {"bit piece in the middle", reg(0) + bit_piece(8, 8), 1, kPieces},
        {"memory twice", breg(5, 0) + piece(8) + breg(5, 8) + piece(8), 16, kPieces,
         "{*(u64 *)%rdi:u64, *(u64 *)(%rdi + 0x8):u64}"},
        {"register and memory", reg(0) + piece(8) + breg(5, 8) + piece(8), 16, kPieces,
         "{%rax:u64, *(u64 *)(%rdi + 0x8):u64}"},
        {"register and number", reg(0) + piece(8) + lit(0) + kStackValue + piece(8), 16, kPieces,
         "{%rax:u64, 0x0:u64}"},
        {"values of two registers",
         breg(0, 1) + kStackValue + piece(8) + breg(1, 0) + kStackValue + piece(8), 16, kPieces,
         "{(%rax + 0x1):u64, %rdx:u64}"},
        {"register and xmm0", reg(0) + piece(8) + reg(17) + piece(8), 16, kRefused},
        {"one, register", reg(5) + piece(8), 8, at(8, kPlain, {5})},
        {"one, narrow", reg(5) + piece(4), 4, at(4, kPlain, {5})},
        {"one, memory", breg(5, 4) + piece(4), 4, at(4, kMemorySum, {5, 4})},
        {"one, 16 bytes of memory", breg(5, 4) + piece(16), 16, at(16, kMemorySum, {5, 4})},
        {"one, value", breg(5, 4) + kStackValue + piece(8), 8, at(8, kSum, {5, 4})},
        {"one, number", lit(5) + kStackValue + piece(4), 4, at(4, kConst, {5})},
        {"one, implicit_value", implicit_value({1, 2, 3, 4}) + piece(4), 4,
         at(4, kConst, {0x04030201})},
        {"one, 16 bytes of a register", reg(5) + piece(16), 16, kPieces},
        {"register, 16 bytes", reg(5), 16, kPieces},
        {"register, 12 bytes", reg(5), 12, kPieces},
        {"register, 9 bytes", reg(5), 9, kPieces},
    };
    check(rows);
}

TEST(LocationExpr, Sizes) {
    const Row rows[] = {
        {"none", reg(5), 0, kSize},
        {"17", reg(5), 17, kSize},
        {"24 in memory", breg(7, 8), 24, kSize},
        {"huge", breg(7, 8), uint64_t{1} << 32 | 8, kSize},
        {"before arithmetic", breg(5, 0) + kNeg + kStackValue, 24, kSize},
        {"before pieces", reg(0) + piece(8) + reg(1) + piece(8) + reg(2) + piece(8), 24, kSize},
        {"before bad bytes", raw({0xff}), 17, kSize},
        {"empty expression", Expr(), 8, kNoLocationHere},
        {"empty before none", Expr(), 0, kNoLocationHere},
        {"empty before 17", Expr(), 17, kNoLocationHere},
    };
    check(rows);
}

TEST(LocationExpr, StackOperations) {
    const Row rows[] = {
        {"drop", breg(5, 8) + lit(1) + kDrop + kStackValue, 8, at(8, kSum, {5, 8})},
        {"dup", breg(5, 0) + kDup + kDrop + kStackValue, 8, at(8, kPlain, {5})},
        {"dup mul", lit(4) + kDup + kMul + kStackValue, 4, at(4, kConst, {16})},
        {"over", lit(7) + lit(8) + kOver + kStackValue, 4, at(4, kConst, {7})},
        {"pick 0", lit(7) + lit(8) + lit(9) + pick(0) + kStackValue, 4, at(4, kConst, {9})},
        {"pick 2", lit(7) + lit(8) + lit(9) + pick(2) + kStackValue, 4, at(4, kConst, {7})},
        {"pick of a register", breg(5, 0) + lit(8) + pick(1) + kStackValue, 8, at(8, kPlain, {5})},
        {"swap", lit(3) + lit(9) + kSwap + kMinus + kStackValue, 4, at(4, kConst, {6})},
        // 1 2 3 -> 3 1 2: the top becomes the third
        {"rot", lit(1) + lit(2) + lit(3) + kRot + kMinus + kPlus + kStackValue, 4,
         at(4, kConst, {2})},
        {"rot, top", lit(1) + lit(2) + lit(3) + kRot + kStackValue, 4, at(4, kConst, {2})},
        {"unused below", lit(1) + breg(5, 8), 4, at(4, kMemorySum, {5, 8})},
        {"unknown below", breg(5, 0) + kNeg + breg(5, 8) + kStackValue, 8, at(8, kSum, {5, 8})},
        {"nop", kNop + breg(5, 8) + kNop + kStackValue, 8, at(8, kSum, {5, 8})},
    };
    check(rows);
}

TEST(LocationExpr, Malformed) {
    const auto cut = [](Expr expression, size_t bytes) {
        expression.bytes.resize(expression.bytes.size() - bytes);
        return expression;
    };
    const Row rows[] = {
        {"const1u without operand", cut(const1u(1), 1), 4, kRefused},
        {"const2u, cut", cut(const2u(1), 1), 4, kRefused},
        {"const4s, cut", cut(const4s(1), 1), 4, kRefused},
        {"const8u, cut", cut(const8u(1), 1), 4, kRefused},
        {"constu without end", raw({0x10, 0x80}), 4, kRefused},
        {"consts without end", raw({0x11, 0xff}), 4, kRefused},
        {"addr, cut", cut(addr(0x1234), 5), 8, kRefused},
        {"breg without offset", cut(breg(5, 0), 1), 8, kRefused},
        {"bregx without offset", cut(bregx(5, 0), 1), 8, kRefused},
        {"regx without number", kRegx, 8, kRefused},
        {"fbreg without offset", kFbreg, 8, kRefused},
        {"plus_uconst without operand", breg(5, 0) + kPlusUconst, 8, kRefused},
        {"pick without operand", lit(1) + kPick, 8, kRefused},
        {"deref_size without operand", breg(5, 0) + kDerefSize, 8, kRefused},
        {"piece without size", reg(5) + kPiece, 8, kRefused},
        {"bit_piece without offset", reg(5) + cut(bit_piece(64, 0), 1), 8, kRefused},
        {"bra, cut", lit(1) + cut(bra(1), 1), 8, kRefused},
        {"skip, cut", cut(skip(1), 1), 8, kRefused},
        {"implicit_value, cut", cut(implicit_value({1, 2, 3, 4}), 1), 4, kRefused},
        {"implicit_value of 2^64 - 1 bytes", kImplicitValue + uleb(~uint64_t{0}) + fixed(0, 4), 4,
         kRefused},
        {"entry_value, cut", cut(entry_value(breg(5, 0)), 1), 8, kRefused},
        {"entry_value of nothing", entry_value(Expr()) + kStackValue, 8, kRefused},
        {"entry_value, bad inside", entry_value(breg(5, 0) + kAnd) + kStackValue, 8, kRefused},
        {"implicit_pointer, cut", kImplicitPointer + fixed(0x1234, 3), 8, kRefused},
        {"implicit_pointer without offset", kImplicitPointer + fixed(0x1234, 4), 8, kRefused},
        {"GNU_parameter_ref, cut", kGnuParameterRef + fixed(0x40, 3), 8, kRefused},
        {"const_type, cut", cut(const_type(kS4, {1, 2, 3, 4}), 1) + kStackValue, 4, kRefused},
        {"regval_type without type", kRegvalType + uleb(5), 4, kRefused},
        {"deref_type without type", breg(5, 0) + kDerefType + fixed(4, 1), 4, kRefused},
        {"convert without type", breg(5, 0) + kConvert, 4, kRefused},
        {"addrx without index", kAddrx, 8, kRefused},

        {"and of one", breg(5, 0) + kAnd + kStackValue, 8, kRefused},
        {"plus of none", kPlus + kStackValue, 8, kRefused},
        {"plus_uconst of none", plus_uconst(1) + kStackValue, 8, kRefused},
        {"neg of none", kNeg + kStackValue, 8, kRefused},
        {"deref of none", kDeref + kStackValue, 8, kRefused},
        {"dup of none", kDup + kStackValue, 8, kRefused},
        {"drop of none", kDrop + lit(1) + kStackValue, 8, kRefused},
        {"drop of the last", lit(1) + kDrop, 8, kRefused},
        {"over of one", lit(1) + kOver + kStackValue, 8, kRefused},
        {"swap of one", lit(1) + kSwap + kStackValue, 8, kRefused},
        {"rot of two", lit(1) + lit(2) + kRot + kStackValue, 8, kRefused},
        {"pick too deep", lit(1) + pick(1) + kStackValue, 8, kRefused},
        {"pick 255", lit(1) + pick(255) + kStackValue, 8, kRefused},
        {"convert of none", convert(kS4) + kStackValue, 4, kRefused},
        {"stack_value of none", kStackValue, 8, kRefused},

        {"opcode 0", raw({0x00}), 8, kRefused},
        {"opcode 1", raw({0x01}), 8, kRefused},
        {"opcode 0xdf", breg(5, 0) + raw({0xdf}), 8, kRefused},
        {"opcode 0xff", breg(5, 0) + raw({0xff}), 8, kRefused},
        {"opcode 0xff after the value", breg(5, 0) + kStackValue + raw({0xff}), 8, kRefused},
        {"two registers", reg(5) + reg(4), 8, kRefused},
        {"register and value", reg(5) + kStackValue, 8, kRefused},
        {"register and offset", reg(5) + plus_uconst(8) + kStackValue, 8, kRefused},
        {"register and memory", reg(5) + breg(4, 0), 8, kRefused},
        {"memory and register", breg(4, 0) + reg(5), 8, kRefused},
        {"value and more", breg(5, 0) + kStackValue + plus_uconst(8), 8, kRefused},
        {"value twice", breg(5, 0) + kStackValue + kStackValue, 8, kRefused},
        {"number and value", implicit_value({1, 2, 3, 4}) + kStackValue, 4, kRefused},
        {"after the last piece", reg(5) + piece(8) + reg(4), 8, kRefused},
    };
    check(rows);
}

// A location must be exact for random expressions, too.
TEST(LocationExpr, RandomExpressionsAreExact) {
    constexpr size_t kCount = 25000;
    constexpr size_t kMachines = 8;  // each expression gets the next of kStates
    constexpr size_t kStates = 96;
    const std::vector<Machine> states = machine_states(kStates);
    ExprGenerator generator(7);
    std::map<uint32_t, size_t> by_flags;
    size_t available = 0;
    size_t computed = 0;
    size_t narrow = 0;
    size_t mutants = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < kCount && wrong < 10; i++) {
        TestContext context;
        context.at_entry = generator.below(2);
        if (generator.below(8) == 0)
            context.frame_base_bytes = breg(6, 8).bytes;
        if (generator.below(16) == 0)
            context.cfa.reset();
        const ExprFormat &format = generator.below(4) ? kX86 : kArm64;
        const uint64_t size = generator.param_size();
        const Expr expression = generator.location(size);
        const size_t first = generator.below(kStates / kMachines) * kMachines;
        const auto machines = std::span(states).subspan(first, kMachines);

        const Location found = locate(expression.bytes, size, format, context);
        if (!found.code.empty()) {
            std::string what = difference(found, expression, size, format, context, machines);
            // Few of these values pass their checks.
            if (what == kNeverAvailable)
                what.clear();
            else
                computed++;
            wrong += !what.empty();
            EXPECT_EQ(what, "") << hex(expression.bytes) << "as " << size
                                << " bytes: " << computed_text(found.code, format);
        }
        if (found.available()) {
            available++;
            narrow += found.param.size < size;
            by_flags[found.param.flags]++;
            const std::string what = difference(found, expression, size, format, context, machines);
            wrong += !what.empty();
            EXPECT_EQ(what, "") << hex(expression.bytes) << "as " << size
                                << " bytes: " << testing::PrintToString(found);
        }

        const Expr mutant = generator.mutated(expression);
        const Location other = locate(mutant.bytes, size, format, context);
        if (!other.code.empty() || other.available()) {
            mutants++;
            std::string what = difference(other, mutant, size, format, context, machines);
            if (what == kNeverAvailable)
                what.clear();
            wrong += !what.empty();
            EXPECT_EQ(what, "") << hex(mutant.bytes) << "as " << size
                                << " bytes: " << testing::PrintToString(other);
        }
    }
    // Enough expressions must be accepted, and not only simple ones.
    RecordProperty("available", static_cast<int>(available));
    RecordProperty("narrow", static_cast<int>(narrow));
    RecordProperty("mutants", static_cast<int>(mutants));
    RecordProperty("computed", static_cast<int>(computed));
    EXPECT_GE(available, kCount / 2);
    EXPECT_GE(computed, kCount / 8);
    EXPECT_GE(narrow, kCount / 50);
    EXPECT_GE(mutants, kCount / 10);
    const std::pair<uint32_t, size_t> least[] = {
        {kConst, 800},      {kConst | LOC_ADDR, 100},       {kPlain, 2000},
        {kSum, 800},        {kSum | LOC_SIGNED, 400},       {kMemory, 150},
        {kMemorySum, 1000}, {kMemorySum | LOC_SIGNED, 300},
    };
    for (const auto &[flags, count] : least) {
        EXPECT_GE(by_flags[flags], count) << "flags " << flags;
        RecordProperty("flags_" + std::to_string(flags), static_cast<int>(by_flags[flags]));
    }
}

}  // namespace
}  // namespace btf_extra::test
