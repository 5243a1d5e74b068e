// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <gtest/gtest.h>

#include <vector>

extern "C" {
#include "tests/core/phantom_rows.h"
}

namespace {

class PhantomRow : public testing::TestWithParam<u32> {};

TEST_P(PhantomRow, IsToldAsTheRowSays) {
    const phantom_row &row = phantom_rows[GetParam()];
    const char *wrong = phantom_row_verdict(&row);
    EXPECT_EQ(wrong, nullptr) << row.name << ": " << wrong;
}

INSTANTIATE_TEST_SUITE_P(PhantomTable, PhantomRow, testing::Range(0u, phantom_nr_rows));

// Nothing is read beyond the bytes that are given: the sanitizer sees that.
TEST(PhantomTable, CutAnywhere) {
    u32 words[PHANTOM_ROW_WORDS];
    const u32 size = phantom_row_table(&phantom_rows[0], words);
    for (u32 cut = 0; cut < size; cut++) {
        const std::vector<u8> bytes(reinterpret_cast<u8 *>(words),
                                    reinterpret_cast<u8 *>(words) + cut);
        phantom_parts parts;
        EXPECT_NE(phantom_table_open(bytes.data(), cut, &parts), nullptr) << cut;
    }
}

}  // namespace
