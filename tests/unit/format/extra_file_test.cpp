// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The container, its provenance section and the views on them are read back as written. Any bytes
// can be opened safely.
#include "userspace/format/extra_file.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <regex>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/command_run.h"
#include "tests/support/extra_writer.h"
#include "tests/support/sample_object.h"
#include "userspace/cli/coverage.h"
#include "userspace/lib/tables/object_view.h"

namespace btf_extra {
namespace {

using test::SampleObject;
using test::TemporaryFolder;

void expect_same(const ExtraFile &a, const ExtraFile &b) {
    EXPECT_EQ(a.machine, b.machine);
    EXPECT_EQ(a.types, b.types);
    EXPECT_EQ(a.func_info, b.func_info);
    EXPECT_EQ(a.build_id_note, b.build_id_note);
    EXPECT_EQ(a.sections, b.sections);
    EXPECT_EQ(a.vmlinux_btf, b.vmlinux_btf);
    EXPECT_EQ(a.base, b.base);
    EXPECT_EQ(a.site_marks, b.site_marks);
    EXPECT_EQ(a.provenance, b.provenance);
}

constexpr uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;

TEST(ExtraFile, RoundTrips) {
    TemporaryFolder folder;
    ExtraFile split = SampleObject().file;
    ExtraFile arm64 = split;
    arm64.machine = EM_AARCH64;
    ExtraFile bare = split;
    bare.provenance.reset();
    bare.sections.clear();
    ExtraFile more = split;
    more.sections = {{".text", kCode, 0xffffffff81000000, 0x40},
                     {".init.text", kCode | SHF_WRITE, 0xffffffff81400000, 1}};
    more.vmlinux_btf = {".BTF.vmlinux", SHF_ALLOC, 0xffffffff81200000, 0x7edfffff};
    more.site_marks = {{0, 0x1}, {1, 0x2}};
    more.base = {{1, 2}, {0xffffffff, 0xfffffffe}};
    for (const ExtraFile &file : {split, arm64, bare, more}) {
        std::string path = folder.path("a"), again = folder.path("b");
        auto written = write_extra_file(path, file);
        ASSERT_TRUE(written) << written.error().message;
        auto read = read_extra_file(path);
        ASSERT_TRUE(read) << read.error().message;
        expect_same(*read, file);
        ASSERT_TRUE(write_extra_file(again, *read));
        EXPECT_EQ(test::read_file(path), test::read_file(again));
    }
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"a", "b"}));
}

TEST(ExtraFile, HasTheSectionsOfTheFormat) {
    TemporaryFolder folder;
    ASSERT_TRUE(write_extra_file(folder.path("a"), SampleObject().file));
    auto image = ElfImage::open(folder.path("a"));
    ASSERT_TRUE(image);
    EXPECT_TRUE(image->relocatable());
    std::vector<std::string> names;
    for (const ElfSection &section : image->sections())
        names.push_back(section.name);
    EXPECT_EQ(names, (std::vector<std::string>{".BTF", ".BTF.func_info", ".note.gnu.build-id",
                                               ".btf_extra.base", ".text", ".btf_extra.provenance",
                                               ".shstrtab"}));
    EXPECT_EQ(image->find(".note.gnu.build-id")->type, static_cast<uint32_t>(SHT_NOTE));
    EXPECT_EQ(build_id_text(image->build_id_note()), test::kSampleBuildId);
}

