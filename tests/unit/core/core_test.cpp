// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs the core's rows and adds what only userspace can try: every cut, every byte changed, and
// random tables against a plain scan.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

extern "C" {
#include "kernel/core/byte_view.h"
#include "tests/core/blob_writer.h"
#include "tests/core/container_rows.h"
#include "tests/core/core_rows.h"
#include "tests/core/expression_rows.h"
#include "tests/core/frame_rows.h"
#include "tests/core/site_rows.h"
}

namespace {

// A copy that ends where its heap block ends, so that ASan sees a read beyond it.
struct Bytes {
    explicit Bytes(const core_image &image) : size(image.size) {
        if (!image.data)
            return;
        data.reset(static_cast<char *>(std::malloc(size ? size : 1)));
        std::memcpy(data.get(), image.data, size);
    }
    core_image image() const { return {data.get(), size}; }

    struct Free {
        void operator()(char *p) const { std::free(p); }
    };
    std::unique_ptr<char, Free> data;
    u32 size;
};

// Owns the memory that the run points to.
class Outcome {
  public:
    explicit Outcome(const core_input &input)
        : arena_memory_(core_run_memory(&input)), run_(std::make_unique<core_outcome>()) {
        core_arena arena{arena_memory_.data(), arena_memory_.size(), 0};
        core_run(run_.get(), &input, &arena);
    }
    const core_outcome &operator*() const { return *run_; }
    const core_outcome *operator->() const { return run_.get(); }

  private:
    std::vector<u8> arena_memory_;
    std::unique_ptr<core_outcome> run_;
};

class CoreRow : public testing::TestWithParam<u32> {
  protected:
    void SetUp() override {
        ASSERT_TRUE(core_row_input(&row(), images_.get(), &input_)) << row().name;
    }

    const core_row &row() const { return core_rows[GetParam()]; }

