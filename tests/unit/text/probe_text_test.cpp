// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/probe_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace btf_extra {
namespace {

constexpr uint32_t kSigned = LOC_SIGNED, kConst = LOC_CONST, kAddr = LOC_ADDR, kReg = LOC_REG,
                   kDeref = LOC_DEREF, kOffset = LOC_OFFSET;
constexpr ProbeValue kPointer = {8, ProbeValue::kHex}, kLong = {8, ProbeValue::kSigned},
                     kUlong = {8, ProbeValue::kUnsigned}, kInt = {4, ProbeValue::kSigned},
                     kUint = {4, ProbeValue::kUnsigned}, kStruct = {16, ProbeValue::kHex};
constexpr char kNoSum[] = "a register plus an offset cannot be expressed";

struct Row {
    const char *name;
    uint32_t size, flags;
    std::vector<uint32_t> values;
    ProbeValue type;
    const char *kprobe;    // the kprobe, or the reason why there is none
    const char *bpftrace;  // the format and its values
};

// clang-format off
const Row kRows[] = {
    {"pointer", 8, kReg, {5}, kPointer, "v=%di:x64", R"(v=0x%lx reg("di"))"},
    {"rax is register 0", 8, kReg, {0}, kLong, "v=%ax:s64", R"(v=%ld reg("ax"))"},
    {"r8", 8, kReg, {8}, kUlong, "v=%r8:u64", R"(v=%lu reg("r8"))"},
    {"int", 4, kReg, {7}, kInt, "v=%sp:s32", R"(v=%d (int32)reg("sp"))"},
    {"unsigned int", 4, kReg, {15}, kUint, "v=%r15:u32", R"(v=%u (uint32)reg("r15"))"},
    {"zero-extended byte of an int", 1, kReg, {5}, kInt, "v=%di:u8", R"(v=%u (uint8)reg("di"))"},
    {"sign-extended int of a long", 4, kReg | kOffset | kSigned, {5, 0}, kLong, "v=%di:s32",
     R"(v=%d (int32)reg("di"))"},
    {"memory", 8, kReg | kDeref, {2}, kPointer, "v=+0(%cx):x64", R"(v=0x%lx *(uint64 *)reg("cx"))"},
    {"stack", 4, kReg | kDeref | kOffset, {7, 8}, kUint, "v=+8(%sp):u32",
     R"(v=%u *(uint32 *)(reg("sp")+8))"},
    {"below the frame", 2, kReg | kDeref | kOffset | kSigned, {6, 0xffffffec},
     {2, ProbeValue::kSigned}, "v=-20(%bp):s16", R"(v=%d *(int16 *)(reg("bp")-20))"},
    {"a struct in memory", 16, kReg | kDeref | kOffset, {7, 16}, kStruct, "v=+16(%sp):x8[16]",
     R"(v={0x%lx 0x%lx} *(uint64 *)(reg("sp")+16) *(uint64 *)(reg("sp")+24))"},
    {"a struct in two registers", 16, kReg, {5, 4}, kStruct, "v_lo=%di:x64 v_hi=%si:x64",
     R"(v={0x%lx 0x%lx} reg("di") reg("si"))"},
    {"a struct of 12 bytes", 12, kReg, {5, 4}, {12, ProbeValue::kHex}, "v_lo=%di:x64 v_hi=%si:x32",
     R"(v={0x%lx 0x%lx} reg("di") reg("si"))"},
    {"a struct of 11 bytes", 11, kReg, {5, 4}, {11, ProbeValue::kHex}, "no type has its size",
     R"(v={0x%lx 0x%lx} reg("di") reg("si"))"},
    {"a struct of 3 bytes", 3, kReg, {5}, {3, ProbeValue::kHex}, "no type has its size",
     "no type has its size"},
    {"a sum", 8, kReg | kOffset, {5, 8}, kPointer, kNoSum, R"(v=0x%lx (reg("di")+8))"},
    {"a sum, narrow", 4, kReg | kOffset, {5, 0xfffffffc, 0xffffffff}, kInt, kNoSum,
     R"(v=%d (int32)(reg("di")-4))"},
    {"constant", 4, kConst, {0x10}, kUint, "v=\\0x10:u32", "v=%u 0x10"},
    {"negative constant", 4, kConst | kSigned, {0xffffffff}, kInt, "v=\\-0x1:s32", "v=%d -1"},
    {"constant pointer", 8, kConst, {0, 0}, kPointer, "v=\\0x0:x64", "v=0x%lx 0x0"},
    {"all ones, which bpftrace takes for no number", 8, kConst, {0xffffffff, 0xffffffff}, kUlong,
     "v=\\0xffffffffffffffff:u64", "v=%lu -1"},
    {"bool", 1, kConst, {1}, {1, ProbeValue::kUnsigned}, "v=\\0x1:u8", "v=%u 0x1"},
    {"address", 8, kConst | kAddr, {0x200000, 0}, kPointer, "an address cannot be expressed",
     R"(v=0x%lx kaddr("_stext")+2097152)"},
};
// clang-format on

std::string text_of(const ProbeArg &arg) {
    std::string out = arg.why != nullptr ? arg.why : "";
    for (const ProbeField &field : arg.fields)
        out += (out.empty() ? "" : " ") + field.text();
    return out;
}

TEST(ProbeText, Arguments) {
    for (const Row &row : kRows) {
        std::vector<uint32_t> words = {
            0, static_cast<uint32_t>(row.values.size()) | LOC_KIND_PARAM << 24, row.size,
            row.flags};
        words.insert(words.end(), row.values.begin(), row.values.end());
        const auto *loc = reinterpret_cast<const btf_type *>(words.data());
        EXPECT_EQ(text_of(kprobe_arg("v", loc, LOC_MACHINE_X86_64, row.type)), row.kprobe)
            << row.name;
        const BpftraceArg arg = bpftrace_arg("v", loc, LOC_MACHINE_X86_64, row.type, "_stext");
        EXPECT_EQ(arg.why != nullptr ? arg.why
                                     : fmt::format("{} {}", arg.format, fmt::join(arg.values, " ")),
                  row.bpftrace)
            << row.name;
    }
}

TEST(ProbeText, Arm64) {
    const uint32_t words[] = {0, 2 | LOC_KIND_PARAM << 24, 8, kReg | kDeref | kOffset, 31, 8};
    const auto *loc = reinterpret_cast<const btf_type *>(words);
    EXPECT_EQ(text_of(kprobe_arg("v", loc, LOC_MACHINE_AARCH64, kPointer)), "v=+8(%sp):x64");
    const uint32_t in_x0[] = {0, 1 | LOC_KIND_PARAM << 24, 4, kReg, 0};
    loc = reinterpret_cast<const btf_type *>(in_x0);
    EXPECT_EQ(text_of(kprobe_arg("v", loc, LOC_MACHINE_AARCH64, kInt)), "v=%x0:s32");
    EXPECT_EQ(bpftrace_arg("v", loc, LOC_MACHINE_AARCH64, kInt, "_stext").values[0],
              R"((int32)reg("x0"))");
}

}  // namespace
}  // namespace btf_extra
