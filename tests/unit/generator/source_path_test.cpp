// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A source file has one spelling, relative to the source tree.
#include "userspace/generator/dwarf/source_path.h"

#include <algorithm>

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
    std::vector<std::string> files = {};
    bool assembly = false;
};

struct TreeRow {
    const char *name;
    std::vector<UnitName> units;
    std::vector<std::pair<const char *, const char *>> paths;  // as written, and as expected
};

void check(std::span<const TreeRow> rows) {
    for (const TreeRow &row : rows) {
        SCOPED_TRACE(row.name);
        std::vector<UnitPaths> units;
        for (const UnitName &unit : row.units)
            units.push_back({.name = unit.name,
                             .comp_dir = unit.comp_dir,
                             .assembly = unit.assembly,
                             .trees = kernel_trees(unit.files)});
        const SourceTree forwards(units);
        std::ranges::reverse(units);
        const SourceTree backwards(units);
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
        {"a prefix is mapped to the root", {{"/init/main.c", ""}}, {{"/kernel/a.c", "kernel/a.c"}}},
    };
    check(rows);
}

// The names are those that readelf --debug-dump=info and =line show.
TEST(SourcePath, TreeOfDebiansKernels) {
    const char *const built_in = "/build/reproducible-path/linux-6.1.192/";
    const auto in = [&](const char *path) { return std::string(built_in) + path; };
    const std::string rt_build = in("debian/build/build_amd64_rt_amd64");
    const std::string rt_head = in("debian/build/source_rt/arch/x86/kernel/head_64.S");
    const std::string rt_entry = in("debian/build/source_rt/arch/x86/entry/entry_64.S");
    const std::string rt_aes = in("debian/build/source_rt/arch/x86/crypto/aesni-intel_asm.S");
    const std::string rt_include = in("debian/build/source_rt/arch/x86/include/asm/smap.h");
    const std::string rt_generated = rt_build + "/arch/x86/include/generated/asm/a.h";
    const std::string cloud_build = in("debian/build/build_amd64_none_cloud-amd64");
    const std::string cloud_head = in("arch/x86/kernel/head_64.S");
    const std::string cloud_copy = in("arch/x86/lib/copy_page_64.S");
    const std::vector<std::string> rt_files = {
        "debian/build/source_rt/include/linux/sched.h",
        "debian/build/source_rt/include/uapi/asm-generic/int-ll64.h"};
    const std::vector<std::string> cloud_files = {"include/uapi/asm-generic/int-ll64.h"};
    const TreeRow rows[] = {
        {"6.1 rt: the prefix that is taken away is not the tree",
         {{"debian/build/source_rt/init/main.c", "debian/build/build_amd64_rt_amd64", rt_files},
          {"debian/build/source_rt/arch/x86/kernel/head64.c", "debian/build/build_amd64_rt_amd64",
           rt_files},
          {"debian/build/source_rt/kernel/bpf/hashtab.c", "debian/build/build_amd64_rt_amd64",
           rt_files},
          {"drivers/tty/vt/consolemap_deftbl.c", "debian/build/build_amd64_rt_amd64", {}},
          {rt_head.c_str(), rt_build.c_str(), {}, true},
          {rt_entry.c_str(), rt_build.c_str(), {}, true}},
         {{"debian/build/source_rt/kernel/bpf/hashtab.c", "kernel/bpf/hashtab.c"},
          {"debian/build/source_rt/arch/x86/include/asm/../../../../mm/slab.h", "mm/slab.h"},
          {"./arch/x86/include/generated/asm/a.h", "arch/x86/include/generated/asm/a.h"},
          {"debian/build/build_amd64_rt_amd64/include/generated/a.h", "include/generated/a.h"},
          {"drivers/tty/vt/consolemap_deftbl.c", "drivers/tty/vt/consolemap_deftbl.c"},
          {rt_head.c_str(), "arch/x86/kernel/head_64.S"},
          {rt_entry.c_str(), "arch/x86/entry/entry_64.S"},
          {rt_include.c_str(), "arch/x86/include/asm/smap.h"},
          {rt_generated.c_str(), "arch/x86/include/generated/asm/a.h"}}},
        {"a module of it",
         {{"debian/build/source_rt/arch/x86/crypto/aesni-intel_glue.c",
           "debian/build/build_amd64_rt_amd64", rt_files},
          {"arch/x86/crypto/aesni-intel.mod.c", "debian/build/build_amd64_rt_amd64", rt_files},
          {rt_aes.c_str(), rt_build.c_str(), {}, true}},
         {{"debian/build/source_rt/include/linux/a.h", "include/linux/a.h"},
          {"arch/x86/crypto/aesni-intel.mod.c", "arch/x86/crypto/aesni-intel.mod.c"},
          {rt_aes.c_str(), "arch/x86/crypto/aesni-intel_asm.S"}}},
        {"a module of it without anything in assembly",
         {{"debian/build/source_rt/fs/xfs/xfs_super.c", "debian/build/build_amd64_rt_amd64",
           rt_files}},
         {{"debian/build/source_rt/fs/xfs/xfs_super.c", "fs/xfs/xfs_super.c"}}},
        {"6.1 cloud",
         {{"init/main.c", "debian/build/build_amd64_none_cloud-amd64", cloud_files},
          {cloud_head.c_str(), cloud_build.c_str(), {}, true},
          {cloud_copy.c_str(), cloud_build.c_str(), {}, true}},
         {{"include/linux/a.h", "include/linux/a.h"},
          {cloud_head.c_str(), "arch/x86/kernel/head_64.S"},
          {cloud_copy.c_str(), "arch/x86/lib/copy_page_64.S"}}},
    };
    check(rows);
}

