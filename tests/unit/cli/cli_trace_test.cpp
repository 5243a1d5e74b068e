// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs btf-extra trace where nothing can be traced. tests/vm/trace.sh traces.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/cli_fixture.h"

namespace btf_extra {
namespace {

using test::run_btf_extra;

class CliTrace : public test::CliFixture {};

TEST_F(CliTrace, Usage) {
    EXPECT_EQ(run_btf_extra({"trace", "--help"}).exit_code, 0);
    const std::vector<std::string> rows[] = {
        {"trace"},
        {"trace", "foo", "--count", "many"},
        {"trace", "foo", "--duration", "long"},
        {"trace", "foo", "--inline-only", "--body-only"},
        {"trace", "foo", "--require"},
        {"trace", "foo", "--no-such-option"},
    };
    for (const auto &row : rows) {
        auto result = run_btf_extra(row);
        EXPECT_EQ(result.exit_code, 2) << row.back();
        EXPECT_EQ(result.out, "");
    }
}

TEST_F(CliTrace, WithoutTables) {
    if (std::filesystem::exists("/dev/btf_extra"))
        GTEST_SKIP() << "btf_extra is loaded";
    for (const std::vector<std::string> &row :
         {std::vector<std::string>{"trace", "foo"},
          {"trace", "foo", "--no-module"},
          {"trace", "foo", "--tables", path("none")},
          {"trace", "foo", "--tables", path("a.btf_extra")}}) {
        auto result = run_btf_extra(row);
        EXPECT_EQ(result.exit_code, 1) << row.back();
        EXPECT_EQ(result.out, "");
        EXPECT_TRUE(result.err.starts_with("btf-extra: ")) << result.err;
        EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    }
    expect_failed(run_btf_extra({"trace", "foo", "--tables", path("none")}),
                  path("none") + ": open: No such file or directory");
}

}  // namespace
}  // namespace btf_extra
