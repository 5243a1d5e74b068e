// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Uses the C API on a small file: what it opens, finds, returns and refuses. Locations for BPF
// programs are compared with values worked out by hand from the wire format. Nothing here needs
// root.
extern "C" {
#include "tests/core/expression_rows.h"
#include "tests/support/bpf_steps.h"
}

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include <elf.h>
#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "tests/support/extra_writer.h"
#include "tests/support/sample_object.h"
#include "userspace/lib/attach/loc_specs.h"
#include "userspace/lib/btf_extra.h"
#include "userspace/lib/tables/site_tables.h"
#include "userspace/text/func_text.h"

namespace btf_extra {
namespace {

using test::SampleObject;

// This file includes both headers, so a constant that differs is an error of the compiler.
static_assert(sizeof(btf_loc_arg) == sizeof(btf_extra_arg));
static_assert(offsetof(btf_loc_arg, present) == offsetof(btf_extra_arg, present));
static_assert(sizeof(btf_loc_spec) == 32);
static_assert(sizeof(btf_loc_steps) == 16 + 32 * 16);
static_assert(int{BTF_LOC_STEPS} == int{LOC_EXPRESSION_OPERATORS});

TEST(FuncText, Rows) {
    struct Row {
        const char *text;
        const char *object, *name, *file;
        uint32_t id;  // 0: there is none
        const char *error;
    } rows[] = {
        {"foo", "", "foo", "", 0, nullptr},
        {"foo.isra.0", "", "foo.isra.0", "", 0, nullptr},
        {"foo@fs/./bar.c", "", "foo", "fs/bar.c", 0, nullptr},
        {"xfs:foo@fs/bar.c", "xfs", "foo", "fs/bar.c", 0, nullptr},
        {"foo@a:b.c", "", "foo", "a:b.c", 0, nullptr},
        {"#12", "", "", "", 12, nullptr},
        {"vmlinux:#4294967295", "vmlinux", "", "", 4294967295, nullptr},
        {"", "", "", "", 0, "'': the name of a function is missing"},
        {"vmlinux:", "", "", "", 0, "'vmlinux:': the name of a function is missing"},
        {":foo", "", "", "", 0, "':foo': no object before ':'"},
        {"foo@", "", "", "", 0, "'foo@': no source file after '@'"},
        {"#", "", "", "", 0, "'#': no BTF id after '#'"},
        {"#0", "", "", "", 0, "'#0': no BTF id after '#'"},
        {"#12x", "", "", "", 0, "'#12x': no BTF id after '#'"},
        {"#4294967296", "", "", "", 0, "'#4294967296': no BTF id after '#'"},
        {"#1@a.c", "", "", "", 0, "'#1@a.c': a BTF id needs no source file"},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.text);
        auto parsed = parse_func_text(row.text);
        ASSERT_EQ(static_cast<bool>(parsed), row.error == nullptr);
        if (!parsed) {
            EXPECT_EQ(parsed.error().message, row.error);
            EXPECT_EQ(parsed.error().code, EINVAL);
            continue;
        }
        EXPECT_EQ(parsed->object, row.object);
        EXPECT_EQ(parsed->name, row.name);
        EXPECT_EQ(parsed->file, row.file);
        EXPECT_EQ(parsed->id.value_or(0), row.id);
    }
}

class ApiTest : public ::testing::Test {
  protected:
    void SetUp() override {
        SampleObject sample;
        file_ = folder_.path("vmlinux.btf_extra");
        base_ = folder_.path("base.btf");
        ASSERT_TRUE(write_extra_file(file_, sample.file));
        const auto bytes = sample.base.bytes();
        test::write_file(base_, std::as_bytes(std::span(bytes)));
    }
    void TearDown() override { btf_extra_close(tables_); }

    void open() {
        btf_extra_open_opts opts = {};
        opts.sz = sizeof(opts);
        opts.file = file_.c_str();
        opts.base_btf = base_.c_str();
        ASSERT_EQ(btf_extra_open(&tables_, &opts), 0) << btf_extra_last_error();
    }

    // The files of a running system are in the folder of this test.
    FileTablesPaths running_paths(const std::string &sys_kernel,
                                  const std::string &sys_module) const {
        FileTablesPaths paths;
        paths.file = file_;
        paths.base_btf = base_;
        paths.sys_kernel = folder_.path(sys_kernel);
        paths.sys_module = folder_.path(sys_module);
        paths.kallsyms = folder_.path("kallsyms");
        return paths;
    }

