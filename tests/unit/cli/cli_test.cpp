// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs the command on the sample object as a user does. The expected text was worked out by hand
// from tests/support/sample_object.cpp.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

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
using test::CommandResult;
using test::run_btf_extra;
using test::SampleObject;

class Cli : public test::CliFixture {};

TEST_F(Cli, Usage) {
    for (const char *command :
         {"stat", "dump", "check", "lookup", "list", "probes", "trace", "generate"}) {
        auto help = run_btf_extra({command, "--help"});
        EXPECT_EQ(help.exit_code, 0) << command;
        EXPECT_NE(help.out.find("Usage"), help.out.npos) << command;
        EXPECT_EQ(run_btf_extra({command}).exit_code, 2) << command;
        EXPECT_EQ(run_btf_extra({command, "a", "--no-such-option"}).exit_code, 2) << command;
    }
    EXPECT_EQ(run_btf_extra({}).exit_code, 2);
    EXPECT_EQ(run_btf_extra({"--help"}).exit_code, 0);
    EXPECT_EQ(run_btf_extra({"no-such-command"}).exit_code, 2);
    EXPECT_EQ(lookup({}).exit_code, 2);
    const std::string file = path("a.btf_extra"), vmlinux = path("vmlinux");
    const std::vector<std::string> rows[] = {
        {"lookup", "--tables", file},
        {"lookup", "--tables", file, "--vmlinux", vmlinux},
        {"lookup", "a", "--vmlinux", vmlinux},
        {"lookup", "a", "--module", vmlinux},
        {"lookup", "a", "--tables", file, "--module", vmlinux},
        {"lookup", "a", "--tables", file, "--no-module"},
        {"lookup", "a", "--addr"},
        {"stat", "--json"},
        {"stat", file, "--running"},
        {"stat", "--running", "--btf-base", vmlinux},
        {"stat", "--running", "--vmlinux", vmlinux},
        {"dump", "--running"},
        {"list", "a", "--vmlinux", vmlinux},
        {"list", "a", "--tables", file, "--no-module"},
        {"list", "a", "--tables", file, "--vmlinux", vmlinux, "--module", vmlinux, "--no-such"},
        {"probes", "a", "--tables", file, "--vmlinux", vmlinux, "--format", "dtrace"},
        {"trace", "foo", "--count", "many"},
        {"trace", "foo", "--duration", "long"},
        {"trace", "foo", "--inline-only", "--body-only"},
        {"trace", "foo", "--require"},
    };
    for (const auto &row : rows) {
        auto result = run_btf_extra(row);
        EXPECT_EQ(result.exit_code, 2) << fmt::format("{}", fmt::join(row, " "));
        EXPECT_EQ(result.out, "");
    }
}

TEST_F(Cli, UnknownSubcommand) {
    const struct {
        const char *word, *said;
    } rows[] = {
        {"lsit", "unknown subcommand lsit; nearest: list; --help lists all"},
        {"symbolise", "unknown subcommand symbolise; nearest: symbolize; --help lists all"},
        {"frobnicate", "unknown subcommand frobnicate; --help lists all"},
    };
    for (const auto &row : rows) {
        const auto result = run_btf_extra({row.word, "foo"});
        EXPECT_EQ(result.exit_code, 2);
        EXPECT_EQ(result.err, std::string("btf-extra: ") + row.said + "\n");
    }
}

TEST_F(Cli, RunningKernelWithoutTheModule) {
    if (std::filesystem::exists("/dev/btf_extra"))
        GTEST_SKIP() << "btf_extra is loaded";
    const std::string message =
        "/dev/btf_extra: btf_extra is not loaded: btf-extra install makes tables and loads it";
    for (const char *command : {"lookup", "list", "probes", "trace"}) {
        auto result = run_btf_extra({command, "skb_headlen"});
        EXPECT_EQ(result.exit_code, 1);
        EXPECT_TRUE(result.err.starts_with("btf-extra: btf_extra is not loaded, and no tables of "))
            << result.err;
        EXPECT_TRUE(result.err.ends_with(" are installed in /lib/firmware/btf_extra; btf-extra "
                                         "install makes them, --tables names a file\n"))
            << result.err;
    }
    const std::string none = path("none"), absent = none + ": open: No such file or directory";
    expect_failed(run("list", {"a"}, none), absent);
    expect_failed(run_btf_extra({"trace", "foo", "--tables", none}), absent);
    for (const std::vector<std::string> &row :
         {std::vector<std::string>{"trace", "foo", "--no-module"},
          {"trace", "foo", "--tables", path("a.btf_extra")}})
        expect_failed(run_btf_extra(row), "...");
    expect_failed(run_btf_extra({"stat", "--running"}), message);
    expect_failed(run_btf_extra({"stat", "--running", "--json"}), message);
}

