// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs `generate` on relocatable files, and the other commands on its output.
#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/base_btf.h"
#include "tests/support/machine.h"
#include "tests/support/module_build.h"
#include "tests/support/oracle_match.h"
#include "tests/support/placed_object.h"

namespace btf_extra {
namespace {

using test::CommandResult;
using test::Recipe;
using test::run_btf_extra;

class Module : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<test::TemporaryFolder>();
        test::build_kernel(kernel());
        test::build_module(good(), {}, kernel());
        test::must_run(
            {"objcopy", "--dump-section", ".BTF=" + path("split.btf"), good(), path("ignored.ko")});
    }
    static void TearDownTestSuite() { folder_.reset(); }

    static std::string path(std::string_view name) { return folder_->path(name); }
    static std::string kernel() { return path("vmlinux"); }
    static std::string good() { return path("good.ko"); }

    // Returns the output's path, or "" if the command failed.
    static std::string generate(const std::string &module,
                                const std::vector<std::string> &more = {}) {
        std::vector<std::string> arguments = {"generate", "--vmlinux",           kernel(),
                                              "-o",       module + ".btf_extra", module};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const CommandResult result = run_btf_extra(arguments);
        EXPECT_EQ(result.exit_code, 0) << result.err;
        return result.exit_code == 0 ? module + ".btf_extra" : "";
    }
    static std::unique_ptr<ObjectView> view(const std::string &file, const std::string &module) {
        const auto object = ElfImage::open(module), vmlinux = ElfImage::open(kernel());
        auto view = ObjectView::open_for(file, *vmlinux, &*object);
        EXPECT_TRUE(view) << view.error().message;
        return view ? std::move(*view) : nullptr;
    }
    static void expect_refused(const std::vector<std::string> &arguments,
                               const std::string &message) {
        const CommandResult result = run_btf_extra(arguments);
        EXPECT_EQ(result.exit_code, 1) << message;
        EXPECT_EQ(result.err, "btf-extra: " + message + "\n");
    }
    static CommandResult with_module(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--vmlinux", kernel(), "--module", good()});
        return run_btf_extra(arguments);
    }

    static inline std::unique_ptr<test::TemporaryFolder> folder_;
};

// Returns "section offset name" of each function, as objdump prints the symbols.
std::set<std::string> symbols_by_objdump(const std::string &module, bool arm64) {
    const CommandResult result =
        test::run_command({arm64 ? "aarch64-linux-gnu-objdump" : "objdump", "--syms", module});
    std::set<std::string> out;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string offset, word, section;
        words >> offset;
        bool function = false;
        while (words >> word && word.find('.') != 0)
            function |= word == "F";
        section = word;
        words >> word >> word;  // size, name
        if (function)
            out.insert(fmt::format("{} {:x} {}", section, std::stoull(offset, nullptr, 16), word));
    }
    return out;
}

TEST_F(Module, BodiesAreAtTheirSymbols) {
    std::vector<Recipe> recipes = test::recipes({"-O0", "-O2"});
    recipes.push_back({.compiler = "aarch64-linux-gnu-gcc"});
    recipes.push_back({.more = {"-ffunction-sections"}});
    recipes.push_back({.more = {"-gz"}});
    for (const Recipe &recipe : recipes) {
        SCOPED_TRACE(recipe.name());
        const std::string module = path("bodies.ko");
        test::build_module(module, recipe, "");
        const std::string file = generate(module);
        ASSERT_NE(file, "");
        const bool arm64 = recipe.compiler.starts_with("aarch64");
        const auto opened = ObjectView::open(file);
        ASSERT_TRUE(opened) << opened.error().message;
        const loc_index &index = (*opened)->index();
        std::set<std::string> bodies;
        size_t inlined = 0;
        for (uint32_t i = 0; i < index.nr_sections; i++)
            for (uint32_t j = 0; j < index.sections[i].nr_sites; j++) {
                const loc_site &site = index.sections[i].sites[j];
                inlined += index.sections[i].loc_class == LOC_CLASS_INLINE;
                if (index.sections[i].loc_class == LOC_CLASS_BODY)
                    bodies.insert(fmt::format("{} {:x} {}",
                                              index.elf_sections[index.sections[i].elf].name,
                                              site.offset, (*opened)->func_name(site.func)));
            }
        EXPECT_EQ(bodies, symbols_by_objdump(module, arm64));
        EXPECT_EQ(bodies.size(), 6u);
        EXPECT_EQ(inlined, 8u);
    }
}