    test::TemporaryFolder folder_;
    std::string file_, base_;
    btf_extra_tables *tables_ = nullptr;
};

TEST_F(ApiTest, Find) {
    open();
    EXPECT_FALSE(btf_extra_uses_module(tables_));
    struct Row {
        const char *text;
        int error;
        std::vector<uint32_t> ids;
        const char *message;
    } rows[] = {
        {"skb_headlen", 0, {7}, ""},
        {"vmlinux:skb_headlen", 0, {7}, ""},
        {"#7", 0, {7}, ""},
        {"twin", 0, {13, 14}, ""},
        {"twin@b/twin.c", 0, {14}, ""},
        {"twin@twin.c", 0, {13, 14}, ""},
        {"twin@win.c",
         -ENOENT,
         {},
         "FILE: no function twin@win.c; of that name: vmlinux:twin@a/twin.c, "
         "vmlinux:twin@b/twin.c"},
        {"skb_head", -ENOENT, {}, "FILE: no function skb_head"},
        {"#6", -ENOENT, {}, "FILE: no function #6"},
        {"", -EINVAL, {}, "'': the name of a function is missing"},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.text);
        const btf_extra_func *const *funcs = nullptr;
        size_t count = 77;
        ASSERT_EQ(btf_extra_find(tables_, row.text, &funcs, &count), row.error);
        if (row.error != 0) {
            std::string message = row.message;
            if (message.starts_with("FILE"))
                message.replace(0, 4, file_);
            EXPECT_EQ(btf_extra_last_error(), message);
            EXPECT_EQ(count, 77u);
            EXPECT_EQ(funcs, nullptr);
            continue;
        }
        std::vector<uint32_t> ids;
        for (size_t i = 0; i < count; i++)
            ids.push_back(btf_extra_func_id(funcs[i]));
        EXPECT_EQ(ids, row.ids);
    }
}

TEST_F(ApiTest, Function) {
    open();
    const btf_extra_func *const *funcs;
    size_t count;
    ASSERT_EQ(btf_extra_find(tables_, "report", &funcs, &count), 0);
    ASSERT_EQ(count, 1u);
    EXPECT_STREQ(btf_extra_func_name(funcs[0]), "report");
    EXPECT_STREQ(btf_extra_func_object(funcs[0]), "vmlinux");
    EXPECT_STREQ(btf_extra_func_prototype(funcs[0]),
                 "void report(int flags, void *p, unsigned int len, ...)");
    ASSERT_EQ(btf_extra_func_nr_params(funcs[0]), 3u);
    EXPECT_STREQ(btf_extra_func_param(funcs[0], 1), "p");
    EXPECT_EQ(btf_extra_func_param(funcs[0], 3), nullptr);
    size_t nr_sites;
    const btf_extra_site *sites = btf_extra_func_sites(funcs[0], &nr_sites);
    // Sites 0 to 5 are inlined, of which 2 and 3 are report's. Sites 6 and 7 are bodies, of which 7
    // is report's.
    ASSERT_EQ(nr_sites, 3u);
    const uint32_t numbers[] = {2, 3, 7};
    const uint64_t located[] = {7, 2,
                                2};  // LOC_PROTO 23 locates all three, LOC_PROTO 24 the second
    for (size_t i = 0; i < 3; i++) {
        EXPECT_EQ(sites[i].number, numbers[i]);
        EXPECT_EQ(sites[i].address, 0u);  // the kernel of this file is not running
        EXPECT_EQ(btf_extra_site_located(funcs[0], &sites[i]), located[i]);
    }
    EXPECT_EQ(sites[0].site_class, uint32_t{BTF_EXTRA_CLASS_INLINE});
    EXPECT_EQ(sites[2].site_class, uint32_t{BTF_EXTRA_CLASS_BODY});
}

