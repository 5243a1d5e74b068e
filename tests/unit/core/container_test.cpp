// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs the rows of the container, of site bounds, marks and suffixes, and adds what only userspace
// can try: every cut, every byte changed, and the most expensive file.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
#include "tests/core/container_rows.h"
#include "tests/core/site_rows.h"
#include "tests/core/suffix_rows.h"
}

namespace {

// A copy that begins on a multiple of 8 bytes, or shift bytes after one. It ends where its heap
// block ends.
class File {
  public:
    File(const u8 *bytes, size_t size, size_t shift = 0) : size_(size), shift_(shift) {
        memory_.reset(static_cast<u8 *>(std::malloc(shift + size + (size ? 0 : 1))));
        std::memcpy(memory_.get() + shift, bytes, size);
    }
    u8 *data() { return memory_.get() + shift_; }
    size_t size() const { return size_; }

  private:
    struct Free {
        void operator()(u8 *p) const { std::free(p); }
    };
    std::unique_ptr<u8, Free> memory_;
    size_t size_, shift_;
};

struct Scratch {
    core_row_images images;
    alignas(8) u8 file[CONTAINER_MAX_SIZE];
};

File file_of(const container_row &row) {
    auto scratch = std::make_unique<Scratch>();
    u32 size = container_row_file(&row, &scratch->images, scratch->file);
    EXPECT_NE(size, 0u) << row.name << ": the row itself is wrong";
    if (row.cut == 0xffffffff)
        size = 0;
    return {scratch->file + row.shift, size, row.shift};
}

std::string describe(const container_outcome &run) {
    return std::string(btf_fault_text(run.fault.code)) + ", offset " +
           std::to_string(run.fault.offset);
}

class ContainerRow : public testing::TestWithParam<u32> {};

TEST_P(ContainerRow, ComesOutAsTheRowSays) {
    const container_row &row = container_rows[GetParam()];
    File file = file_of(row);
    container_outcome run;
    container_run(&run, file.data(), file.size());
    const char *wrong = container_row_verdict(&row, &run);
    EXPECT_EQ(wrong, nullptr) << row.name << ": " << (wrong ? wrong : "") << ": " << describe(run);
}

template <typename Row> std::string name_of(const Row &row, u32 i) {
    std::string name = row.name;
    for (char &c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)))
            c = '_';
    return std::to_string(i) + "_" + name;
}

INSTANTIATE_TEST_SUITE_P(Container, ContainerRow, testing::Range(0u, container_nr_rows),
                         [](const auto &info) {
                             return name_of(container_rows[info.param], info.param);
                         });

TEST(Container, NoTwoRowsHaveOneName) {
    std::set<std::string> names;
    for (u32 i = 0; i < container_nr_rows; i++)
        EXPECT_TRUE(names.insert(container_rows[i].name).second) << container_rows[i].name;
    names.clear();
    for (u32 i = 0; i < bounds_nr_rows; i++)
        EXPECT_TRUE(names.insert(bounds_rows[i].name).second) << bounds_rows[i].name;
    names.clear();
    for (u32 i = 0; i < marks_nr_rows; i++)
        EXPECT_TRUE(names.insert(marks_rows[i].name).second) << marks_rows[i].name;
    names.clear();
    for (u32 i = 0; i < suffix_nr_rows; i++)
        EXPECT_TRUE(names.insert(suffix_rows[i].symbol).second) << suffix_rows[i].symbol;
}

TEST(Container, WhatThePlainFileHolds) {
    File file = file_of(container_rows[0]);
    container_outcome run;
    container_run(&run, file.data(), file.size());
    ASSERT_EQ(run.error, 0);
    const extra_elf &elf = run.elf;
    EXPECT_EQ(elf.machine, 62u);
    EXPECT_EQ(static_cast<const u8 *>(elf.types.data) - file.data(), 640);
    EXPECT_EQ(elf.types.size, 172u);
    EXPECT_EQ(static_cast<const u8 *>(elf.func_info.data) - file.data(), 816);
    EXPECT_EQ(elf.func_info.size, 393u);
    EXPECT_EQ(elf.build_id.size, 20u);
    EXPECT_EQ(0, std::memcmp(elf.build_id.data, "the running kernel.", 20));
    EXPECT_EQ(elf.bases.size, 8u);
    extra_section section{};
    ASSERT_TRUE(extra_elf_find(&elf, ".init.text", &section));
    EXPECT_EQ(section.address, 0x4000u);
    EXPECT_EQ(section.size, 0x80u);
    EXPECT_TRUE(section.flags & SHF_EXECINSTR);
    ASSERT_TRUE(extra_elf_find(&elf, ".rodata", &section));
    EXPECT_FALSE(section.flags & SHF_EXECINSTR);
    EXPECT_FALSE(extra_elf_find(&elf, ".BTF", &section));
    EXPECT_FALSE(extra_elf_find(&elf, ".tex", &section));
    EXPECT_FALSE(extra_elf_find(&elf, "", &section));
}

