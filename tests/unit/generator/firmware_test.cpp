// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// `firmware` turns a folder of modules into a folder of files. These tests say which files it
// makes.
#include <cstdlib>
#include <filesystem>
#include <set>
#include <span>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/module_build.h"
#include "userspace/format/extra_file.h"
#include "userspace/format/module_name.h"
#include "userspace/generator/firmware_tree.h"

namespace btf_extra {

using namespace generator;

namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_btf_extra;

constexpr char kRelease[] = "6.1.0-test";

class Firmware : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<test::TemporaryFolder>();
        std::filesystem::create_directories(path("modules/kernel/net"));
        test::build_kernel(path("modules/vmlinux"), kRelease);
        test::build_module(path("modules/kernel/net/first-one.ko"), {}, kernel(), kRelease);
        test::build_module(path("modules/kernel/second.ko.debug"), {.level = "-O1"}, kernel(),
                           kRelease);
        // The compiler's object files must go: they are no modules.
        for (const char *unit : {"one", "two"}) {
            std::filesystem::remove(path("modules/kernel/net/first-one.ko.") + unit + ".o");
            std::filesystem::remove(path("modules/kernel/second.ko.debug.") + unit + ".o");
        }
    }
    static void TearDownTestSuite() { folder_.reset(); }
    void TearDown() override {
        std::filesystem::remove_all(path("out"));
        std::filesystem::remove_all(path("more"));
    }

    static std::string path(std::string_view name) { return folder_->path(name); }
    static std::string kernel() { return path("modules/vmlinux"); }

    static CommandResult firmware(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"firmware", "-o", path("out")});
        return run_btf_extra(arguments);
    }
    static std::vector<std::string> written() {
        std::vector<std::string> names;
        if (std::filesystem::exists(path("out")))
            for (const auto &entry : std::filesystem::directory_iterator(path("out")))
                names.push_back(entry.path().filename().string());
        std::ranges::sort(names);
        return names;
    }
    static std::string build_id(const std::string &file) {
        const CommandResult result =
            test::run_command({"sh", "-c", "readelf -n \"$0\" | sed -n 's/.*Build ID: //p'", file});
        return result.out;  // the text ends in a newline
    }
    static void expect_refused(const std::vector<std::string> &arguments,
                               const std::string &message) {
        const CommandResult result = firmware(arguments);
        EXPECT_EQ(result.exit_code, 1);
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(result.err, "btf-extra: " + message + "\n");
        EXPECT_EQ(written(), std::vector<std::string>{});
    }

    static inline std::unique_ptr<test::TemporaryFolder> folder_;
};

const std::vector<std::string> kAll = {"first_one.btf_extra", "manifest", "second.btf_extra",
                                       "vmlinux.btf_extra"};

TEST_F(Firmware, NamesOfModules) {
    const struct {
        const char *path, *name;
    } rows[] = {
        {"a/x.ko", "x"},   {"x-y_z.ko", "x_y_z"},  {"a-b/x.ko.debug", "x"}, {"x.ko.xz", "x"},
        {"x.ko.zst", "x"}, {"x.ko.gz", "x"},       {"x.ko.debug.xz", ""},   {"x.o", ""},
        {".ko", ""},       {"x.ko.btf_extra", ""}, {"vmlinux", ""},         {"x.kodebug", ""},
    };
    for (const auto &row : rows)
        EXPECT_EQ(module_name(row.path), row.name) << row.path;
}