// The expected chains are those of sample_frames(). The kernel of this file is not running, so
// addresses are as linked.
TEST_F(ApiTest, Frames) {
    open();
    btf_extra_frame frames[4] = {};
    size_t nr = 77;
    EXPECT_EQ(btf_extra_frames(tables_, 0xffffffff81000006, frames, 4, &nr), -ENOENT);
    EXPECT_EQ(btf_extra_last_error(), file_ + ": no frames");
    EXPECT_EQ(nr, 77u);
    btf_extra_close(tables_);
    SampleObject sample;
    sample.file.frames = test::sample_frames();
    ASSERT_TRUE(write_extra_file(file_, sample.file));
    open();
    ASSERT_EQ(btf_extra_frames(tables_, 0xffffffff81000006, frames, 4, &nr), 0)
        << btf_extra_last_error();
    ASSERT_EQ(nr, 3u);
    EXPECT_STREQ(frames[0].func, "twin");
    EXPECT_STREQ(frames[0].call_file, "include/x.h");
    EXPECT_EQ(frames[0].call_line, 7u);
    EXPECT_EQ(frames[0].func_id, 13u);
    EXPECT_STREQ(frames[1].func, "skb_headlen");
    EXPECT_STREQ(frames[1].call_file, "a/twin.c");
    EXPECT_EQ(frames[1].call_line, 33u);
    EXPECT_STREQ(frames[2].func, "report");
    EXPECT_EQ(frames[2].call_file, nullptr);
    EXPECT_EQ(frames[2].call_line, 0u);
    // One has room only for the innermost.
    frames[1].func = "untouched";
    ASSERT_EQ(btf_extra_frames(tables_, 0xffffffff81000005, frames, 1, &nr), 0);
    EXPECT_EQ(nr, 2u);
    EXPECT_STREQ(frames[0].func, "skb_headlen");
    EXPECT_STREQ(frames[1].func, "untouched");
    ASSERT_EQ(btf_extra_frames(tables_, 0xffffffff81000035, frames, 4, &nr), 0);
    EXPECT_EQ(nr, 0u);
    ASSERT_EQ(btf_extra_frames(tables_, 6, frames, 4, &nr), 0);
    EXPECT_EQ(nr, 0u);
}

// The chains are those of sample_frames(), the symbols and sizes those of sample_kernel_source():
// host has 0x20 bytes from 0xffffffff81000000 on, then come 0x10 bytes of skb_headlen.isra.0, and
// as many of report.
TEST_F(ApiTest, Symbolize) {
    test::make_sample_kernel(folder_.path("vmlinux"), base_);
    SampleObject sample;
    sample.file.frames = test::sample_frames();
    ASSERT_TRUE(write_extra_file(file_, sample.file));
    const std::string vmlinux = folder_.path("vmlinux");
    btf_extra_open_opts opts = {};
    opts.sz = sizeof(opts);
    opts.file = file_.c_str();
    opts.vmlinux = vmlinux.c_str();
    ASSERT_EQ(btf_extra_open(&tables_, &opts), 0) << btf_extra_last_error();
    struct Row {
        const char *place;
        bool return_address;
        int error;
        std::vector<std::string> names;  // innermost first
        const char *message;
    } rows[] = {
        {"host+0x6", false, 0, {"twin", "skb_headlen", "report"}, ""},
        {"host+6", false, 0, {"twin", "skb_headlen", "report"}, ""},
        {"host+0x6/0x20", false, 0, {"twin", "skb_headlen", "report"}, ""},
        {"0xffffffff81000006", false, 0, {"twin", "skb_headlen", "report"}, ""},
        {"ffffffff81000005", false, 0, {"skb_headlen", "report"}, ""},
        // A call that returns to 6 is at 5, and one that returns to the end of host is in host.
        {"host+0x6/0x20", true, 0, {"skb_headlen", "report"}, ""},
        {"ffffffff81000006", true, 0, {"skb_headlen", "report"}, ""},
        {"host+0x20/0x20", true, 0, {"report"}, ""},
        {"skb_headlen.isra.0+0x0/0x10", false, 0, {"skb_headlen"}, ""},
        // report has no body in sample_frames(), and no symbol is at 0x1000.
        {"report+0x5/0x10", false, 0, {}, ""},
        {"ffffffff80001000", false, 0, {}, ""},
        {"host+0x6/0x30",
         false,
         -ESTALE,
         {},
         "FILE: 'host+0x6/0x30': host has 0x20 bytes, not 0x30"},
        {"hosts+0x6", false, -ENOENT, {}, "FILE: 'hosts+0x6': no such symbol"},
        {"host+0x6 [xfs]", false, -ENOENT, {}, "FILE: 'host+0x6 [xfs]': no such symbol"},
        {"host", false, -EINVAL, {}, "'host': neither symbol+offset nor an address"},
        {"", false, -EINVAL, {}, "'': neither symbol+offset nor an address"},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(std::string(row.place) + (row.return_address ? " returned to" : ""));
        btf_extra_frame frames[4] = {};
        size_t nr = 77;
        const int error =
            btf_extra_symbolize(tables_, row.place, row.return_address, frames, 4, &nr);
        ASSERT_EQ(error, row.error) << btf_extra_last_error();
        if (error != 0) {
            std::string message = row.message;
            if (message.starts_with("FILE"))
                message.replace(0, 4, file_);
            EXPECT_EQ(btf_extra_last_error(), message);
            EXPECT_EQ(nr, 77u);
            EXPECT_EQ(frames[0].func, nullptr);
            continue;
        }
        ASSERT_EQ(nr, row.names.size());
        for (size_t i = 0; i < nr; i++)
            EXPECT_EQ(frames[i].func, row.names[i]);
    }
    btf_extra_frame frames[3] = {};
    size_t nr = 0;
    ASSERT_EQ(btf_extra_symbolize(tables_, "host+0x6/0x20", false, frames, 2, &nr), 0);
    EXPECT_EQ(nr, 3u);
    EXPECT_STREQ(frames[0].call_file, "include/x.h");
    EXPECT_EQ(frames[0].call_line, 7u);
    EXPECT_EQ(frames[0].func_id, 13u);
    EXPECT_EQ(frames[2].func, nullptr);
}

