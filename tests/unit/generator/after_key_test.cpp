// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Where a probe after a static key sees what one at the key would see. The code is that of
// tests/fixtures/keys.c, and the answers were worked out by hand from the assembly there.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/fixture_build.h"
#include "userspace/generator/sites/after_key.h"

namespace btf_extra {
namespace {

using test::GeneratedFixture;
using test::NamedSite;

class AfterKey : public testing::Test {
  protected:
    void build(const std::vector<std::string> &more = {}) {
        test::Recipe recipe{.more = {"-pg", "-mfentry", "-mrecord-mcount"}};
        const auto bound = [&](const char *name, const char *section) {
            for (const char *place : {"__start_", "__stop_"})
                recipe.more.push_back(fmt::format(
                    "-Wl,--defsym={}{}=ADDR({}){}", place, name, section,
                    place == std::string("__stop_") ? fmt::format("+SIZEOF({})", section) : ""));
        };
        bound("mcount_loc", "__mcount_loc");
        bound("__jump_table", "__jump_table");
        bound("__ex_table", "ex_table");
        recipe.more.insert(
            recipe.more.end(),
            {"-Wl,--defsym=__fentry__=0", "-Wl,--defsym=__alt_instructions=ADDR(alternatives)"});
        recipe.more.insert(recipe.more.end(), more.begin(), more.end());
        test::link_fixture(path(), {"keys.c"}, recipe);
        test::add_base_btf(path());
        auto opened = GeneratedFixture::open(path());
        ASSERT_TRUE(opened) << opened.error().message;
        fixture_ = std::move(*opened);
    }
    std::string path() const { return folder_.path("fixture"); }
    // Returns the functions of the fixture, which have one key each, by the mark of their site.
    std::set<std::string> functions(bool marked) const {
        std::set<std::string> out;
        for (const NamedSite &site : fixture_->sites())
            if (site.function.ends_with("_site") &&
                marked == ((site.marks & SITE_MARK_AFTER_KEY) != 0))
                out.insert(site.function.substr(0, site.function.size() - 5));
        return out;
    }