TEST_F(Firmware, AKernelAndItsModules) {
    const CommandResult result = firmware({path("modules"), "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(written(), kAll);
    EXPECT_EQ(test::read_file(path("out/manifest")),
              "first_one " + build_id(path("modules/kernel/net/first-one.ko")) + "second " +
                  build_id(path("modules/kernel/second.ko.debug")) + "vmlinux " +
                  build_id(kernel()));
    uint64_t bytes = 0;
    for (const std::string &name : written())
        bytes += name == "manifest" ? 0 : std::filesystem::file_size(path("out/" + name));
    EXPECT_EQ(json::parse(result.out, nullptr, false), json({{"folder", path("out")},
                                                             {"release", kRelease},
                                                             {"objects", 3},
                                                             {"bytes", bytes},
                                                             {"failed", json::array()}}));
    // Each file has the bytes that generate writes.
    for (const auto &[name, input] : {std::pair("first_one", "modules/kernel/net/first-one.ko"),
                                      std::pair("second", "modules/kernel/second.ko.debug")}) {
        ASSERT_EQ(
            run_btf_extra({"generate", "--vmlinux", kernel(), "-o", path("alone"), path(input)})
                .exit_code,
            0);
        EXPECT_EQ(test::read_file(path("alone")),
                  test::read_file(path(std::string("out/") + name + ".btf_extra")));
    }
    ASSERT_EQ(run_btf_extra({"generate", "-o", path("alone"), kernel()}).exit_code, 0);
    EXPECT_EQ(test::read_file(path("alone")), test::read_file(path("out/vmlinux.btf_extra")));
}

TEST_F(Firmware, SameBytesForEveryNumberOfThreads) {
    std::vector<std::string> first;
    for (const char *jobs : {"1", "2", "5"}) {
        ASSERT_EQ(firmware({"-j", jobs, path("modules")}).exit_code, 0);
        std::vector<std::string> bytes;
        for (const std::string &name : kAll)
            bytes.push_back(test::read_file(path("out/" + name)));
        EXPECT_TRUE(first.empty() || first == bytes) << jobs;
        first = bytes;
    }
}

TEST_F(Firmware, WithoutProvenance) {
    ASSERT_EQ(firmware({"--no-provenance", path("modules")}).exit_code, 0);
    for (const std::string &name : kAll) {
        if (name == "manifest")
            continue;
        const auto file = read_extra_file(path("out/" + name));
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_FALSE(file->provenance) << name;
    }
}

TEST_F(Firmware, FramesUnlessTheyAreNotWanted) {
    for (const bool wanted : {true, false}) {
        std::vector<std::string> arguments = {path("modules")};
        if (!wanted)
            arguments.emplace_back("--no-frames");
        ASSERT_EQ(firmware(arguments).exit_code, 0);
        for (const std::string &name : kAll) {
            if (name == "manifest")
                continue;
            const auto file = read_extra_file(path("out/" + name));
            ASSERT_TRUE(file) << file.error().message;
            EXPECT_EQ(!file->frames.empty(), wanted) << name;
        }
    }
    ASSERT_EQ(run_btf_extra({"generate", "--no-frames", "-o", path("alone"), kernel()}).exit_code,
              0);
    EXPECT_EQ(test::read_file(path("alone")), test::read_file(path("out/vmlinux.btf_extra")));
}

TEST_F(Firmware, TheDefaultFolderIsThatOfTheRelease) {
    const std::string command = std::string(std::getenv("BTF_EXTRA_BUILD")) + "/btf-extra";
    const CommandResult result = test::run_command(
        {"env", "-C", path(""), command, "firmware", "--vmlinux", kernel(), path("modules")});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out.find("btf_extra/6.1.0-test: 3 objects of 6.1.0-test, "), 0u) << result.out;
    EXPECT_TRUE(std::filesystem::exists(path("btf_extra/6.1.0-test/manifest")));
    std::filesystem::remove_all(path("btf_extra"));
}

TEST_F(Firmware, WhatFailsIsLeftOut) {
    std::filesystem::create_directories(path("more"));
    const std::string bare = path("more/bare.ko"), text = path("more/text.ko"),
                      other = path("more/second.ko"), quiet = path("more/quiet.ko");
    test::must_run({"objcopy", "--strip-debug", path("modules/kernel/net/first-one.ko"), bare});
    test::write_file(text, std::string_view("no ELF file"));
    test::build_module(other, {}, kernel(), kRelease);
    test::must_run({"objcopy", "--remove-section=.note.gnu.build-id",
                    path("modules/kernel/net/first-one.ko"), quiet});
    for (const char *unit : {".one.o", ".two.o"})
        std::filesystem::remove(other + unit);
    const CommandResult result = firmware({path("modules"), path("more")});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.err,
              "btf-extra: " + bare + ": .debug_info: No DWARF information found\n" + "btf-extra: " +
                  quiet + ": .note.gnu.build-id: missing: no kernel accepts tables without it\n" +
                  "btf-extra: " + other + ": .note.gnu.build-id: " +
                  path("modules/kernel/second.ko.debug") + " is another module of that name\n" +
                  "btf-extra: " + text + ": ELF header: not an ELF file\n");
    EXPECT_EQ(written(),
              (std::vector<std::string>{"first_one.btf_extra", "manifest", "vmlinux.btf_extra"}));
    EXPECT_EQ(test::read_file(path("out/manifest")),
              "first_one " + build_id(path("modules/kernel/net/first-one.ko")) + "vmlinux " +
                  build_id(kernel()));
}

