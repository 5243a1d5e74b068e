// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// `check` says of every row of the container what the kernel says of it
// (kernel/tests/object_kunit.c asks the kernel), and what it accepts can be read.
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "userspace/format/core_api.h"

extern "C" {
#include "tests/core/container_rows.h"
}

namespace btf_extra {
namespace {

using test::run_btf_extra;

std::span<const std::byte> bytes_of(const void *data, size_t size) {
    return {static_cast<const std::byte *>(data), size};
}

TEST(CheckRows, AreAcceptedWhereTheKernelAccepts) {
    struct Scratch {
        core_row_images images;
        alignas(8) u8 file[CONTAINER_MAX_SIZE];
    };
    const auto scratch = std::make_unique<Scratch>();
    const test::TemporaryFolder folder;
    const std::string base = folder.path("base"), path = folder.path("row");
    core_input blobs;
    ASSERT_TRUE(core_row_input(&core_rows[0], &scratch->images, &blobs));
    test::write_file(base, bytes_of(blobs.base.data, blobs.base.size));
    size_t accepted = 0;
    for (const container_row &row : std::span(container_rows, container_nr_rows)) {
        if (row.shift != 0)
            continue;  // where a file lies in memory is up to its reader
        size_t size = container_row_file(&row, &scratch->images, scratch->file);
        ASSERT_NE(size, 0u) << row.name;
        if (row.cut == 0xffffffff)
            size = 0;
        test::write_file(path, bytes_of(scratch->file, size));
        const auto result = run_btf_extra({"check", path, "--btf-base", base});
        const btf_fault_code code = row.code != BTF_FAULT_NONE ? row.code : row.whole;
        EXPECT_EQ(result.exit_code, code == BTF_FAULT_NONE ? 0 : 1) << row.name << result.err;
        if (code != BTF_FAULT_NONE) {
            EXPECT_TRUE(result.err.ends_with(fmt::format(": {}\n", btf_fault_text(code))))
                << row.name << ": " << result.err;
        }
        if (code == BTF_FAULT_NONE) {
            accepted++;
            const auto dump = run_btf_extra({"dump", path, "--btf-base", base});
            EXPECT_EQ(dump.exit_code, 0) << row.name << ": " << dump.err;
        }
    }
    EXPECT_GT(accepted, 5u);
}

}  // namespace
}  // namespace btf_extra
