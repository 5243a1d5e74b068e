// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The section .btf_extra.lines, written by hand: sample_lines().
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/sample_object.h"
#include "userspace/format/line_table.h"

namespace btf_extra {
namespace {

using Bytes = std::vector<std::byte>;

// The parts of the sample begin there.
constexpr size_t kHeader = 0, kSection = 32, kBlock = 40, kFiles = 48, kStrings = 60,
                 kRecords = 100;

std::string line_at(const LineTable &table, std::string_view section, uint64_t offset) {
    const auto found = table.find(section, offset);
    return found ? std::string(found->file) + ":" + std::to_string(found->line) : "";
}

TEST(LineTable, HoldsUpToTheNextRow) {
    const Bytes bytes = test::sample_lines();
    const auto table = LineTable::open(bytes);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->rows(), 6u);
    const struct {
        uint64_t begin, end;
        const char *line;
    } rows[] = {
        {0, 4, "a/twin.c:30"},         {4, 6, "include/y.h:5"},     {6, 0xc, "include/x.h:9"},
        {0xc, 0x10, "include/y.h:0"},  {0x10, 0x20, "a/twin.c:34"}, {0x20, 0x30, ""},
        {0xffffffff, 0x100000001, ""},
    };
    for (const auto &row : rows)
        for (uint64_t offset = row.begin; offset < row.end; offset++)
            EXPECT_EQ(line_at(*table, ".text", offset), row.line) << offset;
    EXPECT_EQ(line_at(*table, ".init.text", 4), "");
}

// A second block begins without the state of the first one.
TEST(LineTable, Blocks) {
    Bytes bytes = test::sample_lines();
    bytes.resize(kRecords);
    const auto add = [&](std::initializer_list<int> record) {
        for (const int byte : record)
            bytes.push_back(static_cast<std::byte>(byte));
    };
    add({3, 1, 1});
    for (int i = 1; i < 64; i++)
        add({1 << 2, 2});  // a byte on, a line on
    add({3, 1, 100});
    add({4 << 2 | 3, 0});
    const uint32_t block[] = {70, 3 + 63 * 2};
    const auto *second = reinterpret_cast<const std::byte *>(block);
    bytes.insert(bytes.begin() + kFiles, second, second + sizeof(block));
    const auto set = [&](size_t at, uint32_t value) { memcpy(&bytes[at], &value, 4); };
    set(12, 2);
    set(24, 3 + 63 * 2 + 3 + 2);
    set(28, 66);
    set(kSection + 4, 66);
    const auto table = LineTable::open(bytes);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(line_at(*table, ".text", 0), "a/twin.c:1");
    EXPECT_EQ(line_at(*table, ".text", 63), "a/twin.c:64");
    EXPECT_EQ(line_at(*table, ".text", 69), "a/twin.c:64");
    EXPECT_EQ(line_at(*table, ".text", 70), "a/twin.c:100");
    EXPECT_EQ(line_at(*table, ".text", 74), "");
}

TEST(LineTable, WhatIsMalformedIsRefused) {
    const auto set = [](size_t at, uint32_t value) {
        return [=](Bytes &bytes) { memcpy(&bytes[at], &value, sizeof(value)); };
    };
    const auto byte = [](size_t at, int value) {
        return [=](Bytes &bytes) { bytes[at] = static_cast<std::byte>(value); };
    };
    const struct {
        const char *name;
        std::function<void(Bytes &)> change;
        const char *error;
    } rows[] = {
        {"no header", [](Bytes &bytes) { bytes.resize(31); }, "byte 0: cut off in its header"},
        {"magic", byte(kHeader, 'b'), "byte 0: not of this version"},
        {"version", byte(4, 2), "byte 0: not of this version"},
        {"a byte more", [](Bytes &bytes) { bytes.emplace_back(); },
         "byte 0: 116 bytes, but its header needs 115"},
        {"a byte less", [](Bytes &bytes) { bytes.pop_back(); },
         "byte 0: 114 bytes, but its header needs 115"},
        {"more sections than bytes", set(8, 0xffffffff),
         "byte 0: 115 bytes, but its header needs 34359738467"},
        {"a string without end", byte(kStrings + 39, 'x'), "byte 60: the last string has no end"},
        {"a string with a newline", byte(kStrings + 7, '\n'), "byte 67: no plain text"},
        {"a file without a name", set(kFiles, 5), "byte 48: not the name of a file"},
        {"a file beyond the strings", set(kFiles + 4, 40), "byte 52: not the name of a file"},
        {"a section beyond the strings", set(kSection, 40),
         "byte 32: not the name of another section"},
        {"more rows than blocks", set(kSection + 4, 65),
         "byte 32: more rows than there are blocks for"},
        {"a block of no section", set(kSection + 4, 0), "byte 40: a block of no section"},
        {"fewer rows than records", set(kSection + 4, 5),
         "byte 113: the last row of a section has a file"},
        {"more rows than records", set(kSection + 4, 7), "byte 115: not a valid row"},
        {"another count of rows", set(28, 7), "byte 0: rows that its header does not have"},
        {"a block not at its record", set(kBlock + 4, 1),
         "byte 40: not where the records before it end"},
        {"a block that begins after itself", byte(kRecords, 1 << 2 | 3),
         "byte 40: not where the records before it end"},
        {"the first row in a file of before", byte(kRecords, 0), "byte 100: not a valid row"},
        {"file 0 has a line", byte(kRecords + 1, 0), "byte 102: not a valid row"},
        {"file 4 of 3", byte(kRecords + 1, 4), "byte 100: not a valid row"},
        {"two rows at one offset", byte(kRecords + 3, 3), "byte 103: not a valid row"},
        {"the last row has a file", byte(kRecords + 14, 1), "byte 113: not a valid row"},
        {"a number without end", byte(kRecords + 14, 0x80), "byte 113: not a valid row"},
        {"after 32 bits", set(kBlock, 0xfffffff0), "byte 111: not a valid row"},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        Bytes bytes = test::sample_lines();
        row.change(bytes);
        const auto table = LineTable::open(bytes);
        ASSERT_FALSE(table);
        EXPECT_EQ(table.error().message, row.error);
    }
}

// Whatever byte is changed, it is refused, or the table can be read.
TEST(LineTable, AnyByteMayBeWrong) {
    for (size_t at = 0; at < test::sample_lines().size(); at++)
        for (const int flip : {1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xff}) {
            Bytes bytes = test::sample_lines();
            bytes[at] ^= static_cast<std::byte>(flip);
            const auto table = LineTable::open(bytes);
            for (uint64_t offset = 0; table && offset < 0x30; offset++)
                table->find(".text", offset);
        }
}

}  // namespace
}  // namespace btf_extra
