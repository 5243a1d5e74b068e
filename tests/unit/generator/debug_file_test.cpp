// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Parts of .debug_info that were released are there again, whatever their memory is.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/support/command_run.h"
#include "tests/support/fixture_build.h"
#include "userspace/generator/dwarf/debug_file.h"

namespace btf_extra {

using namespace generator;

namespace {

long minor_faults() {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

struct Row {
    const char *name;
    std::vector<std::string> flags;
    bool is_file;  // the memory of .debug_info is that of the file
};

class DebugFileRelease : public testing::TestWithParam<Row> {};

TEST_P(DebugFileRelease, SameBytes) {
    const test::TemporaryFolder folder;
    std::string source;
    for (int i = 0; i < 4000; i++)
        source +=
            fmt::format("int func_{}(int first, int second) {{ return first + second; }}\n", i);
    test::write_file(folder.path("many.c"), source);
    std::vector<std::string> command = {"gcc", "-g", "-o", folder.path("many"),
                                        folder.path("many.c")};
    command.insert(command.end(), GetParam().flags.begin(), GetParam().flags.end());
    test::must_run(command);

    const auto file = DebugFile::open(folder.path("many"));
    ASSERT_TRUE(file) << file.error().message;
    const Bytes info = (*file)->dwarf().info;
    constexpr size_t kPage = 4096;
    ASSERT_GT(info.size(), 16 * kPage);
    const std::vector<uint8_t> before(info.begin(), info.end());

    (*file)->release(kPage, info.size());
    const long faults = minor_faults();
    const bool same = std::equal(before.begin(), before.end(), info.begin());
    if (GetParam().is_file) {
        EXPECT_GT(minor_faults(), faults);
    }
    EXPECT_TRUE(same);
}

const Row kRows[] = {
    {"Linked", {"-nostdlib", "-Wl,-e,func_0"}, true},
    {"Compressed", {"-nostdlib", "-Wl,-e,func_0", "-gz=zlib"}, false},
    {"Relocatable", {"-c"}, false},
};
INSTANTIATE_TEST_SUITE_P(Rows, DebugFileRelease, testing::ValuesIn(kRows),
                         [](const auto &row) { return row.param.name; });

}  // namespace
}  // namespace btf_extra
