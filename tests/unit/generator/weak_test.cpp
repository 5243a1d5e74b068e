// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// If another definition overrides a weak one, the weak body is dead code and not a site. Symbols
// tell which body that is.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/fixture_build.h"
#include "userspace/generator/types/base_types.h"

namespace btf_extra {
namespace {

using test::GeneratedFixture;
using test::NamedSite;
using test::Recipe;

const std::vector<std::string> kOverridden = {"weak.c", "weak_other.c"};

class Weak : public testing::Test {
  protected:
    void link(const std::vector<std::string> &sources, const Recipe &recipe = {}) const {
        test::link_fixture(path(), sources, recipe);
        test::add_base_btf(path());
    }
    // Returns "given_up 1, kept 1, ...", the number of sites of each function.
    std::string sites() const {
        auto opened = GeneratedFixture::open(path());
        EXPECT_TRUE(opened) << opened.error().message;
        if (!opened)
            return "";
        std::string out;
        for (const char *name : {"given_up", "kept", "local", "leaf"}) {
            const auto found = (*opened)->sites_of(name);
            out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, found.size());
        }
        return out;
    }
    // Returns the number of all sites. This also works without symbols.
    uint32_t count() const {
        const auto made = test::run_btf_extra({"generate", "-o", path() + ".out", path()});
        EXPECT_EQ(made.exit_code, 0) << made.err;
        const auto opened = ObjectView::open(path() + ".out");
        EXPECT_TRUE(opened) << opened.error().message;
        return opened ? (*opened)->index().nr_sites : 0;
    }
    std::string path() const { return folder_.path("fixture"); }

    test::TemporaryFolder folder_;
};

TEST_F(Weak, AnOverriddenBodyIsNoSite) {
    for (const Recipe &recipe : test::recipes({"-O0", "-O2"})) {
        SCOPED_TRACE(recipe.name());
        link(kOverridden, recipe);
        EXPECT_EQ(sites(), "given_up 1, kept 1, local 1, leaf 2");
        const auto opened = GeneratedFixture::open(path());
        for (const NamedSite &site : (*opened)->sites_of("given_up"))
            EXPECT_EQ(site.address, (*opened)->symbol("given_up"));
    }
    link(kOverridden, {.compiler = "aarch64-linux-gnu-gcc"});
    EXPECT_EQ(sites(), "given_up 1, kept 1, local 1, leaf 2");
}

TEST_F(Weak, ADefinitionAloneIsASite) {
    link({"weak.c"});
    EXPECT_EQ(sites(), "given_up 1, kept 1, local 1, leaf 3");
}

// GCC 12 for aarch64 puts the beginning of a body (DW_AT_low_pc) after the NOPs, which belong to
// its symbol. The sites are those of the same functions without NOPs.
TEST_F(Weak, ABodyMayBeginBehindItsSymbol) {
    for (const char *compiler : {"gcc", "aarch64-linux-gnu-gcc"}) {
        SCOPED_TRACE(compiler);
        link({"hooks.c"}, {.compiler = compiler});
        auto opened = GeneratedFixture::open(path());
        ASSERT_TRUE(opened) << opened.error().message;
        const uint64_t distance = compiler[0] == 'a' ? 8 : 0;
        for (const char *name : {"external", "with_leaf"}) {
            const auto bodies = (*opened)->sites_of(name);
            ASSERT_EQ(bodies.size(), 1u) << name;
            EXPECT_EQ(bodies[0].address, (*opened)->symbol(name) + distance) << name;
        }
        EXPECT_EQ((*opened)->sites_of("leaf").size(), 1u);
    }
}

// If symbols were stripped, a body without a symbol is not taken for an overridden one.
TEST_F(Weak, StrippedSymbolsTellNothing) {
    const uint32_t all = 8, one_less = 6;  // all: both bodies of given_up with a leaf; and _start
    struct Row {
        const char *name;
        std::vector<std::string> options;
        uint32_t expected;
    } rows[] = {
        {"no .symtab", {"--strip-all", "--keep-section=.debug_*", "--keep-section=.BTF"}, all},
        {"no local function", {"--strip-symbol", "local"}, all},
        {"one symbol is gone, no other has its name", {"--strip-symbol", "kept"}, one_less},
        {"that of a static function is gone",
         {"--add-symbol", "other=.text:1,function,local", "--strip-symbol", "local"},
         one_less},
        // The overridden body is the first in .text.
        {"another name for the overridden body", {"--add-symbol", "alias=.text:0,local"}, all},
        {"a name of that kind elsewhere", {"--add-symbol", "alias=.text:1,local"}, one_less},
        {"data there", {"--add-symbol", "alias=.text:0,local,object"}, one_less},
    };
    link(kOverridden);
    const std::string whole = test::read_file(path());
    for (const Row &row : rows) {
        SCOPED_TRACE(row.name);
        test::write_file(path(), whole);
        std::vector<std::string> command = {"objcopy"};
        command.insert(command.end(), row.options.begin(), row.options.end());
        command.push_back(path());
        test::must_run(command);
        EXPECT_EQ(count(), row.expected);
    }
}

// BTF has one FUNC for a name, and pahole makes it from the definition that it reads first. A site
// is shown with the names of its own definition.
TEST_F(Weak, ParametersHaveTheNamesOfTheBodyThatStays) {
    link(kOverridden);
    const auto elf = ElfImage::open(path());
    const auto base = open_elf_btf(*elf);
    ASSERT_TRUE(base) << base.error().message;
    const generator::BaseTypes types(&(*base)->blob());
    const std::vector<uint32_t> param = {types.unique(BTF_KIND_INT, "long int")};
    const auto in_base = [&](std::string_view function, std::string_view name) {
        return types.func(function, 0, param, std::vector{name}, false);
    };
    ASSERT_NE(in_base("given_up", "unused"), 0u);
    const auto opened = GeneratedFixture::open(path());
    ASSERT_TRUE(opened) << opened.error().message;
    const auto sites = (*opened)->sites_of("given_up");
    ASSERT_EQ(sites.size(), 1u);
    ASSERT_EQ(sites[0].params.size(), 1u);
    EXPECT_EQ(sites[0].params[0].name, "x");
    // A function with the names of the base is the base's.
    const loc_index &index = (*opened)->view().index();
    const std::span<const uint32_t> funcs(index.funcs, index.nr_funcs);
    EXPECT_NE(std::ranges::find(funcs, in_base("kept", "x")), funcs.end());
    EXPECT_EQ(std::ranges::find(funcs, in_base("given_up", "unused")), funcs.end());
}

// A module is relocatable, so it has no addresses yet.
TEST_F(Weak, OfARelocatableFile) {
    link({"weak.c"});
    const std::string module = folder_.path("module.o"), output = folder_.path("out");
    std::vector<std::string> command = {"gcc", "-r", "-nostdlib", "-Wl,--build-id", "-o", module};
    for (const std::string &source : kOverridden) {
        test::compile_fixture(folder_.path(source + ".o"), source, {});
        command.push_back(folder_.path(source + ".o"));
    }
    test::must_run(command);
    const auto result =
        test::run_btf_extra({"generate", "--vmlinux", path(), "-o", output, module});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto opened = ObjectView::open(output);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ((*opened)->index().nr_sites, 6u);  // as in a linked program, and _start
}

}  // namespace
}  // namespace btf_extra
