// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The output must not depend on the form of the debug information, on the number of threads or on
// the build.
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/fixture_build.h"

namespace btf_extra {

using namespace generator;

namespace {

using test::GeneratedFixture;
using test::NamedSite;
using test::Recipe;
using test::run_btf_extra;

const std::vector<std::string> kSites = {"sites.c", "sites_other.c"};

class FixtureLink : public testing::Test {
  protected:
    std::string path(std::string_view name) const { return folder_.path(name); }

    // Links a program and gives it a .BTF.
    std::string link(std::string_view name, const Recipe &recipe,
                     const std::vector<std::string> &sources = kSites) const {
        test::link_fixture(path(name), sources, recipe);
        test::add_base_btf(path(name));
        return path(name);
    }
    std::string object(std::string_view name, const std::string &source,
                       const Recipe &recipe) const {
        test::compile_fixture(path(name), source, recipe);
        return path(name);
    }
    static std::vector<std::string> lines(const std::string &file, const std::string &base = "") {
        auto opened = GeneratedFixture::open(file, base);
        EXPECT_TRUE(opened) << opened.error().message;
        return opened ? test::site_lines((*opened)->sites()) : std::vector<std::string>();
    }
    static void expect_refused(const std::string &file, const std::string &base,
                               const std::string &message) {
        auto opened = GeneratedFixture::open(file, base);
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().message, file + ": " + message);
    }