// The file with debug information is taken, whether it comes first or last.
TEST_F(Firmware, OneModuleInTwoFiles) {
    for (const char *folder : {"more/a", "zzz"}) {
        SCOPED_TRACE(folder);
        std::filesystem::create_directories(path(folder));
        const std::string stripped = path(folder) + "/first_one.ko";
        test::must_run(
            {"objcopy", "--strip-debug", path("modules/kernel/net/first-one.ko"), stripped});
        const CommandResult result = firmware({path(folder), path("modules")});
        EXPECT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(written(), kAll);
        std::filesystem::remove_all(path(folder));
    }
}

// Frames of the kernel and of each module are looked up in one pass. addr2line reads which
// functions are inlined there. A frame has the address after its call.
TEST_F(Firmware, SymbolizeReadsTheFolder) {
    ASSERT_EQ(firmware({path("modules")}).exit_code, 0);
    const struct {
        const char *symbol, *module, *file;
    } rows[] = {
        {"deep", "", "modules/vmlinux"},
        {"one_weigh", "first_one", "modules/kernel/net/first-one.ko"},
        {"three_times", "", "modules/vmlinux"},
        {"two_weigh", "second", "modules/kernel/second.ko.debug"},
    };
    std::string text, expected;
    size_t nr_inlined = 0;
    for (const auto &row : rows) {
        uint64_t begin = 0, size = 0;
        std::istringstream(test::run_command({"sh", "-c", "nm -S \"$0\" | grep -w \"$1\"",
                                              path(row.file), row.symbol})
                               .out) >>
            std::hex >> begin >> size;
        ASSERT_GT(size, 8u) << row.symbol;
        const std::string frame = fmt::format(
            "/{:#x}{}", size, *row.module != 0 ? fmt::format(" [{}]", row.module) : std::string());
        std::vector<std::string> ask = {"addr2line", "-fiae", path(row.file)};
        for (uint64_t offset = 0; offset < size; ++offset)
            ask.push_back(fmt::format("{:#x}", begin + offset));
        // An address, and lines in pairs: functions and their places, the outermost last.
        std::istringstream answers(test::run_command(ask).out);
        std::string answer;
        ASSERT_TRUE(std::getline(answers, answer));
        for (uint64_t offset = 1; offset <= size; ++offset) {
            const std::string place = fmt::format("{}+{:#x}{}", row.symbol, offset, frame);
            text += " " + place + "\n";
            while (std::getline(answers, answer) && !answer.starts_with("0x")) {
                if (answer != row.symbol) {
                    expected += answer + " (inlined)\n";
                    ++nr_inlined;
                }
                std::getline(answers, answer);
            }
            expected += place + "\n";
        }
    }
    EXPECT_GT(nr_inlined, 40u);
    test::write_file(path("text"), std::as_bytes(std::span(text)));
    // Without the places in the source.
    const auto result = test::run_command({"sh", "-c",
                                           R"("$0" symbolize --tables "$1" --vmlinux "$2" <"$3" |
            sed -E 's/^ //; s/ \(inlined\).*/ (inlined)/')",
                                           std::string(getenv("BTF_EXTRA_BUILD")) + "/btf-extra",
                                           path("out"), kernel(), path("text")});
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.out, expected);
}

