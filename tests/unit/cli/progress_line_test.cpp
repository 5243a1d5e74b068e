// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/progress_line.h"

#include <gtest/gtest.h>

namespace btf_extra {
namespace {

TEST(ProgressLine, Text) {
    using std::chrono::seconds;
    EXPECT_EQ(progress_text({"objects", 3, 1122}, seconds(75)), "objects: 3 of 1122, 75 s");
    EXPECT_EQ(progress_text({"objects", 3, 0}, seconds(0)), "objects: 3, 0 s");
    EXPECT_EQ(progress_text({"vmlinux", 1'300'000, 8'000'000, true}, seconds(2)),
              "vmlinux: 1.3 of 8.0 MB, 2 s");
    EXPECT_EQ(progress_text({"vmlinux", 2'000'000, 0, true}, seconds(2)), "vmlinux: 2.0 MB, 2 s");
}

}  // namespace
}  // namespace btf_extra