    test::TemporaryFolder folder_;
};

TEST_F(FixtureLink, SameBytesWithAnyNumberOfThreads) {
    std::vector<std::string> units = kSites;
    for (int i = 0; i < 8; i++) {
        const Recipe recipe{.compiler = i % 2 == 0 ? "gcc" : "clang-14",
                            .more = {fmt::format("-Dcall_other_twins=call_{}", i),
                                     fmt::format("-Delsewhere=elsewhere_{}", i)}};
        units.push_back(object(fmt::format("{}.o", i), "sites_other.c", recipe));
    }
    const std::string first = link("first", {}, units), second = link("second", {}, units);
    ASSERT_EQ(test::read_file(first), test::read_file(second));
    std::string expected;
    for (const std::string &input : {first, second}) {
        for (const char *jobs : {"1", "2", "4", "16"}) {
            SCOPED_TRACE(input + " -j" + jobs);
            const std::string output = path("out");
            const auto result = run_btf_extra({"generate", "-j", jobs, "-o", output, input});
            ASSERT_EQ(result.exit_code, 0) << result.err;
            EXPECT_EQ(result.out + result.err, "");
            if (expected.empty())
                expected = test::read_file(output);
            EXPECT_TRUE(test::read_file(output) == expected);
        }
    }
    // Each unit has a twin() and a twice(). Those of one file and one prototype are one function.
    auto fixture = GeneratedFixture::open(first);
    ASSERT_TRUE(fixture) << fixture.error().message;
    EXPECT_EQ((*fixture)->sites_of("twin").size(), 10u);
    EXPECT_EQ((*fixture)->sites_of("twice").size(), 10u);
    EXPECT_EQ(test::site_census((*fixture)->sites()), test::dwarf_census(first));
}

TEST_F(FixtureLink, PassesTheCheck) {
    const std::string file = link("fixture", {});
    EXPECT_GT(lines(file).size(), 20u);
    const auto check = run_btf_extra({"check", file + ".btf_extra", "--vmlinux", file});
    EXPECT_EQ(check.exit_code, 0) << check.err;
}

TEST_F(FixtureLink, BaseBtfInAFileOfItsOwn) {
    const std::string file = link("fixture", {});
    EXPECT_EQ(lines(file, file + ".btf"), lines(file));
    EXPECT_EQ(lines(file, file), lines(file));
}

TEST_F(FixtureLink, FormsOfDebugInformation) {
    const std::string plain = link("plain", {});
    const auto expected = lines(plain);
    EXPECT_EQ(expected.size(), 32u);  // one of them is the true signature of changed()

    EXPECT_EQ(lines(link("dwarf4", {.dwarf = "-gdwarf-4"})), expected);
    EXPECT_EQ(lines(link("macros", {.dwarf = "-g3"})), expected);
    EXPECT_EQ(lines(link("dwarf64", {.more = {"-gdwarf64"}})), expected);
    // These options have instances begin elsewhere, or DWARF say less of them.
    for (const char *flag : {"-gno-variable-location-views", "-gstrict-dwarf"}) {
        auto opened = GeneratedFixture::open(link("less", {.more = {flag}}));
        ASSERT_TRUE(opened) << opened.error().message;
        EXPECT_EQ((*opened)->sites().size(), expected.size()) << flag;
        EXPECT_EQ(test::site_census((*opened)->sites()), test::dwarf_census(path("less"))) << flag;
    }

    const std::string four = object("4.o", "sites.c", {.dwarf = "-gdwarf-4"});
    const std::string five = object("5.o", "sites_other.c", {.dwarf = "-gdwarf-5"});
    EXPECT_EQ(lines(link("mixed", {}, {four, five})), expected);
}

TEST_F(FixtureLink, CompressedDebugSections) {
    const std::string plain = link("plain", {});
    const auto expected = lines(plain);
    const std::string compressed = link("compressed", {.more = {"-gz=zlib"}});
    EXPECT_EQ(lines(compressed), expected);
    const auto sections = [](const std::string &file) {
        return test::run_command({"readelf", "-SW", file}).out;
    };
    EXPECT_NE(sections(compressed).find(" C  0"), std::string::npos) << sections(compressed);

    const std::string old = path("old");
    test::must_run({"objcopy", "--compress-debug-sections=zlib-gnu", plain, old});
    EXPECT_NE(sections(old).find(".zdebug_info"), std::string::npos) << sections(old);
    EXPECT_EQ(lines(old), expected);
}

// elfutils 0.188 cannot decompress these.
TEST_F(FixtureLink, DebugSectionsInZstd) {
    const std::string plain = link("plain", {}), zstd = path("zstd");
    const auto expected = lines(plain);
    test::must_run({"objcopy", "--compress-debug-sections=zstd", plain, zstd});
    const std::string sections = test::run_command({"readelf", "-tW", zstd}).out;
    EXPECT_NE(sections.find("ZSTD"), std::string::npos) << sections;
    EXPECT_EQ(lines(zstd, plain + ".btf"), expected);

    const std::string stripped = path("stripped"), debug = path("stripped.debug");
    test::must_run({"objcopy", "--strip-debug", plain, stripped});
    test::must_run({"objcopy", "--only-keep-debug", zstd, debug});
    test::must_run({"objcopy", "--add-gnu-debuglink=" + debug, stripped});
    EXPECT_EQ(lines(stripped, plain + ".btf"), expected);

    // Words of the compressed bytes are wrong.
    std::string bytes = test::read_file(zstd);
    const std::string magic = "\x28\xb5\x2f\xfd";
    const size_t first = bytes.find(magic);
    ASSERT_NE(first, std::string::npos);
    bytes.replace(first + 4, 8, 8, '\xff');
    test::write_file(path("bad"), bytes);
    auto bad = GeneratedFixture::open(path("bad"), plain + ".btf");
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.error().message.find(": cannot be decompressed: zstd: "), std::string::npos)
        << bad.error().message;
    // The header of the section states another size: its last 16 bytes are size and alignment.
    bytes = test::read_file(zstd);
    bytes[first - 16]++;
    test::write_file(path("bad"), bytes);
    auto other = GeneratedFixture::open(path("bad"), plain + ".btf");
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().message.find(": cannot be decompressed: "), std::string::npos)
        << other.error().message;
}