TEST_F(Firmware, KernelAlone) {
    const CommandResult result = firmware({"--vmlinux", kernel(), "--kernel-files"});
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.exit_code, 0);
    std::set<std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(path("out")))
        files.insert(entry.path().filename());
    EXPECT_EQ(files, (std::set<std::string>{"System.map", "manifest", "version", "vmlinux.btf",
                                            "vmlinux.btf_extra"}));
}

// Both modules have both functions, with a symbol for each (nm).
TEST_F(Firmware, ModulesOfAnotherKernel) {
    ASSERT_EQ(firmware({"--kernel-files", path("modules")}).exit_code, 0);
    // A release that says which rules of kprobes it has.
    const std::string banner = "Linux version 6.1.192 (gcc) #1 SMP\n";
    test::write_file(path("out/version"), std::as_bytes(std::span(banner)));
    const std::pair<const char *, const char *> rows[] = {
        {"kprobe:first_one:one_weigh", "whole"}, {"kprobe:second:two_weigh", "whole"},
        {"kprobe:one_weigh", "whole"},           {"kprobe:one_w*", "whole"},
        {"kprobe:first_one:no_such", "missing"}, {"kprobe:third:one_weigh", "missing"},
    };
    for (const auto &[target, verdict] : rows) {
        const auto audit = run_btf_extra({"audit", "--json", "--kernel", path("out"), target});
        EXPECT_EQ(json::parse(audit.out)["targets"][0]["findings"][0]["verdict"], verdict)
            << target;
    }
    // Without its symbols nothing is known of a module.
    std::filesystem::remove(path("out/modules.map"));
    const auto audit =
        run_btf_extra({"audit", "--json", "--kernel", path("out"), "kprobe:first_one:one_weigh"});
    EXPECT_EQ(json::parse(audit.out)["targets"][0]["findings"][0]["verdict"], "missing");
}

TEST_F(Firmware, Refusals) {
    const CommandResult nothing = firmware({});
    EXPECT_EQ(nothing.exit_code, 2);
    EXPECT_EQ(nothing.err, "DIR is required\nRun with --help for more information.\n");
    expect_refused({path("none")}, path("none") + ": open: No such file or directory");
    std::filesystem::create_directories(path("more/empty"));
    expect_refused({path("more/empty")}, path("more/empty") + ": no kernel modules in it");
    expect_refused({path("modules/kernel")},
                   path("modules/kernel") + ": no vmlinux in it: --vmlinux must name it");

    const std::string other = path("more/other.ko");
    test::build_module(other, {}, "", "6.1.1-test");
    expect_refused({path("modules"), other}, other + ": .modinfo: a module of 6.1.1-test, but " +
                                                 path("modules/kernel/net/first-one.ko") +
                                                 " is of 6.1.0-test");
    expect_refused({"--vmlinux", kernel(), other}, other +
                                                       ": .modinfo: a module of 6.1.1-test, but " +
                                                       kernel() + " is of 6.1.0-test");
    std::filesystem::copy(kernel(), path("more/vmlinux-6.1.0"));
    expect_refused({path("modules"), path("more")},
                   path("modules/vmlinux") + ": not the only vmlinux, " +
                       path("more/vmlinux-6.1.0") + " is another: --vmlinux must name one");
}

}  // namespace
}  // namespace btf_extra
