// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests which of several symbols names a place, and which sizes they have.
#include "userspace/lib/tables/symbol_table.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "userspace/lib/tables/kallsyms.h"

namespace btf_extra {
namespace {

// Names are such that the first of the alphabet is never the right one only by chance.
constexpr const char *kSource = R"(
    .text
# 0: a linker script's mark, then code of the assembler that has a size, as at irq_entries_start
    .globl a_mark, entries
a_mark:
entries:
    .skip 16
    .size entries, 16
# 16: a function comes before labels, whoever sees it
    .globl a_label
    .type z_function, @function
a_label:
z_function:
    .skip 16
    .size a_label, 16
    .size z_function, 16
# 32: a mark of all is better than a label of the file
    .globl z_mark
a_mark_of_the_file:
z_mark:
    .skip 16
# 48: a label without a size, in a function
    .type around, @function
around:
    .skip 8
inside:
    .skip 8
    .size around, 16
)";

TEST(SymbolTable, SymbolsAtOnePlace) {
    const test::TemporaryFolder folder;
    test::write_file(folder.path("symbols.s"), std::string_view(kSource));
    const auto made =
        test::run_command({"gcc", "-c", "-o", folder.path("symbols.o"), folder.path("symbols.s")});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const auto image = ElfImage::open(folder.path("symbols.o"));
    ASSERT_TRUE(image);
    const ElfSection *text = image->find(".text");
    ASSERT_NE(text, nullptr);
    const auto table = SymbolTable::load(*image);
    ASSERT_TRUE(table);
    const auto at = [&](uint64_t offset) { return table->text(*text, offset); };
    EXPECT_EQ(at(0), "entries+0x0");
    EXPECT_EQ(at(15), "entries+0xf");
    EXPECT_EQ(at(16), "z_function+0x0");
    EXPECT_EQ(at(31), "z_function+0xf");
    EXPECT_EQ(at(32), "z_mark+0x0");
    EXPECT_EQ(at(47), "z_mark+0xf");
    EXPECT_EQ(at(48), "around+0x0");
    EXPECT_EQ(at(56), "around+0x8");
    EXPECT_EQ(at(64), ".text+0x40");

    // The kernel prints the distance from the next symbol. The loader of modules puts another
    // section after the last symbol of a section.
    const struct {
        const char *name;
        uint64_t offset, printed, not_printed;
    } rows[] = {
        {"a_mark", 0, 16, 15},  {"entries", 0, 16, 32}, {"z_function", 16, 16, 8},
        {"around", 48, 16, 12}, {"around", 48, 8, 12},  {"inside", 56, 8, 7},
        {"inside", 56, 72, 7},
    };
    for (const auto &row : rows) {
        const auto extent = table->extent({text->index, row.offset}, row.name);
        EXPECT_TRUE(extent.allows(row.printed)) << row.name;
        EXPECT_FALSE(extent.allows(row.not_printed)) << row.name;
        EXPECT_TRUE(extent.contains(row.printed - 1)) << row.name;
    }
    EXPECT_FALSE(table->extent({text->index, 0}, "entries").contains(16));
    EXPECT_TRUE(table->extent({text->index, 48}, "around").contains(15));
    EXPECT_FALSE(table->extent({text->index, 48}, "around").contains(16));
}

// There are no sizes. The code of a module ends before its data.
TEST(Kallsyms, Extents) {
    const auto symbols = Kallsyms::parse("0000000000000100 t a\n"
                                         "0000000000000100 T alias\n"
                                         "0000000000000120 T b\n"
                                         "0000000000000200 t first\t[m]\n"
                                         "0000000000000240 t last\t[m]\n"
                                         "0000000000000300 d data\t[m]\n"
                                         "0000000000000400 t other\t[n]\n");
    ASSERT_TRUE(symbols);
    const struct {
        uint64_t address;
        const char *name, *object;
        uint64_t size;
        bool is_last;
    } rows[] = {
        {0x100, "a", "vmlinux", 0x20, false}, {0x120, "b", "vmlinux", 0, true},
        {0x200, "first", "m", 0x40, false},   {0x240, "last", "m", 0, true},
        {0x400, "other", "n", 0, true},
    };
    for (const auto &row : rows) {
        const auto extent = symbols->extent({0, row.address}, row.name);
        EXPECT_EQ(extent.size, 0u) << row.name;
        EXPECT_EQ(extent.to_next, row.size) << row.name;
        EXPECT_EQ(extent.is_last, row.is_last) << row.name;
        EXPECT_EQ(symbols->object_of({0, row.address + 1}), row.object) << row.name;
    }
}

}  // namespace
}  // namespace btf_extra
