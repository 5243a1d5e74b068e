// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Every call of an inlined function begins at exactly one of its sites, even if the compiler has
// copied its code. Hits are counted under ptrace and compared with what the source says.
#include <algorithm>
#include <map>
#include <memory>

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

// The functions of parts.c that call themselves are missing: the compiler turns their last call
// into a loop.
const Program kPrograms[] = {
    {"copies.c", {{"is_empty", 4}, {"value_of", 5}, {"at_end", 5}, {"unrolled", 3}}},
    {"macros.c", {{"inner_written", 2}}},
    {"macro_copies.c", {{"is_dirty", 1}, {"is_ready", 4}}},
    {"parts.c", {{"early_out", 4}, {"with_body", 6}, {"inlined_again", 4}}},
};

class CopiedEntries : public testing::TestWithParam<Recipe> {
  protected:
    void build(const std::string &source, const Recipe &recipe) {
        const std::string path = folder_.path("program");
        test::link_fixture(path, {source}, recipe);
        test::add_base_btf(path);
        auto opened = GeneratedFixture::open(path);
        ASSERT_TRUE(opened) << opened.error().message;
        fixture_ = std::move(*opened);
    }
    // Counts how often the wanted sites are hit, by function. Returns false if ptrace is not
    // allowed here.
    template <class Wanted> bool run(Wanted wanted) {
        auto process = TracedProcess::start(folder_.path("program"));
        if (!process)
            return false;
        std::multimap<uint64_t, const NamedSite *> sites;
        for (const NamedSite &site : fixture_->sites())
            if (wanted(site)) {
                sites.emplace(site.address, &site);
                process->stop_at(site.address);
            }
        hits_.clear();
        while (const auto address = process->run()) {
            const auto [first, last] = sites.equal_range(*address);
            for (auto at = first; at != last; ++at)
                ++hits_[at->second->function];
        }
        EXPECT_EQ(process->ending(), "exit code 0");
        return true;
    }

    test::TemporaryFolder folder_;
    std::unique_ptr<GeneratedFixture> fixture_;
    Calls hits_;
};

TEST_P(CopiedEntries, EveryCallIsHitOnce) {
    for (const Program &program : kPrograms) {
        SCOPED_TRACE(program.source);
        ASSERT_NO_FATAL_FAILURE(build(program.source, GetParam()));
        if (!run([&](const NamedSite &site) {
                return program.calls.contains(site.function) && !(site.marks & SITE_MARK_PART);
            }))
            GTEST_SKIP() << "ptrace is not allowed here";
        EXPECT_EQ(hits_, program.calls);
    }
}

// doubled() is called once.
TEST_P(CopiedEntries, WithoutAnEntryHitsAreNoCalls) {
    ASSERT_NO_FATAL_FAILURE(build("copies.c", GetParam()));
    const auto marked = [](const NamedSite &site) {
        return site.function == "doubled" && (site.marks & SITE_MARK_NO_ENTRY);
    };
    if (!run([](const NamedSite &site) {
            return site.function == "doubled" && !(site.marks & SITE_MARK_NO_ENTRY);
        }))
        GTEST_SKIP() << "ptrace is not allowed here";
    EXPECT_LE(hits_["doubled"], 1u);
    ASSERT_TRUE(run(marked));
    if (GetParam().level == "-O2") {
        EXPECT_EQ(std::ranges::count_if(fixture_->sites(), marked), 1);
        EXPECT_EQ(hits_["doubled"], 2u);
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