TEST(ExtraFile, ContentsAreAlignedAndHeadersTakeNoSpace) {
    TemporaryFolder folder;
    ExtraFile file = SampleObject().file;
    file.types.resize(file.types.size() + 1);
    file.vmlinux_btf = {".BTF.vmlinux", SHF_ALLOC, 0xffffffff82000000, 0x3eddba};
    ASSERT_TRUE(write_extra_file(folder.path("a"), file));
    const std::string bytes = test::read_file(folder.path("a"));
    EXPECT_LT(bytes.size(), 0x1000u);
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    size_t headers_alone = 0;
    for (unsigned i = 1; i + 1u < header.e_shnum; i++) {
        Elf64_Shdr section;
        std::memcpy(&section, bytes.data() + header.e_shoff + i * sizeof(section), sizeof(section));
        if (section.sh_type != SHT_NOBITS) {
            EXPECT_EQ(section.sh_offset % 8, 0u) << i;
            EXPECT_EQ(section.sh_flags, 0u) << i;
            continue;
        }
        const ObjectSection &from = headers_alone++ == 0 ? file.sections[0] : *file.vmlinux_btf;
        EXPECT_EQ(section.sh_flags, from.flags);
        EXPECT_EQ(section.sh_addr, from.address);
        EXPECT_EQ(section.sh_size, from.size);
    }
    EXPECT_EQ(headers_alone, 2u);
}

TEST(ExtraFile, FailedWriteLeavesWhatWasThere) {
    TemporaryFolder folder;
    ExtraFile file = SampleObject().file;
    auto absent = write_extra_file(folder.path("none/a"), file);
    ASSERT_FALSE(absent);
    EXPECT_EQ(absent.error().message,
              folder.path("none/a") + ": output: No such file or directory");

    std::filesystem::create_directory(folder.path("d"));
    auto directory = write_extra_file(folder.path("d"), file);
    ASSERT_FALSE(directory);
    EXPECT_EQ(directory.error().message, folder.path("d") + ": output: not a regular file");
    auto device = write_extra_file("/dev/null", file);
    ASSERT_FALSE(device);

    // RLIMIT_FSIZE stands for a full disk.
    test::write_file(folder.path("old"), std::string_view("old"));
    pid_t child = fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit limit = {100, 100};
        setrlimit(RLIMIT_FSIZE, &limit);
        auto full = write_extra_file(folder.path("old"), file);
        _exit(!full && full.error().message == folder.path("old") + ": output: File too large" ? 0
                                                                                               : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(test::read_file(folder.path("old")), "old");
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"d", "old"}));
}

std::string without_place(const std::string &message) {
    return std::regex_replace(message, std::regex("byte 0x[1-9a-f][0-9a-f]*:"), "byte 0x...:");
}

TEST(ExtraFile, RefusesWhatIsNoContainer) {
    TemporaryFolder folder;
    ExtraFile good = SampleObject().file;
    const char *missing = "byte 0x0: types, locations, build-id or sums of the base are missing";
    const struct {
        const char *name;
        std::function<void(ExtraFile &)> spoil;
        const char *reason;
    } rows[] = {
        {"no locations", [](ExtraFile &f) { f.func_info.clear(); }, missing},
        {"no build-id", [](ExtraFile &f) { f.build_id_note.clear(); }, missing},
        {"no base", [](ExtraFile &f) { f.base.clear(); }, missing},
        {"a note of another kind", [](ExtraFile &f) { f.build_id_note[8] = std::byte{1}; },
         "byte 0x...: build-id note is malformed"},
        {"first code above the reasons", [](ExtraFile &f) { f.provenance->reasons[0] = 11; },
         ".btf_extra.provenance: reason code 11 is not known"},
        {"no reason", [](ExtraFile &f) { f.provenance->reasons[0] = 0; },
         ".btf_extra.provenance: reason code 0 is not known"},
        {"file number", [](ExtraFile &f) { f.provenance->func_files[0] = 3; },
         ".btf_extra.provenance: file number 3 of 3"},
        {"order",
         [](ExtraFile &f) {
             f.provenance->variadic_funcs = {12, 12};
         },
         ".btf_extra.provenance: variadic functions are not in order"},
        {"section that wraps", [](ExtraFile &f) { f.sections[0].size = 0x7f000001; },
         "byte 0x...: a section is compressed, or its size or place is invalid"},
        {"two sections of a name",
         [](ExtraFile &f) {
             f.sections.push_back({".text", kCode, 0, 4});
         },
         "byte 0x...: second section of one name"},
        {"three levels of base", [](ExtraFile &f) { f.base.resize(3); },
         "byte 0x...: more than two levels of base BTF"},
        {"base without id 1", [](ExtraFile &f) { f.provenance->base_end_id = 0; },
         ".btf_extra.provenance: first id above the base is 0"},
    };
    for (const auto &row : rows) {
        ExtraFile file = good;
        row.spoil(file);
        std::string path = folder.path("a");
        ASSERT_TRUE(write_extra_file(path, file)) << row.name;
        auto read = read_extra_file(path);
        ASSERT_FALSE(read) << row.name;
        // Its place in the file depends on what comes before it.
        EXPECT_EQ(without_place(read.error().message), path + ": " + row.reason) << row.name;
    }
}

