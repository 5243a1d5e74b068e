// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Clang does not record where an inlined call begins. The sites that the control flow proves are
// hit as often as the source calls, and they are where clang's pseudo probes are.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/fixture_test.h"
#include "tests/support/pseudo_probes.h"
#include "tests/support/traced_process.h"

namespace btf_extra {
namespace {

using test::GeneratedFixture;
using test::NamedSite;
using test::Recipe;
using test::TracedProcess;

// f1() calls get() three times. The list has three nodes: both() gets 2 of them without the flag
// and 3 with it. f2() checks 3, and f3() one without the flag.
const std::map<std::string, size_t> kCalls = {
    {"get", 3 + 2 + 3}, {"chk", 3 + 1}, {"both", 3}, {"pick", 11}, {"mix", 11}};

class FlowEntries : public test::FixtureTest {};

std::vector<Recipe> clang_recipes() {
    std::vector<Recipe> out;
    for (const char *level : {"-O1", "-O2", "-O3", "-Os"}) {
        out.push_back({.compiler = "clang-14", .level = level});
        out.push_back({.compiler = "clang-14",
                       .level = level,
                       .dwarf = "-gdwarf-4",
                       .more = {"-falign-loops=1"}});
        out.push_back(
            {.compiler = "clang-14", .level = level, .more = {"-flto=thin", "-fuse-ld=lld"}});
    }
    return out;
}

// A function all of whose sites are proven is seen as often as it is called. At -O3 clang unrolls
// the loops that call pick() and mix(), and their first copies are not proven.
TEST_F(FlowEntries, EachHitIsACall) {
    std::set<std::string> seen_whole;
    for (const Recipe &recipe : clang_recipes()) {
        SCOPED_TRACE(recipe.name());
        const GeneratedFixture &fixture = build("entries.c", recipe);
        auto process = TracedProcess::start(path());
        if (!process)
            GTEST_SKIP() << "ptrace is not allowed here";
        std::multimap<uint64_t, const NamedSite *> sites;
        std::set<std::string> unproven;
        for (const NamedSite &site : fixture.sites()) {
            if (site.body || !kCalls.contains(site.function))
                continue;
            if (site.marks != 0) {
                unproven.insert(site.function);
                continue;
            }
            sites.emplace(site.address, &site);
            process->stop_at(site.address);
        }
        std::map<std::string, size_t> hits;
        while (const auto address = process->run()) {
            const auto [first, last] = sites.equal_range(*address);
            for (auto at = first; at != last; ++at)
                ++hits[at->second->function];
        }
        EXPECT_EQ(process->ending(), "exit code 0");
        for (const auto &[function, calls] : kCalls) {
            EXPECT_LE(hits[function], calls) << function;
            if (unproven.contains(function))
                continue;
            EXPECT_EQ(hits[function], calls) << function;
            seen_whole.insert(function);
        }
    }
    // both() begins with the condition of its loop. clang copies that to the end of the loop,
    // where it looks like a copy of the call.
    for (const auto &[function, _] : kCalls)
        EXPECT_EQ(seen_whole.contains(function), function != "both") << function;
}

TEST_F(FlowEntries, SitesAreWherePseudoProbesAre) {
    for (Recipe recipe : clang_recipes()) {
        SCOPED_TRACE(recipe.name());
        recipe.more.insert(recipe.more.end(),
                           {"-fpseudo-probe-for-profiling", "-fno-unique-internal-linkage-names"});
        const GeneratedFixture &fixture = build("entries.c", recipe);
        const test::ProbeCensus census = test::probe_census(path(), fixture.sites());
        EXPECT_GT(census.plain.judged, 5u);
        EXPECT_EQ(census.plain.without_probes, 0u);
        EXPECT_EQ(census.plain.odd, std::vector<std::string>());
        EXPECT_GE(census.entries_with_site * 100, census.entries * 95);
    }
}

}  // namespace
}  // namespace btf_extra
