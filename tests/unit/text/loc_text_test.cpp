// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/loc_text.h"

#include <gtest/gtest.h>

namespace btf_extra {
namespace {

constexpr uint32_t kSigned = LOC_SIGNED, kConst = LOC_CONST, kAddr = LOC_ADDR, kReg = LOC_REG,
                   kDeref = LOC_DEREF, kOffset = LOC_OFFSET, kFbreg = LOC_FRAME_BASE;

struct Row {
    const char *name;
    uint32_t size, flags;
    std::vector<uint32_t> values;
    btf_value type;  // the declared type of the parameter
    const char *text;
    const char *people;
};

// clang-format off
const Row kRows[] = {
    {"register", 8, kReg, {1}, {8, false}, "reg1", "%rdx"},
    {"register of the size of an int", 4, kReg, {5}, {4, true}, "reg5", "%rdi:s32"},
    {"register, zero-extended to the parameter", 1, kReg, {5}, {4, true}, "reg5", "%rdi:u8"},
    {"register, sign-extended", 4, kReg | kOffset | kSigned, {5, 0}, {8, true}, "reg5 + 0x0",
     "%rdi:s32"},
    {"8 bytes of 16", 8, kReg, {5}, {16, false}, "reg5", "%rdi:u64"},
    {"register without a known type", 8, kReg, {7}, {}, "reg7", "%rsp"},
    {"numbered register", 8, kReg, {12}, {8, false}, "reg12", "%r12"},
    {"register without a name", 8, kReg, {16}, {8, false}, "reg16", "reg16"},
    {"pair", 16, kReg, {5, 4}, {16, false}, "reg5, reg4", "%rdi:%rsi"},
    {"memory", 8, kReg | kDeref, {2}, {8, false}, "*(reg2)", "*(%rcx)"},
    {"memory, narrow", 2, kReg | kDeref, {2}, {4, false}, "*(reg2)", "*(%rcx):u16"},
    {"a struct in memory", 16, kReg | kDeref, {2}, {16, false}, "*(reg2)", "*(%rcx):u128"},
    {"sum", 8, kReg | kOffset, {5, 8}, {8, false}, "reg5 + 0x8", "%rdi+0x8"},
    {"difference", 8, kReg | kOffset | kSigned, {5, 0xfffffff8}, {8, false}, "reg5 - 0x8",
     "%rdi-0x8"},
    {"32 bits, unsigned", 8, kReg | kOffset, {5, 0xfffffff8}, {8, false}, "reg5 + 0xfffffff8",
     "%rdi+0xfffffff8"},
    {"64 bits", 8, kReg | kOffset | kSigned, {5, 0xfffffff8, 0xffffffff}, {8, false}, "reg5 - 0x8",
     "%rdi-0x8"},
    {"64 bits, zero-extended", 4, kReg | kOffset, {5, 0xfffffffc, 0xffffffff}, {8, true},
     "reg5 - 0x4", "%rdi-0x4:u32"},
    {"64 bits, far", 8, kReg | kOffset, {5, 0, 1}, {8, false}, "reg5 + 0x100000000",
     "%rdi+0x100000000"},
    {"memory at a sum", 8, kReg | kDeref | kOffset, {2, 16}, {8, false}, "*(reg2 + 0x10)",
     "*(%rcx+0x10)"},
    {"stack", 4, kReg | kDeref | kOffset, {7, 8}, {4, false}, "*(reg7 + 0x8)", "*(%rsp+0x8):u32"},
    {"stack, a signed offset says nothing of the value", 4, kReg | kDeref | kOffset | kSigned,
     {6, 0xffffffec}, {4, false}, "*(reg6 - 0x14)", "*(%rbp-0x14):u32"},
    {"frame base", 8, kReg | kOffset | kSigned, {kFbreg, 0xfffffff0}, {8, false}, "fbreg - 0x10",
     "fbreg-0x10"},
    {"frame base memory", 8, kReg | kDeref | kOffset | kSigned, {kFbreg, 0xffffffe0}, {8, false},
     "*(fbreg - 0x20)", "*(fbreg-0x20)"},
    {"constant", 4, kConst, {0x10}, {4, true}, "0x10", "0x10"},
    {"constant, zero", 4, kConst, {0}, {4, true}, "0x0", "0x0"},
    {"constant of 64 bits", 8, kConst, {0xfeedface, 0xdeadbeef}, {8, false}, "0xdeadbeeffeedface",
     "0xdeadbeeffeedface"},
    {"constant that its type makes negative", 4, kConst, {0xffffffea}, {4, true}, "0xffffffea",
     "-0x16"},
    {"constant that its type leaves positive", 4, kConst | kSigned, {0xffffffff}, {4, false},
     "-0x1", "0xffffffff"},
    {"signed constant", 4, kConst | kSigned, {0xffffffff}, {8, true}, "-0x1", "-0x1"},
    {"signed byte", 1, kConst | kSigned, {0xff}, {4, true}, "-0x1", "-0x1"},
    {"signed constant of 64 bits", 8, kConst | kSigned, {0, 0x80000000}, {8, true},
     "-0x8000000000000000", "-0x8000000000000000"},
    {"address", 8, kConst | kAddr, {0x9abcdef0, 0x12345678}, {8, false},
     "0x123456789abcdef0 (addr)", "&at 123456789abcdef0"},
    {"address below the base", 4, kConst | kAddr | kSigned, {0xfffffff0}, {8, false},
     "-0x10 (addr)", "&at fffffffffffffff0"},
    {"nothing", 8, 0, {1}, {8, false}, "(invalid)", "(invalid)"},
    {"constant in a register", 8, kReg | kConst, {1}, {8, false}, "(invalid)", "(invalid)"},
    {"register without number", 8, kReg, {}, {8, false}, "(invalid)", "(invalid)"},
    {"three registers", 8, kReg, {1, 2, 3}, {8, false}, "(invalid)", "(invalid)"},
    {"offset without value", 8, kReg | kOffset, {1}, {8, false}, "(invalid)", "(invalid)"},
    {"unknown flag", 8, kReg | 0x40, {1}, {8, false}, "(invalid)", "(invalid)"},
};
// clang-format on

TEST(LocText, Rows) {
    for (const Row &row : kRows) {
        std::vector<uint32_t> words = {
            0, static_cast<uint32_t>(row.values.size()) | LOC_KIND_PARAM << 24, row.size,
            row.flags};
        words.insert(words.end(), row.values.begin(), row.values.end());
        auto *param = reinterpret_cast<const btf_type *>(words.data());
        EXPECT_EQ(loc_text(param), row.text) << row.name;
        EXPECT_EQ(loc_text_for_people(param, LOC_MACHINE_X86_64, row.type,
                                      [](uint64_t at) {
                                          char text[32];
                                          snprintf(text, sizeof(text), "at %llx",
                                                   static_cast<unsigned long long>(at));
                                          return std::string(text);
                                      }),
                  row.people)
            << row.name;
    }
}

TEST(LocText, RegisterNames) {
    const char *x86[] = {"%rax", "%rdx", "%rcx", "%rbx", "%rsi", "%rdi", "%rbp", "%rsp",
                         "%r8",  "%r9",  "%r10", "%r11", "%r12", "%r13", "%r14", "%r15"};
    for (uint32_t i = 0; i < 16; i++)
        EXPECT_EQ(register_name(LOC_MACHINE_X86_64, i), x86[i]);
    EXPECT_EQ(register_name(LOC_MACHINE_AARCH64, 0), "x0");
    EXPECT_EQ(register_name(LOC_MACHINE_AARCH64, 30), "x30");
    EXPECT_EQ(register_name(LOC_MACHINE_AARCH64, 31), "sp");
    EXPECT_EQ(register_name(LOC_MACHINE_AARCH64, 32), "reg32");
}

}  // namespace
}  // namespace btf_extra