TEST_F(Cli, StatJson) {
    auto result = run_btf_extra({"stat", path("a.btf_extra"), "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    SampleObject sample;
    size_t types = sample.file.types.size(), func_info = sample.file.func_info.size();
    json expected = {
        {"functions", 4},
        {"inline_instances", 9},
        {"skipped_rust_units", 2},
        {"contradicted", 3},
        {"sites", 8},
        {"inline_sites", 6},
        {"body_sites", 2},
        {"true_signatures", 0},
        {"inline_sites_all_params", 3},
        {"inline_sites_some_params", 1},
        {"inline_sites_no_params", 2},
        {"inline_sites_all_with_expressions", 0},
        {"loop_heads", nullptr},
        {"without_entry", nullptr},
        {"parts", nullptr},
        {"inline_sites_kept", nullptr},
        {"inline_sites_reached", nullptr},
        {"inline_sites_reached_all_params", nullptr},
        {"inline_sites_reached_all_with_expressions", nullptr},
        {"inline_sites_left_out", nullptr},
        {"attached_whole_inlined", nullptr},
        {"attached_whole_many_sites", nullptr},
        {"params", 13},
        {"params_located", 7},
        {"params_computed", 0},
        {"not_available",
         {{"optimized out", 2},
          {"no location here", 1},
          {"arithmetic", 1},
          {"entry value", 1},
          {"size", 1}}},
        {"loc_params", 4},
        {"loc_protos", 5},
        {"added_funcs", 3},
        {"added_types", 6},
        {"variables", 0},
        {"variables_left_out", nullptr},
        {"bytes_types", types},
        {"bytes_variables", 0},
        {"bytes_func_info", func_info},
        {"expressions", 0},
        {"bytes_expressions", 0},
        {"bytes_repeated_protos", 0},
        {"expression_bytes_per_site", 0.0},
        {"frames_instances", nullptr},
        {"frames_bodies", nullptr},
        {"bytes_frames", nullptr},
        {"line_rows", nullptr},
        {"bytes_lines", nullptr},
        {"bytes_per_site", std::round(static_cast<double>(types + func_info) / 8 * 100) / 100},
        {"build_id", test::kSampleBuildId},
    };
    EXPECT_EQ(json::parse(result.out), expected) << result.out;
}

TEST_F(Cli, StatText) {
    auto result = run_btf_extra({"stat", path("a.btf_extra")});
    EXPECT_EQ(result.exit_code, 0);
    for (const char *line : {"left out, contradicted                 3\n",
                             "sites                                  8\n",
                             "  all parameters located               3   50.0%\n",
                             "  optimized out                        2   15.4%\n"})
        EXPECT_NE(result.out.find(line), result.out.npos) << line << result.out;
}

// The figures are those of sample_frames() and sample_lines().
TEST_F(Cli, StatOfFrames) {
    ExtraFile file = SampleObject().file;
    file.frames = test::sample_frames();
    file.lines = test::sample_lines();
    const std::string written = write("frames", file);
    const json out = json::parse(run_btf_extra({"stat", written, "--json"}).out);
    EXPECT_EQ(out["frames_instances"], 2);
    EXPECT_EQ(out["frames_bodies"], 2);
    EXPECT_EQ(out["bytes_frames"], 120);
    EXPECT_EQ(out["line_rows"], 6);
    EXPECT_EQ(out["bytes_lines"], 115);
    const std::string text = run_btf_extra({"stat", written}).out;
    for (const char *line : {"inlined instances in frames            2\n",
                             "bytes of frames                      120\n",
                             "rows of lines                          6\n"})
        EXPECT_NE(text.find(line), text.npos) << line << text;
}

// Six inlined sites: one is a part, one the head of a loop, and one is closed. One of the other
// three has a parameter without location. One of four functions has a site at that loop, and one a
// body that takes no probe.
TEST_F(Cli, StatOfReach) {
    ExtraFile file = SampleObject().file;
    file.site_marks = {{0, SITE_MARK_LOOP_HEAD},
                       {2, SITE_MARK_AFTER_KEY},
                       {3, SITE_MARK_PART},
                       {4, SITE_MARK_UNLISTED},
                       {5, SITE_MARK_CLOSED}};
    file.provenance->left_out_sites = {5, 7};
    const auto number = [](const json &out, const char *key) { return out[key].dump(); };
    auto result = run_btf_extra({"stat", write("reach", file), "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    json out = json::parse(result.out);
    EXPECT_EQ(number(out, "inline_sites_kept"), "5");
    EXPECT_EQ(number(out, "inline_sites_reached"), "3");             // 1, 2, 4
    EXPECT_EQ(number(out, "inline_sites_reached_all_params"), "2");  // 2, 4
    const json none = {{"closed", 0}, {"no_entry", 0}, {"loop_head", 0}, {"instruction", 0}};
    json left_out = none;
    left_out["closed"] = left_out["loop_head"] = 1;
    EXPECT_EQ(out["inline_sites_left_out"], left_out);
    left_out["instruction"] = 1;
    const json inlined = {{"functions", 4}, {"whole", 1}, {"refused", left_out}};
    const json many = {{"functions", 0}, {"whole", 0}, {"refused", none}};
    EXPECT_EQ(out["attached_whole_inlined"], inlined);
    EXPECT_EQ(out["attached_whole_many_sites"], many);
    const std::string text = run_btf_extra({"stat", write("reach", file)}).out;
    for (const char *line : {"inlined calls, not freed               5\n",
                             "  reached by default                   3   60.0%\n",
                             "  reached, with all parameters         2   40.0%\n",
                             "  in closed code                       1   20.0%\n",
                             "functions that are inlined             4\n"
                             "  attached whole                       1   25.0%\n"
                             "  only in closed code                  1   25.0%\n"
                             "  with a loop head                     1   25.0%\n"
                             "  with code without kprobes            1   25.0%\n"
                             "functions with over 20 sites           0\n"})
        EXPECT_NE(text.find(line), text.npos) << line << text;

    file.provenance->left_out_sites = {8};
    EXPECT_NE(run_btf_extra({"stat", write("last", file)}).err.find("site 8 of 8 is left out"),
              std::string::npos);
    file.provenance->left_out_sites = {6, 6};
    EXPECT_NE(run_btf_extra({"stat", write("order", file)})
                  .err.find("sites that are left out are not in order"),
              std::string::npos);
}

// A file without provenance is counted by the base BTF. Counts that only DWARF gives are missing.
TEST_F(Cli, StatOfAnotherProducersFile) {
    ExtraFile file = SampleObject().file;
    file.provenance.reset();
    std::string bare = write("bare", file);
    expect_failed(run_btf_extra({"stat", bare}),
                  bare +
                      ": .btf_extra.provenance: missing: reading the file requires the base BTF");
    auto result = run_btf_extra({"stat", bare, "--btf-base", path("base.btf"), "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    json out = json::parse(result.out);
    EXPECT_EQ(out["inline_instances"], nullptr);
    EXPECT_EQ(out["params"], 13);
    EXPECT_EQ(out["params_located"], 7);
    EXPECT_EQ(out["not_available"], json({{"unknown", 6}}));
}

constexpr char kLocationsText[] = R"([17] LOC_PARAM '(anon)' size=8 flags=0x8 vlen=1 values='reg5'
[18] LOC_PARAM '(anon)' size=4 flags=0x38 vlen=2 values='*(reg7 + 0x8)'
[19] LOC_PARAM '(anon)' size=4 flags=0x2 vlen=1 values='0x10'
[20] LOC_PARAM '(anon)' size=8 flags=0x6 vlen=2 values='0x200000 (addr)'
[21] LOC_PROTO '(anon)' vlen=1
	type_id=17 value='reg5'
[22] LOC_PROTO '(anon)' vlen=1
	type_id=0 value='(none)'
[23] LOC_PROTO '(anon)' vlen=4
	type_id=19 value='0x10'
	type_id=20 value='0x200000 (addr)'
	type_id=18 value='*(reg7 + 0x8)'
	type_id=0 value='(none)'
[24] LOC_PROTO '(anon)' vlen=4
	type_id=0 value='(none)'
	type_id=17 value='reg5'
	type_id=0 value='(none)'
	type_id=0 value='(none)'
[25] LOC_PROTO '(anon)' vlen=0
[26] LOCSEC 'inline.text' vlen=6
	name='skb_headlen' func_type_id=7 loc_proto_type_id=21 offset=4
	name='skb_headlen' func_type_id=7 loc_proto_type_id=22 offset=16
	name='report' func_type_id=12 loc_proto_type_id=23 offset=8
	name='report' func_type_id=12 loc_proto_type_id=24 offset=8
	name='twin' func_type_id=13 loc_proto_type_id=25 offset=4
	name='twin' func_type_id=14 loc_proto_type_id=22 offset=24
[27] LOCSEC 'func.text' vlen=2
	name='skb_headlen' func_type_id=7 loc_proto_type_id=21 offset=32
	name='report' func_type_id=12 loc_proto_type_id=24 offset=48
)";

TEST_F(Cli, DumpText) {
    for (const char *base : {"base.btf", "vmlinux"}) {
        auto with_base = run_btf_extra({"dump", path("a.btf_extra"), "--btf-base", path(base)});
        EXPECT_EQ(with_base.exit_code, 0) << with_base.err;
        EXPECT_EQ(with_base.out, kLocationsText);
    }
    std::string absent = kLocationsText;
    for (size_t at; (at = absent.find("'skb_headlen'")) != absent.npos;)
        absent.replace(at, 13, "'(base)'");
    auto alone = run_btf_extra({"dump", path("a.btf_extra")});
    EXPECT_EQ(alone.exit_code, 0) << alone.err;
    EXPECT_EQ(alone.out, absent);
}

// The types of a file are for bpftool. The sample has nine of them on top of six in the base.
TEST_F(Cli, BpftoolPrintsTheTypes) {
    auto bpftool = test::run_command({"bpftool", "-j", "-B", path("base.btf"), "btf", "dump",
                                      "file", path("a.btf_extra"), "format", "raw"});
    ASSERT_EQ(bpftool.exit_code, 0) << bpftool.err;
    json types = json::parse(bpftool.out)["types"];
    ASSERT_EQ(types.size(), 9u);
    EXPECT_EQ(types.back()["id"], 16);
}

TEST_F(Cli, DumpJson) {
    auto result =
        run_btf_extra({"dump", path("a.btf_extra"), "--btf-base", path("base.btf"), "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    json all = json::parse(result.out)["types"];
    ASSERT_EQ(all.size(), 11u);
    EXPECT_EQ(all[1], json::parse(R"json({"id":18,"kind":"LOC_PARAM","name":"(anon)","size":4,
        "flags":56,"vlen":2,"values":"*(reg7 + 0x8)"})json"));
    EXPECT_EQ(all[5], json::parse(R"json({"id":22,"kind":"LOC_PROTO","name":"(anon)","vlen":1,
        "params":[{"type_id":0,"value":"(none)"}]})json"));
    EXPECT_EQ(all[8], json::parse(R"json({"id":25,"kind":"LOC_PROTO","name":"(anon)","vlen":0,
        "params":[]})json"));
    EXPECT_EQ(all[10],
              json::parse(R"json({"id":27,"kind":"LOCSEC","name":"func.text","vlen":2,"sites":[
        {"name":"skb_headlen","func_type_id":7,"loc_proto_type_id":21,"offset":32},
        {"name":"report","func_type_id":12,"loc_proto_type_id":24,"offset":48}]})json"));
}

TEST_F(Cli, DumpErrors) {
    std::string nothing = path("none");
    expect_failed(run_btf_extra({"dump", nothing}), nothing + ": open: No such file or directory");
    expect_failed(run_btf_extra({"dump", path("types.btf")}),
                  path("types.btf") + ": ELF header: not an ELF file");
    expect_failed(run_btf_extra({"dump", path("vmlinux")}),
                  path("vmlinux") + ": .BTF.func_info: not there");
    test::BlobBuilder other;
    other.type("int", BTF_KIND_INT, 0, 4, {32});
    test::write_file(path("other.btf"), other.bytes());
    expect_failed(run_btf_extra({"dump", path("a.btf_extra"), "--btf-base", path("other.btf")}),
                  path("a.btf_extra") + ": base BTF of another kernel: " + path("other.btf") +
                      ": BTF ends at type 1 and string byte 5, not 7 and 46");
}

TEST_F(Cli, Check) {
    std::string file = path("a.btf_extra");
    auto alone = run_btf_extra({"check", file});
    EXPECT_EQ(alone.exit_code, 0) << alone.err;
    EXPECT_EQ(alone.out, file +
                             ": good: 8 sites of 4 functions in 2 LOCSECs; checked: every record;"
                             " build-id 0102030405060708\n");
    auto against = run_btf_extra({"check", file, "--vmlinux", path("vmlinux")});
    EXPECT_EQ(against.exit_code, 0) << against.err;
    EXPECT_EQ(against.out,
              file +
                  ": good: 8 sites of 4 functions in 2 LOCSECs; checked: every record, "
                  "base BTF and every offset, against " +
                  path("vmlinux") + "; build-id 0102030405060708\n");
}

TEST_F(Cli, CheckRefuses) {
    SampleObject good;
    std::string kernel = path("vmlinux");
    auto check = [&](const ExtraFile &file, const std::string &reason, bool with_kernel = true) {
        std::string name = write("bad", file);
        std::vector<std::string> arguments = {"check", name};
        if (with_kernel)
            arguments.insert(arguments.end(), {"--vmlinux", kernel});
        expect_failed(run_btf_extra(arguments), name + ": " + reason);
    };

    ExtraFile file = good.file;
    file.build_id_note.back() = std::byte{9};
    check(file, ".note.gnu.build-id: made for another kernel: build-id 0102030405060709, but " +
                    kernel + " has 0102030405060708");
    file = good.file;
    file.machine = EM_AARCH64;
    check(file, "ELF header: for aarch64, but " + kernel + " is of x86_64");
    file.machine = EM_386;
    check(file, "byte 0x12: machine is not supported", false);
    file = good.file;
    file.provenance->base_end_id = 9;
    check(file, ".BTF: base BTF of another kernel: " + kernel +
                    ": .BTF ends at type 7 and string byte 46, not 8 and 46");
    // Two bases with the same counts still differ if one bit or the size differs.
    file = good.file;
    file.base[0].crc32 ^= 1;
    check(file, fmt::format(".BTF: base BTF of another kernel: {}: .BTF has {} bytes with CRC-32 "
                            "{:08x}, not {} with {:08x}",
                            kernel, file.base[0].size, test::kSampleBaseCrc32, file.base[0].size,
                            test::kSampleBaseCrc32 ^ 1));
    expect_failed(run_btf_extra({"lookup", "#7", "--tables", path("bad"), "--vmlinux", kernel}),
                  path("bad") + ": .BTF: base BTF of another kernel: ...");
    file = good.file;
    file.base[0].size++;
    check(file, ".BTF: base BTF of another kernel: ...");
    file = good.file;
    file.base.push_back({1, 1});
    check(file, ".BTF: 1 levels of base BTF, not the 2 that it was made on");

    // The file's sections are not those of the kernel, or they do not hold its sites.
    file = good.file;
    file.sections[0].address += 0x1000;
    check(file, ".text: 0x40 bytes at 0xffffffff81001000, but .text of " + kernel +
                    " has 0x40 bytes at 0xffffffff81000000");
    file = good.file;
    file.sections.push_back(file.sections[0]);
    file.sections.back().name = ".text.none";
    check(file, ".text.none: 0x40 bytes at 0xffffffff81000000, but .text.none of " + kernel +
                    " is missing");
    file = good.file;
    file.sections[0].name = ".text.none";
    check(file, ".BTF.func_info: type 26, byte 0xdc: site lies outside the sections of its object");
    file = good.file;
    file.sections[0].size = 0x30;
    check(file, ".BTF.func_info: type 27, byte 0x150: site lies outside the sections of its object",
          false);
    file = good.file;
    file.sections.clear();
    check(file, ".BTF.func_info: type 26, byte 0xdc: site lies outside the sections of its object",
          false);
    // The kernel takes no file without these.
    file = good.file;
    file.base.clear();
    check(file, "byte 0x0: types, locations, build-id or sums of the base are missing", false);
    file = good.file;
    file.build_id_note.clear();
    check(file, "byte 0x0: types, locations, build-id or sums of the base are missing", false);

    file = good.file;
    file.provenance->reasons.pop_back();
    check(file, ".btf_extra.provenance: 5 reasons for 6 parameters without location", false);
    file = good.file;
    file.provenance->func_files.pop_back();
    check(file, ".btf_extra.provenance: files of 3 functions, where 4 have sites", false);

    // The kernel does not have the places of these sites. A record is a header and then, 12 bytes
    // on, the site.
    auto with_sites = [&](const char *name, uint32_t offset) {
        test::BlobBuilder blob = test::BlobBuilder::above(good.types);
        uint32_t proto = blob.loc_proto({});
        blob.locsec(name, {{13, proto, offset}});
        ExtraFile out = good.file;
        out.func_info = blob.bytes(true);
        out.provenance->func_files = {0};
        out.provenance->reasons.clear();
        return out;
    };
    const std::string outside = ": site lies outside the sections of its object";
    check(with_sites("inline.text", 0x40), ".BTF.func_info: type 18, byte 0x40" + outside);
    check(with_sites("inline.init.text", 0), ".BTF.func_info: type 18, byte 0x2c" + outside);
    check(with_sites("func.data", 0), ".BTF.func_info: type 18, byte 0x2c" + outside);
    // A section of the file is executable where that of the kernel is not.
    file = with_sites("func.data", 0);
    file.sections.push_back({".data", SHF_ALLOC | SHF_EXECINSTR, 0xffffffff81200000, 8});
    check(file,
          ".data: 0x8 bytes at 0xffffffff81200000, but .data of " + kernel + " is not executable");
    EXPECT_EQ(run_btf_extra(
                  {"check", write("good", with_sites("inline.text", 0x3f)), "--vmlinux", kernel})
                  .exit_code,
              0);

    // The message for what the core refuses names type and byte.
    test::BlobBuilder blob = test::BlobBuilder::above(good.types);
    blob.loc_param(0, LOC_REG, {5});
    file = good.file;
    file.func_info = blob.bytes(true);
    check(file,
          ".BTF.func_info: type 17, byte 0x28: LOC_PARAM size contradicts its flags and values",
          false);
}

TEST_F(Cli, InputsThatAreNoContainer) {
    std::string text = path("text"), nothing = path("none");
    test::write_file(text, std::string_view("no ELF file"));
    expect_failed(run_btf_extra({"stat", text}),
                  text + ": byte 0x0: headers or a section end after the file");
    expect_failed(run_btf_extra({"stat", nothing}), nothing + ": open: No such file or directory");
    expect_failed(run_btf_extra({"check", path("vmlinux")}),
                  path("vmlinux") + ": byte 0x10: not a relocatable little-endian ELF64 file");
    std::string cut = path("cut");
    test::write_file(cut, test::read_file(path("a.btf_extra")).substr(0, 500));
    expect_failed(run_btf_extra({"stat", cut}),
                  cut + ": byte 0x28: headers or a section end after the file");
    expect_failed(run_btf_extra({"check", path("a.btf_extra"), "--vmlinux", path("a.btf_extra")}),
                  path("a.btf_extra") + ": .BTF: byte 0x10: strings are absent or not terminated");
}

TEST_F(Cli, StandardOutputThatFails) {
    if (!std::filesystem::exists("/dev/full"))
        GTEST_SKIP() << "no /dev/full";
    auto result = test::run_command({"sh", "-c",
                                     "exec \"$BTF_EXTRA_BUILD/btf-extra\" dump \"$0\" > /dev/full",
                                     path("a.btf_extra")});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.err, "btf-extra: stdout: No space left on device\n");
    // The answer is larger than one buffer.
    test::SampleObject sample;
    test::BlobBuilder large = test::BlobBuilder::above(sample.types);
    for (int i = 0; i < 50'000; i++)
        large.loc_proto({});
    sample.file.func_info = large.bytes(true);
    write("large.btf_extra", sample.file);
    result = test::run_command({"sh", "-c",
                                "exec \"$BTF_EXTRA_BUILD/btf-extra\" dump \"$0\" > /dev/full",
                                path("large.btf_extra")});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.err, "btf-extra: stdout: cannot write to file: No space left on device\n");
}

}  // namespace
}  // namespace btf_extra
