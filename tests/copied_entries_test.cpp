// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Every call of an inlined function begins at one of its sites, once, also where the compiler has
// copied its code: counted under ptrace, against what the source says.
#include <map>

#include <gtest/gtest.h>

#include "tests/support/fixture_build.h"
#include "tests/support/traced_process.h"

namespace btf_extra {
namespace {

using test::GeneratedFixture;
using test::NamedSite;
using test::Recipe;
using test::TracedProcess;

using Calls = std::map<std::string, size_t>;

struct Program {
    std::string source;
    Calls calls;  // worked out by hand
};

// Not those of parts.c that call themselves: the compiler makes a loop of their last call.
const Program kPrograms[] = {
    {"copies.c", {{"is_empty", 4}, {"value_of", 5}, {"at_end", 5}, {"unrolled", 3}}},
    {"parts.c", {{"early_out", 4}, {"with_body", 6}, {"inlined_again", 4}}},
};

class CopiedEntries : public testing::TestWithParam<Recipe> {};

TEST_P(CopiedEntries, EveryCallIsHitOnce) {
    for (const Program &program : kPrograms) {
        SCOPED_TRACE(program.source);
        test::TemporaryFolder folder;
        const std::string path = folder.path("program");
        test::link_fixture(path, {program.source}, GetParam());
        test::add_base_btf(path);
        auto opened = GeneratedFixture::open(path);
        ASSERT_TRUE(opened) << opened.error().message;
        auto process = TracedProcess::start(path);
        if (!process)
            GTEST_SKIP() << "ptrace is not allowed here";
        std::multimap<uint64_t, const NamedSite *> sites;
        for (const NamedSite &site : (*opened)->sites()) {
            if (!program.calls.contains(site.function) || (site.marks & SITE_MARK_PART))
                continue;
            sites.emplace(site.address, &site);
            process->stop_at(site.address);
        }
        Calls hits;
        while (const auto address = process->run()) {
            const auto [first, last] = sites.equal_range(*address);
            for (auto at = first; at != last; ++at)
                ++hits[at->second->function];
        }
        EXPECT_EQ(process->ending(), "exit code 0");
        EXPECT_EQ(hits, program.calls);
    }
}

std::string test_name(const testing::TestParamInfo<Recipe> &info) {
    std::string out;
    for (const char c : info.param.name())
        if (std::isalnum(static_cast<unsigned char>(c)))
            out += c;
    return out;
}

std::vector<Recipe> gcc_recipes() {
    std::vector<Recipe> out;
    for (const Recipe &recipe : test::recipes({"-O1", "-O2", "-O3", "-Os"}))
        if (recipe.compiler == "gcc")
            out.push_back(recipe);
    return out;
}

INSTANTIATE_TEST_SUITE_P(All, CopiedEntries, testing::ValuesIn(gcc_recipes()), test_name);

}  // namespace
}  // namespace btf_extra
