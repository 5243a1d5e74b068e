// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Clang's debug information names one value at an address. A program that notes down its arguments
// is stopped at each inlined site, and no location may give another value.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/fixture_test.h"
#include "tests/support/traced_process.h"

namespace btf_extra {
namespace {

using test::GeneratedFixture;
using test::NamedSite;
using test::Recipe;
using test::TracedProcess;

class LastValues : public test::FixtureTest {};

TEST_F(LastValues, NoLocationHasAnotherValue) {
    for (const char *level : {"-O1", "-O2", "-O3", "-Os"}) {
        for (const char *dwarf : {"-gdwarf-4", "-gdwarf-5"}) {
            const Recipe recipe{.compiler = "clang-14", .level = level, .dwarf = dwarf};
            SCOPED_TRACE(recipe.name());
            const GeneratedFixture &fixture = build("last_values.c", recipe);
            auto process = TracedProcess::start(path());
            if (!process)
                GTEST_SKIP() << "ptrace is not allowed here";
            std::multimap<uint64_t, const NamedSite *> sites;
            for (const NamedSite &site : fixture.sites())
                if (!site.body && !site.params.empty()) {
                    sites.emplace(site.address, &site);
                    process->stop_at(site.address);
                }
            const uint64_t passed = fixture.symbol("passed");
            ASSERT_NE(passed, 0u);
            std::set<std::string> right;
            while (const auto address = process->run()) {
                const auto [first, last] = sites.equal_range(*address);
                for (auto at = first; at != last; ++at) {
                    const NamedSite::Param &param = at->second->params[0];
                    if (!param.loc)
                        continue;
                    const auto found = process->value(param.loc, param.size, fixture.text_base());
                    ASSERT_TRUE(found);
                    uint64_t value = 0;
                    std::memcpy(&value, found->data(), found->size());
                    EXPECT_EQ(value, process->word(passed)) << at->second->function;
                    right.insert(at->second->function);
                }
            }
            EXPECT_EQ(process->ending(), "exit code 0");
            EXPECT_EQ(right, std::set<std::string>{"kept"});
        }
    }
}

// kept_once() has nothing against it but that no other instance shows the same.
TEST_F(LastValues, ReasonsAreShown) {
    const GeneratedFixture &fixture = build("last_values.c", {.compiler = "clang-14"});
    for (const char *function : {"masked", "completed", "kept_once"}) {
        const std::vector<NamedSite> sites = fixture.sites_of(function);
        ASSERT_FALSE(sites.empty()) << function;
        for (const NamedSite &site : sites)
            EXPECT_EQ(site.params[0].reason, MissingReason::kPerhapsAssigned) << function;
    }
}

// GCC numbers the views of an address, and tells both values.
TEST_F(LastValues, GccHasFirstValues) {
    const GeneratedFixture &fixture = build("last_values.c", {});
    for (const char *function : {"masked", "shifted", "skipped", "kept_once"})
        for (const NamedSite &site : fixture.sites_of(function))
            EXPECT_TRUE(site.params[0].loc) << function;
}

// LLVM's location lists begin after endbr64 and the call of __fentry__.
TEST_F(LastValues, BodiesHaveTheirParametersBehindHooks) {
    const GeneratedFixture &fixture =
        build("behind_hooks.c", {.compiler = "clang-14", .more = {"-pg", "-mfentry"}});
    const std::vector<NamedSite> sites = fixture.sites_of("scaled");
    ASSERT_EQ(sites.size(), 1u);
    EXPECT_EQ(sites[0].address, fixture.symbol("scaled"));
    EXPECT_EQ(sites[0].param("a").loc_text, "reg5");
    EXPECT_EQ(sites[0].param("b").loc_text, "reg4");
}

}  // namespace
}  // namespace btf_extra
