// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs btf-extra audit on the sample object, as a kernel of which only the tables, the BTF and the
// symbols are at hand. The sites of each function are those of tests/support/sample_object.cpp:
//   report       a body at 0x30, and two inlined sites
//   skb_headlen  a body skb_headlen.isra.0 at 0x20, and two inlined sites
//   twin         two functions with one inlined site each
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/cli_fixture.h"

namespace btf_extra {
namespace {

using nlohmann::json;
using test::CommandResult;
namespace fs = std::filesystem;

class CliAudit : public test::CliFixture {
  protected:
    // symbols: lines of System.map; empty: no such file.
    static std::string kernel(const std::string &name, const std::string &symbols) {
        const fs::path folder = path(name);
        fs::create_directory(folder);
        fs::copy_file(path("a.btf_extra"), folder / "vmlinux.btf_extra",
                      fs::copy_options::overwrite_existing);
        fs::copy_file(path("base.btf"), folder / "vmlinux.btf",
                      fs::copy_options::overwrite_existing);
        if (!symbols.empty())
            test::write_file((folder / "System.map").string(), symbols);
        test::write_file((folder / "version").string(),
                         "Linux version " + name + " (gcc) #1 SMP\n");
        return folder.string();
    }

    // As nm(1) prints the sample kernel, with a symbol for each body.
    static std::string sample() {
        return kernel("6.1.192", "ffffffff81000000 T host\n"
                                 "ffffffff81000020 t skb_headlen.isra.0\n"
                                 "ffffffff81000030 T report\n");
    }

    static CommandResult audit(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "audit");
        return test::run_btf_extra(arguments);
    }

    static std::string verdict(const std::string &kernel, const std::string &target) {
        const auto result = audit({"--json", "--kernel", kernel, target});
        if (result.out.empty())
            return result.err;
        return json::parse(result.out)["targets"][0]["findings"][0]["verdict"];
    }
};

TEST_F(CliAudit, Verdicts) {
    const struct {
        const char *target, *verdict;
    } rows[] = {
        {"kprobe:report", "misses"},
        {"kprobe:vmlinux:report", "misses"},
        {"kretprobe:report", "misses"},
        {"fentry:report", "untraceable"},  // the BTF of the sample has no FUNC report
        {"fentry:skb_headlen", "renamed"},
        {"kprobe:skb_headlen", "renamed"},
        {"kprobe:skb_headlen.isra.0", "whole"},
        {"kprobe:twin", "inlined"},
        {"fentry:twin", "inlined"},
        {"kprobe:nobody", "missing"},
        {"kprobe:*", "inlined"},
    };
    for (const auto &row : rows)
        EXPECT_EQ(verdict(sample(), row.target), row.verdict) << row.target;
    // Two symbols of one name, since 6.6 and 6.1.60.
    const std::string two = "ffffffff81000030 T report\nffffffff81000040 t report\n";
    EXPECT_EQ(verdict(kernel("6.1.60", two), "kprobe:report"), "ambiguous");
    EXPECT_EQ(verdict(kernel("6.1.59", two), "kprobe:report"), "ambiguous");
    // Without symbols nothing is guessed.
    EXPECT_EQ(verdict(kernel("6.1.100", ""), "kprobe:report"), "not known");
    EXPECT_EQ(verdict(kernel("6.1.100", ""), "kprobe:twin"), "inlined");
}

// GCC merges functions of the same code: one of them has only a symbol.
TEST_F(CliAudit, MergedFunctions) {
    const std::string folder =
        kernel("6.1.192", "ffffffff81000030 T report\nffffffff81000030 T also_report\n"
                          "ffffffff81000050 T assembly\n");
    EXPECT_EQ(verdict(folder, "kprobe:also_report"), "not known");
    const auto merged = audit({"--kernel", folder, "kprobe:also_report"});
    EXPECT_NE(merged.out.find("the symbol also_report is at the code of report"), std::string::npos)
        << merged.out;
    EXPECT_EQ(verdict(folder, "kprobe:assembly"), "not known");
}

// A kernel without these functions has no such links.
TEST_F(CliAudit, KindsOfPrograms) {
    const std::string few = "ffffffff81000030 T report\n";
    const std::string all = few + "ffffffff81900000 T register_fprobe_ips\n" +
                            "ffffffff81900100 T bpf_jit_supports_fsession\n" +
                            "ffffffff81900200 t bpf_tracing_multi_link_dealloc\n";
    const std::pair<const char *, const char *> rows[] = {
        {"kprobe.multi", "EOPNOTSUPP: this kernel is built without CONFIG_FPROBE"},
        {"kretprobe.multi", "EOPNOTSUPP: this kernel is built without CONFIG_FPROBE"},
        {"fsession", "EINVAL: this kernel has no programs of this kind"},
        {"fentry.multi", "EINVAL: this kernel has no programs of this kind"},
        {"fexit.multi", "EINVAL: this kernel has no programs of this kind"},
        {"fsession.multi", "EINVAL: this kernel has no programs of this kind"},
    };
    for (const auto &[kind, line] : rows) {
        const std::string target = std::string(kind) + ":report";
        const auto without = audit({"--kernel", kernel("7.3.4", few), target});
        EXPECT_NE(without.out.find(line), std::string::npos) << without.out;
        EXPECT_EQ(verdict(kernel("7.3.4", few), target), "untraceable");
        const auto with = audit({"--kernel", kernel("7.3.4", all), target});
        EXPECT_EQ(with.out.find("this kernel"), std::string::npos) << with.out;
    }
}

TEST_F(CliAudit, Text) {
    const auto result = audit({"--kernel", sample(), "kprobe:report", "kprobe:skb_headlen"});
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.out, R"(                    6.1.192
kprobe:report       misses 2 of 3
kprobe:skb_headlen  renamed

kprobe:skb_headlen: renamed
    ENOENT: no symbol skb_headlen
    body skb_headlen.isra.0
    2 of 3 call sites are inlined, which kloc and follow reach

kprobe:report: misses 2 of 3
    parameter p is in %rdi, not in %rsi; it is not known whether the program reads it
    2 of 3 call sites are missed; 2 are inlined, which kloc and follow reach; all arguments are available at 1
)");
    EXPECT_EQ(result.exit_code, 1);
}