// Two functions of one name: the size tells which one is meant.
TEST_F(ApiTest, SymbolizeNamesakes) {
    const std::string source = folder_.path("twins.S"), vmlinux = folder_.path("vmlinux");
    const std::string sample_source = test::sample_kernel_source(base_);
    test::write_file(source, std::string_view(sample_source));
    // The second file has a local function host of 0x18 bytes, of which no table knows a body.
    const std::string other = folder_.path("other.S");
    test::write_file(other, std::string_view("        .text\n        .type host, @function\n"
                                             "host:   .skip 0x18\n"
                                             "        .size host, . - host\n"));
    const auto linked = test::run_command(
        {"gcc", "-nostdlib", "-static", "-no-pie", "-Wl,-e,report",
         std::string("-Wl,--build-id=0x") + test::kSampleBuildId, "-Wl,-Ttext=0xffffffff81000000",
         "-Wl,-Tdata=0xffffffff81200000", "-o", vmlinux, source, other});
    ASSERT_EQ(linked.exit_code, 0) << linked.err;
    SampleObject sample;
    sample.file.frames = test::sample_frames();
    ASSERT_TRUE(write_extra_file(file_, sample.file));
    btf_extra_open_opts opts = {};
    opts.sz = sizeof(opts);
    opts.file = file_.c_str();
    opts.vmlinux = vmlinux.c_str();
    ASSERT_EQ(btf_extra_open(&tables_, &opts), 0) << btf_extra_last_error();
    btf_extra_frame frames[4] = {};
    size_t nr = 77;
    EXPECT_EQ(btf_extra_symbolize(tables_, "host+0x6", false, frames, 4, &nr), -ENOTUNIQ);
    EXPECT_EQ(btf_extra_last_error(), file_ + ": 'host+0x6': 2 functions have that name");
    EXPECT_EQ(nr, 77u);
    ASSERT_EQ(btf_extra_symbolize(tables_, "host+0x6/0x20", false, frames, 4, &nr), 0)
        << btf_extra_last_error();
    EXPECT_EQ(nr, 3u);
    EXPECT_STREQ(frames[0].func, "twin");
}

// Without vmlinux a foreign file has no symbols, and without frames nothing can be answered.
TEST_F(ApiTest, SymbolizeUnknown) {
    open();
    btf_extra_frame frame;
    size_t nr = 77;
    EXPECT_EQ(btf_extra_symbolize(tables_, "host+0x6", false, &frame, 1, &nr), -ENOENT);
    EXPECT_EQ(btf_extra_last_error(), file_ + ": no frames: generate it without --no-frames");
    btf_extra_close(tables_);
    SampleObject sample;
    sample.file.frames = test::sample_frames();
    ASSERT_TRUE(write_extra_file(file_, sample.file));
    open();
    EXPECT_EQ(btf_extra_symbolize(tables_, "host+0x6", false, &frame, 1, &nr), -ENOENT);
    EXPECT_EQ(btf_extra_last_error(), file_ + ": 'host+0x6': no symbols are known");
    EXPECT_EQ(nr, 77u);
}

