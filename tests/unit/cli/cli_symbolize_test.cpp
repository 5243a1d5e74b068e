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
                              const char *input = "<") {
        test::write_file(path("text"), std::as_bytes(std::span(text)));
        const std::string command =
            (input[0] == '|' ? "cat " + path("text") + " | " : std::string()) +
            getenv("BTF_EXTRA_BUILD") + "/btf-extra symbolize --tables " +
            path("frames.btf_extra") + " --vmlinux " + path("vmlinux") + " " + options +
            (input[0] == '|' ? std::string() : " < " + path("text"));
        const auto result = test::run_command({"sh", "-c", command});
        EXPECT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(result.err, "");
        return result.out;
    }
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
    // A call returns behind itself: 0x10 is behind the code of skb_headlen(), 0x6 before twin().
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
// no more of them. What follows is a caller as ever.
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

TEST_F(Symbolize, Errors) {
    expect_failed(symbolize({"ffffffff81000050"}), "'ffffffff81000050': no function is there");
    expect_failed(symbolize({"nobody+0x1"}),
                  path("frames.btf_extra") + ": 'nobody' is neither an address nor a symbol");
    expect_failed(symbolize({"host+zz"}),
                  path("frames.btf_extra") +
                      ": 'host+zz' is neither an address nor symbol+0xoffset");
    expect_failed(symbolize({"--kaslr", "x"}), "--kaslr: 'x' is no hexadecimal number");
    expect_failed(run("symbolize", {"ffffffff81000006"}),
                  path("a.btf_extra") + ": no frames: generate it without --no-frames");
}

}  // namespace
}  // namespace btf_extra