TEST_F(FixtureLink, SeparateDebugFile) {
    for (const char *flag : {"-fasynchronous-unwind-tables", "-fno-asynchronous-unwind-tables"}) {
        SCOPED_TRACE(flag);
        test::TemporaryFolder folder;
        const std::string plain = link("plain", {.more = {flag}});
        const std::string stripped = folder.path("stripped"), debug = folder.path("stripped.debug");
        test::must_run({"objcopy", "--only-keep-debug", plain, debug});
        test::must_run({"objcopy", "--strip-debug", plain, stripped});
        test::must_run({"objcopy", "--add-gnu-debuglink=" + debug, stripped});
        EXPECT_EQ(lines(stripped), lines(plain));
        std::filesystem::remove(debug);
        auto alone = GeneratedFixture::open(stripped);
        ASSERT_FALSE(alone);
        EXPECT_EQ(alone.error().message.find(stripped + ": .debug_info: "), 0u)
            << alone.error().message;
    }
}

// DIEs refer to other units. The linker inlines elsewhere() into across().
TEST_F(FixtureLink, LinkTimeOptimization) {
    const Recipe rows[] = {
        {.more = {"-flto"}},
        {.dwarf = "-gdwarf-4", .more = {"-flto"}},
        {.compiler = "clang-14", .more = {"-flto", "-fuse-ld=lld"}},
        {.compiler = "clang-14", .dwarf = "-gdwarf-4", .more = {"-flto", "-fuse-ld=lld"}},
    };
    for (const Recipe &recipe : rows) {
        SCOPED_TRACE(recipe.name());
        const std::string file = link("lto", recipe);
        auto opened = GeneratedFixture::open(file);
        ASSERT_TRUE(opened) << opened.error().message;
        const GeneratedFixture &fixture = **opened;
        EXPECT_EQ(test::site_census(fixture.sites()), test::dwarf_census(file));
        size_t inlined = 0;
        for (const NamedSite &site : fixture.sites_of("elsewhere")) {
            EXPECT_EQ(site.file, "sites_other.c");
            // It is clang's only instance: no other one shows that nothing is assigned to a.
            if (recipe.compiler == "clang-14")
                EXPECT_EQ(site.param("a").reason, MissingReason::kPerhapsAssigned);
            else
                EXPECT_EQ(site.param("a").loc_text, "reg5");
            if (site.body)
                continue;
            inlined++;
            EXPECT_EQ(site.address, fixture.symbol("across"));
        }
        EXPECT_EQ(inlined, 1u);
        EXPECT_EQ(fixture.sites_of("leaf").size(), 3u);
        EXPECT_EQ(fixture.sites_of("twice").size(), 2u);
    }
}

// These forms are not supported. One line says so.
TEST_F(FixtureLink, FormsThatAreRefused) {
    const std::string base = link("plain", {}) + ".btf";
    for (const char *dwarf : {"-gdwarf-4", "-gdwarf-5"}) {
        SCOPED_TRACE(dwarf);
        const Recipe split{.dwarf = dwarf, .more = {"-gsplit-dwarf"}};
        const std::string first = object("a.o", "sites.c", split);
        test::link_fixture(path("split"), {first, object("b.o", "sites_other.c", split)}, split);
        expect_refused(path("split"), base,
                       ".debug_info: unit at 0x0: its code is described in another file (" +
                           path("a.dwo") + "), which is not supported");

        const Recipe types{.dwarf = dwarf, .more = {"-fdebug-types-section"}};
        test::link_fixture(path("types"), kSites, types);
        expect_refused(path("types"), base,
                       std::string_view(dwarf) == "-gdwarf-4"
                           ? ".debug_types: types in units of their own (-fdebug-types-section), "
                             "which is not supported"
                           : ".debug_info: unit at 0x0: a type in a unit of its own "
                             "(-fdebug-types-section), which is not supported");
    }
}

}  // namespace
}  // namespace btf_extra