TEST_F(ApiTest, RefusedOptions) {
    btf_extra_open_opts opts = {};
    EXPECT_EQ(btf_extra_open(&tables_, &opts), -EINVAL);
    EXPECT_STREQ(btf_extra_last_error(), "opts: sz is not the size of the struct");
    struct {
        btf_extra_open_opts known;
        uint64_t more;
    } longer = {};
    longer.known.sz = sizeof(longer);
    longer.known.file = file_.c_str();
    longer.known.base_btf = base_.c_str();
    longer.more = 1;
    EXPECT_EQ(btf_extra_open(&tables_, &longer.known), -EINVAL);
    EXPECT_STREQ(btf_extra_last_error(),
                 "opts: a field is set that this version of the library does not know");
    EXPECT_EQ(tables_, nullptr);
    longer.more = 0;
    EXPECT_EQ(btf_extra_open(&tables_, &longer.known), 0);
    longer.known.file = "/nowhere";
    btf_extra_tables *other = nullptr;
    EXPECT_LT(btf_extra_open(&other, &longer.known), 0);
    EXPECT_EQ(other, nullptr);
    EXPECT_NE(std::string(btf_extra_last_error()).find("/nowhere"), std::string::npos);
}

TEST_F(ApiTest, RefusedAttach) {
    open();
    const btf_extra_func *const *funcs;
    size_t count;
    ASSERT_EQ(btf_extra_find(tables_, "report", &funcs, &count), 0);
    struct Row {
        uint32_t flags;
        uint64_t required;
        int error;
        const char *message;
    } rows[] = {
        {0, 0, -ESTALE, "vmlinux:report: the tables are of another kernel"},
        {1U << 30, 0, -EINVAL, "vmlinux:report: opts: unknown flags 0x40000000"},
        {BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_BODY_ONLY, 0, -EINVAL,
         "vmlinux:report: opts: BTF_EXTRA_INLINE_ONLY and BTF_EXTRA_BODY_ONLY exclude each "
         "other"},
        {0, 8, -EINVAL, "vmlinux:report: has 3 parameters, but opts.required names others"},
        {BTF_EXTRA_LINK, 0, -EINVAL,
         "vmlinux:report: opts: BTF_EXTRA_LINK goes with BTF_EXTRA_INLINE_ONLY, and without a "
         "cookie"},
        {BTF_EXTRA_LINK | BTF_EXTRA_INLINE_ONLY, 0, -ESTALE,
         "vmlinux:report: the tables are of another kernel"},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.message);
        btf_extra_attach_opts opts = {};
        opts.sz = sizeof(opts);
        opts.flags = row.flags;
        opts.required = row.required;
        btf_extra_kloc *kloc = nullptr;
        btf_extra_report *report = nullptr;
        EXPECT_EQ(btf_extra_attach(&kloc, tables_, funcs[0], -1, &opts, &report), row.error);
        EXPECT_STREQ(btf_extra_last_error(), row.message);
        EXPECT_EQ(kloc, nullptr);
        EXPECT_EQ(report, nullptr);
    }
    btf_extra_kloc *kloc = nullptr;
    EXPECT_EQ(btf_extra_attach_link(&kloc, tables_, -1, nullptr, nullptr), -EBADF);
    EXPECT_STREQ(btf_extra_last_error(), "the BPF link: Bad file descriptor");
    btf_extra_detach(nullptr);
    btf_extra_report_free(nullptr);
}

