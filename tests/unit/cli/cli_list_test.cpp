// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs btf-extra list on the sample object. The expected text was worked out by hand from
// tests/support/sample_object.cpp.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/cli_fixture.h"

namespace btf_extra {
namespace {

using nlohmann::json;
using test::CommandResult;

class CliList : public test::CliFixture {
  protected:
    static CommandResult list(const std::string &pattern, std::vector<std::string> more = {}) {
        more.insert(more.begin(), pattern);
        return run("list", more);
    }
};

TEST_F(CliList, Text) {
    auto result = list("*");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(
        result.out,
        "vmlinux:report            3 sites  partially inlined: kprobe: 2 of 3 missed; fentry: "
        "ESRCH "
        "(no FUNC report in the kernel's BTF)  flags 1/3, p 3/3, len 1/3\n"
        "vmlinux:skb_headlen       3 sites  partially inlined: kprobe, fentry: ENOENT (no symbol "
        "skb_headlen); symbols: skb_headlen.isra.0  skb 2/3\n"
        "vmlinux:twin@a/twin.c     1 site   inlined only: a kprobe cannot see it\n"
        "vmlinux:twin@b/twin.c     1 site   inlined only: a kprobe cannot see it  a 0/1\n");
}

TEST_F(CliList, Patterns) {
    struct Row {
        const char *pattern;
        std::vector<uint32_t> ids;
    } rows[] = {
        {"skb_headlen", {7}}, {"*", {12, 7, 13, 14}},  {"twin", {13, 14}},
        {"t*", {13, 14}},     {"[rt]*", {12, 13, 14}}, {"vmlinux:r*", {12}},
        {"skb_head", {}},     {"twin@b/twin.c", {14}}, {"#7", {7}},
        {"?win", {13, 14}},   {"SKB_*", {}},           {"v*:twin", {13, 14}},
    };
    for (const Row &row : rows) {
        auto result = list(row.pattern, {"--json"});
        EXPECT_EQ(result.exit_code, row.ids.empty() ? 1 : 0) << row.pattern;
        EXPECT_EQ(result.err, row.ids.empty() ? "btf-extra: " + path("a.btf_extra") +
                                                    ": no function " + row.pattern + "\n"
                                              : "");
        std::vector<uint32_t> ids;
        const json out = json::parse(result.out);
        for (const json &func : out["functions"])
            ids.push_back(func["id"]);
        EXPECT_EQ(ids, row.ids) << row.pattern;
    }
    expect_failed(list("nobody"), path("a.btf_extra") + ": no function nobody");
    expect_failed(list("reprot"), path("a.btf_extra") + ": no function reprot; nearest: report");
    expect_failed(list("host"), path("a.btf_extra") + ": no function host; the symbol host belongs "
                                                      "to no C function with DWARF, like assembly");
    expect_failed(list("jiffies"),
                  path("a.btf_extra") + ": no function jiffies; jiffies is a variable");
    EXPECT_EQ(list("kprobe:report()").out, list("report").out);
    expect_failed(list("xfs:*"), path("a.btf_extra") + ": no object xfs");
    expect_failed(list(""), "'': the name of a function is missing");
    // Several at once, each function once; what is found is printed, whatever else is not.
    EXPECT_EQ(list("report", {"skb*", "r*"}).out, list("[rs]*").out);
    auto some = list("nobody", {"twin"});
    EXPECT_EQ(some.exit_code, 1);
    EXPECT_EQ(some.out, list("twin").out);
}

TEST_F(CliList, Json) {
    EXPECT_EQ(json::parse(list("report", {"--json"}).out), json::parse(R"json({"functions":[
        {"object":"vmlinux","name":"report","id":12,"file":null,
         "prototype":"void report(int flags, void *p, unsigned int len, ...)",
         "how":"partially inlined","sites":3,"inline_sites":2,"body_sites":1,
         "missed_by_fentry":null,"symbols":[{"name":"report","bodies":1}],
         "kprobe":{"result":"attaches","symbols":1,"object":"vmlinux",
                   "address":"0xffffffff81000030","missed":2},
         "perf":{"result":"attaches","symbols":1,"object":"vmlinux",
                 "address":"0xffffffff81000030","missed":2},
         "fentry":{"result":"ESRCH","symbols":1,"object":null,"address":null,"missed":null},
         "true_signatures":[],"part_sites":0,
         "freed_sites":0,
         "sites_all_params":1,"params":[{"name":"flags","located":1,"computed":0},
         {"name":"p","located":3,"computed":0},{"name":"len","located":1,"computed":0}]}]})json"));
    json twins = json::parse(list("twin", {"--json"}).out)["functions"];
    EXPECT_EQ(twins[0]["how"], "inlined");
    EXPECT_EQ(twins[0]["file"], "a/twin.c");
    EXPECT_EQ(twins[0]["sites_all_params"], 1);  // the function has no parameters
    EXPECT_EQ(twins[1]["sites_all_params"], 0);
}

// A function has one line, whether its sites are inlined, bodies or in text that is freed.
TEST_F(CliList, BodiesAndFreedText) {
    const struct {
        std::vector<Site> sites;
        const char *line;
    } rows[] = {
        {{{"inline.init.text", 13, 0}, {"func.text", 13, 0x10}},
         "2 sites  partially inlined: REST; symbols: none\n"},
        {{{"func.init.text", 13, 0}}, "1 site   body only: REST, freed after boot\n"},
        {{{"func.text", 13, 0}}, "1 site   body only: REST; symbols: host\n"},
    };
    for (const auto &row : rows) {
        std::string line = row.line;
        line.replace(line.find("REST"), 4,
                     "kprobe: ENOENT (no symbol twin); fentry: ESRCH (no FUNC twin in the kernel's "
                     "BTF)");
        EXPECT_EQ(run("list", {"*"}, write_sites("other", row.sites)).out,
                  "vmlinux:twin     " + line);
    }
}

// The kernel has the symbols of a row in this order, from the first byte of .text on, each in a
// file of its own. The body of skb_headlen() is at 0x20; vmlinux BTF has its FUNC.
class CliListNames : public CliList {
  protected:
    struct Piece {
        const char *symbol;
        int size;
    };
    static void make_kernel(const std::string &banner, const std::vector<Piece> &pieces) {
        std::vector<std::string> command = {"gcc",
                                            "-nostdlib",
                                            "-static",
                                            "-no-pie",
                                            "-Wl,-e,0",
                                            std::string("-Wl,--build-id=0x") + test::kSampleBuildId,
                                            "-Wl,-Ttext=0xffffffff81000000",
                                            "-o",
                                            path("names")};
        for (size_t i = 0; i < pieces.size(); i++) {
            const std::string source = path("piece" + std::to_string(i) + ".S");
            const std::string symbol = pieces[i].symbol, size = std::to_string(pieces[i].size);
            test::write_file(source, "        .text\n        .type " + symbol + ", @function\n" +
                                         symbol + ": .skip " + size + "\n        .size " + symbol +
                                         ", " + size + "\n");
            command.push_back(source);
        }
        test::write_file(path("banner.S"),
                         "        .section .rodata, \"a\"\n        .asciz \"" + banner +
                             "\"\n        .section .BTF, \"\", @progbits\n        .incbin \"" +
                             path("base.btf") + "\"\n");
        command.push_back(path("banner.S"));
        const auto linked = test::run_command(command);
        ASSERT_EQ(linked.exit_code, 0) << linked.err;
    }
};

TEST_F(CliListNames, Text) {
    const std::string debian = "Linux version 6.1.0-56-amd64 (gcc) #1 SMP Debian 6.1.192-2 (2026)";
    const std::string later = "Linux version 6.12.117 (gcc) #1 SMP";
    const struct {
        std::string banner;
        std::vector<Piece> pieces;
        const char *names;
        uint32_t missed;  // by fentry; 99: null
    } rows[] = {
        {debian, {{"host", 0x20}, {"skb_headlen", 0x20}}, ": kprobe, fentry on it miss 2 of 3", 2},
        {"", {{"host", 0x20}, {"skb_headlen", 0x20}}, ": kprobe, fentry on it miss 2 of 3", 2},
        {debian,
         {{"host", 0x20}, {"skb_headlen.constprop.0", 0x20}},
         ": kprobe, fentry: ENOENT (no symbol skb_headlen); symbols: skb_headlen.constprop.0",
         99},
        {debian,
         {{"host", 0x20}, {"skb_headlen", 0x10}, {"skb_headlen", 0x10}},
         ": kprobe: EADDRNOTAVAIL (2 symbols skb_headlen); fentry: 2 of 3 missed (the first of 2 "
         "symbols skb_headlen)",
         2},
        {later,
         {{"skb_headlen", 0x20}, {"skb_headlen", 0x10}, {"skb_headlen", 0x10}},
         ": kprobe: EADDRNOTAVAIL (3 symbols skb_headlen); fentry: another function (the first of "
         "3 "
         "symbols skb_headlen)",
         99},
        {"",
         {{"host", 0x20}, {"skb_headlen", 0x10}, {"skb_headlen", 0x10}},
         ": kprobe: not known (2 symbols skb_headlen); fentry: 2 of 3 missed (the first of 2 "
         "symbols skb_headlen)",
         2},
        {debian,
         {{"skb_headlen", 0x20}, {"skb_headlen.isra.0", 0x10}},
         ": kprobe, fentry: another function; symbols: skb_headlen.isra.0",
         99},
    };
    for (const auto &row : rows) {
        make_kernel(row.banner, row.pieces);
        const auto text = run("list", {"skb_headlen"}, path("a.btf_extra"), "names");
        EXPECT_EQ(text.out, std::string("vmlinux:skb_headlen     3 sites  partially inlined") +
                                row.names + "  skb 2/3\n")
            << text.err;
        const json func =
            json::parse(run("list", {"skb_headlen", "--json"}, path("a.btf_extra"), "names")
                            .out)["functions"][0];
        EXPECT_EQ(func["missed_by_fentry"], row.missed == 99 ? json(nullptr) : json(row.missed));
    }
}

// The frames are those of sample_frames(), whose body at 0x0 has calls in the file. Nothing is
// inlined in the body at 0x20, and there is none at 0x30.
TEST_F(CliList, Files) {
    const struct {
        const char *file, *behind;
        bool may_lock;
    } rows[] = {
        {"a/twin.c", "", false},
        {"kernel/bpf/hashtab.c", ", where a BPF map may be locked", true},
        {"kernel/bpfilter.c", "", false},
        {"fs/xkernel/bpf/hashtab.c", "", false},
        {"debian/build/source_rt/kernel/bpf/hashtab.c", ", where a BPF map may be locked", true},
    };
    for (const auto &row : rows) {
        test::SampleObject sample;
        sample.file.frames = test::sample_frames(row.file);
        const std::string path = write("frames.btf_extra", sample.file);
        const auto text = run("list", {"skb_headlen", "-v"}, path);
        EXPECT_EQ(text.exit_code, 0) << text.err;
        EXPECT_EQ(text.out,
                  "vmlinux:skb_headlen     3 sites  partially inlined: kprobe, fentry: ENOENT (no "
                  "symbol skb_headlen); symbols: skb_headlen.isra.0  skb 2/3\n"
                  "    file not known: 1 site\n"
                  "    " +
                      std::string(row.file) + ": 2 sites" + row.behind + "\n");
        const json funcs =
            json::parse(run("list", {"skb_headlen", "--verbose", "--json"}, path).out)["functions"];
        EXPECT_EQ(funcs[0]["files"],
                  json({{{"file", nullptr}, {"sites", 1}, {"may_lock_bpf_maps", false}},
                        {{"file", row.file}, {"sites", 2}, {"may_lock_bpf_maps", row.may_lock}}}));
    }
    expect_failed(list("report", {"-v"}),
                  path("a.btf_extra") + ": no frames: generate it without --no-frames");
}

}  // namespace
}  // namespace btf_extra
