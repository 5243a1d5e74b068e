// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs the rows of .btf_extra.frames, and adds what only userspace can try: every cut, every byte
// changed, many bytes changed at random.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

extern "C" {
#include "tests/core/frame_rows.h"
}

namespace {

const frame_world &world() {
    static const auto made = [] {
        auto world = std::make_unique<frame_world>();
        EXPECT_TRUE(frame_world_make(world.get()));
        return world;
    }();
    return *made;
}

// The sanitizer sees a read beyond the end.
std::vector<u8> bytes_of(const frame_row &row) {
    std::vector<u8> bytes(FRAME_ROW_SIZE);
    bytes.resize(frame_row_bytes(&row, bytes.data()));
    bytes.shrink_to_fit();
    return bytes;
}

frame_outcome run(const std::vector<u8> &bytes) {
    frame_outcome outcome;
    frame_run(&outcome, &world(), bytes.data(), static_cast<u32>(bytes.size()));
    return outcome;
}

template <typename Row> std::string name_of(const Row &row, u32 i) {
    std::string name = row.name;
    for (char &c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)))
            c = '_';
    return std::to_string(i) + "_" + name;
}

class FrameRow : public testing::TestWithParam<u32> {};

TEST_P(FrameRow, ComesOutAsTheRowSays) {
    const frame_row &row = frame_rows[GetParam()];
    const std::vector<u8> bytes = bytes_of(row);
    const frame_outcome outcome = run(bytes);
    const char *wrong = frame_row_verdict(&row, &outcome);
    EXPECT_EQ(wrong, nullptr) << row.name << ": " << wrong << ": "
                              << btf_fault_text(outcome.fault.code) << ", offset "
                              << outcome.fault.offset;
}

INSTANTIATE_TEST_SUITE_P(Frames, FrameRow, testing::Range(0u, frame_nr_rows), [](const auto &info) {
    return name_of(frame_rows[info.param], info.param);
});

class FramePlace : public testing::TestWithParam<u32> {};

TEST_P(FramePlace, HasTheChainOfTheRow) {
    const frame_place_row &place = frame_place_rows[GetParam()];
    const frame_row *row = frame_place_section(&place);
    ASSERT_NE(row, nullptr);
    const std::vector<u8> bytes = bytes_of(*row);
    const frame_outcome outcome = run(bytes);
    ASSERT_EQ(outcome.error, 0);
    const char *wrong = frame_place_verdict(&place, &outcome.frames);
    EXPECT_EQ(wrong, nullptr) << place.name << ": " << wrong;
}

INSTANTIATE_TEST_SUITE_P(Frames, FramePlace, testing::Range(0u, frame_place_nr_rows),
                         [](const auto &info) {
                             return name_of(frame_place_rows[info.param], info.param);
                         });

TEST(Frames, EachFaultHasARow) {
    std::set<std::string> names;
    std::set<u32> codes;
    for (u32 i = 0; i < frame_nr_rows; i++) {
        EXPECT_TRUE(names.insert(frame_rows[i].name).second) << frame_rows[i].name;
        codes.insert(frame_rows[i].code);
    }
    for (u32 code = BTF_FAULT_FRAMES_HEADER; code <= BTF_FAULT_FRAMES_DEPTH; code++)
        EXPECT_TRUE(codes.contains(code)) << btf_fault_text(static_cast<btf_fault_code>(code));
}

TEST(Frames, NamesOfThePlainSection) {
    const std::vector<u8> bytes = bytes_of(frame_rows[0]);
    const frame_outcome outcome = run(bytes);
    ASSERT_EQ(outcome.error, 0);
    EXPECT_EQ(inline_frames_find_section(&outcome.frames, ".text"), 0);
    EXPECT_EQ(inline_frames_find_section(&outcome.frames, ".init.text"), 1);
    EXPECT_EQ(inline_frames_find_section(&outcome.frames, ".exit.text"), -1);
    EXPECT_EQ(inline_frames_find_section(&outcome.frames, "text"), -1);
    EXPECT_STREQ(inline_frames_file(&outcome.frames, 1), "a.c");
    EXPECT_STREQ(inline_frames_file(&outcome.frames, 2), "b.h");
}

template <typename Row> u32 row_named(const Row *rows, const char *name) {
    u32 i = 0;
    while (std::strcmp(rows[i].name, name) != 0)
        i++;
    return i;
}

