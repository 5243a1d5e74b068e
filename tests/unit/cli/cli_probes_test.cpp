// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs btf-extra probes on the sample object. The expected text was worked out by hand from
// tests/support/sample_object.cpp.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/cli_fixture.h"
#include "tests/support/module_build.h"
#include "tests/support/template_build.h"

namespace btf_extra {
namespace {

using test::CommandResult;
using test::SampleObject;

class CliProbes : public test::CliFixture {
  protected:
    static CommandResult probes(const std::string &func, std::vector<std::string> more = {}) {
        more.insert(more.begin(), func);
        return run("probes", more);
    }
};

TEST_F(CliProbes, Tracefs) {
    auto result = probes("report");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, R"(# void report(int flags, void *p, unsigned int len, ...): 3 of 3 sites
# without p: an address cannot be expressed
p:kloc/report_partial _stext+0x8 flags=\0x10:s32 len=+8(%sp):u32
# without flags: optimized out
# without len: arithmetic
p:kloc/report_partial_1 _stext+0x8 p=%di:x64
# without flags: entry value
# without len: size
p:kloc/report_partial_1 _stext+0x30 p=%di:x64
)");
    EXPECT_EQ(probes("skb_headlen", {"--format", "tracefs"}).out,
              R"(# unsigned int skb_headlen(const struct sk_buff *skb): 3 of 3 sites
p:kloc/skb_headlen _stext+0x4 skb=%di:x64
# without skb: no location here
p:kloc/skb_headlen_partial _stext+0x10
p:kloc/skb_headlen _stext+0x20 skb=%di:x64
)");
}

TEST_F(CliProbes, Perf) {
    EXPECT_EQ(probes("skb_headlen", {"--format", "perf"}).out,
              R"(# unsigned int skb_headlen(const struct sk_buff *skb): 3 of 3 sites
perf probe -a 'skb_headlen_0=host+0x4 skb=%di:x64'
# without skb: no location here
perf probe -a 'skb_headlen_1=host+0x10'
perf probe -a 'skb_headlen_2=skb_headlen.isra.0+0x0 skb=%di:x64'
)");
}

TEST_F(CliProbes, Bpftrace) {
    EXPECT_EQ(probes("report", {"--format", "bpftrace"}).out,
              R"(// void report(int flags, void *p, unsigned int len, ...): 3 of 3 sites
kprobe:host+0x8 { printf("%s-%d report host+0x8 inlined flags=%d p=0x%lx len=%u\n", comm, tid, 16, kaddr("_stext")+2097152, *(uint32 *)(reg("sp")+8)); }
// without flags: optimized out
// without len: arithmetic
kprobe:host+0x8 { printf("%s-%d report host+0x8 inlined flags=? p=0x%lx len=?\n", comm, tid, reg("di")); }
// without flags: entry value
// without len: size
kprobe:report+0x0 { printf("%s-%d report report+0x0 body flags=? p=0x%lx len=?\n", comm, tid, reg("di")); }
)");
}

// The guest suite adds to events.
TEST_F(CliProbes, AppendIsForTheRunningKernel) {
    expect_failed(probes("report", {"--append", "probe:report"}),
                  path("a.btf_extra") + ": --append requires tables of the running kernel");
    EXPECT_EQ(probes("report", {"--append", "probe:report", "--format", "perf"}).exit_code, 2);
    const auto nothing = run("probes", {});
    EXPECT_EQ(nothing.exit_code, 2);
    EXPECT_NE(nothing.err.find("FUNC or --append is required"), std::string::npos) << nothing.err;
}

TEST_F(CliProbes, WhichFunction) {
    struct Row {
        const char *text;
        const char *line;  // the last line of stdout; if empty, the command fails
    } rows[] = {
        {"#13", "p:kloc/twin _stext+0x4"},
        {"twin@a/twin.c", "p:kloc/twin _stext+0x4"},
        {"vmlinux:twin@twin.c", ""},
        {"vmlinux:twin@b/twin.c", "p:kloc/twin_partial _stext+0x18"},
        {"vmlinux:#14", "p:kloc/twin_partial _stext+0x18"},
        {"xfs:#14", ""},
        {"#6", ""},
        {"#", ""},
        {"#x", ""},
        {"", ""},
        {"twin@", ""},
        {"nobody", ""},
    };
    for (const Row &row : rows) {
        auto result = probes(row.text);
        EXPECT_EQ(result.exit_code, *row.line == '\0' ? 1 : 0) << row.text;
        const size_t last = result.out.empty() ? 0 : result.out.rfind('\n', result.out.size() - 2);
        EXPECT_EQ(result.out.empty() ? "" : result.out.substr(last + 1),
                  *row.line == '\0' ? "" : std::string(row.line) + "\n")
            << row.text;
    }
    expect_failed(probes("nobody"), path("a.btf_extra") + ": no function nobody");
    // All functions of a pattern; no event is of two that share a name.
    EXPECT_EQ(probes("t*").out, "# int twin(void): 1 of 1 sites\n"
                                "p:kloc/twin _stext+0x4\n"
                                "# int twin(int a): 1 of 1 sites\n"
                                "# without a: optimized out\n"
                                "p:kloc/twin_partial _stext+0x18\n");
    EXPECT_EQ(probes("#13", {"skb_headlen"}).out, probes("#13").out + probes("skb_headlen").out);
    // The one body with that symbol.
    EXPECT_EQ(probes("skb_headlen.isra.0").out,
              "# unsigned int skb_headlen(const struct sk_buff *skb): 1 of 1 sites\n"
              "p:kloc/skb_headlen _stext+0x20 skb=%di:x64\n");
    EXPECT_EQ(probes("twin").err, "  vmlinux:twin@a/twin.c  int twin(void)\n"
                                  "  vmlinux:twin@b/twin.c  int twin(int a)\n"
                                  "btf-extra: twin matches 2 functions: choose one of these\n");
}

// An event has the probes that agree in names and types of their fields. Two functions never share
// one, and the dots of a symbol are not in its name.
TEST_F(CliProbes, OneEventForSitesThatAgree) {
    EXPECT_EQ(probes("#13", {"vmlinux:#14"}).out, "# int twin(void): 1 of 1 sites\n"
                                                  "p:kloc/twin _stext+0x4\n"
                                                  "# int twin(int a): 1 of 1 sites\n"
                                                  "# without a: optimized out\n"
                                                  "p:kloc/twin_partial _stext+0x18\n");
}

// The loop heads are those that the file names.
TEST_F(CliProbes, LoopHeads) {
    ExtraFile file = SampleObject().file;
    file.site_marks = {{1, SITE_MARK_LOOP_HEAD}};
    auto result = run("probes", {"skb_headlen"}, write("loop", file));
    EXPECT_EQ(result.out, R"(# unsigned int skb_headlen(const struct sk_buff *skb): 2 of 3 sites
p:kloc/skb_headlen _stext+0x4 skb=%di:x64
# without skb: no location here
# loop head: hit once per iteration: p:kloc/skb_headlen_partial _stext+0x10
p:kloc/skb_headlen _stext+0x20 skb=%di:x64
)");
}

// A kernel with text that is freed, text without probes, and two symbols of one name.
class CliProbesRefused : public CliProbes {
  protected:
    static void SetUpTestSuite() {
        CliProbes::SetUpTestSuite();
        test::write_file(path("special.S"), test::sample_kernel_source(path("base.btf")) + R"(
        .section .init.text, "ax"
begin:  .skip 0x10
        .text
__noinstr_text_start:
        .type twice, @function
twice:  .skip 0x10
        .size twice, . - twice
__noinstr_text_end:
        .data
        .balign 8
__start___jump_table:
        .long twice + 0x1c - ., 0
        .quad 0
        .long twice + 0x20 - ., 0
        .quad 0
__stop___jump_table:
__start_static_call_sites:
        .long twice + 0x18 - ., 0
__stop_static_call_sites:
__start_kprobe_blacklist:
        .quad report
__stop_kprobe_blacklist:
__start_mcount_loc:
        .quad host + 1, report, twice, twice + 0x10, twice + 0x20
__stop_mcount_loc:
)");
        test::write_file(path("more.S"), std::string_view(R"(
        .text
        .type twice, @function
twice:  .skip 6
        cs
        call twice
        .skip 4
        .size twice, . - twice
        .type keyed, @function
keyed:  .byte 0x0f, 0x1f, 0x44, 0, 0
        ret
        .byte 0x66, 0x90
        jmp keyed
        ret
        .size keyed, . - keyed
)"));
        auto linked = test::run_command(
            {"gcc", "-nostdlib", "-static", "-no-pie", "-Wl,-e,host",
             "-Wl,--build-id=0x0102030405060708", "-Wl,-Ttext=0xffffffff81000000",
             "-Wl,-Tdata=0xffffffff81200000", "-Wl,--section-start=.init.text=0xffffffff81100000",
             "-o", path("special"), path("special.S"), path("more.S")});
        ASSERT_EQ(linked.exit_code, 0) << linked.err;
    }
};

// A place that cannot have a probe is printed as a comment.
TEST_F(CliProbesRefused, Lines) {
    struct Row {
        const char *section;
        uint32_t offset;
        const char *format, *line;
    } rows[] = {
        {"inline.init.text", 4, "tracefs",
         "# its text is freed after boot: p:kloc/twin _stext+0x100004\n"},
        {"inline.text", 0x44, "tracefs", "# on the kprobe blacklist: p:kloc/twin _stext+0x44\n"},
        {"inline.text", 0x54, "tracefs", "p:kloc/twin _stext+0x54\n"},
        {"inline.text", 4, "tracefs", "p:kloc/twin _stext+0x4\n"},
        {"inline.text", 0x34, "tracefs", "# on the kprobe blacklist: p:kloc/twin _stext+0x34\n"},
        {"inline.text", 0x24, "tracefs",
         "# ftrace does not list its function: p:kloc/twin _stext+0x24\n"},
        {"inline.text", 0x5c, "tracefs",
         "# a static key patches the instruction: p:kloc/twin _stext+0x5c\n"},
        {"inline.text", 0x58, "tracefs",
         "# a static call patches the instruction: p:kloc/twin _stext+0x58\n"},
        {"inline.text", 0x56, "tracefs",
         "# kprobes return from the call to a wrong address: p:kloc/twin _stext+0x56\n"},
        {"inline.text", 0x57, "tracefs", "p:kloc/twin _stext+0x57\n"},
        {"inline.text", 0x54, "perf",
         "# 2 symbols are called twice: perf probe -a 'twin_0=twice+0x4'\n"},
        {"inline.text", 0x54, "bpftrace",
         "// 2 symbols are called twice: kprobe:twice+0x4 { printf(\"%s-%d twin twice+0x4 "
         "inlined\\n\", comm, tid); }\n"},
    };
    for (const Row &row : rows) {
        const std::string file = write_sites("one_site", {{row.section, 13, row.offset}});
        auto result = run("probes", {"#13", "--format", row.format}, file, "special");
        EXPECT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(result.out.substr(result.out.find('\n') + 1), row.line);
    }
}

// A probe after a static key is not at the address of its site.
TEST_F(CliProbesRefused, AfterAKey) {
    struct Row {
        uint32_t offset, marks;
        const char *format, *line;
    } rows[] = {
        {0x60, SITE_MARK_AFTER_KEY, "tracefs", "p:kloc/twin _stext+0x65\n"},
        {0x60, SITE_MARK_AFTER_KEY, "perf", "perf probe -a 'twin_0=keyed+0x5'\n"},
        {0x60, SITE_MARK_AFTER_KEY, "bpftrace",
         "kprobe:keyed+0x5 { printf(\"%s-%d twin keyed+0x0 inlined\\n\", comm, tid); }\n"},
        {0x66, SITE_MARK_AFTER_KEY, "tracefs", "p:kloc/twin _stext+0x68\n"},
        {0x68, SITE_MARK_AFTER_KEY, "perf", "perf probe -a 'twin_0=keyed+0xa'\n"},
        {0x60, 0, "tracefs", "# a static key patches the instruction: p:kloc/twin _stext+0x60\n"},
        {0x65, SITE_MARK_AFTER_KEY, "tracefs",
         "# the code is not that of a static key: p:kloc/twin _stext+0x65\n"},
    };
    for (const Row &row : rows) {
        SiteMarkList marks;
        if (row.marks != 0)
            marks = {{0, row.marks}};
        const std::string file =
            write_sites("key", {{"inline.text", 13, row.offset}}, std::move(marks));
        const auto result = run("probes", {"#13", "--format", row.format}, file, "special");
        EXPECT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(result.out.substr(result.out.find('\n') + 1), row.line) << row.offset;
    }
}

// `list --probes` and `expose` count the same places. A function that ftrace does not know because
// of its "inline" takes probes of the module, if no event.
TEST_F(CliProbesRefused, Counts) {
    test::make_template(path("inlined.ko"));
    struct Row {
        uint32_t offset, marks;
        const char *listed, *left_out;
    } rows[] = {
        {0x4, 0, "", ""},
        {0x44, 0, "; no probe at 1: on the kprobe blacklist",
         "1 site: the kernel refuses a kprobe"},
        {0x34, 0, "; no probe at 1: on the kprobe blacklist",
         "1 site: the kernel refuses a kprobe"},
        {0x5c, 0, "; no probe at 1: a static key patches the instruction",
         "1 site: the kernel refuses a kprobe"},
        {0x56, 0, "; no probe at 1: kprobes return from the call to a wrong address",
         "1 site: the kernel refuses a kprobe"},
        {0x24, 0, "; no probe at 1: ftrace does not list its function",
         "1 site: in a function that ftrace cannot trace"},
        {0x24, SITE_MARK_UNLISTED, "", ""},
        {0x60, SITE_MARK_AFTER_KEY, "", ""},
        {0x65, SITE_MARK_AFTER_KEY, "; no probe at 1: the code is not that of a static key",
         "1 site: the kernel refuses a kprobe"},
    };
    for (const Row &row : rows) {
        SiteMarkList marks;
        if (row.marks != 0)
            marks = {{0, row.marks}};
        const std::string file =
            write_sites("counted", {{"inline.text", 13, row.offset}}, std::move(marks));
        EXPECT_EQ(run("list", {"#13", "--probes"}, file, "special").out,
                  std::string("vmlinux:twin     1 site   inlined only: a kprobe cannot see it") +
                      row.listed + "\n");
        const auto json =
            nlohmann::json::parse(run("list", {"#13", "--probes", "--json"}, file, "special").out);
        EXPECT_EQ(json["functions"][0]["no_probe"].size(), *row.listed == '\0' ? 0 : 1);
        const auto exposed =
            run("expose", {"#13", "--template", path("inlined.ko"), "--output", path("out.ko")},
                file, "special");
        EXPECT_EQ(exposed.err, *row.left_out == '\0' ? ""
                                                     : std::string("btf-extra: twin: left out: ") +
                                                           row.left_out + "\n");
    }
}

// Sites in text that is freed after boot count in no stub.
TEST_F(CliProbesRefused, FreedTextOfAStub) {
    test::make_template(path("inlined.ko"));
    const std::string file =
        write_sites("freed", {{"inline.text", 13, 4}, {"inline.init.text", 13, 4}});
    const auto exposed =
        run("expose", {"#13", "--template", path("inlined.ko"), "--output", path("out.ko")}, file,
            "special");
    EXPECT_EQ(exposed.err, "");
    EXPECT_EQ(exposed.out, "twin  void twin(void)  1 of 1 site\n");
}

// A module's tables of its code are in sections, and what is in them is in relocations.
TEST(CliProbesOfAModule, Lines) {
    const test::TemporaryFolder folder;
    const std::string kernel = folder.path("vmlinux"), module = folder.path("m.ko"),
                      tables = folder.path("m.btf_extra");
    test::build_kernel(kernel);
    test::write_file(folder.path("m.c"), R"(
#define IN(section, entry) ".pushsection " section ", \"aw\"; " entry "; .popsection"
#define NOTHING "1: nop; "
#define HERE "1b - ."

static inline void plain(void) { asm volatile(NOTHING); }
static inline void keyed(void)
{
	asm volatile(NOTHING IN("__jump_table", ".long " HERE ", 0; .quad 0"));
}
static inline void between(void)
{
	asm volatile(NOTHING IN("__jump_table", ".long 0, " HERE "; .quad 1b"));
}
static inline void called(void)
{
	asm volatile(NOTHING IN(".static_call_sites", ".long " HERE ", 0"));
}
static inline void prefixed(void) { asm volatile("cs\n\tcall other"); }
static inline void bug(void) { asm volatile("ud2"); }

void traced(void) { plain(); keyed(); between(); called(); prefixed(); bug(); }
__attribute__((no_instrument_function)) void untraced(void) { plain(); }
__attribute__((section(".noinstr.text"))) void closed(void) { plain(); }
void listed(void) { plain(); }
void *entry __attribute__((section("_kprobe_blacklist"))) = listed;

static void half_traced(void) { in_traced(); }
static void half_listed(void) { in_listed(); }
void *listed_half __attribute__((section("_kprobe_blacklist"))) = half_listed;
void *used[] = { half_traced, half_listed };
)");
    // Two functions have one name, and the kernel's tables have one of them.
    test::write_file(folder.path("twins.h"), R"(
static inline void in_traced(void) { asm volatile("nop"); }
static inline void in_listed(void) { asm volatile("nop; nop"); }
)");
    test::write_file(folder.path("n.c"), R"(
__attribute__((no_instrument_function)) static void half_traced(void) { in_traced(); }
static void half_listed(void) { in_listed(); }
void *used_too[] = { half_traced, half_listed };
)");
    test::must_run({"gcc", "-O2", "-g", "-r", "-nostdlib", "-Wl,--build-id", "-pg", "-mfentry",
                    "-mrecord-mcount", "-fno-asynchronous-unwind-tables", "-fcf-protection=none",
                    "-fno-pie", "-fno-toplevel-reorder", "-include", folder.path("twins.h"), "-o",
                    module, folder.path("m.c"), folder.path("n.c")});
    test::must_run({"env", "LLVM_OBJCOPY=objcopy", "pahole", "-J", "--btf_base=" + kernel, module});
    const auto made = test::run_btf_extra({"generate", "--vmlinux", kernel, "-o", tables, module});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    // objdump says: __fentry__ is called in 5 bytes, and each of the instructions follows the last.
    struct Row {
        const char *func, *lines;
    } rows[] = {
        {"plain", "p:kloc/plain m:traced+0x5\n"
                  "# ftrace does not list its function: p:kloc/plain m:untraced+0x0\n"
                  "# on the kprobe blacklist: p:kloc/plain m:listed+0x5\n"
                  "# on the kprobe blacklist: p:kloc/plain m:closed+0x5\n"},
        {"keyed", "# a static key patches the instruction: p:kloc/keyed m:traced+0x6\n"},
        {"between", "p:kloc/between m:traced+0x7\n"},
        {"called", "# a static call patches the instruction: p:kloc/called m:traced+0x8\n"},
        {"prefixed", "# kprobes return from the call to a wrong address: "
                     "p:kloc/prefixed m:traced+0x9\n"},
        {"bug", "# it is a BUG() or WARN(): p:kloc/bug m:traced+0xf\n"},
    };
    for (const Row &row : rows) {
        const auto result = test::run_btf_extra(
            {"probes", row.func, "--tables", tables, "--vmlinux", kernel, "--module", module});
        EXPECT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(result.out.substr(result.out.find('\n') + 1), row.lines) << row.func;
    }
    const std::pair<const char *, const char *> twins[] = {
        {"in_traced", "; no probe at 1: ftrace does not list its function\n"},
        {"in_listed", "; no probe at 1: on the kprobe blacklist\n"}};
    for (const auto &[func, words] : twins) {
        const std::string out = test::run_btf_extra({"list", func, "--probes", "--tables", tables,
                                                     "--vmlinux", kernel, "--module", module})
                                    .out;
        EXPECT_NE(out.find("2 sites"), std::string::npos) << out;
        EXPECT_TRUE(out.ends_with(words)) << out;
    }
    const auto stat = nlohmann::json::parse(test::run_btf_extra({"stat", tables, "--json"}).out);
    EXPECT_EQ(stat["inline_sites"], 13);
    // plain_0, between_0, and one each of in_traced and in_listed
    EXPECT_EQ(stat["inline_sites_reached"], 4);
}

}  // namespace
}  // namespace btf_extra