TEST_F(Module, AgreesWithLibdwOnAPlacedCopy) {
    const std::vector<test::Machine> machines = test::machine_states(48);
    for (const char *dwarf : {"-gdwarf-4", "-gdwarf-5"}) {
        SCOPED_TRACE(dwarf);
        const std::string module = path("placed.ko");
        test::build_module(module, {.dwarf = dwarf}, kernel());
        const auto opened = view(generate(module), module);
        ASSERT_TRUE(opened);
        test::place_object(module, path("placed"));
        const test::LibdwOracle oracle(path("placed"), test::ObjdumpFlow(path("placed")), machines,
                                       test::LibdwOracle::kModule);
        const test::OracleMatch match = test::match_oracle(*opened, oracle, machines);
        for (const std::string &disagreement : match.disagreements)
            ADD_FAILURE() << disagreement;
        EXPECT_EQ(match.disagreeing, 0u);
        EXPECT_EQ(match.sites, 14u);
        EXPECT_EQ(oracle.counts().outside_sections, 0u);
    }
}

// A module's data and the kernel's data are not at a fixed distance from the module's text.
TEST_F(Module, AddressesAreNotAvailable) {
    const auto opened = view(generate(good()), good());
    ASSERT_TRUE(opened);
    size_t addresses = 0, static_memory = 0;
    for (uint32_t number = 0; number < opened->index().nr_sites; number++) {
        const loc_section *section = nullptr;
        const loc_site *site = loc_index_site(&opened->index(), number, &section);
        if (opened->func_name(site->func) != "add")
            continue;
        const std::vector<Parameter> params = opened->parameters(number);
        ASSERT_EQ(params.size(), 2u);
        EXPECT_EQ(params[0].name, "where");
        EXPECT_EQ(params[0].loc, nullptr);
        static_memory += params[0].reason == MissingReason::kStaticMemory;
        addresses++;
    }
    EXPECT_EQ(addresses, 8u);
    EXPECT_EQ(static_memory, 6u);  // gcc has no location for symbols that the unit does not define
}

TEST_F(Module, StandsOnTwoLevelsOfBtf) {
    const auto opened = view(generate(good()), good());
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->file().base.size(), 2u);
    EXPECT_FALSE(opened->file().vmlinux_btf);
    const CommandResult sections = test::run_command(
        {"sh", "-c", "readelf -SW \"$0\" | grep ' AX ' | sed 's/.*\\] //' | cut -d' ' -f1",
         good()});
    std::string names;
    for (const ObjectSection &section : opened->file().sections) {
        EXPECT_EQ(section.address, 0u);
        names += section.name + "\n";
    }
    EXPECT_EQ(names, sections.out);
    // All FUNCs come from the module's .BTF or are new: none comes from vmlinux, and neither BTF
    // has "add".
    const auto base = open_base_btf(kernel());
    ASSERT_TRUE(base);
    for (uint32_t i = 0; i < opened->index().nr_funcs; i++)
        EXPECT_GE(opened->index().funcs[i], btf_blob_end_id(&(*base)->blob()));
    EXPECT_EQ(opened->types().blob().first_id, opened->file().provenance->base_end_id);
}

TEST_F(Module, WithoutBtfItStandsOnVmlinuxAlone) {
    const std::string module = path("bare.ko");
    test::build_module(module, {}, "");
    const auto opened = view(generate(module), module);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->file().base.size(), 1u);
    // The sites are the same as with BTF.
    const auto with = view(generate(good()), good());
    EXPECT_EQ(opened->index().nr_sites, with->index().nr_sites);
    EXPECT_GT(opened->types().blob().nr_types, with->types().blob().nr_types);
    // The BTF may also be in a file, as /sys/kernel/btf/<module> is.
    test::must_run({"objcopy", "--remove-section=.BTF", good(), path("cut.ko")});
    const std::string file = generate(path("cut.ko"), {"--btf-base", path("split.btf")});
    EXPECT_EQ(test::read_file(file), test::read_file(good() + ".btf_extra"));
}