TEST(SourcePath, TreeOfOtherLayouts) {
    const auto with = [](const char *tree) {
        return std::vector<std::string>{std::string(tree) + "include/uapi/asm-generic/int-ll64.h"};
    };
    const TreeRow rows[] = {
        {"-fdebug-prefix-map=/src/linux/= and O= elsewhere",
         {{"init/main.c", "/out", with("")},
          {"arch/x86/kernel/head64.c", "/out", with("")},
          {"/src/linux/arch/x86/kernel/head_64.S", "/out", {}, true},
          {"/src/linux/arch/x86/boot/a.S", "/out", {}, true}},
         {{"kernel/fork.c", "kernel/fork.c"},
          {"/src/linux/arch/x86/boot/a.S", "arch/x86/boot/a.S"},
          {"/out/include/generated/a.h", "include/generated/a.h"}}},
        {"-fdebug-prefix-map=/src=.",
         {{"./linux/init/main.c", ".", with("./linux/")}},
         {{"linux/kernel/fork.c", "kernel/fork.c"}}},
        {"-fdebug-prefix-map=/src/linux=/usr/src/debug/linux",
         {{"/usr/src/debug/linux/init/main.c", "/usr/src/debug/linux",
           with("/usr/src/debug/linux/")}},
         {{"/usr/src/debug/linux/kernel/fork.c", "kernel/fork.c"}}},
        {"O=../out: the tree is a sibling",
         {{"../linux/init/main.c", "/src/out", with("../linux/")}},
         {{"../linux/kernel/fork.c", "kernel/fork.c"},
          {"/src/linux/kernel/fork.c", "kernel/fork.c"},
          {"./include/generated/a.h", "include/generated/a.h"},
          {"/src/out/include/generated/a.h", "include/generated/a.h"},
          {"../other/a.c", "../other/a.c"}}},
        {"one unit has the absolute name, another the relative one",
         {{"../kernel/a.c", "/src/linux/build", {}},
          {"x.c", "/src/linux/build", with("/src/linux/")}},
         {{"../kernel/a.c", "kernel/a.c"}, {"/src/linux/kernel/a.c", "kernel/a.c"}}},
        {"a link to the sources, as in O= builds up to 4.20",
         {{"/src/linux/init/main.c", "/srv/link/build", with("/src/linux/")},
          {"/srv/link/build/source/kernel/fork.c", "/srv/link/build",
           with("/srv/link/build/source/")}},
         {{"/src/linux/kernel/fork.c", "kernel/fork.c"},
          {"/srv/link/build/source/kernel/fork.c", "kernel/fork.c"},
          {"/srv/link/build/include/generated/a.h", "include/generated/a.h"}}},
        {"a module out of the tree, DKMS",
         {{"/var/lib/dkms/m/1/build/a.c", "/usr/src/linux-headers-6.1-amd64",
           with("/usr/src/linux-headers-6.1-common/")},
          {"/var/lib/dkms/m/1/build/sub/b.c", "/usr/src/linux-headers-6.1-amd64",
           with("/usr/src/linux-headers-6.1-common/")}},
         {{"/usr/src/linux-headers-6.1-common/include/linux/a.h", "include/linux/a.h"},
          {"./include/generated/a.h", "include/generated/a.h"},
          {"/usr/src/linux-headers-6.1-amd64/include/generated/a.h", "include/generated/a.h"},
          {"/var/lib/dkms/m/1/build/sub/b.h", "sub/b.h"},
          {"/var/lib/dkms/m/2/b.h", "/var/lib/dkms/m/2/b.h"}}},
        {"a module out of the tree, 6.13 and later",
         {{"a.c", "/srv/driver", with("/usr/src/linux/")}},
         {{"/usr/src/linux/include/linux/a.h", "include/linux/a.h"},
          {"a.c", "a.c"},
          {"/srv/driver/a.h", "a.h"}}},
        {"its own init/main.c is no tree",
         {{"/srv/driver/init/main.c", "/usr/src/linux", with("./")}},
         {{"/usr/src/linux/include/linux/a.h", "include/linux/a.h"},
          {"./include/linux/a.h", "include/linux/a.h"}}},
        {"make M=drivers/foo, 6.13 and later",
         {{"a.c", "/src/linux/drivers/foo", with("/src/linux/")}},
         {{"a.c", "drivers/foo/a.c"},
          {"/src/linux/drivers/foo/a.h", "drivers/foo/a.h"},
          {"/src/linux/include/linux/a.h", "include/linux/a.h"},
          {"/usr/include/a.h", "/usr/include/a.h"}}},
        {"a folder of the tree that looks like one",
         {{"kernel/a.c", "/src/linux", with("")}, {"kernel/b.c", "/src/linux", with("tools/")}},
         {{"tools/include/a.h", "tools/include/a.h"}}},
        {"a partial unit has no name",
         {{"", "/usr/src/linux", {}}, {"/srv/m/a.c", "/usr/src/linux", with("")}},
         {{"/srv/m/b.h", "b.h"}, {"include/linux/a.h", "include/linux/a.h"}}},
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
    // Every prefix gives fewer names, and never a read beyond the end.
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