TEST(ExtraFile, MarksAreNotKnownOrNoneOrSome) {
    TemporaryFolder folder;
    ExtraFile file = SampleObject().file;
    for (const auto &marks : {std::optional<SiteMarkList>(),
                              {SiteMarkList()},
                              {SiteMarkList({{0, 0x1}, {0x3b, 0x2}})}}) {
        file.site_marks = marks;
        ASSERT_TRUE(write_extra_file(folder.path("a"), file));
        const auto read = read_extra_file(folder.path("a"));
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->site_marks, marks);
    }
}

// Each run by itself, worked out by hand: kernel/core/FORMAT.md.
TEST(ExtraFile, MarksAreRuns) {
    const struct {
        const char *name;
        SiteMarkList marks;
        std::vector<uint8_t> bytes;
    } rows[] = {
        {"none", {}, {}},
        {"one", {{5, 0x2}}, {4, 0, 0, 0, 5, 0x12}},
        {"three of a kind", {{5, 2}, {6, 2}, {7, 2}}, {4, 0, 0, 0, 5, 0x32}},
        {"four", {{5, 2}, {6, 2}, {7, 2}, {8, 2}}, {4, 0, 0, 0, 5, 0x02, 3}},
        {"of two kinds", {{0, 0xc1}, {1, 2}, {4, 2}}, {4, 0, 0, 0, 0, 0xd1, 0, 0x12, 2, 0x12}},
        {"across pages", {{255, 8}, {256, 8}}, {8, 0, 0, 0, 10, 0, 0, 0, 255, 0x18, 0, 0x18}},
        {"an empty page",
         {{0, 8}, {513, 8}},
         {12, 0, 0, 0, 14, 0, 0, 0, 14, 0, 0, 0, 0, 0x18, 1, 0x18}},
    };
    for (const auto &row : rows) {
        const std::vector<uint8_t> bytes(row.marks.data(), row.marks.data() + row.marks.size());
        EXPECT_EQ(bytes, row.bytes) << row.name;
    }
}

// Some of the rows of tests/core/site_rows.c, through a file.
TEST(ExtraFile, MarksThatAreWrong) {
    TemporaryFolder folder;
    const std::string path = folder.path("a");
    ExtraFile file = SampleObject().file;
    ASSERT_TRUE(write_extra_file(path, file));
    const auto plain = ObjectView::open(path);
    ASSERT_TRUE(plain) << plain.error().message;
    const uint32_t sites = (*plain)->index().nr_sites;
    ASSERT_GT(sites, 1u);
    const struct {
        const char *name;
        std::vector<uint8_t> bytes;
        const char *fault;  // where the fault is; NULL: the file is accepted
        std::vector<uint32_t> marks;
    } rows[] = {
        {"none", {}, nullptr, {}},
        {"first two", {4, 0, 0, 0, 0, 0x11, 0, 0x1b}, nullptr, {0x1, 0xb}},
        {"past the last",
         {4, 0, 0, 0, 0, 0x11, static_cast<uint8_t>(sites - 1), 0x11},
         "byte 0x6",
         {}},
        {"no mark", {4, 0, 0, 0, 0, 0x10}, "byte 0x4", {}},
        {"cut off", {4, 0, 0, 0, 0}, "byte 0x4", {}},
        {"no page", {4, 0, 0}, "byte 0x0", {}},
    };
    for (const auto &row : rows) {
        const auto bytes = std::as_bytes(std::span(row.bytes));
        file.site_marks = SiteMarkList::from_bytes({bytes.begin(), bytes.end()});
        ASSERT_TRUE(write_extra_file(path, file));
        const auto view = ObjectView::open(path);
        ASSERT_EQ(static_cast<bool>(view), row.fault == nullptr) << row.name;
        if (row.fault) {
            EXPECT_EQ(view.error().message, path + ": .btf_extra.site_marks: " + row.fault +
                                                ": pages or runs of site marks are malformed")
                << row.name;
            continue;
        }
        for (uint32_t site = 0; site < sites; site++)
            EXPECT_EQ((*view)->site_marks(site), site < row.marks.size() ? row.marks[site] : 0)
                << row.name << ", " << site;
    }
}

