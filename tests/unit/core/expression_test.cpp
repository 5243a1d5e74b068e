// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs the rows of expressions and of their section.
extern "C" {
#include "tests/core/expression_rows.h"
}

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "userspace/format/core_api.h"

namespace {

TEST(Expression, Rows) {
    for (u32 i = 0; i < expression_nr_rows; i++) {
        const char *wrong = expression_row_verdict(&expression_rows[i]);
        EXPECT_EQ(wrong, nullptr) << expression_rows[i].name << ": " << wrong;
    }
}

TEST(Expression, RowsOfTheSection) {
    for (u32 i = 0; i < expressions_nr_rows; i++) {
        const char *wrong = expressions_row_verdict(&expressions_rows[i]);
        EXPECT_EQ(wrong, nullptr) << expressions_rows[i].name << ": " << wrong;
    }
}

TEST(Expression, NoTwoRowsHaveOneName) {
    std::set<std::string> names;
    for (u32 i = 0; i < expression_nr_rows; i++)
        EXPECT_TRUE(names.insert(expression_rows[i].name).second) << expression_rows[i].name;
    names.clear();
    for (u32 i = 0; i < expressions_nr_rows; i++)
        EXPECT_TRUE(names.insert(expressions_rows[i].name).second) << expressions_rows[i].name;
}

// Writes seeds for tests/fuzz/expression_fuzz.c if BTF_EXTRA_CORPUS names a folder.
TEST(Expression, WritesTheRowsAsACorpus) {
    const char *folder = std::getenv("BTF_EXTRA_CORPUS");
    if (!folder)
        return;
    for (u32 i = 0; i < expressions_nr_rows; i++) {
        const expressions_row &row = expressions_rows[i];
        std::ofstream out(std::string(folder) + "/row" + std::to_string(i), std::ios::binary);
        out.write(reinterpret_cast<const char *>(row.section), row.size);
        ASSERT_TRUE(out.good());
    }
}

}  // namespace
