// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The line programs are written by hand. DWARF 5, 6.2, says which rows they have.
#include <ostream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/line_program.h"
#include "userspace/generator/dwarf/line_program.h"

namespace btf_extra {

using namespace generator;

namespace {

using test::at_1000;
using test::Code;
using test::program;

struct Row {
    uint64_t address, view, file, line, column;
    bool is_stmt;
    bool ends = false;
    bool operator==(const Row &) const = default;
};

void PrintTo(const Row &row, std::ostream *out) {
    *out << std::hex << row.address << " view " << std::dec << row.view << " " << row.file << ":"
         << row.line << ":" << row.column << (row.is_stmt ? " stmt" : "")
         << (row.ends ? " end" : "");
}

// Returns the rows, and true if the program was read to its end.
std::pair<bool, std::vector<Row>> rows_of(const Code &line) {
    DebugSections sections;
    sections.line = line;
    Unit unit;
    unit.line_offset = 0;
    std::vector<Row> rows;
    const bool whole = for_each_row(sections, unit, [&](const LineRow &row) {
        rows.push_back({row.point.address, row.point.view, row.place.file, row.place.line,
                        row.place.column, row.is_stmt, row.ends});
    });
    return {whole, rows};
}

struct Case {
    const char *name;
    Code operations;
    std::vector<Row> rows;
};

const Case kCases[] = {
    {"copy begins at line 1 of file 1", at_1000({1}), {{0x1000, 0, 1, 1, 0, true}}},
    {"rows of one address count views",
     at_1000({1, 3, 4, 1, 6, 1, 2, 3, 1}),
     {{0x1000, 0, 1, 1, 0, true},
      {0x1000, 1, 1, 5, 0, true},
      {0x1000, 2, 1, 5, 0, false},
      {0x1003, 0, 1, 5, 0, false}}},
    {"advance_pc by nothing keeps the count",
     at_1000({1, 2, 0, 1}),
     {{0x1000, 0, 1, 1, 0, true}, {0x1000, 1, 1, 1, 0, true}}},
    {"special: 2 lines, 3 addresses", at_1000({2 + 5 + 14 * 3 + 13}), {{0x1003, 0, 1, 3, 0, true}}},
    {"special: a line back", at_1000({3, 9, uint8_t(-1 + 5 + 13)}), {{0x1000, 0, 1, 9, 0, true}}},
    {"const_add_pc is special opcode 255: 17 addresses",
     at_1000({8, 1}),
     {{0x1011, 0, 1, 1, 0, true}}},
    {"fixed_advance_pc keeps the count",
     at_1000({1, 9, 0x04, 0x01, 1}),
     {{0x1000, 0, 1, 1, 0, true}, {0x1104, 1, 1, 1, 0, true}}},
    {"file and column", at_1000({4, 0x81, 0x01, 5, 29, 1}), {{0x1000, 0, 129, 1, 29, true}}},
    {"advance_line goes back", at_1000({3, 10, 3, 0x7e, 1}), {{0x1000, 0, 1, 9, 0, true}}},
    {"operands of others are passed over: set_isa, basic_block, prologue_end",
     at_1000({12, 0x85, 0x01, 7, 10, 11, 1}),
     {{0x1000, 0, 1, 1, 0, true}}},
    {"other extended operations are passed over",
     at_1000({0, 2, 4, 7, 1}),
     {{0x1000, 0, 1, 1, 0, true}}},
    {"end_sequence begins a new one",
     at_1000({3, 5, 1, 0, 1, 1, 1}),
     {{0x1000, 0, 1, 6, 0, true}, {0x1000, 1, 0, 0, 0, false, true}, {0, 0, 1, 1, 0, true}}},
    {"end_sequence is after the last instruction",
     at_1000({1, 2, 4, 0, 1, 1}),
     {{0x1000, 0, 1, 1, 0, true}, {0x1004, 0, 0, 0, 0, false, true}}},
};

TEST(LineProgram, Rows) {
    for (const Case &row : kCases)
        for (const uint16_t version : {2, 3, 4, 5}) {
            SCOPED_TRACE(testing::Message() << row.name << ", version " << version);
            const auto [whole, rows] = rows_of(program(row.operations, version));
            EXPECT_TRUE(whole);
            EXPECT_EQ(rows, row.rows);
        }
}

TEST(LineProgram, UnknownStandardOpcodesHaveTheirOperands) {
    const auto [whole, rows] = rows_of(program(at_1000({13, 1, 0x80, 0x01, 1}), 5, 14, 14));
    EXPECT_TRUE(whole);
    EXPECT_EQ(rows, (std::vector<Row>{{0x1000, 0, 1, 1, 0, true}}));
}

struct BadCase {
    const char *name;
    Code line;
    size_t rows;  // rows before the fault
};

TEST(LineProgram, MalformedOnesEnd) {
    Code cut = program(at_1000({1}));
    cut.pop_back();
    Code header_too_long = program({1});
    header_too_long[8] = 0xff;
    const BadCase cases[] = {
        {"empty section", {}, 0},
        {"longer than the section", cut, 0},
        {"version 6", program({1}, 6), 0},
        {"version 1", program({1}, 1), 0},
        {"header longer than the program", header_too_long, 0},
        {"a line range of 0", program({1}, 5, 0), 0},
        {"an opcode base of 0", program({1}, 5, 14, 0), 0},
        {"extended operation longer than the program", program(at_1000({1, 0, 9, 2, 1})), 1},
        {"extended operation of no length", program(at_1000({1, 0, 0, 1})), 1},
        {"operand without end", program(at_1000({1, 2, 0x80})), 1},
    };
    for (const BadCase &row : cases) {
        SCOPED_TRACE(row.name);
        const auto [whole, rows] = rows_of(row.line);
        EXPECT_FALSE(whole);
        EXPECT_EQ(rows.size(), row.rows);
    }
}

}  // namespace
}  // namespace btf_extra
