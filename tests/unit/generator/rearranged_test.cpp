// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The sites are the same after dwz has moved what units share to partial units, or to an alternate
// file.
#include <filesystem>
#include <map>
#include <memory>

#include <gtest/gtest.h>

#include "tests/support/fixture_build.h"
#include "tests/support/traced_process.h"

namespace btf_extra {
namespace {

using test::GeneratedFixture;
using test::must_run;
using test::NamedSite;
using test::Recipe;
using test::TracedProcess;

class Rearranged : public testing::TestWithParam<const char *> {
  protected:
    void SetUp() override {
        const Recipe recipe{.dwarf = GetParam()};
        test::link_fixture(path("before"), {"drains.c", "drain_one.c", "drain_two.c"}, recipe);
        test::add_base_btf(path("before"));
    }
    std::string path(const char *name) const { return folder_.path(name); }
    void copy(const char *name) const { std::filesystem::copy_file(path("before"), path(name)); }
    std::unique_ptr<GeneratedFixture> open(const char *name) const {
        auto opened = GeneratedFixture::open(path(name));
        EXPECT_TRUE(opened) << opened.error().message;
        return opened ? std::move(*opened) : nullptr;
    }
    // Each site with its function, the file of that, and its parameters.
    static std::vector<std::string> lines(const GeneratedFixture &fixture) {
        std::vector<std::string> out = test::site_lines(fixture.sites());
        for (const NamedSite &site : fixture.sites())
            out.push_back(site.function + " of " + site.file);
        return out;
    }
    // Compares a file with the one before.
    void expect_the_same(const char *name) const {
        const auto before = open("before"), after = open(name);
        ASSERT_TRUE(before && after);
        EXPECT_EQ(lines(*after), lines(*before));
    }

    test::TemporaryFolder folder_;
};

TEST_P(Rearranged, PartialUnits) {
    copy("after");
    must_run({"dwz", "-l0", "-L", "none", path("after")});
    const auto info = test::run_in_fixtures({"readelf", "--debug-dump=info", path("after")});
    ASSERT_NE(info.out.find("DW_TAG_partial_unit"), info.out.npos);
    expect_the_same("after");

    auto process = TracedProcess::start(path("after"));
    if (!process)
        GTEST_SKIP() << "ptrace is not allowed here";
    const auto fixture = open("after");
    ASSERT_TRUE(fixture);
    const std::vector<NamedSite> sites = fixture->sites_of("is_drained");
    for (const NamedSite &site : sites)
        process->stop_at(site.address);
    size_t hits = 0;
    while (process->run())
        ++hits;
    EXPECT_EQ(hits, 10u);
    EXPECT_GE(sites.size(), 4u);
}

TEST_P(Rearranged, AlternateFile) {
    copy("after");
    copy("other");
    std::vector<std::string> command = {"dwz", "-L", "none", "-m", path("common")};
    if (GetParam() == std::string_view("-gdwarf-5"))
        command.push_back("--dwarf-5");
    command.insert(command.end(), {path("after"), path("other")});
    must_run(command);
    ASSERT_TRUE(std::filesystem::exists(path("common")));
    expect_the_same("after");

    std::filesystem::remove(path("common"));
    const auto missing = GeneratedFixture::open(path("other"));
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message.find(path("common") + " is missing"), std::string::npos)
        << missing.error().message;
}

INSTANTIATE_TEST_SUITE_P(All, Rearranged, testing::Values("-gdwarf-4", "-gdwarf-5"),
                         [](const auto &info) {
                             return std::string("Dwarf") + (info.index == 0 ? "4" : "5");
                         });

}  // namespace
}  // namespace btf_extra