TEST(Container, AFileCutAnywhereIsRefused) {
    File whole = file_of(container_rows[0]);
    for (size_t size = 0; size < whole.size(); size++) {
        File file(whole.data(), size);
        container_outcome run;
        container_run(&run, file.data(), file.size());
        ASSERT_EQ(run.broken, nullptr) << "cut at " << size << ": " << run.broken;
        ASSERT_EQ(run.error, -EINVAL) << "cut at " << size;
    }
}

TEST(Container, AFileWithAnyByteChangedKeepsThePromises) {
    File file = file_of(container_rows[0]);
    for (size_t at = 0; at < file.size(); at++) {
        u8 old = file.data()[at];
        for (u32 value = 0; value < 256; value++) {
            file.data()[at] = static_cast<u8>(value);
            container_outcome run;
            container_run(&run, file.data(), file.size());
            ASSERT_EQ(run.broken, nullptr) << at << " = " << value << ": " << run.broken;
        }
        file.data()[at] = old;
    }
}

// A file with 1024 headers and 64 KB of names. First come the names of the required parts, then one
// long name; each section of the object, from header 5 on, has another suffix of it as its name.
class LongNames : public testing::Test {
  protected:
    static constexpr u32 nr_headers = 1024, nr_names = 65536, first_free = 5;

    void SetUp() override {
        auto scratch = std::make_unique<Scratch>();
        core_input blobs;
        ASSERT_TRUE(core_row_input(&core_rows[0], &scratch->images, &blobs));
        u32 size = container_write(scratch->file, &blobs, nullptr, "li1", nr_headers);
        ASSERT_NE(size, 0u);
        words_.resize((size + 8 + nr_names) / 8);
        std::memcpy(file(), scratch->file, size);
        Elf64_Shdr names;
        std::memcpy(&names, file() + ELF_HEADER_AT(1), sizeof(names));
        first_name_ = static_cast<u32>(names.sh_size);
        std::memset(file() + size, 'n', nr_names - 1);
        std::memcpy(file() + size, file() + names.sh_offset, names.sh_size);
        names.sh_offset = size;
        names.sh_size = nr_names;
        std::memcpy(file() + ELF_HEADER_AT(1), &names, sizeof(names));
        names_ = file() + size;
    }

    void place(u32 header, u32 name) {
        Elf64_Shdr section{};
        section.sh_type = SHT_NOBITS;
        section.sh_name = name;
        section.sh_size = 1;
        std::memcpy(file() + ELF_HEADER_AT(header), &section, sizeof(section));
    }

    u8 *file() { return reinterpret_cast<u8 *>(words_.data()); }

    container_outcome run() {
        container_outcome outcome;
        container_run(&outcome, file(), words_.size() * 8);
        EXPECT_EQ(outcome.broken, nullptr) << outcome.broken;
        return outcome;
    }

    std::vector<u64> words_;
    u32 first_name_ = 0;
    u8 *names_ = nullptr;
};

TEST_F(LongNames, Of1023BytesIsTheLongest) {
    place(first_free, first_name_);
    names_[first_name_ + 1023] = 0;
    EXPECT_EQ(run().error, 0);
    place(first_free, first_name_ + 1024);
    names_[first_name_ + 1024 + 1024] = 0;
    container_outcome outcome = run();
    EXPECT_EQ(outcome.error, -EINVAL);
    EXPECT_EQ(outcome.fault.code, BTF_FAULT_ELF_NAMES);
    EXPECT_EQ(outcome.fault.offset, ELF_HEADER_AT(first_free));
}

// Every two names share a long part. Comparing all of them with each other would be slow.
TEST_F(LongNames, DoNotCostMuch) {
    for (u32 at = first_name_ + 1023; at < nr_names; at += 1024)
        names_[at] = 0;
    for (u32 i = first_free; i < nr_headers; i++)
        place(i, first_name_ + (i - first_free));
    auto begin = std::chrono::steady_clock::now();
    extra_elf elf;
    btf_fault fault{};
    EXPECT_EQ(extra_elf_open(&elf, file(), words_.size() * 8, &fault), 0);
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took.count(), 5.0) << "under sanitizers, on a busy machine";
}