// The running kernel is the sample, moved by 0x1000000.
TEST_F(ApiTest, RunTimeAddresses) {
    std::filesystem::create_directories(folder_.path("sys"));
    SampleObject sample;
    auto write = [](const std::string &path, const void *data, size_t size) {
        std::ofstream(path, std::ios::binary)
            .write(static_cast<const char *>(data), static_cast<std::streamsize>(size));
    };
    write(folder_.path("sys/notes"), sample.file.build_id_note.data(),
          sample.file.build_id_note.size());
    auto tables_with = [&](const std::string &kallsyms) {
        std::ofstream(folder_.path("kallsyms")) << kallsyms;
        return open_file_tables(running_paths("sys", "none"), true);
    };
    // Both functions with a body are global symbols.
    const std::string right = "ffffffff82000020 T skb_headlen\n"
                              "ffffffff82000020 t skb_headlen.isra.0\n"
                              "ffffffff82000030 T report\n";
    auto tables = tables_with(right);
    ASSERT_TRUE(tables) << tables.error().message;
    auto found = (*tables)->find({"", "skb_headlen", "", {}});
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 1u);
    ASSERT_EQ(found->front().sites.size(), 3u);
    EXPECT_EQ(found->front().sites[0].address, 0xffffffff82000004u);
    EXPECT_EQ(found->front().sites[1].address, 0xffffffff82000010u);
    EXPECT_EQ(found->front().sites[2].address, 0xffffffff82000020u);
    EXPECT_EQ(found->front().object->text, 0xffffffff82000000u);
    EXPECT_TRUE(found->front().all_sites);
    auto symbol = (*tables)->find({"", "skb_headlen.isra.0", "", {}});
    ASSERT_TRUE(symbol);
    ASSERT_EQ(symbol->size(), 1u);
    EXPECT_FALSE(symbol->front().all_sites);
    ASSERT_EQ(symbol->front().sites.size(), 1u);
    EXPECT_EQ(symbol->front().sites[0].number, 6u);

    auto contradicting = tables_with("ffffffff82000020 T skb_headlen\nffffffff82000040 T report\n");
    ASSERT_FALSE(contradicting);
    EXPECT_NE(contradicting.error().message.find("contradict each other about .text"),
              std::string::npos);
    auto hidden = tables_with("0000000000000000 T skb_headlen\n0000000000000000 T report\n");
    ASSERT_TRUE(hidden);
    EXPECT_EQ((*(*hidden)->find({"", "report", "", {}}))[0].sites[0].address, 0u);

    const char other[] = "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0abcd";
    write(folder_.path("sys/notes"), other, sizeof(other) - 1);
    auto foreign = tables_with(right);
    ASSERT_FALSE(foreign);
    EXPECT_EQ(foreign.error().code, ESTALE);
}

// The file of a module is opened when a question is about it.
TEST_F(ApiTest, BrokenFileOfOneModule) {
    const SampleObject sample;
    const std::string note = "/notes/.note.gnu.build-id";
    for (const std::string name : {"broken", "whole", "other"}) {
        std::filesystem::create_directories(folder_.path("module/" + name + "/notes"));
        auto id = sample.file.build_id_note;
        if (name == "other")
            id.back() ^= std::byte{1};
        test::write_file(folder_.path("module/" + name + note), std::span<const std::byte>(id));
        std::filesystem::copy_file(file_, folder_.path(name + ".btf_extra"));
    }
    test::write_file(folder_.path("broken.btf_extra"), std::string_view("no container"));
    test::write_file(folder_.path("not_loaded.btf_extra"), std::string_view("no container"));
    test::write_file(folder_.path("notes"), std::span<const std::byte>(sample.file.build_id_note));
    test::write_file(folder_.path("kallsyms"), std::string_view("0000000000000000 T report\n"));
    auto tables = open_file_tables(running_paths("", "module"), true);
    ASSERT_TRUE(tables) << tables.error().message;

    const std::string broken = folder_.path("broken.btf_extra") + ": byte 0x0: ";
    struct Row {
        const char *text;
        std::vector<std::string> objects;
        std::string error;
    } rows[] = {
        {"vmlinux:report", {"vmlinux"}, ""},
        {"#12", {"vmlinux"}, ""},
        {"whole:report", {"whole"}, ""},
        {"[vw]*:report", {"vmlinux", "whole"}, ""},
        {"other:report", {}, file_ + ": no object other"},
        {"not_loaded:report", {}, file_ + ": no object not_loaded"},
        {"broken:report", {}, broken},
        {"report", {}, broken},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.text);
        const auto found = (*tables)->find(*parse_func_text(row.text));
        ASSERT_EQ(static_cast<bool>(found), row.error.empty());
        if (!found) {
            EXPECT_TRUE(found.error().message.starts_with(row.error)) << found.error().message;
            continue;
        }
        std::vector<std::string> objects;
        for (const FoundFunc &func : *found)
            objects.push_back(func.object->name);
        EXPECT_EQ(objects, row.objects);
    }
    EXPECT_FALSE((*tables)->find_at("0x1000"));
}