    std::unique_ptr<core_row_images> images_ = std::make_unique<core_row_images>();
    core_input input_{};
};

std::string describe(const core_outcome &run) {
    char text[200];
    std::snprintf(text, sizeof(text), "step %d, error %d, fault %d (%s), type %u, offset %u",
                  run.step, run.error, run.fault.code, btf_fault_text(run.fault.code),
                  run.fault.type_id, run.fault.offset);
    return text;
}

TEST_P(CoreRow, ComesOutAsTheRowSays) {
    Outcome outcome(input_);
    const char *wrong = core_row_verdict(&row(), &*outcome);
    EXPECT_EQ(wrong, nullptr) << row().name << ": " << (wrong ? wrong : "") << ": "
                              << describe(*outcome);
}

std::string row_name(const testing::TestParamInfo<u32> &info) {
    std::string name = core_rows[info.param].name;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    return std::to_string(info.param) + "_" + name;
}

INSTANTIATE_TEST_SUITE_P(Core, CoreRow, testing::Range(0u, core_nr_rows), row_name);

TEST(Core, NoTwoRowsHaveOneName) {
    std::set<std::string> names;
    for (u32 i = 0; i < core_nr_rows; i++)
        EXPECT_TRUE(names.insert(core_rows[i].name).second) << core_rows[i].name;
}

TEST(Core, EveryFaultHasARowAndAText) {
    std::set<int> codes;
    std::set<std::string> texts;
    for (u32 i = 0; i < core_nr_rows; i++)
        if (core_rows[i].error == -EINVAL)
            codes.insert(core_rows[i].code);
    for (u32 i = 0; i < container_nr_rows; i++)
        codes.insert({container_rows[i].code, container_rows[i].whole});
    for (u32 i = 0; i < bounds_nr_rows; i++)
        if (!bounds_rows[i].accepted)
            codes.insert(BTF_FAULT_SITE_RANGE);
    for (u32 i = 0; i < marks_nr_rows; i++)
        if (!marks_rows[i].accepted)
            codes.insert(BTF_FAULT_SITE_MARK);
    for (u32 i = 0; i < frame_nr_rows; i++)
        codes.insert(frame_rows[i].code);
    for (u32 i = 0; i < expressions_nr_rows; i++)
        codes.insert(expressions_rows[i].fault);
    for (int code = BTF_FAULT_NONE; code < BTF_FAULT_COUNT; code++) {
        const char *text = btf_fault_text(static_cast<btf_fault_code>(code));
        ASSERT_NE(text, nullptr);
        EXPECT_TRUE(texts.insert(text).second) << text;
        if (code != BTF_FAULT_NONE) {
            EXPECT_TRUE(codes.count(code)) << "no row for: " << text;
        }
    }
    EXPECT_STREQ(btf_fault_text(BTF_FAULT_COUNT), "unknown fault");
}

// The accepted rows are the input of the sweeps.
std::vector<const core_row *> accepted_rows() {
    std::vector<const core_row *> rows;
    for (u32 i = 0; i < core_nr_rows; i++)
        if (core_rows[i].step == CORE_DONE)
            rows.push_back(&core_rows[i]);
    return rows;
}

core_image core_input::*const image_members[] = {&core_input::base, &core_input::types,
                                                 &core_input::func_info};

TEST(Core, ABlobCutAnywhereIsRefused) {
    auto images = std::make_unique<core_row_images>();
    for (const core_row *row : accepted_rows()) {
        core_input input;
        ASSERT_TRUE(core_row_input(row, images.get(), &input));
        for (auto member : image_members) {
            core_image whole = input.*member;
            if (!whole.data)
                continue;
            for (u32 size = 0; size < whole.size; size++) {
                Bytes cut({whole.data, size});
                input.*member = cut.image();
                Outcome outcome(input);
                ASSERT_EQ(outcome->broken, nullptr)
                    << row->name << " cut at " << size << ": " << outcome->broken;
                ASSERT_EQ(outcome->error, -EINVAL) << row->name << " cut at " << size;
            }
            input.*member = whole;
        }
    }
}

TEST(Core, AnyByteChangedIsSafe) {
    auto images = std::make_unique<core_row_images>();
    for (const core_row *row : accepted_rows()) {
        core_input input;
        ASSERT_TRUE(core_row_input(row, images.get(), &input));
        if (input.func_info.size > 600)
            continue;  // large rows add nothing and take long
        for (auto member : image_members) {
            core_image whole = input.*member;
            Bytes changed(whole);
            if (!whole.data)
                continue;
            input.*member = changed.image();
            for (u32 i = 0; i < whole.size; i++) {
                char old = changed.data.get()[i];
                for (int value : {0, 1, 0x7f, 0x80, 0xff, old + 1, old - 1, old ^ 4}) {
                    changed.data.get()[i] = static_cast<char>(value);
                    Outcome outcome(input);
                    ASSERT_EQ(outcome->broken, nullptr)
                        << row->name << ", byte " << i << " = " << value << ": " << outcome->broken;
                }
                changed.data.get()[i] = old;
            }
            input.*member = whole;
        }
    }
}

TEST(Core, ByteRangesNeverWrap) {
    constexpr u64 top = ~0ull;
    struct {
        u64 offset, length, size;
        bool fits;
    } const rows[] = {
        {0, 0, 0, true},      {0, 1, 0, false},        {1, 0, 0, false},    {0, 8, 8, true},
        {1, 8, 8, false},     {8, 0, 8, true},         {9, 0, 8, false},    {7, 1, 8, true},
        {top, 1, 8, false},   {top, 2, 8, false},      {1, top, 8, false},  {top, top, 8, false},
        {top, 1, top, false}, {top - 1, 1, top, true}, {top, 0, top, true}, {8, top - 7, 16, false},
    };
    for (const auto &row : rows)
        EXPECT_EQ(byte_range_fits(row.offset, row.length, row.size), row.fits)
            << row.offset << " + " << row.length << " in " << row.size;
    EXPECT_EQ(byte_array_size(0xffffffff, 0xffffffff), 0xfffffffe00000001ull);
}

TEST(Core, AFailedReadStaysAndSaysWhere) {
    const u8 bytes[] = {1, 2, 3, 4, 5, 6, 7};
    byte_view view = byte_view_of(bytes, sizeof(bytes), 1);
    u32 word = 0;
    ASSERT_TRUE(byte_view_read(&view, &word, sizeof(word)));
    EXPECT_EQ(0, std::memcmp(&word, bytes + 1, sizeof(word)));
    EXPECT_EQ(view.at, 5u);
    word = 77;
    EXPECT_FALSE(byte_view_read(&view, &word, sizeof(word)));
    EXPECT_EQ(word, 77u);
    EXPECT_EQ(view.at, 5u);
    EXPECT_EQ(view.failed_at, 5u);
    EXPECT_EQ(byte_view_peek(&view, 2), bytes + 5);
    EXPECT_EQ(byte_view_take(&view, ~0ull), nullptr);
    EXPECT_EQ(byte_view_take(&view, 2), bytes + 5);
    EXPECT_EQ(byte_view_take(&view, 1), nullptr);
    EXPECT_EQ(view.failed_at, 7u);
}

struct IntKey {
    const std::vector<int> *values;
    int wanted;
};

int compare_int(const void *key, u32 i) {
    const auto *wanted = static_cast<const IntKey *>(key);
    int value = (*wanted->values)[i];
    return (value > wanted->wanted) - (value < wanted->wanted);
}

// Tries every sorted list of up to nine of three values, with every key in and beside them.
TEST(Core, RangesOfAllSmallLists) {
    for (int a = 0; a <= 9; a++)
        for (int b = 0; a + b <= 9; b++)
            for (int c = 0; a + b + c <= 9; c++) {
                std::vector<int> values(a, 1);
                values.insert(values.end(), b, 3);
                values.insert(values.end(), c, 5);
                for (int wanted = 0; wanted <= 6; wanted++) {
                    IntKey key{&values, wanted};
                    auto expected = std::equal_range(values.begin(), values.end(), wanted);
                    loc_range found =
                        ::equal_range(0, static_cast<u32>(values.size()), compare_int, &key);
                    EXPECT_EQ(found.first, expected.first - values.begin());
                    EXPECT_EQ(found.end, expected.second - values.begin());
                }
            }
}

TEST(Core, SectionNames) {
    struct {
        const char *name;
        bool found;
        u32 loc_class;
        const char *section;
    } const rows[] = {
        {"inline.text", true, LOC_CLASS_INLINE, ".text"},
        {"func.text", true, LOC_CLASS_BODY, ".text"},
        {".text", true, LOC_CLASS_INLINE, ".text"},
        {"func.text.unlikely", true, LOC_CLASS_BODY, ".text.unlikely"},
        {"inline..x", true, LOC_CLASS_INLINE, "..x"},
        {"func.inline.text", true, LOC_CLASS_BODY, ".inline.text"},
        {"", false, 77, nullptr},
        {".", false, 77, nullptr},
        {"inline", false, 77, nullptr},
        {"inline.", false, 77, nullptr},
        {"inlinetext", false, 77, nullptr},
        {"functor", false, 77, nullptr},
        {"text", false, 77, nullptr},
        {"Inline.text", false, 77, nullptr},
    };
    for (const auto &row : rows) {
        u32 loc_class = 77;
        const char *section = nullptr;
        EXPECT_EQ(loc_section_name(row.name, &loc_class, &section), row.found) << row.name;
        EXPECT_EQ(loc_class, row.loc_class) << row.name;
        EXPECT_STREQ(section, row.section) << row.name;
    }
}

TEST(Core, TypesAndStringsAcrossLevels) {
    auto images = std::make_unique<core_row_images>();
    core_input input;
    ASSERT_TRUE(core_row_input(&core_rows[0], images.get(), &input));
    Outcome outcome(input);
    ASSERT_EQ(outcome->step, CORE_DONE);
    const btf_blob *blob = &outcome->func_info;

    EXPECT_EQ(btf_blob_type(blob, 0), nullptr);
    EXPECT_EQ(btf_blob_type(blob, 20), nullptr);
    EXPECT_EQ(btf_blob_type(blob, 0xffffffff), nullptr);
    EXPECT_EQ(btf_blob_level(blob, 0), nullptr);
    EXPECT_EQ(btf_blob_level(blob, 3), &outcome->base);
    EXPECT_EQ(btf_blob_level(blob, 4), &outcome->types);
    EXPECT_EQ(btf_blob_level(blob, 11), blob);
    EXPECT_EQ(btf_blob_level(&outcome->types, 11), nullptr);
    EXPECT_EQ(loc_kind(btf_blob_type(blob, 1)), 1u);
    EXPECT_EQ(loc_kind(btf_blob_type(blob, 10)), 17u);
    EXPECT_EQ(loc_kind(btf_blob_type(blob, 11)), 20u);
    EXPECT_STREQ(btf_blob_string(blob, 0), "");
    EXPECT_STREQ(btf_blob_string(blob, 14), "");
    EXPECT_STREQ(btf_blob_string(blob, 5), "base_func");
    EXPECT_STREQ(btf_blob_string(blob, 24), "pear");
    EXPECT_STREQ(btf_blob_string(blob, 47), "inline.text");
    EXPECT_EQ(btf_blob_string(blob, 80), nullptr);
    EXPECT_EQ(btf_blob_string(blob, 0xffffffff), nullptr);

    loc_range pear = loc_index_by_name(&outcome->index, "pear");
    ASSERT_EQ(pear.end - pear.first, 2u);
    EXPECT_EQ(outcome->index.funcs[pear.first], 7u);
    EXPECT_EQ(outcome->index.funcs[pear.first + 1], 8u);
}

// Random blobs are compared with a plain scan of what was written.
struct Site {
    u32 section, func, proto, offset;
    auto key() const { return std::tie(section, func, offset, proto); }
};

struct RandomTables {
    explicit RandomTables(u32 seed) : random(seed) {
        // Few names and few offsets make many equal keys. The name samples cannot tell names with a
        // common beginning apart.
        u32 nr_funcs = pick(1, 400);
        u32 nr_names = pick(1, nr_funcs);
        u32 nr_offsets = pick(1, 3000);
        std::vector<std::string> name_pool;
        for (u32 i = 0; i < nr_names; i++) {
            std::string name = pick(0, 1) ? "common_prefix_" : "";
            for (u32 length = pick(1, 12); length; length--)
                if (pick(0, 9)) {
                    name += static_cast<char>('a' + pick(0, 3));
                } else {  // two bytes of UTF-8
                    const u32 letter = pick(0xa1, 0x7ff);
                    name += static_cast<char>(0xc0 | letter >> 6);
                    name += static_cast<char>(0x80 | (letter & 0x3f));
                }
            name_pool.push_back(name);
        }
        for (u32 i = 0; i < nr_funcs; i++)
            names.push_back(name_pool[pick(0, nr_names - 1)]);
        std::sort(names.begin(), names.end());
        for (u32 i = 0; i < nr_base_funcs; i++)
            base_names.push_back(name_pool[pick(0, nr_names - 1)]);

        for (u32 i = pick(0, 4000); i; i--)
            sites.push_back({pick(0, nr_sections - 1), 2 + pick(0, nr_base_funcs + nr_funcs - 1),
                             pick(0, 3), pick(0, nr_offsets) * (pick(0, 1) ? 1 : 0x00fedcba)});
        auto less = [](const Site &a, const Site &b) { return a.key() < b.key(); };
        std::sort(sites.begin(), sites.end(), less);
        auto same = [](const Site &a, const Site &b) { return a.key() == b.key(); };
        sites.erase(std::unique(sites.begin(), sites.end(), same), sites.end());
        write();
    }

