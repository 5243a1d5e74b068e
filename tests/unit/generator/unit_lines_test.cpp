// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests what the section .btf_extra.lines says of line programs that are written by hand.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/line_program.h"
#include "userspace/format/line_table.h"
#include "userspace/generator/dwarf/unit_lines.h"
#include "userspace/generator/write/line_writer.h"

namespace btf_extra {

using namespace generator;

namespace {

using test::at_1000;
using test::Code;

// No folders; file 1 is "./a.c", file 2 "b/../b.h".
Code tables() {
    Code out{0};
    for (const char *name : {"./a.c", "b/../b.h"}) {
        out.insert(out.end(), name, name + strlen(name) + 1);
        out.insert(out.end(), {0, 0, 0});
    }
    out.push_back(0);
    return out;
}

UnitLines lines_of(const Code &operations,
                   const std::vector<CodeRange> &code = {{0x1000, 0x3000}}) {
    const Code line = test::program(operations, 4, 14, 13, tables());
    DebugSections sections;
    sections.line = line;
    Unit unit;
    unit.line_offset = 0;
    return read_unit_lines(sections, unit, code, SourceTree());
}

// .text from 0x1000 to 0x1040, .data, and .init.text from 0x2000 to 0x2010.
const std::vector<ElfSection> kSections = {
    {".text", 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 0x40},
    {".data", 2, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x1040, 0x40},
    {".init.text", 3, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x2000, 0x10},
};

// Returns where lines change: "0 a.c:1, 4 -".
std::string changes(const std::vector<UnitLines> &units, const char *section = ".text") {
    const std::vector<std::byte> bytes = write_lines(units, kSections);
    const auto table = LineTable::open(bytes);
    EXPECT_TRUE(table) << table.error().message;
    std::string out, before = "-";
    for (uint64_t offset = 0; table && offset <= 0x41; offset++) {
        const auto found = table->find(section, offset);
        const std::string now =
            found ? std::string(found->file) + ":" + std::to_string(found->line) : "-";
        if (now != before)
            out += (out.empty() ? "" : ", ") + std::to_string(offset) + " " + now;
        before = now;
    }
    return out;
}

struct Case {
    const char *name;
    Code operations;  // from 0x1000 on
    const char *changes;
};

// copy is 1, advance_pc 2, advance_line 3, set_file 4; 0, 1, 1 ends a sequence.
const Case kCases[] = {
    {"a row holds up to the next one, and the sequence ends",
     {1, 2, 4, 3, 1, 1, 2, 2, 0, 1, 1},
     "0 a.c:1, 4 a.c:2, 6 -"},
    {"of rows at one address the last one holds",
     {1, 3, 6, 1, 4, 2, 3, 1, 1, 2, 4, 0, 1, 1},
     "0 b.h:8, 4 -"},
    {"a row at the end of the sequence holds nothing", {1, 2, 4, 3, 9, 1, 0, 1, 1}, "0 a.c:1, 4 -"},
    {"a row that repeats the one before it changes nothing",
     {1, 2, 4, 1, 2, 4, 0, 1, 1},
     "0 a.c:1, 8 -"},
    {"line 0", {1, 2, 4, 3, 0x7f, 1, 2, 4, 0, 1, 1}, "0 a.c:1, 4 a.c:0, 8 -"},
    {"a file that the unit does not have", {4, 3, 1, 2, 4, 4, 1, 1, 2, 4, 0, 1, 1}, "4 a.c:1, 8 -"},
    {"a sequence without code", {1, 0, 1, 1}, ""},
    {"a sequence without an end", {1, 2, 4, 1}, ""},
    {"a malformed sequence after a good one", {1, 2, 4, 0, 1, 1, 0, 9, 2, 1}, "0 a.c:1, 4 -"},
    {"addresses go back", {1, 2, 4, 1, 0, 9, 2, 2, 0x10, 0, 0, 0, 0, 0, 0, 1, 2, 9, 0, 1, 1}, ""},
    {"up to the end of the section", {1, 2, 0x40, 0, 1, 1}, "0 a.c:1, 64 -"},
    {"beyond the end of the section", {1, 2, 0x41, 0, 1, 1}, ""},
};

TEST(UnitLines, Sequences) {
    for (const Case &row : kCases) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(changes({lines_of(at_1000(row.operations))}), row.changes);
    }
}

// The operations from 0x1000 + offset on.
Code at(uint8_t offset, Code operations) {
    operations.insert(operations.begin(), {2, offset});
    return at_1000(operations);
}

TEST(UnitLines, Units) {
    const UnitLines first = lines_of(at(0, {1, 2, 4, 0, 1, 1}));             // 0 to 4: 1
    const UnitLines next = lines_of(at(4, {4, 2, 3, 6, 1, 2, 4, 0, 1, 1}));  // 4 to 8: 7
    const UnitLines later = lines_of(at(0x10, {3, 1, 1, 2, 4, 0, 1, 1}));    // 16 to 20: 2
    const UnitLines inside = lines_of(at(2, {3, 2, 1, 2, 9, 0, 1, 1}));      // 2 to 11: 3
    const UnitLines data = lines_of(at(0x40, {1, 2, 4, 0, 1, 1}));           // in .data
    EXPECT_EQ(changes({later, next, first}), "0 a.c:1, 4 b.h:7, 8 -, 16 a.c:2, 20 -");
    EXPECT_EQ(changes({inside, first}), "0 a.c:1, 4 -") << "what begins first stays";
    EXPECT_EQ(changes({data, later}), "16 a.c:2, 20 -");
    EXPECT_EQ(changes({}), "");
    EXPECT_EQ(changes({later}, ".data"), "");
}

// Rows of other code are left out: an assembler fills the gaps between functions.
TEST(UnitLines, CodeOfTheUnit) {
    const Code program = at(4, {1, 2, 4, 3, 6, 1, 2, 8, 0, 1, 1});  // 4 to 8: 1, 8 to 16: 7
    const struct {
        std::vector<CodeRange> code;
        const char *changes;
    } rows[] = {
        {{{0x1000, 0x1020}}, "4 a.c:1, 8 a.c:7, 16 -"},
        {{{0x1004, 0x1010}}, "4 a.c:1, 8 a.c:7, 16 -"},
        {{{0x1000, 0x1006}}, "4 a.c:1, 6 -"},
        {{{0x1006, 0x100c}}, "6 a.c:1, 8 a.c:7, 12 -"},
        {{{0x1005, 0x1006}, {0x1008, 0x1009}}, "5 a.c:1, 6 -, 8 a.c:7, 9 -"},
        {{{0x1000, 0x1004}, {0x1010, 0x1020}}, ""},
        {{}, ""},
    };
    for (const auto &row : rows)
        EXPECT_EQ(changes({lines_of(program, row.code)}), row.changes);
}

TEST(UnitLines, Sections) {
    Code init = {0, 9, 2, 4, 0x20, 0, 0, 0, 0, 0, 0, 3, 4, 1, 2, 4, 0, 1, 1};  // 0x2004 to 0x2008
    const std::vector<UnitLines> units = {lines_of(init), lines_of(at(0, {1, 2, 4, 0, 1, 1}))};
    EXPECT_EQ(changes(units), "0 a.c:1, 4 -");
    EXPECT_EQ(changes(units, ".init.text"), "4 a.c:5, 8 -");
}

// More rows than a block has, in more files than a row can name without a number.
TEST(UnitLines, ManyRows) {
    UnitLines unit;
    std::string expected;
    for (uint32_t i = 0; i < 7; i++)
        unit.files.push_back("f" + std::to_string(i));
    std::vector<ElfSection> sections = kSections;
    sections[0].size = 0x40000;
    sections.resize(1);
    for (uint32_t i = 0; i < 1000; i++)
        unit.rows.push_back(
            {.address = 0x1000 + i * 130, .file = i * i % 7, .line = i * 37 % 1000});
    unit.rows.push_back({.address = 0x1000 + 1000 * 130});
    unit.sequences.push_back({.first = 0, .end = 1001});
    const std::vector<std::byte> bytes = write_lines({unit}, sections);
    const auto table = LineTable::open(bytes);
    ASSERT_TRUE(table) << table.error().message;
    for (uint32_t i = 0; i < 1000; i++)
        for (const uint64_t offset : {i * 130, i * 130 + 129}) {
            const auto found = table->find(".text", offset);
            ASSERT_TRUE(found) << offset;
            EXPECT_EQ(found->file, "f" + std::to_string(i * i % 7)) << offset;
            EXPECT_EQ(found->line, i * 37 % 1000) << offset;
        }
    EXPECT_FALSE(table->find(".text", 1000 * 130));
}

}  // namespace
}  // namespace btf_extra