struct SpecRow {
    const char *name;
    uint32_t size, flags;
    std::vector<uint32_t> values;
    btf_value type;
    // The expected location; shape 0: none.
    uint8_t shape;
    uint16_t reg[2];
    uint64_t value;
    bool is_signed;
};

TEST(LocSpec, Shapes) {
    constexpr uint64_t kText = 0xffffffff81000000;
    // clang-format off
    const SpecRow rows[] = {
        {"a register", 8, LOC_REG, {5}, {8, false}, BTF_LOC_REGISTER, {112, 0}, 0, false},
        {"an int", 4, LOC_REG, {4}, {4, true}, BTF_LOC_REGISTER, {104, 0}, 0, true},
        {"r15", 4, LOC_REG, {15}, {4, false}, BTF_LOC_REGISTER, {0, 0}, 0, false},
        {"a byte of an int", 1, LOC_REG, {0}, {4, true}, BTF_LOC_REGISTER, {80, 0}, 0, false},
        {"a signed byte of an int", 1, LOC_REG | LOC_OFFSET | LOC_SIGNED, {3, 0}, {4, true},
         BTF_LOC_REGISTER, {40, 0}, 0, true},
        {"a register less 16", 8, LOC_REG | LOC_OFFSET | LOC_SIGNED, {7, 0xfffffff0}, {8, false},
         BTF_LOC_REGISTER, {152, 0}, 0xfffffffffffffff0, false},
        {"a pair", 16, LOC_REG, {5, 4}, {16, false}, BTF_LOC_PAIR, {112, 104}, 0, false},
        {"memory", 4, LOC_REG | LOC_DEREF, {6}, {4, true}, BTF_LOC_MEMORY, {32, 0}, 0, true},
        {"memory at an offset of 64 bits", 2, LOC_REG | LOC_DEREF | LOC_OFFSET,
         {1, 0xfffffff8, 0xffffffff}, {4, true}, BTF_LOC_MEMORY, {96, 0}, 0xfffffffffffffff8,
         false},
        {"a struct in memory", 12, LOC_REG | LOC_DEREF | LOC_OFFSET, {7, 8}, {12, false},
         BTF_LOC_MEMORY, {152, 0}, 8, false},
        {"a constant", 4, LOC_CONST, {0xffffffff}, {4, false}, BTF_LOC_VALUE, {}, 0xffffffff,
         false},
        {"-1", 4, LOC_CONST, {0xffffffff}, {4, true}, BTF_LOC_VALUE, {}, UINT64_MAX, true},
        {"-1 of a byte, for an unsigned int", 1, LOC_CONST | LOC_SIGNED, {0xff}, {4, false},
         BTF_LOC_VALUE, {}, 0xffffffff, true},
        {"a constant of 8 bytes", 8, LOC_CONST, {1, 2}, {8, false}, BTF_LOC_VALUE, {}, 0x200000001,
         false},
        {"an address", 8, LOC_CONST | LOC_ADDR, {0x200000, 0}, {8, false}, BTF_LOC_VALUE, {},
         0xffffffff81200000, false},
        {"no such register", 8, LOC_REG, {16}, {8, false}, 0, {}, 0, false},
        {"the frame base", 8, LOC_REG, {LOC_FRAME_BASE}, {8, false}, 0, {}, 0, false},
    };
    // clang-format on
    for (const SpecRow &row : rows) {
        SCOPED_TRACE(row.name);
        std::vector<uint32_t> record = {
            0, uint32_t{LOC_KIND_PARAM} << 24 | static_cast<uint32_t>(row.values.size()), row.size,
            row.flags};
        record.insert(record.end(), row.values.begin(), row.values.end());
        auto spec =
            loc_spec(reinterpret_cast<const btf_type *>(record.data()), row.type, EM_X86_64, kText);
        ASSERT_EQ(spec.has_value(), row.shape != 0);
        if (!spec)
            continue;
        EXPECT_EQ(spec->shape, row.shape);
        EXPECT_EQ(spec->size, row.size);
        EXPECT_EQ(spec->reg[0], row.reg[0]);
        EXPECT_EQ(spec->reg[1], row.reg[1]);
        EXPECT_EQ(spec->value, row.value);
        EXPECT_EQ(spec->is_signed, row.is_signed);
        EXPECT_EQ(spec->type_size, std::min(row.type.size, 8u));
        EXPECT_EQ(spec->type_is_signed, row.type.is_signed);
    }
}