    u32 pick(u32 low, u32 high) { return low + static_cast<u32>(random() % (high - low + 1)); }

    const std::string &name_of(u32 func) const {
        return func < 2 + nr_base_funcs ? base_names[func - 2] : names[func - 2 - nr_base_funcs];
    }

    void begin(blob_writer &w, u32 first_id, u32 first_string) {
        blob_begin(&w, records.data(), static_cast<u32>(records.size()), strings.data(),
                   static_cast<u32>(strings.size()), first_id, first_string);
    }

    core_image finish(const blob_writer &w, u32 layout, std::vector<u32> &image) {
        image.resize(w.nr_words + w.strings_len / 4 + 64);
        u32 size = blob_finish(&w, layout, image.data(), static_cast<u32>(image.size() * 4));
        EXPECT_NE(size, 0u);
        return {image.data(), size};
    }

    void write() {
        blob_writer w;
        begin(w, 1, 0);
        blob_string(&w, "");
        blob_type(&w, 0, 13, 0, 0);
        for (const auto &name : base_names)
            blob_type(&w, blob_string(&w, name.c_str()), 12, 0, 1);
        input.base = finish(w, 0, base);

        begin(w, w.next_id, w.strings_len);
        for (const auto &name : names)
            blob_type(&w, blob_string(&w, name.c_str()), 12, 0, 1);
        input.types = finish(w, 0, types);

        u32 proto = w.next_id;
        begin(w, w.next_id, w.first_string + w.strings_len);
        for (u32 i = 0; i < 4; i++)
            blob_type(&w, 0, 21, 0, 0);
        for (u32 section = 0; section < nr_sections; section++) {
            std::string name = (section % 2 ? "func.s" : "inline.s") + std::to_string(section / 2);
            auto in = [&](const Site &site) { return site.section == section; };
            auto nr = static_cast<u32>(std::count_if(sites.begin(), sites.end(), in));
            blob_type(&w, blob_string(&w, name.c_str()), 22, nr, 0);
            for (const Site &site : sites)
                if (in(site)) {
                    blob_word(&w, site.func);
                    blob_word(&w, proto + site.proto);
                    blob_word(&w, site.offset);
                }
        }
        input.func_info = finish(w, LOC_KIND_COUNT, func_info);
        input.machine = LOC_MACHINE_AARCH64;
    }

