// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// These programs note down the arguments of their own functions. They are stopped at every site,
// and there the locations must give what was passed, call by call.
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/fixture_build.h"
#include "tests/support/traced_process.h"

namespace btf_extra {
namespace {

using test::GeneratedFixture;
using test::NamedSite;
using test::Recipe;
using test::TracedProcess;

// The size of struct record of tests/fixtures/traced.c, in words.
constexpr uint64_t kRecordWords = 22;
// The calls of functions that note down their arguments: run() makes 60, and it is called three
// times.
constexpr size_t kCalls = 180;

using Words = std::array<uint64_t, 2>;

// The arguments of one call, as the program noted them down.
using Passed = std::vector<Words>;

// The values found at a site. A parameter without a location has none.
struct Arrival {
    const NamedSite *site;
    std::vector<std::optional<std::vector<uint8_t>>> values;
};

// The calls of each function, in the order of time.
std::map<std::string, std::vector<Passed>> read_records(const GeneratedFixture &fixture,
                                                        const TracedProcess &process) {
    std::map<std::string, std::vector<Passed>> out;
    const uint64_t count = process.word(fixture.symbol("nr_records"));
    uint64_t at = fixture.symbol("records");
    for (uint64_t i = 0; i < count; i++, at += kRecordWords * 8) {
        Passed passed(process.word(at + 8));
        for (size_t n = 0; n < passed.size(); n++)
            passed[n] = {process.word(at + 16 + n * 16), process.word(at + 24 + n * 16)};
        out[process.string(process.word(at))].push_back(passed);
    }
    return out;
}

void compare(const Arrival &arrival, const Passed &passed) {
    for (size_t i = 0; i < std::min(arrival.values.size(), passed.size()); i++) {
        if (!arrival.values[i])
            continue;
        const NamedSite::Param &param = arrival.site->params[i];
        std::vector<uint8_t> expected;
        for (uint32_t byte = 0; byte < param.size; byte++)
            expected.push_back(static_cast<uint8_t>(passed[i][byte / 8] >> (8 * (byte % 8))));
        EXPECT_EQ(*arrival.values[i], expected) << fmt::format(
            "{} at {:#x}, where {}: {} = {}", arrival.site->function, arrival.site->address,
            passed.empty() ? 0 : passed[0][0], param.name, param.loc_text);
    }
}

class FixtureRun : public testing::TestWithParam<Recipe> {};

TEST_P(FixtureRun, LocationsHoldWhatWasPassed) {
    test::TemporaryFolder folder;
    const std::string path = folder.path("traced");
    test::link_fixture(path, {"traced.c"}, GetParam());
    test::add_base_btf(path);
    auto opened = GeneratedFixture::open(path);
    ASSERT_TRUE(opened) << opened.error().message;
    const GeneratedFixture &fixture = **opened;

    auto process = TracedProcess::start(path);
    if (!process)
        GTEST_SKIP() << "ptrace is not allowed here";
    std::multimap<uint64_t, const NamedSite *> sites;
    for (const NamedSite &site : fixture.sites()) {
        sites.emplace(site.address, &site);
        process->stop_at(site.address);
    }
    const uint64_t finished = fixture.symbol("finished");
    ASSERT_NE(finished, 0u);
    process->stop_at(finished);

    std::map<std::string, std::vector<Arrival>> arrivals;
    for (;;) {
        const auto address = process->run();
        ASSERT_TRUE(address) << process->ending();
        if (*address == finished)
            break;
        const auto [first, last] = sites.equal_range(*address);
        for (auto at = first; at != last; ++at) {
            Arrival arrival{.site = at->second, .values = {}};
            for (const NamedSite::Param &param : arrival.site->params) {
                arrival.values.emplace_back();
                if (!param.loc)
                    continue;
                arrival.values.back() = process->value(param.loc, param.size, fixture.text_base());
                EXPECT_TRUE(arrival.values.back())
                    << arrival.site->function << " " << param.name << " " << param.loc_text;
            }
            arrivals[arrival.site->function].push_back(std::move(arrival));
        }
    }

    size_t calls = 0, params = 0, located = 0;
    for (const auto &[function, passed] : read_records(fixture, *process)) {
        const std::vector<Arrival> &arrived = arrivals[function];
        EXPECT_EQ(arrived.size(), passed.size()) << function;
        for (size_t i = 0; i < std::min(arrived.size(), passed.size()); i++) {
            EXPECT_GE(arrived[i].values.size(), passed[i].size());
            compare(arrived[i], passed[i]);
            params += arrived[i].values.size();
            for (const auto &value : arrived[i].values)
                located += value.has_value();
        }
        calls += passed.size();
    }
    EXPECT_EQ(calls, kCalls);
    // A run that finds nothing proves nothing: this many locations the compilers give at least.
    // Most of these functions are inlined once, and clang's only instance has no locations.
    const size_t least = GetParam().compiler == "clang-14" ? 3 : 6;
    EXPECT_GT(located * 10, params * least) << located << " of " << params;
}

std::string test_name(const testing::TestParamInfo<Recipe> &info) {
    std::string out;
    for (const char c : info.param.name())
        if (std::isalnum(static_cast<unsigned char>(c)))
            out += c;
        else if (c == ' ')
            out += '_';
    return out;
}

std::vector<Recipe> run_recipes() {
    std::vector<Recipe> out = test::recipes({"-O1", "-O2", "-O3", "-Os"});
    // The frame is described by .debug_frame, as in a kernel, or it has a frame pointer.
    for (const char *compiler : {"gcc", "clang-14"})
        for (const char *flag : {"-fno-asynchronous-unwind-tables", "-fno-omit-frame-pointer"})
            out.push_back({.compiler = compiler, .more = {flag}});
    return out;
}

INSTANTIATE_TEST_SUITE_P(All, FixtureRun, testing::ValuesIn(run_recipes()), test_name);

}  // namespace
}  // namespace btf_extra
