// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// `btf-extra symbolize` on the sample object with its frames, see sample_object.h.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/cli_fixture.h"

namespace btf_extra {
namespace {

using nlohmann::json;

class Symbolize : public test::CliFixture {
  protected:
    static void SetUpTestSuite() {
        CliFixture::SetUpTestSuite();
        test::SampleObject sample;
        sample.file.frames = test::sample_frames();
        write("frames.btf_extra", sample.file);
        sample.file.lines = test::sample_lines();
        write("lines.btf_extra", sample.file);
    }
    static test::CommandResult symbolize(std::vector<std::string> arguments) {
        return run("symbolize", std::move(arguments), path("frames.btf_extra"));
    }
    // Returns what the command makes of a text.
    static std::string filter(const std::string &text, const std::string &options = "",
                              const char *input = "<", const std::string &warning = "") {
        test::write_file(path("text"), std::as_bytes(std::span(text)));
        const std::string command =
            (input[0] == '|' ? "cat " + path("text") + " | " : std::string()) +
            getenv("BTF_EXTRA_BUILD") + "/btf-extra symbolize --tables " +
            path("frames.btf_extra") + " --vmlinux " + path(kernel_) + " " + options +
            (input[0] == '|' ? std::string() : " < " + path("text"));
        const auto result = test::run_command({"sh", "-c", command});
        EXPECT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(result.err, warning);
        return result.out;
    }
    // Links the sample with more source, and makes filter() read it.
    static void link(const char *name, const std::string &source) {
        const std::string sample = test::sample_kernel_source(path("base.btf"));
        test::write_file(path("sample.S"), std::as_bytes(std::span(sample)));
        test::write_file(path("more.S"), std::as_bytes(std::span(source)));
        const auto linked =
            test::run_command({"gcc", "-nostdlib", "-static", "-no-pie", "-Wl,-e,host",
                               std::string("-Wl,--build-id=0x") + test::kSampleBuildId,
                               "-Wl,-Ttext=0xffffffff81000000", "-Wl,-Tdata=0xffffffff81200000",
                               "-o", path(name), path("sample.S"), path("more.S")});
        ASSERT_EQ(linked.exit_code, 0) << linked.err;
        kernel_ = name;
    }
    void TearDown() override { kernel_ = "vmlinux"; }
    // Returns the warning about frames of another kernel.
    static std::string other_kernel(const std::string &counts, const std::string &reason) {
        return "btf-extra: " + path("frames.btf_extra") + ": " + counts +
               " stack frames are of another kernel and are copied unchanged (" + reason +
               "); use the tables of that kernel\n";
    }