    static constexpr u32 nr_base_funcs = 300;
    static constexpr u32 nr_sections = 5;  // the last one has sites of one class only

    std::mt19937 random;
    std::vector<std::string> names, base_names;
    std::vector<Site> sites;
    std::vector<u32> records = std::vector<u32>(40000), base, types, func_info;
    std::vector<char> strings = std::vector<char>(40000);
    core_input input{};
};

class CoreRandom : public testing::TestWithParam<u32> {};

TEST_P(CoreRandom, LookUpsEqualAPlainScan) {
    RandomTables tables(GetParam());
    Outcome outcome(tables.input);
    ASSERT_EQ(outcome->broken, nullptr) << outcome->broken;
    ASSERT_EQ(outcome->step, CORE_DONE) << describe(*outcome);
    const loc_index *index = &outcome->index;
    ASSERT_EQ(index->nr_sites, tables.sites.size());

    std::set<std::tuple<std::string, u32>> funcs;
    for (const Site &site : tables.sites)
        funcs.insert({tables.name_of(site.func), site.func});
    std::vector<u32> ids;
    ids.reserve(funcs.size());
    for (const auto &[name, id] : funcs)
        ids.push_back(id);
    EXPECT_EQ(std::vector<u32>(index->funcs, index->funcs + index->nr_funcs), ids);

    std::set<std::string> names(tables.names.begin(), tables.names.end());
    names.insert({"", "a", "common_p", "common_prefix_", "common_prefix_zzzz", "zzz", "\xff\xff"});
    for (const auto &name : names) {
        std::vector<u32> expected;
        for (const auto &[other, id] : funcs)
            if (other == name)
                expected.push_back(id);
        loc_range range = loc_index_by_name(index, name.c_str());
        EXPECT_EQ(std::vector<u32>(index->funcs + range.first, index->funcs + range.end), expected)
            << name;
    }

    for (u32 section = 0; section < tables.nr_sections; section++)
        for (u32 func = 0; func < 750; func++) {
            std::vector<std::tuple<u32, u32>> expected, found;
            for (const Site &site : tables.sites)
                if (site.section == section && site.func == func)
                    expected.push_back({site.offset, site.proto});
            loc_range range = loc_index_by_func(index, section, func);
            for (u32 i = range.first; i < range.end; i++) {
                const loc_site &site = index->sections[section].sites[i];
                found.push_back({site.offset, site.loc_proto - outcome->func_info.first_id});
            }
            EXPECT_EQ(found, expected);
        }

    for (u32 probe = 0; probe < 500; probe++) {
        u32 elf = tables.pick(0, 2);
        u32 offset =
            tables.pick(0, 3) && !tables.sites.empty()
                ? tables.sites[tables.pick(0, static_cast<u32>(tables.sites.size()) - 1)].offset
                : tables.pick(0, 0xfffffffe);
        std::vector<std::tuple<u32, u32, u32>> expected, found;
        for (const Site &site : tables.sites)
            if (site.section / 2 == elf && site.offset == offset)
                expected.push_back({site.section, site.func, site.proto});
        loc_range range = loc_index_by_offset(index, elf, offset);
        for (u32 i = range.first; i < range.end; i++) {
            const loc_section *section;
            const loc_site *site = loc_index_site(index, index->by_offset[i], &section);
            found.push_back({static_cast<u32>(section - index->sections), site->func,
                             site->loc_proto - outcome->func_info.first_id});
        }
        EXPECT_EQ(found, expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CoreRandom, testing::Range(1u, 31u));

// Writes seeds for tests/fuzz/core_fuzz.c if BTF_EXTRA_CORPUS names a folder.
TEST(Core, WritesTheRowsAsACorpus) {
    const char *folder = std::getenv("BTF_EXTRA_CORPUS");
    if (!folder)
        return;
    auto images = std::make_unique<core_row_images>();
    for (u32 i = 0; i < core_nr_rows; i++) {
        core_input input;
        ASSERT_TRUE(core_row_input(&core_rows[i], images.get(), &input));
        std::ofstream out(std::string(folder) + "/row" + std::to_string(i), std::ios::binary);
        u32 sizes[3] = {input.base.size, input.types.size, input.func_info.size};
        if (!input.base.data)
            sizes[0] = 0;
        if (!input.types.data)
            sizes[1] = 0;
        u32 frame[3] = {sizes[0], sizes[1], input.machine};
        out.write(reinterpret_cast<const char *>(frame), sizeof(frame));
        for (int j = 0; j < 3; j++)
            out.write(static_cast<const char *>((input.*image_members[j]).data), sizes[j]);
        ASSERT_TRUE(out.good());
    }
}

}  // namespace
