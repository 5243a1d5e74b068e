// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// For tests of the command on the files of the sample object.
#ifndef BTF_EXTRA_TESTS_CLI_FIXTURE_H
#define BTF_EXTRA_TESTS_CLI_FIXTURE_H

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "tests/support/sample_object.h"

namespace btf_extra::test {

class CliFixture : public testing::Test {
  protected:
    // The files are made once, because linking the kernel takes longer than all tests.
    static void SetUpTestSuite() {
        folder_ = std::make_unique<TemporaryFolder>();
        SampleObject sample;
        ASSERT_TRUE(write_extra_file(path("a.btf_extra"), sample.file));
        write_file(path("base.btf"), sample.base.bytes());
        write_file(path("types.btf"), sample.types.bytes());
        make_sample_kernel(path("vmlinux"), path("base.btf"));
    }
    static void TearDownTestSuite() { folder_.reset(); }

    static std::string path(std::string_view name) { return folder_->path(name); }

    static std::string write(std::string_view name, const ExtraFile &file) {
        EXPECT_TRUE(write_extra_file(path(name), file));
        return path(name);
    }

    // Expects one line. A message that ends in "..." is a prefix of the line.
    static void expect_failed(const CommandResult &result, std::string message) {
        EXPECT_EQ(result.exit_code, 1);
        EXPECT_EQ(result.out, "");
        message = "btf-extra: " + message;
        if (message.ends_with("..."))
            EXPECT_EQ(result.err.substr(0, message.size() - 3) + "...", message);
        else
            EXPECT_EQ(result.err, message + "\n");
    }

    static CommandResult lookup(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(),
                         {"lookup", "--tables", path("a.btf_extra"), "--vmlinux", path("vmlinux")});
        return run_btf_extra(arguments);
    }

    static inline std::unique_ptr<TemporaryFolder> folder_;
};

}  // namespace btf_extra::test

#endif