    static inline const char *kernel_ = "vmlinux";
};

TEST_F(Symbolize, Text) {
    const auto result = symbolize({"ffffffff81000006", "host+0x5", ".text+0x9",
                                   "0xffffffff81000010", "ffffffff81000020", "ffffffff81000035"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, R"(0xffffffff81000006
    twin (inlined) include/x.h:7
    skb_headlen (inlined) a/twin.c:33
    host+0x6
host+0x5
    skb_headlen (inlined) a/twin.c:33
    host+0x5
.text+0x9
    skb_headlen (inlined) a/twin.c:33
    host+0x9
0xffffffff81000010
    host+0x10
0xffffffff81000020
    skb_headlen.isra.0+0x0
0xffffffff81000035
    report+0x5
)");
    // Offsets are decimal without 0x, as in stacks.
    EXPECT_EQ(symbolize({"host+16"}).out, "host+16\n    host+0x10\n");
    EXPECT_EQ(symbolize({".text+10"}).out, symbolize({".text+0xa"}).out.replace(0, 9, ".text+10"));
    expect_failed(symbolize({"host+0x20"}),
                  path("frames.btf_extra") + ": 'host+0x20': host has 0x20 bytes; name a place of "
                                             "the kernel that these tables describe");
    // The tables may be the first operand.
    const auto operand = test::run_btf_extra(
        {"symbolize", path("frames.btf_extra"), "--vmlinux", path("vmlinux"), "ffffffff81000003"});
    EXPECT_EQ(operand.out, "0xffffffff81000003\n    host+0x3\n");
}

TEST_F(Symbolize, Json) {
    const auto result = symbolize({"--json", "ffffffff81000006", "ffffffff81000035"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const size_t end = result.out.find('\n');
    EXPECT_EQ(json::parse(result.out.substr(0, end)),
              json::parse(R"({"address":"0xffffffff81000006","symbol":"host+0x6",
                  "object":"vmlinux","at":null,"frames":[
                  {"name":"twin","file":"include/x.h","line":7},
                  {"name":"skb_headlen","file":"a/twin.c","line":33},
                  {"name":"report"}]})"));
    EXPECT_EQ(json::parse(result.out.substr(end)),
              json::parse(R"({"address":"0xffffffff81000035","symbol":"report+0x5",
                  "object":null,"at":null,"frames":[{"name":"report"}]})"));
    // Each line has its answer.
    EXPECT_EQ(
        filter("ffffffff81000050\nffffffff81000010\n", "--json"),
        R"({"address":"0xffffffff81000050","symbol":null,"object":null,"at":null,"frames":[]})"
        "\n"
        R"({"address":"0xffffffff81000010","symbol":"host+0x10","object":"vmlinux",)"
        R"("at":null,"frames":[{"name":"report"}]})"
        "\n");
}

TEST_F(Symbolize, Lines) {
    const auto text = run("symbolize", {"ffffffff81000006", "host+0xc", "ffffffff81000020"},
                          path("lines.btf_extra"));
    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_EQ(text.out, R"(0xffffffff81000006 at include/x.h:9
    twin (inlined) include/x.h:7
    skb_headlen (inlined) a/twin.c:33
    host+0x6
host+0xc at include/y.h:0
    skb_headlen (inlined) a/twin.c:33
    host+0xc
0xffffffff81000020
    skb_headlen.isra.0+0x0
)");
    const auto json = run("symbolize", {"--json", "ffffffff81000010"}, path("lines.btf_extra"));
    EXPECT_EQ(json.out, R"({"address":"0xffffffff81000010","symbol":"host+0x10",)"
                        R"("object":"vmlinux","at":{"file":"a/twin.c","line":34},)"
                        R"("frames":[{"name":"report"}]})"
                        "\n");
}

// The lines that LLVM's addr2line prints for such DWARF, and GNU's for what is no address.
TEST_F(Symbolize, Addr2line) {
    const auto addr2line = [](std::vector<std::string> options, const char *tables) {
        options.insert(options.begin(), "--addr2line");
        const auto result = run("symbolize", std::move(options), path(tables));
        EXPECT_EQ(result.exit_code, 0) << result.err;
        return result.out;
    };
    EXPECT_EQ(addr2line({"-a", "-f", "-i", "ffffffff81000006", "0xffffffff8100000c",
                         "ffffffff81000020", "ffffffff81000050", ","},
                        "lines.btf_extra"),
              R"(0xffffffff81000006
twin
include/x.h:9
skb_headlen
include/x.h:7
host
a/twin.c:33
0xffffffff8100000c
skb_headlen
include/y.h:?
host
a/twin.c:33
0xffffffff81000020
skb_headlen.isra.0
??:0
0xffffffff81000050
??
??:0
0x0000000000000000
??
??:0
)");
    // With -p GNU's addr2line joins the lines of a function, and -j names the section.
    EXPECT_EQ(addr2line({"-a", "-f", "-i", "-p", "ffffffff81000006", "ffffffff81000020",
                         "ffffffff81000050", ","},
                        "lines.btf_extra"),
              R"(0xffffffff81000006: twin at include/x.h:9
 (inlined by) skb_headlen at include/x.h:7
 (inlined by) host at a/twin.c:33
0xffffffff81000020: skb_headlen.isra.0 at ??:?
0xffffffff81000050: ?? ??:0
0x0000000000000000: ?? ??:0
)");
    EXPECT_EQ(addr2line({"-fpis", "-j", ".text", "6", "0x10", "40"}, "lines.btf_extra"),
              "twin at x.h:9\n (inlined by) skb_headlen at x.h:7\n (inlined by) host at "
              "twin.c:33\nhost at twin.c:34\n?? ??:0\n");
    EXPECT_EQ(addr2line({"-p", "--section=.text", "10"}, "lines.btf_extra"), "a/twin.c:34\n");
    expect_failed(symbolize({"--addr2line", "-j", ".nowhere", "6"}),
                  path("frames.btf_extra") + ": no section .nowhere");
    EXPECT_EQ(addr2line({"-i", "-s", "ffffffff81000006"}, "lines.btf_extra"),
              "x.h:9\nx.h:7\ntwin.c:33\n");
    EXPECT_EQ(addr2line({"-f", "-C", "ffffffff81000006"}, "lines.btf_extra"),
              "twin\ninclude/x.h:9\n");
    EXPECT_EQ(addr2line({"-f", "-i", "ffffffff81000006"}, "frames.btf_extra"),
              "twin\n??:0\nskb_headlen\ninclude/x.h:7\nhost\na/twin.c:33\n");
}

// Tools run a link of that name, name the vmlinux, write one address, and wait for the answer.
TEST_F(Symbolize, LinkCalledAddr2line) {
    const std::string link = path("addr2line");
    const std::string command = std::string(getenv("BTF_EXTRA_BUILD")) + "/btf-extra";
    ASSERT_EQ(symlink(std::filesystem::absolute(command).c_str(), link.c_str()), 0);
    const std::string tables = path("vmlinux.btf_extra");
    std::filesystem::copy_file(path("lines.btf_extra"), tables);
    const auto result = test::run_command(
        {"sh", "-c", "echo ffffffff81000010 | " + link + " -a -f -i -e " + path("vmlinux")});
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.out, "0xffffffff81000010\nhost\na/twin.c:34\n");
    std::filesystem::remove(tables);
    const auto none = test::run_command({link, "-e", path("vmlinux"), "ffffffff81000010"});
    expect_failed(none, path("vmlinux") + ": no tables of build-id " + test::kSampleBuildId +
                            " beside it or installed: --tables FILE");
}

TEST_F(Symbolize, Traces) {
    // A call returns after itself: 0x10 is after the code of skb_headlen(), 0x6 before twin().
    EXPECT_EQ(filter(R"([    1.0] RIP: 0010:host+0x6/0x20
[    1.0] Code: Bad RIP value.
[    1.0]  host+0x10/0x20
[    1.0]  ? host+0x6/0x20
[    1.0]  host+0x20/0x20
[    1.0]  nobody+0x6/0x20
[    1.0]  host+0x10/0x20 [xfs]
no newline at the end)"),
              R"([    1.0] RIP: 0010:twin (inlined) include/x.h:7
[    1.0] RIP: 0010:skb_headlen (inlined) a/twin.c:33
[    1.0] RIP: 0010:host+0x6/0x20
[    1.0] Code: Bad RIP value.
[    1.0]  skb_headlen (inlined) a/twin.c:33
[    1.0]  host+0x10/0x20
[    1.0]  ? skb_headlen (inlined) a/twin.c:33
[    1.0]  ? host+0x6/0x20
[    1.0]  host+0x20/0x20
[    1.0]  nobody+0x6/0x20
[    1.0]  host+0x10/0x20 [xfs]
no newline at the end)");
}

// host has 0x20 bytes, and skb_headlen.isra.0 and report 0x10.
TEST_F(Symbolize, FramesOfAnotherKernel) {
    const std::string good = " host+0x10/0x20\n";
    const std::string filled = " skb_headlen (inlined) a/twin.c:33\n" + good;
    const struct {
        std::string line;
        const char *reason;
    } rows[] = {
        {" host+0x10/0x999", "host has 0x20 bytes, not 0x999"},
        {" host+0x10/0x1f", "host has 0x20 bytes, not 0x1f"},
        {"    host+96", "host has 0x20 bytes, and no byte 0x60"},
        {"\tffffffff9e000111 host+0x10 ([kernel.kallsyms])",
         "host is linked at 0xffffffff81000000, and cannot be at 0xffffffff9e000101"},
        {" host+0x10/0x20 [vmlinux ff]", "vmlinux has build-id 0102030405060708, not ff"},
    };
    for (const auto &row : rows)
        EXPECT_EQ(filter(row.line + "\n" + good, "", "<",
                         other_kernel("1 of 2", std::string("line 1: ") + row.reason)),
                  row.line + "\n" + filled);
    // The size that drgn prints is the one of the symbol table, and the kernel's is the distance
    // from the next symbol, which is .data's for the last one.
    EXPECT_EQ(filter(" report+0x8/0x10\n report+0x8/0x1fffd0\n"),
              " report+0x8/0x10\n report+0x8/0x1fffd0\n");
    // Five contradictions make the whole text one of another kernel, from its beginning on.
    std::string many;
    for (int i = 0; i < 5; i++)
        many += " report+0x1/0x3" + std::to_string(i) + "\n";
    for (const char *input : {"<", "|"})
        EXPECT_EQ(filter(good + many + good, "", input,
                         other_kernel("7 of 7", "line 2: report has 0x1fffd0 bytes, not 0x30")),
                  good + many + good);
}

// The kernel of the sample says its name in .rodata.
TEST_F(Symbolize, NameOfTheKernel) {
    link("named", R"S(
        .section .rodata, "a", @progbits
        .asciz "Linux version 6.1.0-5-amd64 (a) (b) #1 SMP Debian 6.1.2-3 (2026-01-01)"
)S");
    const std::string good = " host+0x10/0x20\n";
    const std::string filled = " skb_headlen (inlined) a/twin.c:33\n" + good;
    const std::string header = "CPU: 0 PID: 1 Comm: x Not tainted ";
    const struct {
        const char *name, *difference;
    } rows[] = {
        {"6.1.0-5-amd64 #1 Debian 6.1.2-3", ""},
        {"6.1.0-5-cloud-amd64 #1 Debian 6.1.2-3", "release 6.1.0-5-cloud-amd64"},
        {"6.1.0-5-amd64 #1 Debian 6.1.2-4", "Debian 6.1.2-4"},
        {"6.1.0-5-amd64 #2", "version #2"},
        {"6.1.0-5-amd64 #1 0123456789abcdef0123456789abcdef01234567",
         "build-id 0123456789abcdef0123456789abcdef01234567"},
    };
    for (const auto &row : rows) {
        const std::string line = header + row.name + "\n";
        const bool is_other = row.difference[0] != '\0';
        const std::string ours = header + "6.1.0-5-amd64 #1\n";
        EXPECT_EQ(filter(good + line + good + ours + good, "", "<",
                         is_other ? other_kernel("1 of 3", std::string("line 2: ") + row.difference)
                                  : ""),
                  filled + line + (is_other ? good : filled) + ours + filled)
            << row.name;
    }
}

// The size tells which function is meant of those that share a name.
TEST_F(Symbolize, Namesakes) {
    link("twins", R"(
        .text
        .type host, @function
host:   .skip 0x60
        .size host, . - host
        .type host.end, @function
host.end:
        .skip 0x10
)");
    const std::string filled = " skb_headlen (inlined) a/twin.c:33\n host+0x10/0x20\n";
    const std::string other = " host+0x10/0x60\n", neither = " host+0x10/0x50\n";
    EXPECT_EQ(filter(" host+0x10/0x20\n" + other + neither + "    host+16\n", "", "<",
                     other_kernel("1 of 4", "line 3: host has 0x20 bytes, not 0x50")),
              filled + other + neither + "    host+16\n");
    const auto symbolize = [](const char *place) {
        return run("symbolize", {place}, path("frames.btf_extra"), "twins");
    };
    EXPECT_EQ(symbolize("host+0x5/0x20").out,
              "host+0x5/0x20\n    skb_headlen (inlined) a/twin.c:33\n    host+0x5\n");
    EXPECT_EQ(symbolize("host+5/0x20").out,
              "host+5/0x20\n    skb_headlen (inlined) a/twin.c:33\n    host+0x5\n");
    EXPECT_EQ(symbolize("host+0x5/96").out, "host+0x5/96\n    host+0x5\n");
    expect_failed(symbolize("host+0x5/0x50"),
                  path("frames.btf_extra") + ": 'host+0x5/0x50': host has 0x20 bytes; name a place "
                                             "of the kernel that these tables describe");
    // An offset that only one of them has does it too; one that neither has is in no function.
    EXPECT_EQ(symbolize("host+0x40").out, "host+0x40\n    host+0x40\n");
    expect_failed(symbolize("host+0x60"), path("frames.btf_extra") +
                                              ": 'host+0x60': host has 0x20 bytes; name a place of "
                                              "the kernel that these tables describe");
    expect_failed(symbolize("host+0x5"), path("frames.btf_extra") +
                                             ": 'host' stands for 2 symbols: name an address, or "
                                             "the size too, as in host+0x10/0x40");
}

// bcc, trace-cmd, tracefs, crash and drgn; see stack_text_test.cpp for their lines.
TEST_F(Symbolize, MoreStackTexts) {
    const struct {
        std::string text, prefix;  // prefix: what stands before the inlined function
    } rows[] = {
        {"x:\n    host+0x5 [kernel]\n", "    "},
        {"x:\n    b'host+0x5'\n", "    "},
        {"x: <stack trace>\n => other+0x1/0x2\n => host+0x10/0x20\n", " => "},
        {"x: <stack trace>\n => host+0x10/0x20 <ffffffff9e000010>\n => host+0x18/0x20\n", ""},
        {" #1 [ffffc90000013dc0] host+16 at ffffffff9e000010\n", " #1 [ffffc90000013dc0] "},
        {"    [exception RIP: host+5]\n", "    [exception RIP: "},
        {"#5  host+0x10/0x20\n", "#5  "},
        {" host+0x10/0x20 (a/twin.c:34)\n", " "},
    };
    for (const auto &row : rows) {
        std::string expected = row.text;
        if (!row.prefix.empty())
            expected.insert(
                expected.find(row.prefix +
                              (row.text.find("b'") != row.text.npos ? "b'host" : "host")),
                row.prefix + "skb_headlen (inlined) a/twin.c:33\n");
        EXPECT_EQ(filter(row.text), expected);
        EXPECT_EQ(filter(expected), expected) << "once more";
    }
    // Without an offset the address tells the place.
    for (const std::string line : {"=> host (ffffffff9e000010)\n", " => host <ffffffff9e000010>\n",
                                   " #1 [ffffc90000013dc0] host at ffffffff9e000010\n"}) {
        const std::string text = "=> ffffffff9e000005\n" + line;
        EXPECT_EQ(filter(text), text);
        EXPECT_EQ(filter(text, "--kaslr 1d000000"),
                  "=> skb_headlen (inlined) a/twin.c:33\n=> ffffffff9e000005\n" +
                      line.substr(0, line.find("host")) + "skb_headlen (inlined) a/twin.c:33\n" +
                      line);
    }
}

TEST_F(Symbolize, PerfScript) {
    // The first frame is where the sample was taken, and so is one that was interrupted.
    EXPECT_EQ(filter("true  12 1.0: cycles:\n"
                     "\tffffffff9e000010 host+0x10 ([kernel.kallsyms])\n"
                     "\tffffffff9e000010 host+0x10 ([kernel.kallsyms])\n"
                     "\tffffffff9e000100 asm_sysvec_apic_timer_interrupt+0x16 ([kernel.kallsyms])\n"
                     "\tffffffff9e000010 host+0x10 ([kernel.kallsyms])\n"
                     "\n"
                     "\tffffffff9e000005 host+0x5 ([kernel.kallsyms])\n"),
              "true  12 1.0: cycles:\n"
              "\tffffffff9e000010 host+0x10 ([kernel.kallsyms])\n"
              "\tffffffff9e000010 skb_headlen (inlined)\n"
              "\tffffffff9e000010 host+0x10 ([kernel.kallsyms])\n"
              "\tffffffff9e000100 asm_sysvec_apic_timer_interrupt+0x16 ([kernel.kallsyms])\n"
              "\tffffffff9e000010 host+0x10 ([kernel.kallsyms])\n"
              "\n"
              "\tffffffff9e000005 skb_headlen (inlined)\n"
              "\tffffffff9e000005 host+0x5 ([kernel.kallsyms])\n");
    // The lines of -F +srcline end no stack, and a header does.
    const std::string frame = "\tffffffff9e000010 host+0x10 ([kernel.kallsyms])\n  x.c:1\n";
    EXPECT_EQ(filter(frame + frame + "true  12 1.0: cycles:\n" + frame),
              frame + "\tffffffff9e000010 skb_headlen (inlined)\n" + frame +
                  "true  12 1.0: cycles:\n" + frame);
    // Lines of -F ip,sym have no file and no offset: the address alone tells the place.
    const std::string bare = "\tffffffff9e000005 host\n\tffffffff9e000010 host\n";
    EXPECT_EQ(filter(bare), bare);
    EXPECT_EQ(filter(bare, "--kaslr 1d000000"),
              "\tffffffff9e000005 skb_headlen (inlined)\n\tffffffff9e000005 host\n"
              "\tffffffff9e000010 skb_headlen (inlined)\n\tffffffff9e000010 host\n");
    // The interrupted function has its own address.
    const std::string interrupted =
        "\tffffffff9e000100 asm_exc_page_fault\n\tffffffff9e000010 host\n";
    EXPECT_EQ(filter(interrupted, "--kaslr 1d000000"), interrupted);
}

// A text that has the inlined functions already, as perf's where there is debug information, gets
// no more of them. The next frame is a caller as before.
TEST_F(Symbolize, InlinedFunctionsThatAreThere) {
    const std::string texts[] = {
        "\tffffffff9e000006 host+0x6 ([kernel.kallsyms])\n"
        "\tffffffff9e000010 host+0x10 ([kernel.kallsyms])\n",
        "[    1.0] RIP: 0010:host+0x6/0x20\n[    1.0]  host+0x10/0x20\n",
        "    host+6\n    host+16\n",
        "main;host+0x10;host+0x6 12\n",
    };
    for (const std::string &text : texts) {
        const std::string once = filter(text);
        EXPECT_NE(once, text);
        EXPECT_EQ(filter(once), once);
    }
    const std::string ours = "\tffffffff9e000006 twin (inlined)\n";
    const std::string body = "\tffffffff9e000006 host+0x6 ([kernel.kallsyms])\n";
    const std::string caller = "\tffffffff9e000010 host+0x10 ([kernel.kallsyms])\n";
    EXPECT_EQ(filter(ours + body + caller),
              ours + body + "\tffffffff9e000010 skb_headlen (inlined)\n" + caller);
}

TEST_F(Symbolize, BpftraceAndFoldedStacks) {
    EXPECT_EQ(filter("@[\n    host+5\n    host+16\n]: 3\n"),
              "@[\n    skb_headlen (inlined) a/twin.c:33\n    host+5\n"
              "    skb_headlen (inlined) a/twin.c:33\n    host+16\n]: 3\n");
    EXPECT_EQ(filter("main;host+0x10;host+0x6 12\nmain;host;host 3\n"),
              "main;host+0x10;skb_headlen_[i];host+0x6;skb_headlen_[i];twin_[i] 12\n"
              "main;host;host 3\n");
    // A frame that was met before is found again, by whether it has called.
    const std::string both = "host+0x6;skb_headlen_[i];host+0x6;skb_headlen_[i];twin_[i] 1\n";
    EXPECT_EQ(filter("host+0x6;host+0x6 1\nhost+0x6;host+0x6 1\n"), both + both);
    EXPECT_EQ(filter(";main;;host+0x6 1\n"), ";main;;host+0x6;skb_headlen_[i];twin_[i] 1\n");
}

// If the address and the symbol do not agree, as in a text of another boot, the symbol counts.
TEST_F(Symbolize, AddressOfAnotherBoot) {
    const std::string frame = "\tffffffff9e000005 host+0x5 ([kernel.kallsyms])\n";
    for (const char *kaslr : {"1d000000", "1d000001", "0"})
        EXPECT_EQ(filter(frame, std::string("--kaslr ") + kaslr),
                  "\tffffffff9e000005 skb_headlen (inlined)\n" + frame)
            << kaslr;
}

// Text comes in pieces that end anywhere.
TEST_F(Symbolize, LongText) {
    const std::string frame = "    host+16\n";
    const std::string inlined = "    skb_headlen (inlined) a/twin.c:33\n";
    std::string text, expected;
    for (size_t size = 0; text.size() < 300000; size++) {
        const std::string other = std::string(size % 500, 'x') + "\n";
        text += other + frame + frame;
        expected += other + frame + inlined + frame;
    }
    for (const std::string &end : {std::string(), std::string("xyz"), std::string(200000, 'x')})
        for (const char *input : {"<", "|"})
            EXPECT_TRUE(filter(text + end, "", input) == expected + end) << end.size() << input;
}

// A filter needs no lines, and takes a file with broken ones.
TEST_F(Symbolize, FilterReadsNoLines) {
    test::SampleObject sample;
    sample.file.frames = test::sample_frames();
    sample.file.lines.resize(4);
    write("broken.btf_extra", sample.file);
    expect_failed(run("symbolize", {"host+0x5"}, path("broken.btf_extra")),
                  path("broken.btf_extra") + ": .btf_extra.lines: byte 0: cut off in its header");
    const auto filtered =
        test::run_command({"sh", "-c",
                           "echo '    host+5' | " + std::string(getenv("BTF_EXTRA_BUILD")) +
                               "/btf-extra symbolize --tables " + path("broken.btf_extra") +
                               " --vmlinux " + path("vmlinux")});
    EXPECT_EQ(filtered.out, "    skb_headlen (inlined) a/twin.c:33\n    host+5\n");
}

// An address in text is not looked up before it is known how far the kernel was moved.
TEST_F(Symbolize, Kaslr) {
    const std::string address = "ffffffff9e000005\n";
    const std::string found = "skb_headlen (inlined) a/twin.c:33\nffffffff9e000005\n";
    const std::string offset = "Kernel Offset: 0x1d000000 from 0xffffffff81000000\n";
    EXPECT_EQ(filter(address), address);
    EXPECT_EQ(filter(address, "--kaslr 0x1d000000"), found);
    EXPECT_EQ(filter(offset + address, "", "|"), offset + found);
    EXPECT_EQ(filter(address + offset, "", "|"), address + offset);
    EXPECT_EQ(filter(address + offset + address, "", "|"), address + offset + found);
    EXPECT_EQ(filter(address + offset), found + offset);
}

// Each command that reads tables of another kernel takes the kernel's BTF in place of its ELF file.
// Addresses are as linked then, and no symbol is known.
TEST_F(Symbolize, BaseBtfInsteadOfTheKernel) {
    const std::string file = path("frames.btf_extra");
    const struct {
        std::vector<std::string> command;
        std::string out, error;  // the first line
    } rows[] = {
        {{"stat", file}, file + "  build-id 0102030405060708", ""},
        {{"dump", file}, "[17] LOC_PARAM '(anon)' size=8 flags=0x8 vlen=1 values='reg5'", ""},
        {{"check", file},
         file + ": good: 8 sites of 4 functions in 2 LOCSECs; checked: every record; build-id "
                "0102030405060708",
         ""},
        {{"lookup", "--tables", file, "#14"}, "int twin(int a)", ""},
        {{"list", "--tables", file, "#14"},
         "vmlinux:twin@b/twin.c     1 site   inlined only: a kprobe cannot see it  a 0/1",
         ""},
        {{"symbolize", "--tables", file, "ffffffff81000006"}, "0xffffffff81000006", ""},
        {{"symbolize", "--tables", file, ".text+0x6"}, ".text+0x6", ""},
        {{"symbolize", "--tables", file, "host+0x6"},
         "",
         file + ": 'host+0x6': no symbols are known; name the kernel's ELF file with --vmlinux"},
        {{"probes", "--tables", file, "#14"},
         "",
         file + ": made for another kernel: --vmlinux names its ELF file"},
        {{"expose", "--tables", file, "-o", path("out.ko"), "#14"},
         "",
         file + ": the names of the kernel's symbols are not known: --vmlinux has them"},
    };
    for (const auto &row : rows)
        for (const char *base : {"base.btf", "vmlinux"}) {
            std::vector<std::string> command = row.command;
            command.insert(command.end(), {"--btf-base", path(base)});
            const auto result = test::run_btf_extra(command);
            const std::string name = row.command.front() + " " + row.command.back();
            EXPECT_EQ(result.out.substr(0, result.out.find('\n')), row.out) << name;
            EXPECT_EQ(result.err, row.error.empty() ? "" : "btf-extra: " + row.error + "\n")
                << name;
            EXPECT_EQ(result.exit_code, row.error.empty() ? 0 : 1) << name;
        }
    // The places are those that the sample has.
    const auto sites =
        test::run_btf_extra({"lookup", "--tables", file, "--btf-base", path("base.btf"), "twin"});
    EXPECT_NE(sites.out.find("  0xffffffff81000004 inline .text+0x4\n"), std::string::npos)
        << sites.out;
    EXPECT_NE(sites.out.find("  0xffffffff81000018 inline .text+0x18  a=<not available"),
              std::string::npos)
        << sites.out;
}

TEST_F(Symbolize, Errors) {
    expect_failed(symbolize({"ffffffff81000050"}),
                  "'ffffffff81000050': no function is at this address");
    expect_failed(symbolize({"nobody+0x1"}),
                  path("frames.btf_extra") + ": 'nobody' is neither an address nor a symbol");
    for (const char *place : {"host+zz", "host+1a", "host+0x1/", "host+0x1/zz", "host+/0x20"})
        expect_failed(symbolize({place}),
                      path("frames.btf_extra") + ": '" + place +
                          "' is neither an address nor symbol+0xoffset: an offset without 0x is "
                          "decimal");
    expect_failed(symbolize({"--kaslr", "x"}), "--kaslr: 'x' is not a hexadecimal number");
    expect_failed(run("symbolize", {"ffffffff81000006"}),
                  path("a.btf_extra") + ": no frames: generate it without --no-frames");
}

}  // namespace
}  // namespace btf_extra