TEST(LocSpec, OtherMachine) {
    const uint32_t record[] = {0, LOC_KIND_PARAM << 24 | 1, 8, LOC_REG, 31};
    auto *param = reinterpret_cast<const btf_type *>(record);
    auto spec = loc_spec(param, {8, false}, EM_AARCH64, 0);
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->reg[0], 31 * 8);  // sp
    EXPECT_FALSE(loc_spec(param, {8, false}, EM_X86_64, 0));
    const uint32_t address[] = {0, LOC_KIND_PARAM << 24 | 2, 8, LOC_CONST | LOC_ADDR, 1, 0};
    EXPECT_FALSE(loc_spec(reinterpret_cast<const btf_type *>(address), {8, false}, EM_X86_64, 0));
}

// ---- arithmetic in BPF programs ----

bool run_as_bpf(const loc_expression *expression, const loc_machine_state *state, loc_load_fn load,
                u64 *value) {
    const auto computed = computed_spec(*expression, {8, false}, state->base);
    return computed && bpf_steps_evaluate(&computed->steps, state->registers, load, value) == 0;
}

TEST(ComputedSpec, RowsOfExpressions) {
    for (u32 i = 0; i < expression_nr_rows; i++) {
        const char *wrong = expression_row_verdict_by(&expression_rows[i], run_as_bpf);
        EXPECT_EQ(wrong, nullptr) << expression_rows[i].name << ": " << wrong;
    }
}

// An int at rdi + 4: reg 5, load of 4 bytes, sign-extended.
loc_expression one_load() {
    const uint8_t code[] = {4, 2, LOC_CODE_REGISTER + 5, LOC_CODE_LOAD + 2, 4};
    byte_view view = byte_view_of(code, sizeof(code), 0);
    loc_expression expression;
    EXPECT_EQ(loc_expression_decode(&expression, loc_arch_of(EM_X86_64), &view), BTF_FAULT_NONE);
    return expression;
}

TEST(ComputedSpec, SizesAndSigns) {
    const loc_expression expression = one_load();
    auto computed = computed_spec(expression, {4, true}, 0);
    ASSERT_TRUE(computed);
    EXPECT_EQ(computed->spec.shape, BTF_LOC_COMPUTED);
    EXPECT_EQ(computed->spec.size, 4);
    EXPECT_EQ(computed->spec.type_size, 4);
    EXPECT_TRUE(computed->spec.is_signed);
    EXPECT_TRUE(computed->spec.type_is_signed);
    EXPECT_EQ(computed->steps.nr_steps, 2);
    EXPECT_EQ(computed->steps.pieces, 0);
    EXPECT_EQ(computed->steps.steps[0].reg, 112);  // rdi in struct pt_regs
    EXPECT_EQ(computed->steps.steps[1].code, BTF_LOC_STEP_LOAD);
    EXPECT_EQ(computed->steps.steps[1].bits, 32);
    EXPECT_EQ(computed->steps.steps[1].operand, 4);

    computed = computed_spec(expression, {8, true}, 0);
    ASSERT_TRUE(computed);
    EXPECT_FALSE(computed->spec.is_signed);  // it has 4 bytes of 8, so the type decides nothing
    EXPECT_EQ(computed->spec.type_size, 8);
}

TEST(ComputedSpec, AddressWithoutBase) {
    const uint8_t code[] = {8, 1, LOC_CODE_ADDRESS, 0x10};
    byte_view view = byte_view_of(code, sizeof(code), 0);
    loc_expression expression;
    ASSERT_EQ(loc_expression_decode(&expression, loc_arch_of(EM_X86_64), &view), BTF_FAULT_NONE);
    EXPECT_FALSE(computed_spec(expression, {8, false}, 0));
    const auto computed = computed_spec(expression, {8, false}, 0xffffffff81000000);
    ASSERT_TRUE(computed);
    EXPECT_EQ(computed->steps.steps[0].code, BTF_LOC_STEP_NUMBER);
    EXPECT_EQ(computed->steps.steps[0].operand, 0xffffffff81000010);
}

}  // namespace
}  // namespace btf_extra