// A file can be looked at without the BTF that it is over.
TEST(Frames, ABaseWithCountsAloneIsTrusted) {
    struct Memory {
        core_row_images images;
        core_outcome core;
        u64 words[5120];
    };
    const auto memory = std::make_unique<Memory>();
    const u32 core = row_named(core_rows, "counts-only base");
    core_input input;
    ASSERT_TRUE(core_row_input(&core_rows[core], &memory->images, &input));
    core_arena arena{reinterpret_cast<u8 *>(memory->words), sizeof(memory->words), 0};
    core_run(&memory->core, &input, &arena);
    ASSERT_EQ(memory->core.step, CORE_DONE);
    const u32 prototype = row_named(frame_rows, "list with a prototype");
    for (const u32 row : {0u, prototype}) {
        const std::vector<u8> bytes = bytes_of(frame_rows[row]);
        const extra_bytes given{bytes.data(), static_cast<u32>(bytes.size())};
        inline_frames frames;
        btf_fault fault{};
        const int error =
            inline_frames_open(&frames, &given, &memory->core.func_info, &world().elf, &fault);
        EXPECT_EQ(error, row == 0 ? 0 : -EINVAL) << btf_fault_text(fault.code);
    }
}

TEST(Frames, ASectionCutAnywhereIsRefused) {
    const std::vector<u8> whole = bytes_of(frame_rows[0]);
    for (size_t size = 0; size < whole.size(); size++) {
        const std::vector<u8> bytes(whole.begin(), whole.begin() + static_cast<long>(size));
        const frame_outcome outcome = run(bytes);
        ASSERT_EQ(outcome.broken, nullptr) << "cut at " << size << ": " << outcome.broken;
        ASSERT_EQ(outcome.error, -EINVAL) << "cut at " << size;
    }
}

// The records may also end too early, in a section that is whole.
TEST(Frames, RecordsCutAnywhereAreRefused) {
    const std::vector<u8> whole = bytes_of(frame_rows[0]);
    constexpr size_t records = 144;
    for (size_t size = records; size < whole.size(); size++) {
        std::vector<u8> bytes(whole.begin(), whole.begin() + static_cast<long>(size));
        const auto left = static_cast<u32>(size - records);
        std::memcpy(bytes.data() + 32, &left, sizeof(left));
        const frame_outcome outcome = run(bytes);
        ASSERT_EQ(outcome.broken, nullptr) << "cut at " << size << ": " << outcome.broken;
        ASSERT_EQ(outcome.error, -EINVAL) << "cut at " << size;
    }
}

TEST(Frames, ASectionWithAnyByteChangedKeepsThePromises) {
    std::vector<u8> bytes = bytes_of(frame_rows[0]);
    u32 taken = 0;
    for (size_t at = 0; at < bytes.size(); at++) {
        const u8 old = bytes[at];
        for (u32 value = 0; value < 256; value++) {
            bytes[at] = static_cast<u8>(value);
            const frame_outcome outcome = run(bytes);
            ASSERT_EQ(outcome.broken, nullptr) << at << " = " << value << ": " << outcome.broken;
            taken += outcome.error == 0;
        }
        bytes[at] = old;
    }
    EXPECT_GT(taken, bytes.size()) << "a byte as it was is taken, and others are";
}

class FramesRandom : public testing::TestWithParam<u32> {};

// Small numbers hit more of what has a meaning than any bytes do.
TEST_P(FramesRandom, ChangedSectionsKeepThePromises) {
    std::mt19937 random(GetParam());
    const auto pick = [&](size_t end) { return static_cast<size_t>(random() % end); };
    std::vector<std::vector<u8>> sections;
    for (u32 i = 0; i < frame_nr_rows; i++)
        if (frame_rows[i].code == BTF_FAULT_NONE && bytes_of(frame_rows[i]).size() < 4096)
            sections.push_back(bytes_of(frame_rows[i]));
    u32 taken = 0;
    for (int round = 0; round < 3000; round++) {
        std::vector<u8> bytes = sections[pick(sections.size())];
        u32 records;
        std::memcpy(&records, bytes.data() + 32, sizeof(records));
        for (size_t changes = 1 + pick(6); changes != 0; changes--) {
            // most of them in the records
            const size_t at = pick(4) != 0 && records <= bytes.size()
                                  ? bytes.size() - 1 - pick(records)
                                  : pick(bytes.size());
            bytes[at] = static_cast<u8>(pick(3) != 0 ? pick(48) : random());
        }
        const frame_outcome outcome = run(bytes);
        ASSERT_EQ(outcome.broken, nullptr) << "round " << round << ": " << outcome.broken;
        taken += outcome.error == 0;
    }
    EXPECT_GT(taken, 30u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FramesRandom, testing::Range(1u, 11u));

// Writes seeds for tests/fuzz/frames_fuzz.c if BTF_EXTRA_CORPUS names a folder.
TEST(Frames, WritesTheRowsAsACorpus) {
    const char *folder = std::getenv("BTF_EXTRA_CORPUS");
    if (!folder)
        return;
    for (u32 i = 0; i < frame_nr_rows; i++) {
        const std::vector<u8> bytes = bytes_of(frame_rows[i]);
        if (bytes.size() > 4096)
            continue;
        std::ofstream out(std::string(folder) + "/row" + std::to_string(i), std::ios::binary);
        out.write(reinterpret_cast<const char *>(bytes.data()),
                  static_cast<std::streamsize>(bytes.size()));
        ASSERT_TRUE(out.good());
    }
}

}  // namespace
