// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A source file has one spelling, relative to the source tree.
#include "userspace/generator/dwarf/source_path.h"

#include <gtest/gtest.h>

#include "tests/support/list_bytes.h"

namespace btf_extra::test {

using namespace generator;
namespace {

TEST(SourcePath, Normalized) {
    const struct {
        const char *path;
        const char *expected;
    } rows[] = {
        {"a.c", "a.c"},
        {"a/b.c", "a/b.c"},
        {"./a.c", "a.c"},
        {"a/./b.c", "a/b.c"},
        {"a//b.c", "a/b.c"},
        {"a/../b.c", "b.c"},
        {"./arch/x86/../../include/linux/a.h", "include/linux/a.h"},
        {"a/b/../../c.c", "c.c"},
        {"../a.c", "../a.c"},
        {"../../a.c", "../../a.c"},
        {"a/../../b.c", "../b.c"},
        {"../a/../b.c", "../b.c"},
        {"/a.c", "/a.c"},
        {"/a/../b.c", "/b.c"},
        {"/../a.c", "/a.c"},
        {"//a///b.c", "/a/b.c"},
        {"a/", "a"},
        {"..a/b..c", "..a/b..c"},
        {".", ""},
        {"a/..", ""},
        {"/", "/"},
        {"", ""},
        {"<built-in>", "<built-in>"},
    };
    for (const auto &row : rows)
        EXPECT_EQ(normalized_path(row.path), row.expected) << row.path;
}

struct UnitName {
    const char *name;
    const char *comp_dir;
};

struct TreeRow {
    const char *name;
    std::vector<UnitName> units;
    std::vector<std::pair<const char *, const char *>> paths;  // as written, and as expected
};

void check(std::span<const TreeRow> rows) {
    for (const TreeRow &row : rows) {
        SCOPED_TRACE(row.name);
        SourceTree forwards;
        SourceTree backwards;
        for (const UnitName &unit : row.units)
            forwards.add_unit(unit.name, unit.comp_dir);
        for (auto unit = row.units.rbegin(); unit != row.units.rend(); ++unit)
            backwards.add_unit(unit->name, unit->comp_dir);
        for (const auto &[path, expected] : row.paths) {
            EXPECT_EQ(forwards.relative(path), expected) << path;
            EXPECT_EQ(backwards.relative(path), expected) << path << ", units backwards";
        }
    }
}

TEST(SourcePath, Tree) {
    const TreeRow rows[] = {
        {"built in the tree",
         {{"init/main.c", "/src/linux"}, {"kernel/fork.c", "/src/linux"}},
         {{"kernel/fork.c", "kernel/fork.c"},
          {"./include/linux/sched.h", "include/linux/sched.h"},
          {"/src/linux/include/linux/sched.h", "include/linux/sched.h"},
          {"/src/linux/./kernel/../mm/slab.h", "mm/slab.h"},
          {"/usr/lib/gcc/include/stddef.h", "/usr/lib/gcc/include/stddef.h"},
          {"/src/linux-other/a.c", "/src/linux-other/a.c"},
          {"/src/linux", "/src/linux"}}},
        {"O= build: absolute names, another folder",
         {{"/src/linux/init/main.c", "/build/out"},
          {"/src/linux/kernel/fork.c", "/build/out"},
          {"arch/x86/entry/vdso/vma.c", "/build/out"}},
         {{"/src/linux/kernel/fork.c", "kernel/fork.c"},
          {"/src/linux/include/linux/sched.h", "include/linux/sched.h"},
          // Generated headers are in the build folder.
          {"./include/generated/bounds.h", "include/generated/bounds.h"}}},
        {"O=build: built in a folder of the tree",
         {{"../init/main.c", "/src/linux/build"}, {"../kernel/fork.c", "/src/linux/build"}},
         {{"../kernel/fork.c", "kernel/fork.c"},
          {"../arch/x86/../../include/linux/a.h", "include/linux/a.h"},
          {"./include/generated/bounds.h", "include/generated/bounds.h"},
          {"/src/linux/include/linux/a.h", "include/linux/a.h"}}},
        {"a module of such a kernel",
         {{"../drivers/a.c", "/src/linux/build"}, {"../drivers/b.c", "/src/linux/build"}},
         {{"../drivers/a.c", "drivers/a.c"}, {"../include/linux/a.h", "include/linux/a.h"}}},
        {"Debian: relative names by -fmacro-prefix-map, absolute assembler units",
         {{"init/main.c", "/build/reproducible-path/linux-6.1/debian/build/build_amd64"},
          {"/build/reproducible-path/linux-6.1/arch/x86/kernel/head_64.S",
           "/build/reproducible-path/linux-6.1/debian/build/build_amd64"},
          {"kernel/fork.c", "/build/reproducible-path/linux-6.1/debian/build/build_amd64"}},
         {{"kernel/fork.c", "kernel/fork.c"},
          {"include/linux/sched.h", "include/linux/sched.h"},
          {"arch/x86/include/asm/../../../../include/linux/a.h", "include/linux/a.h"}}},
        {"no init/main.c: what all have in common",
         {{"/src/driver/a.c", "/src/driver"}, {"/src/driver/sub/b.c", "/src/driver/sub"}},
         {{"/src/driver/sub/b.c", "sub/b.c"},
          {"/src/driver/a.h", "a.h"},
          {"/src/drivers/a.h", "/src/drivers/a.h"},
          {"/usr/include/a.h", "/usr/include/a.h"}}},
        {"what is common ends with a whole name",
         {{"/src/driver-one/a.c", ""}, {"/src/driver-two/b.c", ""}},
         {{"/src/driver-one/a.c", "driver-one/a.c"}, {"/src/driver-two/b.c", "driver-two/b.c"}}},
        {"nothing in common but the root",
         {{"/src/a.c", "/src"}, {"/build/b.c", "/build"}},
         {{"/src/a.c", "/src/a.c"}, {"/build/b.c", "/build/b.c"}}},
        {"nothing absolute", {{"a.c", ""}, {"b.c", "."}}, {{"./a.c", "a.c"}, {"/x.c", "/x.c"}}},
        {"no units", {}, {{"a/../b.c", "b.c"}, {"/a/b.c", "/a/b.c"}}},
        {"nameless unit", {{"", "/src/linux"}}, {{"/src/linux/a.c", "a.c"}}},
        {"spellings of the folder",
         {{"init/main.c", "/src/./linux//"}, {"b.c", "/src/other/../linux"}},
         {{"/src/linux/a.c", "a.c"}}},
        {"another init/main.c, deeper in the tree",
         {{"init/main.c", "/src/linux"}, {"tools/init/main.c", "/src/linux"}},
         {{"/src/linux/a.c", "a.c"}, {"/src/linux/tools/a.c", "tools/a.c"}}},
    };
    check(rows);
}

// The numbers of DW_AT_decl_file begin at 1 up to DWARF 4, and at 0 in DWARF 5. Folder 0 is
// DW_AT_comp_dir, which is left out.
Expr text(std::string_view content) {
    Expr bytes;
    bytes.bytes.assign(content.begin(), content.end());
    bytes.bytes.push_back(0);
    return bytes;
}
Expr with_length(const Expr &content, bool is_64_bit) {
    const uint64_t length = content.bytes.size();
    return is_64_bit ? fixed(0xffffffff, 4) + fixed(length, 8) + content
                     : fixed(length, 4) + content;
}

// Returns what precedes the tables of folders and files.
Expr line_header(uint16_t version, bool is_64_bit, const Expr &tables) {
    const Expr instructions = raw({1, 1, 1, 0xfb, 14, 4, 0, 1, 1});  // 3 standard opcodes
    const Expr old = raw({1, 1, 0xfb, 14, 4, 0, 1, 1});  // no operations per instruction
    const Expr rest = (version >= 4 ? instructions : old) + tables;
    return with_length(fixed(version, 2) + (version >= 5 ? raw({8, 0}) : Expr()) +
                           fixed(rest.bytes.size(), is_64_bit ? 8 : 4) + rest,
                       is_64_bit);
}

std::vector<std::string> files_of(const Expr &line, uint64_t offset = 0) {
    const std::vector<uint8_t> line_str = {'x', 0, 'l', 's', '.', 'c', 0};
    const std::vector<uint8_t> str = {0, 's', '.', 'c', 0};
    DebugSections sections;
    sections.line = line.bytes;
    sections.line_str = line_str;
    sections.str = str;
    Unit unit;
    unit.line_offset = offset;
    return file_table(sections, unit);
}

using Files = std::vector<std::string>;

TEST(SourcePath, FileTableOfDwarf4) {
    const Expr file = uleb(1) + uleb(0x12345) + uleb(0);  // folder, time, size
    const Expr tables = text("include/linux") + text("/usr/include") + raw({0}) + text("a.c") +
                        raw({0, 0, 0}) + text("sched.h") + file + text("b.h") + raw({2, 0, 0}) +
                        text("/abs.h") + raw({1, 0, 0}) + text("far.h") + raw({9, 0, 0}) + raw({0});
    const Files expected = {"",       "a.c",  "include/linux/sched.h", "/usr/include/b.h",
                            "/abs.h", "far.h"};
    for (const uint16_t version : {2, 3, 4})
        for (const bool is_64_bit : {false, true})
            EXPECT_EQ(files_of(line_header(version, is_64_bit, tables)), expected)
                << version << (is_64_bit ? ", 64-bit" : "");
}

TEST(SourcePath, FileTableOfDwarf5) {
    constexpr uint8_t kPath = 1, kFolder = 2, kMd5 = 5;  // DW_LNCT_*
    constexpr uint8_t kString = 0x08, kLineStrp = 0x1f, kStrp = 0x0e, kUdata = 0x0f, kData16 = 0x1e;
    for (const bool is_64_bit : {false, true}) {
        const uint32_t size = is_64_bit ? 8 : 4;
        const Expr md5 = raw(std::vector<uint8_t>(16, 0xee));
        const Expr folders = raw({1, kPath, kString, 3}) + text("/comp/dir") + text("include") +
                             text("/usr/include");
        const Expr by_text = raw({3, kPath, kString, kFolder, kUdata, kMd5, kData16, 4}) +
                             text("a.c") + raw({0}) + md5 + text("b.h") + raw({1}) + md5 +
                             text("c.h") + raw({2}) + md5 + text("d.h") + raw({9}) + md5;
        EXPECT_EQ(files_of(line_header(5, is_64_bit, folders + by_text)),
                  (Files{"a.c", "include/b.h", "/usr/include/c.h", "d.h"}));
        const Expr by_line_str = raw({1, kPath, kLineStrp, 1}) + fixed(2, size);
        EXPECT_EQ(files_of(line_header(5, is_64_bit, folders + by_line_str)), Files{"ls.c"});
        const Expr by_str = raw({1, kPath, kStrp, 1}) + fixed(1, size);
        EXPECT_EQ(files_of(line_header(5, is_64_bit, folders + by_str)), Files{"s.c"});
    }
}

TEST(SourcePath, MalformedFileTables) {
    const Expr good = line_header(4, false, raw({0}) + text("a.c") + raw({0, 0, 0, 0}));
    EXPECT_EQ(files_of(good), (Files{"", "a.c"}));
    EXPECT_EQ(files_of(good, 1000), Files{});
    EXPECT_EQ(files_of(Expr()), Files{});
    EXPECT_EQ(files_of(line_header(6, false, raw({0, 0}))), Files{});
    // Every prefix gives fewer names, and never a read behind the end.
    for (size_t size = 0; size < good.bytes.size(); size++) {
        const std::vector<uint8_t> cut(good.bytes.begin(),
                                       good.bytes.begin() + static_cast<ptrdiff_t>(size));
        EXPECT_LE(files_of(raw(cut)).size(), 2u) << size;
    }
    // The entries have no fields, and their number is the largest possible.
    EXPECT_LE(
        files_of(line_header(5, false, raw({0}) + uleb(UINT64_MAX) + raw({0}) + uleb(UINT64_MAX)))
            .size(),
        1u);
    // This form has no known size, so it cannot be skipped.
    EXPECT_EQ(files_of(line_header(5, false, raw({1, 1, 0x7f, 1}) + text("a"))), Files{});
}

}  // namespace
}  // namespace btf_extra::test
