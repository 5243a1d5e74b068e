// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The tables of the sample object, in a kernel that runs: its text is at 0xffffffff82000000.
#ifndef BTF_EXTRA_TESTS_RUNNING_SAMPLE_H
#define BTF_EXTRA_TESTS_RUNNING_SAMPLE_H

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "tests/support/extra_writer.h"
#include "tests/support/sample_object.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra::test {

inline constexpr uint64_t kRunningText = 0xffffffff82000000;

class RunningSample : public testing::Test {
  protected:
    // arm64: it is a kernel for arm64, and the body of report() is after a landing pad of 4 bytes.
    explicit RunningSample(bool arm64 = false) : arm64_(arm64) {}

    void SetUp() override {
        SampleObject sample;
        if (arm64_) {
            sample.file.machine = EM_AARCH64;
            sample.file.sections.front().flags |= EXTRA_SHF_BEHIND_HOOKS;
        }
        const std::string report = arm64_ ? "ffffffff8200002c" : "ffffffff82000030";
        FileTablesPaths paths;
        paths.file = folder_.path("vmlinux.btf_extra");
        paths.base_btf = folder_.path("base.btf");
        paths.sys_kernel = folder_.path("sys");
        paths.sys_module = folder_.path("none");
        paths.kallsyms = folder_.path("kallsyms");
        ASSERT_TRUE(write_extra_file(paths.file, sample.file));
        write_file(paths.base_btf, sample.base.bytes());
        std::filesystem::create_directories(paths.sys_kernel);
        write_file(paths.sys_kernel + "/notes",
                   std::span<const std::byte>(sample.file.build_id_note));
        write_file(paths.kallsyms, std::string_view("ffffffff82000000 T host\n"
                                                    "ffffffff82000020 T skb_headlen\n"
                                                    "ffffffff82000020 t skb_headlen.isra.0\n" +
                                                    report + " T report\n"));
        auto tables = open_file_tables(paths, true);
        ASSERT_TRUE(tables) << tables.error().message;
        tables_ = std::move(*tables);
    }

    bool arm64_;
    TemporaryFolder folder_;
    std::unique_ptr<SiteTables> tables_;
};

}  // namespace btf_extra::test

#endif