TEST(Provenance, EveryCutIsRefused) {
    std::vector<std::byte> bytes = encode(*SampleObject().file.provenance);
    for (size_t size = 0; size < bytes.size(); size++)
        EXPECT_FALSE(decode_provenance(std::span(bytes).first(size))) << size;
    auto whole = decode_provenance(bytes);
    ASSERT_TRUE(whole);
    EXPECT_EQ(*whole, *SampleObject().file.provenance);
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode_provenance(bytes));
}

TEST(Provenance, CountsThatAskForMoreThanThereIs) {
    std::vector<std::byte> good = encode(*SampleObject().file.provenance);
    for (size_t at = 28; at < 48; at += 4) {  // the five counts of the header
        std::vector<std::byte> bytes = good;
        for (size_t i = 0; i < 4; i++)
            bytes[at + i] = std::byte{0xff};
        EXPECT_FALSE(decode_provenance(bytes)) << at;
    }
}

// Reads everything that the commands read from a file.
void read_all(const ObjectView &view) {
    Coverage coverage = measure_coverage(view);
    uint64_t missing = 0;
    for (uint64_t count : coverage.not_available)
        missing += count;
    EXPECT_EQ(coverage.params, coverage.params_located + coverage.params_computed + missing);
    EXPECT_EQ(coverage.sites, coverage.inline_sites + coverage.body_sites);
    uint64_t params = 0;
    for (uint32_t i = 0; i < view.index().nr_sites; i++)
        params += view.parameters(i).size();
    EXPECT_EQ(params, coverage.params);
    for (uint32_t i = 0; i < view.index().nr_funcs; i++)
        (void)view.func_file(view.index().funcs[i]);
}

TEST(ObjectView, AnyBytesAreRefusedOrReadable) {
    TemporaryFolder folder;
    std::string path = folder.path("a"), base = folder.path("base");
    SampleObject sample;
    ASSERT_TRUE(write_extra_file(path, sample.file));
    test::write_file(base, sample.base.bytes());
    std::string good = test::read_file(path);
    auto whole = ObjectView::open(path);
    ASSERT_TRUE(whole) << whole.error().message;
    read_all(**whole);

    size_t accepted = 0, refused = 0;
    auto try_bytes = [&](const std::string &bytes, bool with_base) {
        test::write_file(path, bytes);
        auto view = with_base ? ObjectView::open_with_base(path, base) : ObjectView::open(path);
        if (view)
            read_all(**view);
        else
            EXPECT_TRUE(view.error().message.starts_with(path + ": ")) << view.error().message;
        (view ? accepted : refused)++;
    };
    for (size_t size = 0; size < good.size(); size++)
        try_bytes(good.substr(0, size), size % 2 == 0);
    EXPECT_EQ(accepted, 0u);
    for (size_t at = 0; at < good.size(); at++) {
        for (char with : {'\x01', '\xff'}) {
            std::string bytes = good;
            bytes[at] = static_cast<char>(bytes[at] ^ with);
            try_bytes(bytes, at % 2 == 0);
        }
    }
    EXPECT_GT(accepted, 0u);  // padding and names can be changed
    EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace btf_extra