TEST_F(Module, SameBytesForEveryNumberOfThreads) {
    const std::string first = test::read_file(generate(good(), {"-j", "1"}));
    for (const char *jobs : {"2", "3", "16"})
        EXPECT_TRUE(test::read_file(generate(good(), {"-j", jobs})) == first) << jobs;
}

TEST_F(Module, CompressedAsAWhole) {
    const std::string first = test::read_file(generate(good()));
    const struct {
        const char *program, *suffix;
    } rows[] = {{"xz", ".xz"}, {"gzip", ".gz"}, {"zstd", ".zst"}};
    for (const auto &[program, suffix] : rows) {
        SCOPED_TRACE(program);
        test::must_run({program, "-k", "-f", good()});
        EXPECT_TRUE(test::read_file(generate(good() + suffix)) == first);
    }
    // The base may be compressed, too.
    test::must_run({"zstd", "-k", "-f", kernel()});
    const CommandResult based = run_btf_extra(
        {"generate", "--vmlinux", kernel() + ".zst", "-o", path("based"), good() + ".zst"});
    EXPECT_EQ(based.exit_code, 0) << based.err;
    EXPECT_TRUE(test::read_file(path("based")) == first);
}

TEST_F(Module, CutOffInTheMiddleOfZstd) {
    test::must_run({"zstd", "-k", "-f", good()});
    std::string bytes = test::read_file(good() + ".zst");
    const std::string cut = path("cut.ko.zst"), bad = path("bad.ko.zst");
    test::write_file(cut, bytes.substr(0, bytes.size() / 2));
    expect_refused({"generate", "--vmlinux", kernel(), "-o", path("none"), cut},
                   cut + ": zstd: the file is cut off");
    bytes.replace(bytes.size() / 2, 100, 100, '\xff');
    test::write_file(bad, bytes);
    const CommandResult result =
        run_btf_extra({"generate", "--vmlinux", kernel(), "-o", path("none"), bad});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.err.find("btf-extra: " + bad + ": zstd: "), 0u) << result.err;
}

TEST_F(Module, DebugFileInDebiansPlace) {
    const std::string first = test::read_file(generate(good()));
    const std::string release = "lib/modules/6.1.0/kernel";
    test::must_run({"mkdir", "-p", path(release), path("usr/lib/debug/" + release)});
    test::must_run({"cp", good(), path("usr/lib/debug/" + release + "/good.ko")});
    const std::string stripped = path(release + "/good.ko");
    test::must_run({"objcopy", "--strip-debug", good(), stripped});
    EXPECT_TRUE(test::read_file(generate(stripped)) == first);
    // A file of another build is not taken.
    test::build_module(path("usr/lib/debug/" + release + "/good.ko"), {.level = "-O0"}, "");
    expect_refused({"generate", "--vmlinux", kernel(), "-o", path("none"), stripped},
                   stripped + ": .debug_info: No DWARF information found");
}

