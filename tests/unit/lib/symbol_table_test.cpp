// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests which of several symbols names a place.
#include "userspace/lib/tables/symbol_table.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/command_run.h"

namespace btf_extra {
namespace {

// Names are such that the first of the alphabet is never the right one by chance alone.
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
}

}  // namespace
}  // namespace btf_extra