// The second kernel has retold() where the first one has report().
TEST_F(CliAudit, Renamed) {
    const std::string first = sample(), second = kernel("6.12.117", "");
    test::SampleObject object;
    object.file.provenance->func_files[1] = 2;
    ASSERT_TRUE(write_extra_file(first + "/vmlinux.btf_extra", object.file));
    std::string tables = test::read_file(first + "/vmlinux.btf_extra");
    const size_t name = tables.find(std::string("\0report\0", 8));
    ASSERT_NE(name, tables.npos);
    test::write_file(second + "/vmlinux.btf_extra", tables.replace(name + 1, 6, "retold"));
    const auto result =
        audit({"--kernel", first, "--kernel", second, "kprobe:report", "kprobe:retold"});
    for (const char *line :
         {"    perhaps renamed: retold (of the same types, in include/linux/skbuff.h, not on "
          "6.1.192)\n",
          "    perhaps renamed: report (of the same types, in include/linux/skbuff.h, not on "
          "6.12.117)\n"})
        EXPECT_NE(result.out.find(line), result.out.npos) << result.out;
}

TEST_F(CliAudit, ExitCode) {
    const auto code = [](std::vector<std::string> more) {
        more.insert(more.begin(), {"--kernel", sample(), "kprobe:report"});
        return audit(more).exit_code;
    };
    EXPECT_EQ(code({}), 1);
    EXPECT_EQ(code({"--fail-on", "misses"}), 1);
    EXPECT_EQ(code({"--fail-on", "missing,renamed"}), 0);
    expect_failed(audit({"--kernel", sample(), "--fail-on", "worse", "kprobe:report"}),
                  "--fail-on worse: no such verdict; there are missing, inlined, renamed, "
                  "ambiguous, untraceable, arguments, misses, prototype, not known, whole",
                  2);
}

// 1 would be a finding.
TEST_F(CliAudit, StandardOutputThatFails) {
    if (!fs::exists("/dev/full"))
        GTEST_SKIP() << "no /dev/full";
    const auto result = test::run_command(
        {"sh", "-c",
         "exec \"$BTF_EXTRA_BUILD/btf-extra\" audit --kernel \"$0\" kprobe:report > /dev/full",
         sample()});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, "btf-extra: stdout: No space left on device\n");
}

TEST_F(CliAudit, Refused) {
    expect_failed(audit({"--kernel", sample(), "tool"}),
                  "'tool': no file, and no probe of a function as in kprobe:foo", 2);
    expect_failed(audit({"--kernel", sample(), path("vmlinux")}),
                  path("vmlinux") + ": neither a BPF object nor a program that contains one", 2);
    expect_failed(audit({"--kernel", path("nowhere"), "kprobe:report"}),
                  path("nowhere") + ": no file or folder of tables, and no release with tables in "
                                    "/lib/firmware/btf_extra",
                  2);
}

}  // namespace
}  // namespace btf_extra
