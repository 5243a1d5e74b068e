// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests where instances of one function are entered: the instances and the rows of the line program
// are written by hand.
#include <gtest/gtest.h>

#include "userspace/generator/sites/copied_entries.h"

namespace btf_extra {

using namespace generator;

namespace {

constexpr SourcePlace kDeclared{.file = 1, .line = 7, .column = 0};

struct Row {
    uint16_t address;
    uint8_t line = 7;
    bool is_stmt = true;
};

// A line program of version 5 with operations that say each row in full.
std::vector<uint8_t> program(const std::vector<Row> &rows) {
    std::vector<uint8_t> out{0, 0, 0, 0, 5, 0, 8, 0, 18, 0, 0, 0, 1, 1, 1, 0xfb, 14, 13};
    out.insert(out.end(), {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1});
    out.insert(out.end(), {0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0});  // set_address 0
    uint16_t address = 0;
    uint8_t line = 1;
    bool is_stmt = true;
    for (const Row &row : rows) {
        const auto forward = static_cast<uint16_t>(row.address - address);
        out.insert(out.end(), {2, uint8_t(0x80 | (forward & 0x7f)), uint8_t(forward >> 7)});
        out.insert(out.end(), {3, uint8_t((row.line - line) & 0x7f)});  // advance_line
        if (row.is_stmt != is_stmt)
            out.push_back(6);  // negate_stmt
        out.push_back(1);      // copy
        address = row.address;
        line = row.line;
        is_stmt = row.is_stmt;
    }
    out[0] = static_cast<uint8_t>(out.size() - 4);
    return out;
}

struct Instance {
    uint64_t begin;
    bool has_entry;  // in DWARF
    std::vector<CodeRange> ranges;
};

struct Copy {
    uint64_t address, view;
    std::vector<uint32_t> instances;
    bool operator==(const Copy &) const = default;
};

void PrintTo(const Copy &copy, std::ostream *out) {
    *out << std::hex << copy.address << " view " << copy.view << " of "
         << testing::PrintToString(copy.instances);
}

// All are in one body at [0x1000, 0x1100), whose function is declared elsewhere.
struct Case {
    const char *name;
    std::vector<Instance> instances;
    std::vector<Row> rows;
    std::vector<Copy> copies;
    std::vector<bool> entered;
};

const Case kCases[] = {
    {"one entry", {{0x1010, true, {{0x1010, 0x1020}}}}, {{0x1010}, {0x1018, 8}}, {}, {true}},
    {"a copy inside",
     {{0x1010, true, {{0x1010, 0x1020}}}},
     {{0x1010}, {0x1018}},
     {{0x1018, 0, {0}}},
     {true}},
    {"a copy at its second view",
     {{0x1010, true, {{0x1010, 0x1020}}}},
     {{0x1010}, {0x1018, 8}, {0x1018}},
     {{0x1018, 1, {0}}},
     {true}},
    // The mark of an instance that has lost its code stands at the entry of another.
    {"two statements at an entry hide no copy",
     {{0x1010, true, {{0x1010, 0x1020}}}},
     {{0x1010}, {0x1010}, {0x1018}},
     {{0x1018, 0, {0}}},
     {true}},
    {"an instruction at the declaration hides no copy",
     {{0x1010, true, {{0x1010, 0x1020}}}},
     {{0x1010}, {0x1014, 7, false}, {0x1018}},
     {{0x1018, 0, {0}}},
     {true}},
    {"the row is the entry", {{0x1010, false, {{0x1010, 0x1020}}}}, {{0x1010}}, {}, {true}},
    {"no row at all", {{0x1010, false, {{0x1010, 0x1020}}}}, {{0x1010, 8}}, {}, {false}},
    {"no row at the beginning",
     {{0x1010, false, {{0x1010, 0x1020}}}},
     {{0x1010, 8}, {0x1018}},
     {},
     {false}},
    {"the only row is the entry of another",
     {{0x1010, false, {{0x1010, 0x1020}}}, {0x1010, true, {{0x1010, 0x1018}}}},
     {{0x1010}},
     {},
     {false, true}},
    {"a row for each of two",
     {{0x1010, false, {{0x1010, 0x1020}}}, {0x1010, true, {{0x1010, 0x1018}}}},
     {{0x1010}, {0x1010}},
     {},
     {true, true}},
    {"the innermost of nested ones",
     {{0x1010, true, {{0x1010, 0x1040}}}, {0x1018, true, {{0x1018, 0x1030}}}},
     {{0x1010}, {0x1018}, {0x1028}},
     {{0x1028, 0, {1}}},
     {true, true}},
    {"outside of all: any of the body",
     {{0x1010, true, {{0x1010, 0x1020}}}, {0x1030, true, {{0x1030, 0x1040}}}},
     {{0x1010}, {0x1030}, {0x1050}},
     {{0x1050, 0, {0, 1}}},
     {true, true}},
    {"outside of all: the one with a range of no length",
     {{0x1010, true, {{0x1010, 0x1020}}}, {0x1030, true, {{0x1030, 0x1040}, {0x1050, 0x1050}}}},
     {{0x1010}, {0x1030}, {0x1050}},
     {{0x1050, 0, {1}}},
     {true, true}},
    {"a range of no length inside of another: one of both",
     {{0x1010, true, {{0x1010, 0x1060}}}, {0x1060, true, {{0x1050, 0x1050}, {0x1060, 0x1070}}}},
     {{0x1010}, {0x1050}, {0x1060}},
     {{0x1050, 0, {1, 0}}},
     {true, true}},
    {"outside of the body", {{0x1010, true, {{0x1010, 0x1020}}}}, {{0x1010}, {0x1200}}, {}, {true}},
};

TEST(EntryRows, Copies) {
    for (const Case &row : kCases) {
        SCOPED_TRACE(row.name);
        const std::vector<uint8_t> line = program(row.rows);
        DebugSections sections;
        sections.line = line;
        Unit unit;
        unit.line_offset = 0;
        CopiedEntries entries;
        const CodeRange body{0x1000, 0x1100};
        entries.add_body({.file = 1, .line = 99}, body.begin, {&body, 1});
        for (const Instance &instance : row.instances)
            entries.add_instance(kDeclared, instance.begin, instance.has_entry, instance.ranges, 0);
        entries.read_rows(sections, unit, {});
        std::vector<Copy> copies;
        for (const CopiedEntries::Copy &copy : entries.find())
            copies.push_back({copy.point.address, copy.point.view, copy.instances});
        EXPECT_EQ(copies, row.copies);
        std::vector<bool> entered;
        for (uint32_t i = 0; i < row.instances.size(); i++)
            entered.push_back(entries.has_entry(i));
        EXPECT_EQ(entered, row.entered);
    }
}

}  // namespace
}  // namespace btf_extra
