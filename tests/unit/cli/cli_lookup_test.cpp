// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// `btf-extra lookup` on the sample object. The expected text was worked out by hand from
// tests/support/sample_object.cpp.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/cli_fixture.h"
#include "tests/support/command_run.h"
#include "tests/support/sample_object.h"

namespace btf_extra {
namespace {

using nlohmann::json;
using test::run_btf_extra;
using test::SampleObject;

class Lookup : public test::CliFixture {};

TEST_F(Lookup, ByName) {
    auto result = lookup({"skb_headlen"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out,
              R"(unsigned int skb_headlen(const struct sk_buff *skb)
    id 7, include/linux/skbuff.h
  0xffffffff81000004 inline host+0x4  skb=%rdi
  0xffffffff81000010 inline host+0x10  skb=<not available: no location here>
  0xffffffff81000020 body   skb_headlen.isra.0+0x0  skb=%rdi
)");
    auto report = lookup({"report"});
    EXPECT_EQ(report.out,
              R"(void report(int flags, void *p, unsigned int len, ...)
    id 12, file not known
  0xffffffff81000008 inline host+0x8  flags=0x10  p=&jiffies  len=*(%rsp+0x8):u32
  0xffffffff81000008 inline host+0x8  flags=<not available: optimized out>  p=%rdi  len=<not available: arithmetic>
  0xffffffff81000030 body   report+0x0  flags=<not available: entry value>  p=%rdi  len=<not available: size>
)");
}

TEST_F(Lookup, Json) {
    auto result = lookup({"skb_headlen", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(json::parse(result.out), json::parse(R"json({"sites":[
        {"address":"0xffffffff81000004","class":"inline","name":"skb_headlen","id":7,
         "symbol":"host+0x4","prototype":"unsigned int skb_headlen(const struct sk_buff *skb)",
         "file":"include/linux/skbuff.h","params":[{"name":"skb","loc":"reg5","reason":null,"expression":null}]},
        {"address":"0xffffffff81000010","class":"inline","name":"skb_headlen","id":7,
         "symbol":"host+0x10","prototype":"unsigned int skb_headlen(const struct sk_buff *skb)",
         "file":"include/linux/skbuff.h",
         "params":[{"name":"skb","loc":null,"reason":"no location here","expression":null}]},
        {"address":"0xffffffff81000020","class":"body","name":"skb_headlen","id":7,
         "symbol":"skb_headlen.isra.0+0x0",
         "prototype":"unsigned int skb_headlen(const struct sk_buff *skb)",
         "file":"include/linux/skbuff.h","params":[{"name":"skb","loc":"reg5","reason":null,"expression":null}]}]})json"));
    auto unknown = lookup({"nobody", "--json"});
    EXPECT_EQ(unknown.exit_code, 1);
    EXPECT_EQ(json::parse(unknown.out), json::parse(R"json({"sites":[]})json"));
    EXPECT_EQ(unknown.err, "btf-extra: " + path("a.btf_extra") + ": no function nobody\n");
}

// Each row has a question and the places of the sites it finds, as name@offset in .text.
TEST_F(Lookup, Finds) {
    struct Row {
        std::vector<std::string> arguments;
        std::vector<std::string> places;
    } rows[] = {
        {{"skb_headlen"}, {"7@04", "7@10", "7@20"}},
        {{"skb_headlen.isra.0"}, {"7@20"}},
        {{"skb_headlen.isra.1"}, {}},
        {{"skb_headlen."}, {}},
        {{"skb_headlen.odd"}, {}},  // not a compiler's suffix
        {{"skb_head"}, {}},
        {{""}, {}},
        {{"report"}, {"12@08", "12@08", "12@30"}},
        {{"twin"}, {"13@04", "14@18"}},
        {{"twin@a/twin.c"}, {"13@04"}},
        {{"twin@./a//twin.c"}, {"13@04"}},
        {{"twin@b/x/../twin.c"}, {"14@18"}},
        {{"twin@twin.c"}, {"13@04", "14@18"}},
        {{"twin@win.c"}, {}},
        {{"report@a/twin.c"}, {}},
        {{"skb_headlen@linux/skbuff.h"}, {"7@04", "7@10", "7@20"}},
        {{"skb_headlen.isra.0@skbuff.h"}, {"7@20"}},
        {{"skb_headlen.isra.0@other.h"}, {}},
        {{"vmlinux:twin@a/twin.c"}, {"13@04"}},
        {{"xfs:twin"}, {}},
        {{"t*"}, {"13@04", "14@18"}},
        {{"*@b/twin.c"}, {"14@18"}},
        {{"*.isra.?"}, {}},  // no true signature
        {{"twin", "#7"}, {"13@04", "14@18", "7@04", "7@10", "7@20"}},
        {{"#14", "--addr", "host+0x8"}, {"14@18", "12@08", "12@08"}},
        {{"--addr", "host+0x8", "#14"}, {"14@18", "12@08", "12@08"}},
        {{"--addr", "host+0x18", "--addr", "a_report"}, {"14@18", "12@30"}},
        {{"--addr", ".text+0x18"}, {"14@18"}},
        {{"#7"}, {"7@04", "7@10", "7@20"}},
        {{"#14"}, {"14@18"}},
        {{"#6"}, {}},
        {{"#4000000000"}, {}},
        {{"--addr", "0xffffffff81000008"}, {"12@08", "12@08"}},
        {{"--addr", "ffffffff81000008"}, {"12@08", "12@08"}},
        {{"--addr", "FFFFFFFF81000004"}, {"7@04", "13@04"}},
        {{"--addr", "ffffffff81000005"}, {}},
        {{"--addr", "ffffffff81000040"}, {}},
        {{"--addr", "4"}, {}},
        {{"--addr", "host+0x18"}, {"14@18"}},
        // A number without 0x is decimal.
        {{"--addr", "host+24"}, {"14@18"}},
        {{"--addr", "host+18"}, {}},
        {{"--addr", "host+0x18/0x20"}, {"14@18"}},
        {{"--addr", "host+0x18/0x999"}, {}},
        {{"--addr", "host+1a"}, {}},
        {{"--addr", "host+0x18/"}, {}},
        {{"--addr", "a_report"}, {"12@30"}},
        {{"--addr", "skb_headlen.isra.0"}, {"7@20"}},
        {{"--addr", "host+0x40"}, {}},
        {{"--addr", "nobody+0x1"}, {}},
        {{"--addr", "host+zz"}, {}},
        {{"--addr", ""}, {}},
    };
    for (Row &row : rows) {
        const std::string name = fmt::format("{}", fmt::join(row.arguments, " "));
        row.arguments.push_back("--json");
        auto result = lookup(row.arguments);
        EXPECT_EQ(result.exit_code, row.places.empty() ? 1 : 0) << name << result.err;
        EXPECT_EQ(std::ranges::count(result.err, '\n'), row.places.empty() ? 1 : 0) << name;
        std::vector<std::string> places;
        json out = json::parse(result.out);
        for (const json &site : out["sites"]) {
            std::string address = site["address"];
            places.push_back(std::to_string(site["id"].get<int>()) + "@" +
                             address.substr(address.size() - 2));
        }
        EXPECT_EQ(places, row.places) << name;
    }
}

TEST_F(Lookup, Errors) {
    std::string file = path("a.btf_extra");
    expect_failed(lookup({"twin@c.c"}), file + ": no function twin@c.c; of that name: "
                                               "vmlinux:twin@a/twin.c, vmlinux:twin@b/twin.c");
    expect_failed(lookup({"#6"}), file + ": no function #6");
    expect_failed(lookup({"xfs:twin"}), file + ": no object xfs");
    expect_failed(lookup({"twin@"}), "'twin@': no source file after '@'");
    expect_failed(lookup({"--addr", "123"}), file + ": no site at address 123");
    expect_failed(lookup({"--addr", "nobody+0x1"}),
                  file + ": 'nobody' is neither an address nor a symbol");
    expect_failed(
        lookup({"--addr", "host+zz"}),
        file + ": 'host+zz' is neither an address nor symbol+0xoffset: an offset without 0x is "
               "decimal");
    // The one that is found is printed, though the other is not.
    auto both = lookup({"nobody", "#14"});
    EXPECT_EQ(both.exit_code, 1);
    EXPECT_EQ(both.out, lookup({"#14"}).out);
    EXPECT_EQ(both.err, "btf-extra: " + file + ": no function nobody\n");
    test::make_sample_kernel(path("other"), path("base.btf"), "ff");
    expect_failed(run_btf_extra({"lookup", "#7", "--tables", file, "--vmlinux", path("other")}),
                  file +
                      ": .note.gnu.build-id: made for another kernel: build-id "
                      "0102030405060708, but " +
                      path("other") + " has ff");
    EXPECT_EQ(test::run_command({"strip", "-o", path("stripped"), path("vmlinux")}).exit_code, 0);
    expect_failed(run_btf_extra({"lookup", "#7", "--tables", file, "--vmlinux", path("stripped")}),
                  path("stripped") + ": .symtab: not there");
}

// Another producer's file has no reasons, and its source files come from DECL_TAGs.
TEST_F(Lookup, InAnotherProducersFile) {
    ExtraFile file = SampleObject().file;
    file.provenance.reset();
    std::string bare = write("bare", file);
    auto text = run_btf_extra(
        {"lookup", "--tables", bare, "--vmlinux", path("vmlinux"), "--addr", "ffffffff81000018"});
    EXPECT_EQ(text.out, "int twin(int a)\n    id 14, b/twin.c\n"
                        "  0xffffffff81000018 inline host+0x18  a=<not available>\n");
    auto result =
        run_btf_extra({"lookup", "#12", "--tables", bare, "--vmlinux", path("vmlinux"), "--json"});
    json sites = json::parse(result.out)["sites"];
    ASSERT_EQ(sites.size(), 3u);
    EXPECT_EQ(sites[0]["params"].size(), 3u);
    EXPECT_EQ(sites[1]["params"][0],
              json::parse(R"({"name":"flags","loc":null,"reason":null,"expression":null})"));
    EXPECT_EQ(sites[0]["file"], nullptr);
}

}  // namespace
}  // namespace btf_extra