class BoundsRow : public testing::TestWithParam<u32> {};

TEST_P(BoundsRow, ComesOutAsTheRowSays) {
    const bounds_row &row = bounds_rows[GetParam()];
    auto scratch = std::make_unique<Scratch>();
    core_input blobs;
    u32 size = bounds_row_file(&row, &scratch->images, &blobs, scratch->file);
    ASSERT_NE(size, 0u) << "the row itself is wrong";

    std::vector<u64> memory(core_run_memory(&blobs) / 8 + 1);
    core_arena arena{reinterpret_cast<u8 *>(memory.data()), memory.size() * 8, 0};
    auto core = std::make_unique<core_outcome>();
    core_run(core.get(), &blobs, &arena);
    File file(scratch->file, size);
    container_outcome run;
    container_run(&run, file.data(), file.size());
    const char *wrong = bounds_row_verdict(&row, core.get(), &run);
    EXPECT_EQ(wrong, nullptr) << row.name << ": " << (wrong ? wrong : "");
}

INSTANTIATE_TEST_SUITE_P(Container, BoundsRow, testing::Range(0u, bounds_nr_rows),
                         [](const auto &info) {
                             return name_of(bounds_rows[info.param], info.param);
                         });

class MarksRow : public testing::TestWithParam<u32> {};

TEST_P(MarksRow, ComesOutAsTheRowSays) {
    const marks_row &row = marks_rows[GetParam()];
    const char *wrong = marks_row_verdict(&row);
    EXPECT_EQ(wrong, nullptr) << row.name << ": " << (wrong ? wrong : "");
}

INSTANTIATE_TEST_SUITE_P(Container, MarksRow, testing::Range(0u, marks_nr_rows),
                         [](const auto &info) {
                             return name_of(marks_rows[info.param], info.param);
                         });

TEST(Container, LoopHeadsOfAFile) {
    const auto row_named = [](std::string_view name) {
        for (u32 i = 0; i < container_nr_rows; i++)
            if (container_rows[i].name == name)
                return i;
        return 0u;
    };
    File with = file_of(container_rows[row_named("marks")]);
    File empty = file_of(container_rows[row_named("no marks")]);
    File without = file_of(container_rows[0]);
    container_outcome run;
    container_run(&run, with.data(), with.size());
    ASSERT_EQ(run.error, 0);
    EXPECT_EQ(static_cast<const u8 *>(run.elf.site_marks.data) - with.data(), 896);
    EXPECT_EQ(run.elf.site_marks.size, 12u);
    container_run(&run, empty.data(), empty.size());
    ASSERT_EQ(run.error, 0);
    EXPECT_NE(run.elf.site_marks.data, nullptr);
    EXPECT_EQ(run.elf.site_marks.size, 0u);
    container_run(&run, without.data(), without.size());
    ASSERT_EQ(run.error, 0);
    EXPECT_EQ(run.elf.site_marks.data, nullptr);
    EXPECT_EQ(run.elf.site_marks.size, 0u);
}

class SuffixRow : public testing::TestWithParam<u32> {};

TEST_P(SuffixRow, HasTheLengthAndTheMeaningOfTheRow) {
    const suffix_row &row = suffix_rows[GetParam()];
    EXPECT_EQ(func_suffix_strip(row.symbol), row.length) << row.symbol;
    const char *suffix = row.symbol + row.length;
    EXPECT_EQ(func_suffix_meaning(suffix, strlen(suffix)), row.meaning) << row.symbol;
}

INSTANTIATE_TEST_SUITE_P(Container, SuffixRow, testing::Range(0u, suffix_nr_rows));

// Writes seeds for tests/fuzz/container_fuzz.c if BTF_EXTRA_CORPUS names a folder.
TEST(Container, WritesTheRowsAsACorpus) {
    const char *folder = std::getenv("BTF_EXTRA_CORPUS");
    if (!folder)
        return;
    for (u32 i = 0; i < container_nr_rows; i++) {
        File file = file_of(container_rows[i]);
        if (file.size() > 4096)
            continue;
        std::ofstream out(std::string(folder) + "/row" + std::to_string(i), std::ios::binary);
        out.write(reinterpret_cast<const char *>(file.data()),
                  static_cast<std::streamsize>(file.size()));
        ASSERT_TRUE(out.good());
    }
}

}  // namespace