    test::TemporaryFolder folder_;
    std::unique_ptr<GeneratedFixture> fixture_;
};

const std::string kAlternativesEnd =
    "-Wl,--defsym=__alt_instructions_end=ADDR(alternatives)+SIZEOF(alternatives)";

const std::set<std::string> kSameCalls = {"other_register", "store",          "reads",
                                          "loop",           "two_ways",       "padding",
                                          "long_jump",      "key_on_the_way", "callee_saved"};
const std::set<std::string> kOthers = {"written",
                                       "written_in_part",
                                       "written_on_one_way",
                                       "exchanged",
                                       "popped",
                                       "called",
                                       "no_way_out",
                                       "one_way_without_end",
                                       "bug",
                                       "returns",
                                       "leaves",
                                       "comes_again",
                                       "jumps_anywhere",
                                       "unknown_instruction",
                                       "repeated",
                                       "may_fault",
                                       "alternative",
                                       "next_from_outside",
                                       "next_in_data",
                                       "next_is_address",
                                       "next_of_other_key",
                                       "next_of_fixup",
                                       "next_in_loop",
                                       "on_from_outside",
                                       "on_from_replacement",
                                       "on_from_same",
                                       "on_falls_in",
                                       "on_has_symbol",
                                       "next_is_bug",
                                       "next_is_key",
                                       "next_has_alternative"};

TEST_F(AfterKey, IsWhereTheAssemblySaysSo) {
    ASSERT_NO_FATAL_FAILURE(build({kAlternativesEnd}));
    EXPECT_EQ(functions(true), kSameCalls);
    EXPECT_EQ(functions(false), kOthers);
    const auto &left_out = fixture_->view().file().provenance->left_out_sites;
    ASSERT_TRUE(left_out);
    for (const NamedSite &site : fixture_->sites()) {
        if (!site.function.ends_with("_site"))
            continue;
        // The site is the instruction of the key, after a call of __fentry__ in 5 bytes.
        const std::string symbol = site.function.substr(0, site.function.size() - 5);
        EXPECT_EQ(site.address, fixture_->symbol(symbol) + 5) << symbol;
        ASSERT_EQ(site.params.size(), 1u);
        EXPECT_EQ(site.params[0].loc_text, "reg5") << symbol;
    }
    EXPECT_EQ(left_out->size(), kOthers.size());
}

// If it is not known what the kernel replaces, it is not known what runs.
TEST_F(AfterKey, IsNowhereWithoutTheTableOfAlternatives) {
    ASSERT_NO_FATAL_FAILURE(build());
    EXPECT_EQ(functions(true), std::set<std::string>());
    EXPECT_EQ(functions(false).size(), kSameCalls.size() + kOthers.size());
}

TEST(AfterKeyArguments, KeepTheirValues) {
    using generator::FlowChanges;
    using generator::LocParam;
    const auto param = [](uint32_t flags, uint32_t first, uint32_t second = 0, uint32_t vlen = 1) {
        return LocParam{.size = 8, .flags = flags, .vlen = vlen, .values = {first, second, 0}};
    };
    const struct {
        const char *name;
        LocParam param;
        FlowChanges changes;
        bool keeps;
    } rows[] = {
        {"a constant", param(LOC_CONST, 5, 0, 2), {.writes = 0xffff, .stores = true}, true},
        {"an address", param(LOC_CONST | LOC_ADDR, 5, 0, 2), {.writes = 0xffff}, true},
        {"a register", param(LOC_REG, 5), {.writes = 0xffdf, .stores = true}, true},
        {"the register is written", param(LOC_REG, 5), {.writes = 0x20}, false},
        {"the low half", param(LOC_REG, 0, 2, 2), {.writes = 0x1}, false},
        {"the high half", param(LOC_REG, 0, 2, 2), {.writes = 0x4}, false},
        {"neither half", param(LOC_REG, 0, 2, 2), {.writes = 0xfffa}, true},
        {"register + 2", param(LOC_REG | LOC_OFFSET, 0, 2, 2), {.writes = 0x4}, true},
        {"register + 2 is written", param(LOC_REG | LOC_OFFSET, 0, 2, 2), {.writes = 0x1}, false},
        {"memory", param(LOC_REG | LOC_DEREF, 7), {.writes = 0xff7f}, true},
        {"memory is written", param(LOC_REG | LOC_DEREF, 7), {.stores = true}, false},
        {"its register is written", param(LOC_REG | LOC_DEREF, 7), {.writes = 0x80}, false},
        {"memory + 3", param(LOC_REG | LOC_DEREF | LOC_OFFSET, 7, 3, 2), {.writes = 0x8}, true},
        {"the return address", param(LOC_REG, 16), {}, false},
        {"the frame base", param(LOC_REG, LOC_FRAME_BASE), {}, false},
        {"nothing that is known", param(0, 0), {}, false},
    };
    for (const auto &row : rows)
        EXPECT_EQ(generator::keeps(row.param, row.changes), row.keeps) << row.name;

    const struct {
        const char *name;
        generator::CodeReads reads;
        FlowChanges changes;
        bool keeps;
    } codes[] = {
        {"nothing", {}, {.writes = 0xffff, .stores = true}, true},
        {"registers", {.registers = 0x21}, {.writes = 0xffde, .stores = true}, true},
        {"one of them is written", {.registers = 0x21}, {.writes = 0x1}, false},
        {"memory", {.registers = 0x20, .memory = true}, {.writes = 0xffdf}, true},
        {"memory is written", {.registers = 0x20, .memory = true}, {.stores = true}, false},
        {"static memory is written", {.memory = true}, {.stores = true}, false},
        {"no register of a body", {.registers = 0x10000}, {}, false},
    };
    for (const auto &row : codes)
        EXPECT_EQ(generator::keeps(row.reads, row.changes), row.keeps) << row.name;
}

}  // namespace
}  // namespace btf_extra