TEST_F(Module, Commands) {
    const std::string file = generate(good());
    const CommandResult check = with_module({"check", file});
    EXPECT_EQ(check.exit_code, 0) << check.err;
    EXPECT_NE(check.out.find(": good: 14 sites of 7 functions in "), std::string::npos)
        << check.out;
    for (const char *command : {"stat", "dump"}) {
        const CommandResult result = with_module({command, file, "--json"});
        EXPECT_EQ(result.exit_code, 0) << result.err;
        EXPECT_TRUE(nlohmann::json::parse(result.out, nullptr, false).is_object()) << command;
        EXPECT_EQ(run_btf_extra({command, file, "--json"}).exit_code, 0);
    }
    const CommandResult start = with_module({"lookup", "one_start", "--tables", file});
    EXPECT_EQ(start.exit_code, 0) << start.err;
    EXPECT_NE(start.out.find("int one_start(long int first, int second)\n"), std::string::npos)
        << start.out;
    EXPECT_NE(
        start.out.find("\n  .init.text+0x0 body   one_start+0x0  first=%rdi  second=%rsi:s32\n"),
        std::string::npos)
        << start.out;
    for (const char *place : {".init.text+0x0", "one_start", "one_start+0x0", ".init.text"})
        EXPECT_EQ(with_module({"lookup", "--tables", file, "--addr", place}).out, start.out)
            << place;
    const auto sites = nlohmann::json::parse(
        with_module({"lookup", "one_start", "--tables", file, "--json"}).out, nullptr, false);
    EXPECT_EQ(sites["sites"][0]["address"], ".init.text+0x0");
}

// A module that was built out of tree for a newer kernel has a distilled base. It is treated as if
// it had no BTF.
TEST_F(Module, DistilledBase) {
    const std::string distilled = path("distilled.ko");
    const std::string plain = path("plain.ko");
    test::BaseBtf base;
    base.integer("int", 4);
    test::write_file(path("base.btf"), base.bytes());
    test::must_run(
        {"objcopy", "--add-section", ".BTF.base=" + path("base.btf"), good(), distilled});
    test::must_run({"objcopy", "--remove-section", ".BTF", good(), plain});
    std::vector<ExtraFile> files;
    for (const std::string &module : {distilled, plain}) {
        const std::string file = generate(module);
        const CommandResult dump =
            run_btf_extra({"dump", file, "--vmlinux", kernel(), "--module", module});
        EXPECT_NE(dump.out.find("name='one_start'"), std::string::npos) << dump.out << dump.err;
        auto extra = read_extra_file(file);
        ASSERT_TRUE(extra) << extra.error().message;
        files.push_back(std::move(*extra));
    }
    EXPECT_EQ(files[0].types, files[1].types);
    EXPECT_EQ(files[0].func_info, files[1].func_info);
}

// A kernel relocates a distilled base by the names, kinds and sizes of its types.
TEST_F(Module, DistilledBaseOfAnotherKernel) {
    struct Row {
        const char *name;
        std::function<void(test::BaseBtf &)> add;
        const char *missing;  // nullptr: the kernel has it
    } rows[] = {
        {"an integer", [](auto &base) { base.integer("int", 4); }, nullptr},
        {"of another size", [](auto &base) { base.integer("int", 8); }, "int"},
        {"a structure that is missing", [](auto &base) { base.structure("nowhere", 4); },
         "nowhere"},
        {"a forward declaration", [](auto &base) { base.forward("nowhere"); }, "nowhere"},
        {"no name", [](auto &base) { base.structure(nullptr, 4); }, nullptr},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.name);
        test::BaseBtf base;
        row.add(base);
        test::write_file(path("base.btf"), base.bytes());
        const std::string module = path("distilled.ko");
        test::must_run(
            {"objcopy", "--add-section", ".BTF.base=" + path("base.btf"), good(), module});
        const std::vector<std::string> arguments = {"generate",  "-o",     path("none"),
                                                    "--vmlinux", kernel(), module};
        if (row.missing)
            expect_refused(arguments, fmt::format("{}: .BTF.base: made on another vmlinux than {}: "
                                                  ".BTF, which has no such type '{}'; give the one "
                                                  "that the module was built for",
                                                  module, kernel(), row.missing));
        else
            EXPECT_EQ(run_btf_extra(arguments).exit_code, 0);
    }
}

