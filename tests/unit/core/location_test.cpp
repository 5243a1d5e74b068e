// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
extern "C" {
#include "tests/core/location_rows.h"
}

#include <gtest/gtest.h>

#include "userspace/format/core_api.h"

namespace {

TEST(Location, Rows) {
    for (u32 i = 0; i < location_nr_rows; i++) {
        const char *wrong = location_row_verdict(&location_rows[i]);
        EXPECT_EQ(wrong, nullptr) << location_rows[i].name << ": " << wrong;
    }
}

TEST(NarrowValue, Rows) {
    constexpr u64 kAll = ~u64{0};
    const struct {
        u64 value;
        u32 bits;
        u64 by_zeros, by_sign;
    } rows[] = {
        {0x1ff, 8, 0xff, kAll},
        {0x17f, 8, 0x7f, 0x7f},
        {1, 1, 1, kAll},
        {0x8000000080000000, 32, 0x80000000, 0xffffffff80000000},
        {kAll, 63, kAll >> 1, kAll},
        {0x8000000000000001, 64, 0x8000000000000001, 0x8000000000000001},
        {0x8000000000000001, 100, 0x8000000000000001, 0x8000000000000001},
        {kAll, 0, 0, 0},
    };
    for (const auto &row : rows) {
        EXPECT_EQ(narrow_extend_bits(row.value, row.bits, false), row.by_zeros) << row.bits;
        EXPECT_EQ(narrow_extend_bits(row.value, row.bits, true), row.by_sign) << row.bits;
        if (row.bits % 8 == 0) {
            EXPECT_EQ(narrow_extend(row.value, row.bits / 8, false), row.by_zeros) << row.bits;
            EXPECT_EQ(narrow_extend(row.value, row.bits / 8, true), row.by_sign) << row.bits;
        }
    }
}

}  // namespace
