// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Bodies and instances as no compiler lays them out, and the chains that the section has for them.
#include "userspace/generator/write/frame_writer.h"

#include <elf.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

extern "C" {
#include "tests/core/frame_run.h"
}

namespace btf_extra::test {

using namespace generator;

namespace {

// The sections are those of the file in the world: .text and .init.text.
constexpr uint64_t kText = CONTAINER_TEXT, kInit = CONTAINER_INIT_TEXT;

// FUNCs there. A function of the rows is a number in this list.
const std::vector<uint32_t> kFuncIds = {6, 7, 8, 3};

const frame_world &world() {
    static const auto made = [] {
        auto world = std::make_unique<frame_world>();
        EXPECT_TRUE(frame_world_make(world.get()));
        return world;
    }();
    return *made;
}

// A function whose code is in ranges: a body, or at depth n what is inlined in the last one of
// depth n - 1.
struct Entry {
    uint32_t depth;
    uint32_t function;
    std::vector<CodeRange> ranges;
    uint32_t line = 0;
    const char *file = "a.c";
};

struct Place {
    uint64_t address;
    std::string chain;  // like "7 a.c:12, 6": the FUNC that is inlined, its call, the body
};

struct Counts {
    uint64_t left_bodies = 0, left_instances = 0;  // that are left out
    uint32_t calls = 0, funcs = 0;                 // in the tables
};

struct Row {
    const char *name;
    std::vector<std::vector<Entry>> units;
    std::vector<Place> places;
    Counts counts = {};
};

UnitSites unit_of(const std::vector<Entry> &entries) {
    UnitSites unit;
    std::vector<uint32_t> last;  // frame of each depth
    for (const Entry &entry : entries) {
        const auto number = static_cast<uint32_t>(unit.frames.size());
        last.resize(entry.depth);
        uint32_t file = 0;
        if (entry.depth != 0 && entry.line != 0) {
            file = static_cast<uint32_t>(std::ranges::find(unit.call_files, entry.file) -
                                         unit.call_files.begin());
            if (file == unit.call_files.size())
                unit.call_files.emplace_back(entry.file);
        }
        unit.frames.push_back({.function = entry.function,
                               .caller = entry.depth == 0 ? CodeFrame::kNoCaller : last.back(),
                               .first_range = static_cast<uint32_t>(unit.frame_ranges.size()),
                               .nr_ranges = static_cast<uint32_t>(entry.ranges.size()),
                               .call_file = file,
                               .call_line = entry.line});
        unit.frame_ranges.insert(unit.frame_ranges.end(), entry.ranges.begin(), entry.ranges.end());
        last.push_back(number);
    }
    return unit;
}

const std::vector<ElfSection> &sections() {
    static const std::vector<ElfSection> all = {
        {".text", 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, kText, CONTAINER_TEXT_SIZE},
        {".rodata", 2, SHT_PROGBITS, SHF_ALLOC, 0x2000, 0x100},
        {".init.text", 3, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, kInit, CONTAINER_INIT_TEXT_SIZE},
    };
    return all;
}

WrittenFrames write(const Row &row, const std::vector<ElfSection> &sections) {
    std::vector<UnitSites> units;
    MergedUnits merged;
    merged.functions.resize(kFuncIds.size());
    for (const std::vector<Entry> &entries : row.units) {
        units.push_back(unit_of(entries));
        merged.function_numbers.push_back({0, 1, 2, 3});
    }
    return write_frames(units, merged, kFuncIds, sections);
}

// The core reads words where they lie.
std::vector<uint32_t> words_of(const WrittenFrames &written) {
    std::vector<uint32_t> words((written.bytes.size() + 3) / 4);
    std::ranges::copy(written.bytes, std::as_writable_bytes(std::span(words)).begin());
    return words;
}

std::string chain_at(const inline_frames &frames, uint64_t address) {
    const bool in_init = address >= kInit;
    const int section = inline_frames_find_section(&frames, in_init ? ".init.text" : ".text");
    inline_frame found[INLINE_FRAMES_DEPTH];
    const uint32_t nr =
        section < 0 ? 0
                    : inline_frames_at(&frames, static_cast<uint32_t>(section),
                                       static_cast<uint32_t>(address - (in_init ? kInit : kText)),
                                       found, INLINE_FRAMES_DEPTH);
    std::string out;
    for (uint32_t n = 0; n < nr; n++) {
        out += fmt::format("{}{}", n == 0 ? "" : ", ", found[n].func);
        if (n + 1 < nr)
            out += fmt::format(
                " {}:{}",
                found[n].call_file != 0 ? inline_frames_file(&frames, found[n].call_file) : "?",
                found[n].call_line);
    }
    return out;
}

std::vector<Entry> deep(uint32_t nr) {
    std::vector<Entry> entries = {{0, 0, {{kText, kText + 2}}}};
    for (uint32_t depth = 1; depth <= nr; depth++)
        entries.push_back({depth, 1, {{kText, kText + 1}}, 9});
    return entries;
}

// An instance in each of that many bodies, called at one place.
std::vector<Entry> repeated(uint32_t nr, uint32_t line) {
    std::vector<Entry> entries;
    for (uint64_t at = kText; nr != 0; nr--, at += 8) {
        entries.push_back({0, 0, {{at, at + 8}}});
        entries.push_back({1, 1, {{at + 2, at + 4}}, line});
    }
    return entries;
}

std::vector<CodeRange> every_other_byte(uint32_t nr) {
    std::vector<CodeRange> ranges;
    for (uint64_t at = kText; nr != 0; nr--, at += 2)
        ranges.push_back({at, at + 1});
    return ranges;
}

std::string called(uint32_t times) {
    std::string out;
    for (; times != 0; times--)
        out += "7 a.c:9, ";
    return out + "6";
}

const Row kRows[] = {
    {"a hole in an instance",
     {{{0, 0, {{0x1010, 0x1040}}}, {1, 1, {{0x1014, 0x1018}, {0x1020, 0x1024}}, 12}}},
     {{0x100f, ""},
      {0x1010, "6"},
      {0x1014, "7 a.c:12, 6"},
      {0x1017, "7 a.c:12, 6"},
      {0x1018, "6"},
      {0x101f, "6"},
      {0x1020, "7 a.c:12, 6"},
      {0x1024, "6"},
      {0x103f, "6"},
      {0x1040, ""}}},
    {"a hole in a body, and an instance on both sides of it",
     {{{0, 0, {{0x1010, 0x1020}, {0x1030, 0x1040}}}, {1, 1, {{0x1018, 0x1038}}, 12}}},
     {{0x101f, "7 a.c:12, 6"}, {0x1020, ""}, {0x102f, ""}, {0x1030, "7 a.c:12, 6"}, {0x1038, "6"}}},
    {"a cold part in another section",
     {{{0, 0, {{0x1010, 0x1020}, {0x4000, 0x4010}}}, {1, 1, {{0x4004, 0x4008}}, 12}}},
     {{0x1010, "6"}, {0x4000, "6"}, {0x4004, "7 a.c:12, 6"}, {0x4008, "6"}, {0x4010, ""}}},
    {"an instance that leaves its caller",
     {{{0, 0, {{0x1010, 0x1040}}}, {1, 1, {{0x1000, 0x1018}}, 12}, {1, 2, {{0x1038, 0x1050}}, 13}}},
     {{0x100f, ""}, {0x1010, "7 a.c:12, 6"}, {0x1018, "6"}, {0x103f, "8 a.c:13, 6"}, {0x1040, ""}}},
    {"an instance outside of its caller, and what is in it",
     {{{0, 0, {{0x1010, 0x1040}}}, {1, 1, {{0x1040, 0x1050}}, 12}, {2, 2, {{0x1010, 0x1020}}, 13}}},
     {{0x1010, "6"}, {0x1040, ""}},
     {.left_instances = 1}},
    {"an empty instance",
     {{{0, 0, {{0x1010, 0x1040}}}, {1, 1, {{0x1014, 0x1014}}, 12}}},
     {{0x1014, "6"}},
     {.left_instances = 1}},
    {"ranges in any order that touch, overlap or are empty",
     {{{0, 0, {{0x1010, 0x1040}}},
       {1, 1, {{0x1020, 0x1024}, {0x1014, 0x1018}, {0x1016, 0x101c}, {0x101c, 0x1020}, {0, 0}}, 12},
       {2, 2, {{0x1018, 0x1022}}, 13}}},
     {{0x1013, "6"},
      {0x1014, "7 a.c:12, 6"},
      {0x1018, "8 a.c:13, 7 a.c:12, 6"},
      {0x1021, "8 a.c:13, 7 a.c:12, 6"},
      {0x1022, "7 a.c:12, 6"},
      {0x1024, "6"}}},
    {"instances that stand in another order than their code",
     {{{0, 0, {{0x1010, 0x1040}}},
       {1, 1, {{0x1030, 0x1034}}, 30, "b.c"},
       {1, 2, {{0x1020, 0x1024}}, 20},
       {1, 3, {{0x1014, 0x1018}}}}},
     {{0x1014, "3 ?:0, 6"}, {0x1020, "8 a.c:20, 6"}, {0x1030, "7 b.c:30, 6"}}},
    {"two instances of one caller that overlap: the first has the code",
     {{{0, 0, {{0x1010, 0x1040}}}, {1, 1, {{0x1018, 0x1024}}, 12}, {1, 2, {{0x1014, 0x1020}}, 13}}},
     {{0x1014, "8 a.c:13, 6"}, {0x101f, "8 a.c:13, 6"}, {0x1020, "7 a.c:12, 6"}}},
    {"two instances that begin together: the first in the DWARF has the code",
     {{{0, 0, {{0x1010, 0x1040}}}, {1, 1, {{0x1014, 0x1018}}, 12}, {1, 2, {{0x1014, 0x101c}}, 13}}},
     {{0x1014, "7 a.c:12, 6"}, {0x1018, "8 a.c:13, 6"}}},
    {"two bodies that overlap: the lower one stays",
     {{{0, 1, {{0x1020, 0x1050}}}, {0, 0, {{0x1010, 0x1040}}}}},
     {{0x1010, "6"}, {0x1020, "6"}, {0x103f, "6"}, {0x1040, ""}},
     {.left_bodies = 1}},
    {"one body in two units: the first stays",
     {{{0, 0, {{0x1010, 0x1040}}}, {1, 1, {{0x1014, 0x1018}}, 12}},
      {{0, 0, {{0x1010, 0x1040}}}, {1, 2, {{0x1014, 0x1018}}, 13, "b.c"}}},
     {{0x1014, "7 a.c:12, 6"}},
     {.left_bodies = 1}},
    {"one file of two units",
     {{{0, 0, {{0x1010, 0x1020}}}, {1, 1, {{0x1014, 0x1018}}, 12, "b.c"}},
      {{0, 0, {{0x1030, 0x1040}}},
       {1, 1, {{0x1034, 0x1036}}, 13},
       {1, 2, {{0x1036, 0x1038}}, 14, "b.c"}}},
     {{0x1014, "7 b.c:12, 6"}, {0x1034, "7 a.c:13, 6"}, {0x1036, "8 b.c:14, 6"}}},
    {"8 pieces", {{{0, 0, every_other_byte(8)}}}, {{0x1000, "6"}, {0x1001, ""}, {0x100e, "6"}}},
    {"a body of 9 pieces is left out",
     {{{0, 0, every_other_byte(9)}}},
     {{0x1000, ""}},
     {.left_bodies = 1}},
    {"a body that leaves its section",
     {{{0, 0, {{0x10f0, 0x1110}}}, {1, 1, {{0x10f8, 0x1108}}, 12}}},
     {{0x10f0, "6"}, {0x10ff, "7 a.c:12, 6"}}},
    {"code in data", {{{0, 0, {{0x2000, 0x2010}}}, {1, 1, {{0x2000, 0x2010}}, 12}}}, {}},
    {"63 calls in one another",
     {deep(63)},
     {{kText, called(63)}, {kText + 1, "6"}},
     {.calls = 1, .funcs = 1}},
    {"of 64 calls in one another the innermost is left out",
     {deep(64)},
     {{kText, called(63)}},
     {.left_instances = 1, .calls = 1, .funcs = 1}},
    {"3 equal calls", {repeated(3, 12)}, {{0x1012, "7 a.c:12, 6"}}},
    {"4 equal calls", {repeated(4, 12)}, {{0x101a, "7 a.c:12, 6"}}, {.calls = 1}},
    {"4 equal calls in the last line of the table",
     {repeated(4, 65535)},
     {{0x101a, "7 a.c:65535, 6"}},
     {.calls = 1}},
    {"4 equal calls in a higher line", {repeated(4, 65536)}, {{0x101a, "7 a.c:65536, 6"}}},
    {"7 instances of a function", {repeated(7, 12)}, {{0x1032, "7 a.c:12, 6"}}, {.calls = 1}},
    {"8 instances of a function",
     {repeated(8, 12)},
     {{0x103a, "7 a.c:12, 6"}},
     {.calls = 1, .funcs = 1}},
};

TEST(FrameWriter, Rows) {
    for (const Row &row : kRows) {
        SCOPED_TRACE(row.name);
        const WrittenFrames written = write(row, sections());
        const std::vector<uint32_t> words = words_of(written);
        frame_outcome outcome;
        frame_run(&outcome, &world(), words.data(), static_cast<uint32_t>(written.bytes.size()));
        ASSERT_EQ(outcome.error, 0) << btf_fault_text(outcome.fault.code);
        ASSERT_EQ(outcome.broken, nullptr) << outcome.broken;
        for (const Place &place : row.places)
            EXPECT_EQ(chain_at(outcome.frames, place.address), place.chain)
                << fmt::format("{:#x}", place.address);
        EXPECT_EQ(written.left_out.bodies, row.counts.left_bodies);
        EXPECT_EQ(written.left_out.instances, row.counts.left_instances);
        EXPECT_EQ(outcome.frames.counts.nr_calls, row.counts.calls);
        EXPECT_EQ(outcome.frames.counts.nr_funcs, row.counts.funcs);
    }
}

// Pages have 8 KiB. Blocks of .text begin in the first two of it, of .init.text in the first and in
// the fourth.
TEST(FrameWriter, Pages) {
    const std::vector<ElfSection> large = {
        {".text", 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, kText, 0x3000},
        {".init.text", 3, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, kInit, 0x10000},
    };
    const uint64_t begins[] = {0x1000, 0x1010, 0x1020, 0x1030, 0x3008,
                               0x4000, 0x4010, 0x4020, 0x4030, 0xa010};
    std::vector<Entry> bodies;
    for (const uint64_t at : begins)
        bodies.push_back({0, 0, {{at, at + 8}}});
    const WrittenFrames written = write({"", {bodies}, {}}, large);
    const std::vector<uint32_t> words = words_of(written);
    const extra_bytes given = {words.data(), static_cast<uint32_t>(written.bytes.size())};
    const extra_elf no_file = {};
    inline_frames frames;
    btf_fault fault = {};
    ASSERT_EQ(inline_frames_open(&frames, &given, &world().core.func_info, &no_file, &fault), 0)
        << btf_fault_text(fault.code);
    ASSERT_EQ(frames.counts.page_bits, 13u);
    EXPECT_EQ(std::vector(frames.pages, frames.pages + 4), std::vector<uint32_t>(4, 1));
    for (const uint64_t at : begins) {
        SCOPED_TRACE(at);
        EXPECT_EQ(chain_at(frames, at), "6");
        EXPECT_EQ(chain_at(frames, at + 7), "6");
        EXPECT_EQ(chain_at(frames, at + 8), "");
    }
    for (const uint64_t nowhere : {0x2fff, 0x3000, 0x3007, 0x3fff, 0x6000, 0xa00f, 0xc000, 0x13fff})
        EXPECT_EQ(chain_at(frames, nowhere), "") << nowhere;
}

}  // namespace
}  // namespace btf_extra::test