// The kernel would only find it out when the module is loaded.
TEST_F(Module, OfAnotherKernel) {
    const auto refused = [](const std::string &module, const std::string &vmlinux,
                            const std::string &reason) {
        expect_refused({"generate", "-o", path("none"), "--vmlinux", vmlinux, module},
                       module + reason);
    };
    test::link_fixture(path("stranger"), {"traced.c"}, {});
    test::add_base_btf(path("stranger"));
    refused(good(), path("stranger"),
            ": .BTF: made on another vmlinux than " + path("stranger") +
                ": .BTF; give the one that the module was linked with");
    for (const char *release : {"6.1.0-1-amd64", "6.1.0-2-amd64"})
        test::build_kernel(path(release), release);
    const std::string module = path("released.ko");
    test::build_module(module, {}, path("6.1.0-1-amd64"), "6.1.0-1-amd64");
    EXPECT_EQ(
        run_btf_extra({"generate", "-o", path("out"), "--vmlinux", path("6.1.0-1-amd64"), module})
            .exit_code,
        0);
    refused(module, path("6.1.0-2-amd64"),
            ": .modinfo: a module of 6.1.0-1-amd64, but " + path("6.1.0-2-amd64") +
                " is of 6.1.0-2-amd64");
    // A kernel that does not say its release is held by its BTF.
    EXPECT_EQ(
        run_btf_extra({"generate", "-o", path("out"), "--vmlinux", kernel(), module}).exit_code, 0);
}

TEST_F(Module, Refusals) {
    const std::string file = generate(good());
    const auto generate_to = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"generate", "-o", path("none")});
        return arguments;
    };
    expect_refused(generate_to({good()}), good() + ": .BTF: byte 0x10: strings are absent or not "
                                                   "terminated (of a kernel module: --vmlinux)");
    expect_refused(generate_to({"--vmlinux", kernel(), kernel()}),
                   kernel() + ": ELF header: not a relocatable file, as kernel modules are");
    const std::string twice = path("twice.ko");
    test::must_run({"objcopy", "--rename-section", ".exit.text=.init.text", good(), twice});
    expect_refused(generate_to({"--vmlinux", kernel(), twice}),
                   twice + ": .init.text: two executable sections of that name: offsets would be "
                           "ambiguous");

    expect_refused(
        {"lookup", "--tables", file, "--vmlinux", kernel(), "--module", good(), "--addr", "0x10"},
        file + ": '0x10' is ambiguous in a module, whose sections all begin at 0; use "
               "section+0xoffset or symbol+0xoffset");
    expect_refused({"check", file, "--vmlinux", kernel(), "--module", kernel()},
                   kernel() + ": ELF header: not a relocatable file, as kernel modules are");
    EXPECT_EQ(run_btf_extra({"check", file, "--module", good()}).exit_code, 2);
    EXPECT_EQ(run_btf_extra({"check", file, "--vmlinux", kernel()}).exit_code, 1);

    // The kernel is another one, or the module is another build.
    test::link_fixture(path("other"), {"traced.c"}, {});
    test::add_base_btf(path("other"));
    const CommandResult kernel_differs =
        run_btf_extra({"check", file, "--vmlinux", path("other"), "--module", good()});
    EXPECT_EQ(kernel_differs.exit_code, 1);
    test::build_module(path("again.ko"), {.level = "-O1"}, kernel());
    const CommandResult module_differs =
        run_btf_extra({"check", file, "--vmlinux", kernel(), "--module", path("again.ko")});
    EXPECT_EQ(module_differs.exit_code, 1);
    EXPECT_NE(module_differs.err.find(": .note.gnu.build-id: made for another module: "),
              std::string::npos)
        << module_differs.err;
    // The build-id is the same. The .BTF differs in its last byte, in a string that nothing uses.
    std::string bytes = test::read_file(path("split.btf"));
    ASSERT_GT(bytes.size(), 40u);
    bytes[bytes.size() - 2] ^= 1;
    test::write_file(path("changed.btf"), bytes);
    test::must_run(
        {"objcopy", "--update-section", ".BTF=" + path("changed.btf"), good(), path("changed.ko")});
    const CommandResult btf_differs =
        run_btf_extra({"check", file, "--vmlinux", kernel(), "--module", path("changed.ko")});
    EXPECT_EQ(btf_differs.exit_code, 1);
    EXPECT_NE(btf_differs.err.find(": .BTF: base BTF of another module: "), std::string::npos)
        << btf_differs.err;
}

}  // namespace
}  // namespace btf_extra
