// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The fixture of tests of the command on the files of the sample object.
#ifndef BTF_EXTRA_TESTS_CLI_FIXTURE_H
#define BTF_EXTRA_TESTS_CLI_FIXTURE_H

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "tests/support/extra_writer.h"
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

    // Runs a subcommand on a file and a kernel, those of the sample by default.
    static CommandResult run(const char *command, std::vector<std::string> arguments,
                             const std::string &file = path("a.btf_extra"),
                             const char *kernel = "vmlinux") {
        arguments.insert(arguments.begin(), {command, "--tables", file, "--vmlinux", path(kernel)});
        return run_btf_extra(arguments);
    }
    static CommandResult lookup(std::vector<std::string> arguments) {
        return run("lookup", std::move(arguments));
    }

    // Writes the sample with other sites, of LOC_PROTOs without parameters, and with room for them.
    struct Site {
        const char *section;
        uint32_t func, offset;
    };
    static std::string write_sites(std::string_view name, const std::vector<Site> &sites,
                                   SiteMarkList site_marks = {}) {
        const SampleObject sample;
        BlobBuilder blob = BlobBuilder::above(sample.types);
        const uint32_t none = blob.loc_proto({});
        for (const Site &site : sites)
            blob.locsec(site.section, {{site.func, none, site.offset}});
        ExtraFile file = sample.file;
        file.sections = {{".text", SHF_ALLOC | SHF_EXECINSTR, 0xffffffff81000000, 0x1000},
                         {".init.text", SHF_ALLOC | SHF_EXECINSTR, 0, 0x1000}};
        file.func_info = blob.bytes(true);
        file.site_marks = std::move(site_marks);
        file.provenance->func_files = {0};
        file.provenance->reasons.clear();
        return write(name, file);
    }

    static inline std::unique_ptr<TemporaryFolder> folder_;
};

}  // namespace btf_extra::test

#endif
