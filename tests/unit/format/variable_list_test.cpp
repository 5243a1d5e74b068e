// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The section .btf_extra.variables, written by hand from kernel/core/FORMAT.md.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "userspace/format/variable_list.h"

namespace btf_extra {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes(std::string_view text) {
    const auto *begin = reinterpret_cast<const std::byte *>(text.data());
    return {begin, begin + text.size()};
}

// Adjacent strings keep "\x01" "a" apart.
const Bytes kSample = bytes(std::string_view("BXVR\x01\0\0\0"
                                             "\x02"
                                             "a.c\0b.c\0"
                                             "\x01"
                                             ".data\0\x80\x20"  // linked at 0x1000
                                             "\x02\x02\x00"     // VARs in b.c and an unknown file
                                             "\x03"             // left out:
                                             "\x00state\0\x02\x01\x01\x40"  // .data+0x40
                                             "\x05\0\x02\x02\x01\x44"       // the same name, b.c
                                             "\x02op\0\x05\x00\x00",        // stop, no address
                                             8 + 1 + 8 + 1 + 8 + 3 + 1 + 11 + 6 + 7));

TEST(VariableList, ReadsAndWritesTheSample) {
    const auto read = decode_variables(kSample);
    ASSERT_TRUE(read) << read.error().message;
    const VariableList expected{.files = {"a.c", "b.c"},
                                .sections = {{".data", 0x1000}},
                                .var_files = {1, VariableList::kNone},
                                .left_out = {{"state", VariableReason::kOtherSymbol, 0, 0, 0x40},
                                             {"state", VariableReason::kOtherSymbol, 1, 0, 0x44},
                                             {"stop", VariableReason::kOptimizedOut,
                                              VariableList::kNone, VariableList::kNone, 0}}};
    EXPECT_EQ(*read, expected);
    EXPECT_EQ(encode(expected), kSample);
}

// Every cut and every byte is safe.
TEST(VariableList, AnyBytesAreSafe) {
    for (size_t size = 0; size < kSample.size(); size++) {
        const auto read = decode_variables(std::span(kSample).first(size));
        EXPECT_FALSE(read) << size;
    }
    for (size_t at = 0; at < kSample.size(); at++)
        for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
            Bytes changed = kSample;
            changed[at] = static_cast<std::byte>(value);
            const auto read = decode_variables(changed);
            if (read) {
                EXPECT_EQ(*decode_variables(encode(*read)), *read) << at;
            }
        }
}

struct Row {
    const char *name;
    std::string bytes;
    const char *reason;
};

TEST(VariableList, RefusesWhatIsMalformed) {
    const std::string head("BXVR\x01\0\0\0", 8);
    const auto text = [&](const char *rest, size_t size) { return head + std::string(rest, size); };
    const Row rows[] = {
        {"magic", std::string("BXVS\x01\0\0\0\0\0\0\0", 12), "byte 4: not of this version"},
        {"version", std::string("BXVR\x02\0\0\0\0\0\0\0", 12), "byte 8: not of this version"},
        {"more files than bytes", text("\xff\xff\xff\xff\x0f", 5), "byte 13: cut off"},
        {"control character", text("\x01\x07\0\0\0\0", 6), "byte 11: no plain text"},
        {"file of a VAR", text("\0\0\x01\x01\0", 5), "byte 12: file number 0 of 0"},
        {"bytes after the end", text("\0\0\0\0\0", 5), "byte 12: bytes after its end"},
        {"no name", text("\0\0\0\x01\0\0\x01\0\0", 9), "byte 14: name is empty or too long"},
        {"shared bytes of no name", text("\0\0\0\x01\x01x\0\x01\0\0", 10),
         "byte 13: name shares more than the one before has"},
        {"names out of order", text("\0\0\0\x02\0b\0\x01\0\0\0a\0\x01\0\0", 16),
         "byte 21: names are not in order"},
        {"reason 0", text("\0\0\0\x01\0b\0\0\0\0", 10), "byte 16: reason code 0 is not known"},
        {"reason 9", text("\0\0\0\x01\0b\0\x09\0\0", 10), "byte 16: reason code 9 is not known"},
        {"file", text("\0\0\0\x01\0b\0\x01\x01\0", 10), "byte 17: file number 0 of 0"},
        {"section", text("\0\0\0\x01\0b\0\x01\0\x02", 10), "byte 18: section number 1 of 0"},
    };
    for (const Row &row : rows) {
        const auto read = decode_variables(bytes(row.bytes));
        ASSERT_FALSE(read) << row.name;
        EXPECT_EQ(read.error().message, row.reason) << row.name;
    }
}

TEST(VariableList, EveryReasonHasAText) {
    for (uint8_t code = kVariableReasonFirst; code <= kVariableReasonLast; code++)
        EXPECT_NE(text(static_cast<VariableReason>(code)), "unknown");
    EXPECT_EQ(text(static_cast<VariableReason>(kVariableReasonLast + 1)), "unknown");
    EXPECT_EQ(text(VariableReason{}), "unknown");
}

}  // namespace
}  // namespace btf_extra
