// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds the inlined instances that begin at the head of their own loop; the result is compared with
// objdump's jumps and libdw's ranges, and with what the source says. Finds the sites that continue
// a call that began elsewhere; the result is compared with symbols and libdw.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/fixture_build.h"

namespace btf_extra {
namespace {

using nlohmann::json;
using test::GeneratedFixture;
using test::NamedSite;
using test::Recipe;
using test::run_btf_extra;

class SiteMarks : public testing::Test {
  protected:
    void build(const Recipe &recipe, const std::vector<std::string> &sources = {"loops.c"}) {
        test::link_fixture(path(), sources, recipe);
        test::add_base_btf(path());
        auto opened = GeneratedFixture::open(path());
        ASSERT_TRUE(opened) << opened.error().message;
        fixture_ = std::move(*opened);
    }
    std::string path() const { return folder_.path("fixture"); }
    std::string file() const { return path() + ".btf_extra"; }
    std::vector<std::string> found(uint32_t mark) const {
        std::vector<std::string> out;
        for (const NamedSite &site : fixture_->sites())
            if ((site.marks & mark) != 0)
                out.push_back(fmt::format("{}@{:x}", site.function, site.address));
        std::ranges::sort(out);
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }
    test::MarkedPlaces marked() const {
        test::MarkedPlaces places;
        for (const NamedSite &site : fixture_->sites())
            places.add(fmt::format("{}@{:x}", site.function, site.address),
                       (site.marks & SITE_MARK_PART) != 0, (site.marks & SITE_MARK_NO_ENTRY) != 0);
        return places;
    }
    // Returns the number of loop heads by function.
    std::map<std::string, size_t> counts() const {
        std::map<std::string, size_t> out;
        for (const NamedSite &site : fixture_->sites())
            if (!site.body)
                out[site.function] += (site.marks & SITE_MARK_LOOP_HEAD) != 0;
        return out;
    }
    json run_json(const std::vector<std::string> &arguments) const {
        const auto result = run_btf_extra(arguments);
        EXPECT_EQ(result.exit_code, 0) << result.err;
        return json::parse(result.out, nullptr, false);
    }

