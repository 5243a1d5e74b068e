// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The operands of `btf-extra follow`, and its use without the module.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "userspace/cli/command.h"
#include "userspace/lib/btf_extra.h"

namespace btf_extra {
namespace {

using Words = std::vector<std::string>;

TEST(CliFollow, Command) {
    const struct {
        const char *name;
        Words words, left, command;
    } rows[] = {
        {"no command", {"follow", "foo"}, {"follow", "foo"}, {}},
        {"a command", {"follow", "foo", "--", "ls", "-l"}, {"follow", "foo"}, {"ls", "-l"}},
        {"its own hyphens", {"follow", "--", "env", "--", "ls"}, {"follow"}, {"env", "--", "ls"}},
        {"hyphens alone", {"follow", "foo", "--"}, {"follow", "foo", "--"}, {}},
        {"another subcommand", {"list", "--", "foo"}, {"list", "--", "foo"}, {}},
    };
    for (const auto &row : rows) {
        std::vector<const char *> arguments = {"btf-extra"};
        std::ranges::transform(row.words, std::back_inserter(arguments),
                               [](const std::string &word) { return word.c_str(); });
        EXPECT_EQ(take_followed_command(arguments), row.command) << row.name;
        EXPECT_EQ(Words(arguments.begin() + 1, arguments.end()), row.left) << row.name;
    }
}

TEST(CliFollow, Usage) {
    EXPECT_EQ(test::run_btf_extra({"follow", "--no-such-option"}).exit_code, 2);
    EXPECT_EQ(test::run_btf_extra({"follow", "--help"}).exit_code, 0);
    if (std::filesystem::exists(BTF_EXTRA_DEVICE))
        GTEST_SKIP() << "the module is loaded";
    const auto result = test::run_btf_extra({"follow", "--", "echo", "called"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "btf-extra: btf_extra is not loaded, and follow requires it; btf-extra "
                          "doctor prints what is missing\n");
}

}  // namespace
}  // namespace btf_extra