    test::TemporaryFolder folder_;
    std::unique_ptr<GeneratedFixture> fixture_;
};

TEST_F(SiteMarks, LoopHeadsAreWhereObjdumpAndLibdwSay) {
    std::vector<Recipe> recipes = test::recipes({"-O0", "-O1", "-O2", "-O3", "-Os"});
    for (const char *level : {"-O1", "-O2", "-Os"})
        recipes.push_back({.compiler = "aarch64-linux-gnu-gcc", .level = level});
    size_t heads = 0, others = 0;
    for (const Recipe &recipe : recipes) {
        for (const std::vector<std::string> &sources :
             {std::vector<std::string>{"loops.c"}, {"sites.c", "sites_other.c"}, {"traced.c"}}) {
            if (sources[0] == "traced.c" && (recipe.level != "-O2" || recipe.compiler[0] == 'a'))
                continue;
            SCOPED_TRACE(recipe.name() + " " + sources[0]);
            ASSERT_NO_FATAL_FAILURE(build(recipe, sources));
            const test::JumpCensus census = test::jump_census(path(), test::ObjdumpFlow(path()));
            EXPECT_EQ(found(SITE_MARK_LOOP_HEAD), census.from_inside);
            heads += census.from_inside.size();
            others += census.from_outside.size();
        }
    }
    EXPECT_GT(heads, 30u);
    EXPECT_GT(others, 10u);
}

// These options have the compiler put nothing before the first iteration, not even for alignment.
TEST_F(SiteMarks, LoopHeadsAreWhereTheSourceHasThem) {
    using Counts = std::map<std::string, size_t>;
    const Counts expected = {{"own_loop", 2},
                             {"own_long_loop", 1},
                             {"around_loop", 1},
                             {"in_callers_loop", 0},
                             {"leaves", 0}};
    for (const Recipe &recipe : {Recipe{.level = "-Os"}, Recipe{.level = "-O1"},
                                 Recipe{.level = "-Os", .dwarf = "-gdwarf-4"},
                                 Recipe{.compiler = "aarch64-linux-gnu-gcc", .level = "-Os"}}) {
        SCOPED_TRACE(recipe.name());
        ASSERT_NO_FATAL_FAILURE(build(recipe));
        EXPECT_EQ(counts(), expected);
    }
    // Clang counts the iterations of the long loop, and sets up a register for it first.
    const Counts of_clang = {{"own_loop", 2},
                             {"own_long_loop", 0},
                             {"around_loop", 1},
                             {"in_callers_loop", 0},
                             {"leaves", 0}};
    ASSERT_NO_FATAL_FAILURE(build({.compiler = "clang-14", .level = "-Os"}));
    EXPECT_EQ(counts(), of_clang);
}

TEST_F(SiteMarks, LoopHeadsAreShown) {
    ASSERT_NO_FATAL_FAILURE(build({.level = "-Os"}));
    EXPECT_EQ(run_json({"stat", file(), "--json"})["loop_heads"], 4);
    const auto stat = run_btf_extra({"stat", file()});
    EXPECT_NE(stat.out.find("  heads of their own loops             4   57.1%\n"), stat.out.npos)
        << stat.out;
    const auto text =
        run_btf_extra({"lookup", "around_loop", "--tables", file(), "--vmlinux", path()});
    EXPECT_NE(text.out.find("calls_around_loop+0xb (loop head)  p="), text.out.npos) << text.out;
    for (const auto &[name, head] : {std::pair("around_loop", true), {"in_callers_loop", false}}) {
        const json found =
            run_json({"lookup", name, "--tables", file(), "--vmlinux", path(), "--json"});
        ASSERT_GT(found["sites"].size(), 0u);
        for (const json &site : found["sites"])
            EXPECT_EQ(site["loop_head"], head) << site.dump();
    }
    EXPECT_EQ(run_btf_extra({"check", file(), "--vmlinux", path()}).exit_code, 0);
}

// A file without code has no jumps, so the output says nothing of loop heads.
TEST_F(SiteMarks, LoopHeadsAreNotKnownWithoutCode) {
    ASSERT_NO_FATAL_FAILURE(build({.level = "-Os"}));
    const std::string stripped = folder_.path("stripped"), output = folder_.path("out");
    test::must_run({"objcopy", "--only-keep-debug", path(), stripped});
    const auto result =
        run_btf_extra({"generate", "--btf-base", path() + ".btf", "-o", output, stripped});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(run_json({"stat", output, "--json"})["loop_heads"], nullptr);
    EXPECT_EQ(run_btf_extra({"stat", output}).out.find("loops"), std::string::npos);
    const auto opened = ObjectView::open(output);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_FALSE((*opened)->file().site_marks);
}

// The list of marks is there and empty, in the file and in the view.
TEST_F(SiteMarks, AnObjectWithoutAnySaysSo) {
    ASSERT_NO_FATAL_FAILURE(build({}));
    ASSERT_TRUE(fixture_->view().file().site_marks);
    EXPECT_EQ(fixture_->view().file().site_marks->size(), 0u);
    EXPECT_EQ(run_json({"stat", file(), "--json"})["loop_heads"], 0);
}

// A relocation decides where a jump leads, not the bytes in the file.
TEST_F(SiteMarks, LoopHeadsOfARelocatableFile) {
    for (const char *compiler : {"gcc", "aarch64-linux-gnu-gcc"}) {
        SCOPED_TRACE(compiler);
        const std::string object = folder_.path("loops.o");
        ASSERT_NO_FATAL_FAILURE(build({.compiler = compiler, .level = "-Os"}));
        const auto linked = counts();
        test::compile_fixture(object + ".1", "loops.c", {.compiler = compiler, .level = "-Os"});
        test::must_run(
            {compiler, "-nostdlib", "-r", "-Wl,--build-id", "-o", object, object + ".1"});
        const std::string output = folder_.path("out");
        const auto result = run_btf_extra({"generate", "--vmlinux", path(), "-o", output, object});
        ASSERT_EQ(result.exit_code, 0) << result.err;
        const auto opened = ObjectView::open_with_base(output, path());
        ASSERT_TRUE(opened) << opened.error().message;
        std::map<std::string, size_t> here;
        const loc_index &index = (*opened)->index();
        for (uint32_t number = 0; number < index.nr_sites; number++) {
            const loc_section *section = nullptr;
            const loc_site *site = loc_index_site(&index, number, &section);
            if (section->loc_class == LOC_CLASS_INLINE)
                here[std::string((*opened)->func_name(site->func))] +=
                    ((*opened)->site_marks(number) & SITE_MARK_LOOP_HEAD) != 0;
        }
        EXPECT_EQ(here, linked);
    }
}

TEST_F(SiteMarks, PartsAreWhereSymbolsAndLibdwSay) {
    std::vector<Recipe> recipes = test::recipes({"-O1", "-O2", "-O3", "-Os"});
    recipes.push_back({.compiler = "aarch64-linux-gnu-gcc", .level = "-O2"});
    for (const Recipe &recipe : recipes) {
        SCOPED_TRACE(recipe.name());
        ASSERT_NO_FATAL_FAILURE(build(recipe, {"parts.c"}));
        EXPECT_EQ(marked().parts(), test::mark_census(path(), test::ObjdumpFlow(path())).parts());
        const bool splits = !recipe.compiler.starts_with("clang") && recipe.level == "-O2";
        std::map<std::string, size_t> counts;
        for (const NamedSite &site : fixture_->sites())
            counts[site.function] += (site.marks & SITE_MARK_PART) != 0;
        if (splits) {
            EXPECT_EQ(counts["early_out"], 1u);
            EXPECT_EQ(counts["with_body"], 1u);
            EXPECT_EQ(counts["inlined_again"], 3u);
        }
        if (recipe.compiler.starts_with("clang")) {
            EXPECT_EQ(found(SITE_MARK_PART), std::vector<std::string>());
        }
    }
}

TEST_F(SiteMarks, EntriesAreMissingWhereLibdwSays) {
    size_t missing = 0;
    for (const Recipe &recipe : test::recipes({"-O1", "-O2", "-O3", "-Os"}))
        for (const char *source : {"copies.c", "parts.c", "loops.c"}) {
            // flow_entries_test has those of clang, which libdw does not say.
            if (recipe.compiler.starts_with("clang"))
                continue;
            SCOPED_TRACE(recipe.name() + ", " + source);
            ASSERT_NO_FATAL_FAILURE(build(recipe, {source}));
            EXPECT_EQ(marked().without_entry(),
                      test::mark_census(path(), test::ObjdumpFlow(path())).without_entry());
            missing += marked().without_entry().size();
        }
    EXPECT_GT(missing, 0u);
}

TEST_F(SiteMarks, MissingEntriesAreShown) {
    ASSERT_NO_FATAL_FAILURE(build({}, {"copies.c"}));
    const auto text = run_btf_extra({"lookup", "doubled", "--tables", file(), "--vmlinux", path()});
    EXPECT_NE(text.out.find(" inline sometimes+0x0 (no entry)  a="), text.out.npos) << text.out;
    const json found =
        run_json({"lookup", "doubled", "--tables", file(), "--vmlinux", path(), "--json"});
    ASSERT_EQ(found["sites"].size(), 1u);
    EXPECT_EQ(found["sites"][0]["no_entry"], true);
    const auto probes =
        run_btf_extra({"probes", "doubled", "--tables", file(), "--vmlinux", path()});
    EXPECT_NE(probes.out.find("# no known entry: p:kloc/"), probes.out.npos) << probes.out;
    EXPECT_EQ(run_json({"stat", file(), "--json"})["without_entry"], 1);
}

TEST_F(SiteMarks, PartsAreShown) {
    ASSERT_NO_FATAL_FAILURE(build({}, {"parts.c"}));
    const auto text =
        run_btf_extra({"lookup", "early_out", "--tables", file(), "--vmlinux", path()});
    EXPECT_NE(text.out.find(" body   early_out.part.0+0x0 (part)  p="), text.out.npos) << text.out;
    EXPECT_NE(text.out.find(" inline caller_1+"), text.out.npos) << text.out;
    size_t parts = 0;
    const json found =
        run_json({"lookup", "early_out", "--tables", file(), "--vmlinux", path(), "--json"});
    for (const json &site : found["sites"]) {
        EXPECT_EQ(site["part"], site["class"] == "body") << site.dump();
        parts += site["part"] == true;
    }
    EXPECT_EQ(parts, 1u);
    EXPECT_EQ(found["sites"].size(), 4u);
    const json listed =
        run_json({"list", "early_out", "--tables", file(), "--vmlinux", path(), "--json"});
    EXPECT_EQ(listed["functions"][0]["sites"], 3);
    EXPECT_EQ(listed["functions"][0]["part_sites"], 1);
    EXPECT_EQ(listed["functions"][0]["how"], "inlined");
    const auto probes =
        run_btf_extra({"probes", "early_out", "--tables", file(), "--vmlinux", path()});
    EXPECT_NE(probes.out.find(": 3 of 4 sites\n"), probes.out.npos) << probes.out;
    EXPECT_NE(probes.out.find("# continues a split function: p:kloc/"), probes.out.npos)
        << probes.out;
    // Under its own name it begins a call. The name of an event has no dots.
    const auto own =
        run_btf_extra({"probes", "early_out.part.0", "--tables", file(), "--vmlinux", path()});
    EXPECT_TRUE(own.out.starts_with("# void early_out.part.0(const long int *p): 1 of 1 sites\n"
                                    "p:kloc/early_out_part_0 "))
        << own.out;
    const json stat = run_json({"stat", file(), "--json"});
    EXPECT_EQ(stat["parts"], std::ranges::count_if(fixture_->sites(), [](const NamedSite &site) {
                  return (site.marks & SITE_MARK_PART) != 0;
              }));
}

}  // namespace
}  // namespace btf_extra
