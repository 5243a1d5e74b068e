// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Bodies whose signature the compiler has changed. The expectations for tests/fixtures/signatures.c
// were read from gcc's disassembly: which registers callers set, and which the body reads.
#include <map>

#include <elf.h>

#include <gtest/gtest.h>

#include "tests/support/fixture_build.h"
#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/sites/live_in_registers.h"
#include "userspace/generator/sites/true_signature.h"
#include "userspace/text/c_type.h"

namespace btf_extra {

using namespace generator;

namespace {

using test::CommandResult;
using test::GeneratedFixture;
using test::NamedSite;
using test::Recipe;
using test::run_btf_extra;

// ---- fixtures ----

class TrueSignatures : public testing::Test {
  protected:
    std::unique_ptr<GeneratedFixture> build(const Recipe &recipe) {
        test::link_fixture(path(), {"signatures.c"}, recipe);
        return open();
    }
    std::unique_ptr<GeneratedFixture> open() {
        test::add_base_btf(path());
        auto opened = GeneratedFixture::open(path());
        EXPECT_TRUE(opened) << opened.error().message;
        return opened ? std::move(*opened) : nullptr;
    }
    std::string path() const { return folder_.path("fixture"); }

    test::TemporaryFolder folder_;
};

// Returns the prototypes of all true signatures.
std::vector<std::string> signatures(const GeneratedFixture &fixture) {
    std::vector<std::string> out;
    const loc_index &index = fixture.view().index();
    for (uint32_t i = 0; i < index.nr_funcs; i++)
        if (fixture.view().is_true_signature(index.funcs[i]))
            out.push_back(c_prototype(fixture.view().locations().blob(), index.funcs[i]));
    return out;
}

// Some clones are missing. DWARF does not tell what an argument is in by_value, by_value_first and
// split. It does not tell of an argument after the last one in by_value_last. many has arguments on
// the stack.
const std::vector<std::string> kByGcc = {
    "long int fixed.constprop.0(long int a, unsigned char b)",
    "long int gone_first.constprop.0(long int kept, long int also)",
    "void gone_result.constprop.0.isra.0(long int kept)",
    "long int pair_kept.constprop.0(struct two pair, int kept)",
};

TEST_F(TrueSignatures, OfGcc) {
    for (const char *dwarf : {"-gdwarf-4", "-gdwarf-5"}) {
        SCOPED_TRACE(dwarf);
        const auto fixture = build({.dwarf = dwarf});
        ASSERT_TRUE(fixture);
        EXPECT_EQ(signatures(*fixture), kByGcc);
        for (const char *changed : {"by_value.isra.0", "by_value_first.isra.0",
                                    "by_value_last.isra.0", "split.isra.0", "many.constprop.0"})
            EXPECT_NE(fixture->symbol(changed), 0u) << changed;
    }
}

TEST_F(TrueSignatures, OfGccForArm64) {
    const auto fixture = build({.compiler = "aarch64-linux-gnu-gcc"});
    ASSERT_TRUE(fixture);
    std::vector<std::string> expected = kByGcc;
    // arm64 has eight arguments in registers.
    expected.insert(expected.begin() + 3, "long int many.constprop.0(long int a, long int b, long "
                                          "int c, long int d, long int e, long int f, long int g)");
    EXPECT_EQ(signatures(*fixture), expected);
}

// Their symbols have no suffix, so there are no true signatures.
TEST_F(TrueSignatures, NoneOfOthers) {
    for (const Recipe &recipe : {Recipe{.level = "-O0"}, Recipe{.compiler = "clang-14"}}) {
        SCOPED_TRACE(recipe.name());
        const auto fixture = build(recipe);
        ASSERT_TRUE(fixture);
        EXPECT_EQ(signatures(*fixture), std::vector<std::string>());
    }
}

TEST_F(TrueSignatures, OneAddressAndEachArgumentInItsRegister) {
    const auto fixture = build({});
    ASSERT_TRUE(fixture);
    const std::map<std::string, std::vector<std::string>> expected = {
        {"fixed.constprop.0", {"reg5", "reg4"}},
        {"gone_first.constprop.0", {"reg5", "reg4"}},
        {"gone_result.constprop.0.isra.0", {"reg5"}},
        {"pair_kept.constprop.0", {"reg5, reg4", "reg1"}},
    };
    for (const auto &[name, places] : expected) {
        const std::vector<NamedSite> sites = fixture->sites_of(name);
        ASSERT_EQ(sites.size(), 1u) << name;
        EXPECT_TRUE(sites[0].body);
        EXPECT_EQ(sites[0].address, fixture->symbol(name));
        std::vector<std::string> got;
        for (const NamedSite::Param &param : sites[0].params)
            got.push_back(param.loc_text);
        EXPECT_EQ(got, places) << name;
        // The source function also has this body, with all of its parameters.
        const std::string source = name.substr(0, name.find('.'));
        const std::vector<NamedSite> of_source = fixture->sites_of(source);
        ASSERT_EQ(of_source.size(), 1u) << source;
        EXPECT_EQ(of_source[0].address, sites[0].address);
        EXPECT_GT(of_source[0].params.size(), sites[0].params.size());
    }
}

// A part gets what it reads: gcc's disassembly of use() sets rdi (arm64: x0) for unused.part.0, and
// rdi and esi (x0, w1) for kept.part.0. Its beginning is the beginning of its own function, and
// goes on with a call of the source's.
TEST_F(TrueSignatures, OfParts) {
    for (const char *compiler : {"gcc", "aarch64-linux-gnu-gcc"}) {
        SCOPED_TRACE(compiler);
        test::link_fixture(path(), {"splits.c"}, {.compiler = compiler});
        const auto fixture = open();
        ASSERT_TRUE(fixture);
        EXPECT_EQ(signatures(*fixture),
                  (std::vector<std::string>{"void kept.part.0(const long int *p, int other)",
                                            "void unused.part.0(long int other)"}));
        for (const std::string name : {"kept.part.0", "unused.part.0"}) {
            const std::vector<NamedSite> sites = fixture->sites_of(name);
            ASSERT_EQ(sites.size(), 1u) << name;
            EXPECT_TRUE(sites[0].body) << name;
            EXPECT_EQ(sites[0].address, fixture->symbol(name));
            EXPECT_EQ(sites[0].marks & SITE_MARK_PART, 0u) << name;
            size_t parts = 0;
            for (const NamedSite &site : fixture->sites_of(name.substr(0, name.find('.')))) {
                EXPECT_EQ((site.marks & SITE_MARK_PART) != 0, site.body) << name;
                parts += site.body;
            }
            EXPECT_EQ(parts, 1u) << name;
        }
    }
}

// Two units have a symbol of the same name. Each of them is a function of its own.
TEST_F(TrueSignatures, SymbolsThatShareAName) {
    test::compile_fixture(path() + ".1.o", "signatures.c", {});
    test::compile_fixture(
        path() + ".2.o", "signatures.c",
        {.more = {"-Dsink=sink2", "-Dkeep=keep2", "-Duse=use2", "-D_start=start2"}});
    test::must_run({"gcc", "-nostdlib", "-static", "-Wl,--build-id", "-o", path(), path() + ".1.o",
                    path() + ".2.o"});
    const auto fixture = open();
    ASSERT_TRUE(fixture);
    std::vector<std::string> twice;
    for (const std::string &prototype : kByGcc)
        twice.insert(twice.end(), 2, prototype);
    EXPECT_EQ(signatures(*fixture), twice);
    const std::vector<NamedSite> sites = fixture->sites_of("fixed.constprop.0");
    ASSERT_EQ(sites.size(), 2u);
    EXPECT_NE(sites[0].address, sites[1].address);
    EXPECT_EQ(sites[0].file, "signatures.c");
    const loc_range funcs = loc_index_by_name(&fixture->view().index(), "fixed.constprop.0");
    EXPECT_EQ(funcs.end - funcs.first, 2u);
    // The source has one function for both.
    EXPECT_EQ(fixture->sites_of("fixed").size(), 2u);
    const loc_range source = loc_index_by_name(&fixture->view().index(), "fixed");
    EXPECT_EQ(source.end - source.first, 1u);
}

TEST_F(TrueSignatures, Commands) {
    ASSERT_TRUE(build({}));
    const auto command = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--tables", path() + ".btf_extra", "--vmlinux", path()});
        return run_btf_extra(arguments);
    };
    EXPECT_EQ(command({"list", "gone_first*"}).out,
              "vmlinux:gone_first     1 site   body only: kprobe: ENOENT (no symbol gone_first); "
              "fentry: ESRCH (no FUNC gone_first in the kernel's BTF); signature changed: "
              "gone_first.constprop.0  gone 0/1, kept 1/1, also 1/1\n");
    EXPECT_EQ(
        command({"list", "gone_first.*"}).out,
        "vmlinux:gone_first.constprop.0     1 site   body only: kprobe: 0 of 1 missed; fentry: "
        "ESRCH (no FUNC gone_first.constprop.0 in the kernel's BTF)  kept 1/1, also 1/1\n");
    const std::string by_name = command({"lookup", "gone_first.constprop.0"}).out;
    EXPECT_EQ(by_name.substr(0, by_name.find('\n')),
              "long int gone_first.constprop.0(long int kept, long int also)");
    EXPECT_EQ(by_name.find("gone)"), by_name.npos);
    const std::string of_source = command({"lookup", "gone_first"}).out;
    EXPECT_EQ(of_source.find("constprop.0("), of_source.npos) << of_source;
    const std::string at = command({"lookup", "--addr", "gone_first.constprop.0"}).out;
    EXPECT_NE(at.find("long int gone_first(long int gone, long int kept, long int also)"), at.npos);
    EXPECT_NE(at.find("long int gone_first.constprop.0(long int kept, long int also)"), at.npos);
    // A clone without a true signature is still found by its symbol.
    const std::string symbol = command({"lookup", "split.isra.0"}).out;
    EXPECT_EQ(symbol.substr(0, symbol.find('\n')),
              "long int split(struct two pair, long int kept)");
    const std::string counts = run_btf_extra({"stat", path() + ".btf_extra"}).out;
    EXPECT_NE(counts.find("\nout-of-line bodies                    13\n"
                          "true signatures of bodies              4\n"),
              counts.npos)
        << counts;
}

// ---- signatures from locations ----

Location in_register(uint32_t reg, uint32_t size) {
    return {.param = {.size = size, .flags = LOC_REG, .vlen = 1, .values = {reg}}};
}

EntryParam scalar(Location location) {
    return {.shape = EntryParam::kScalar, .size = 8, .location = location, .parts = {}};
}
EntryParam pointer(Location location) {
    return {.shape = EntryParam::kPointer, .size = 8, .location = location, .parts = {}};
}
EntryParam parts(std::vector<RegisterPart> in) {
    return {.shape = EntryParam::kAggregate,
            .size = 16,
            .location = Location::missing(MissingReason::kPieces),
            .parts = std::move(in)};
}

// Returns text like "0 1.8+": the position of each argument, with the offset of the part if it is
// one.
// "+" means that more arguments may follow.
std::string text_of(const std::vector<EntryParam> &params, uint16_t machine = EM_X86_64) {
    const auto found = true_signature(machine, params);
    if (!found)
        return "none";
    std::string out;
    for (const Argument &argument : found->arguments) {
        out += out.empty() ? "" : " ";
        out += std::to_string(argument.position);
        if (!argument.whole)
            out += "." + std::to_string(argument.part.offset);
    }
    return out + (found->maybe_incomplete ? "+" : "");
}

TEST(TrueSignature, FromLocations) {
    const uint32_t rdi = 5, rsi = 4, rdx = 1, rax = 0;
    const Location none = Location::missing(MissingReason::kOptimizedOut);
    const Location not_here = Location::missing(MissingReason::kNoLocationHere);
    const Location callers_know = Location::missing(MissingReason::kParameterReference);
    const Location number = {.param = {.size = 8, .flags = LOC_CONST, .vlen = 1, .values = {3}}};
    const Location memory = {
        .param = {
            .size = 8, .flags = LOC_REG | LOC_DEREF | LOC_OFFSET, .vlen = 2, .values = {7, 8}}};
    const Location narrow = in_register(rdi, 4);
    const Location pair = {
        .param = {.size = 16, .flags = LOC_REG, .vlen = 2, .values = {rdi, rsi}}};
    const Location split_pair = {
        .param = {.size = 16, .flags = LOC_REG, .vlen = 2, .values = {rdi, rdx}}};
    const auto reg = [](uint32_t number) { return in_register(number, 8); };
    const EntryParam wide = {
        .shape = EntryParam::kScalar, .size = 16, .location = pair, .parts = {}};
    const struct {
        const char *name;
        std::vector<EntryParam> params;
        const char *expected;
    } rows[] = {
        {"nothing at all", {}, ""},
        {"as in the source", {scalar(reg(rdi)), pointer(reg(rsi))}, "0 1"},
        {"the first is gone", {scalar(callers_know), pointer(reg(rdi))}, "1"},
        {"a pointer is gone: it takes no register", {pointer(callers_know), scalar(reg(rdi))}, "1"},
        {"by value in its place", {pointer(callers_know), scalar(reg(rsi))}, "none"},
        {"perhaps by value after it", {scalar(reg(rdi)), pointer(callers_know)}, "0+"},
        {"a pointer without a word", {scalar(reg(rdi)), pointer(none)}, "0+"},
        {"a pointer that comes later", {scalar(reg(rdi)), pointer(not_here)}, "0+"},
        {"a fixed pointer", {scalar(reg(rdi)), pointer(number)}, "0"},
        {"a fixed number", {scalar(number), scalar(reg(rdi)), scalar(number)}, "1"},
        {"numbers that go", {scalar(reg(rdi)), scalar(none), scalar(callers_know)}, "0"},
        {"nothing is known of any", {scalar(none)}, "+"},
        {"callers know of it", {scalar(callers_know)}, ""},
        {"all fixed", {scalar(number), pointer(number)}, ""},
        {"not in order", {scalar(reg(rsi)), scalar(reg(rdi))}, "none"},
        {"a gap", {scalar(reg(rdi)), scalar(reg(rdx))}, "none"},
        {"another register", {scalar(reg(rax))}, "none"},
        {"on the stack", {scalar(reg(rdi)), scalar(memory)}, "none"},
        {"a part of a register", {scalar(narrow)}, "none"},
        {"pair",
         {{.shape = EntryParam::kAggregate, .size = 16, .location = pair, .parts = {}},
          scalar(reg(rdx))},
         "0 1"},
        {"pair with a gap",
         {{.shape = EntryParam::kAggregate, .size = 16, .location = split_pair, .parts = {}}},
         "none"},
        {"a scalar in a pair", {wide}, "none"},
        {"second half, then one that is there", {parts({{8, 8, rdi}}), scalar(reg(rsi))}, "0.8 1"},
        {"both halves in parts",
         {parts({{0, 4, rdi}, {8, 8, rsi}}), scalar(reg(rdx))},
         "0.0 0.8 1"},
        {"parts may go on", {scalar(reg(rdi)), parts({{0, 8, rsi}})}, "0 1.0+"},
        {"parts not in order", {parts({{0, 8, rsi}, {8, 8, rdi}})}, "none"},
        {"parts elsewhere", {parts({})}, "none"},
        {"a seventh",
         {scalar(reg(5)), scalar(reg(4)), scalar(reg(1)), scalar(reg(2)), scalar(reg(8)),
          scalar(reg(9)), scalar(reg(10))},
         "none"},
    };
    for (const auto &row : rows)
        EXPECT_EQ(text_of(row.params), row.expected) << row.name;
    EXPECT_EQ(text_of({scalar(reg(0)), scalar(reg(1))}, EM_AARCH64), "0 1");
    EXPECT_EQ(text_of({scalar(reg(1))}, EM_AARCH64), "none");
}

TEST(TrueSignature, PartsOfALocation) {
    const struct {
        std::vector<uint8_t> expression;
        const char *expected;
    } rows[] = {
        {{0x55, 0x93, 8, 0x54, 0x93, 8}, "0+8:5 8+8:4 "},  // reg5, piece 8, reg4, piece 8
        {{0x93, 8, 0x54, 0x93, 8}, "8+8:4 "},
        {{0x55, 0x93, 4, 0x93, 12}, "0+4:5 "},
        {{0x93, 16}, ""},
        {{0x55, 0x93, 3, 0x93, 13}, "none"},        // there is no register of 3 bytes
        {{0x55, 0x93, 8, 0x54, 0x93, 16}, "none"},  // a piece is larger than a register
        {{0x30, 0x9f, 0x93, 8}, "none"},            // lit0, stack_value
        {{0x91, 0, 0x93, 8}, "none"},               // fbreg
        {{0x55, 0x93}, "none"},
        {{0x55}, "none"},
    };
    for (const auto &row : rows) {
        const auto found = register_parts(row.expression, 16);
        std::string text = found ? "" : "none";
        for (const RegisterPart &part : found.value_or(std::vector<RegisterPart>()))
            text += std::to_string(part.offset) + "+" + std::to_string(part.size) + ":" +
                    std::to_string(part.reg) + " ";
        EXPECT_EQ(text, row.expected);
    }
}

TEST(TrueSignature, Suffixes) {
    const struct {
        const char *suffixes;
        bool params, result;
    } rows[] = {
        {".isra.0", true, true},
        {".constprop.0", true, false},
        {".constprop.0.isra.1", true, true},
        {".isra.0.cold", false, false},
        {".part.0", true, true},
        {".part.0.isra.0", true, true},
        {".constprop.0.part.0", true, true},
        {".part.0.cold", false, false},
        {".llvm.123", false, false},
        {".lto_priv.0", false, false},
        {".specialized.1", true, false},
        {".__uniq.2070.llvm.77", false, false},
        {".isra.0.lto_priv.0", true, true},
    };
    for (const auto &row : rows) {
        EXPECT_EQ(signature_change(row.suffixes).params, row.params) << row.suffixes;
        EXPECT_EQ(signature_change(row.suffixes).result, row.result) << row.suffixes;
    }
}

// ---- registers that the code reads ----

TEST(TrueSignature, CodeThatReadsAnArgument) {
    const struct {
        const char *code;
        uint32_t first;  // the first argument register that counts
        bool reads;
    } rows[] = {
        {"mov %rsi, %rax", 1, true},
        {"mov %rsi, %rax", 2, false},
        {"movzbl %sil, %eax", 1, true},
        {"mov (%rdx), %rax", 1, true},
        {"mov $1, %esi; mov %rsi, %rax", 1, false},
        {"xor %esi, %esi; mov %rsi, %rax", 1, false},
        {"or $-1, %esi; mov %rsi, %rax", 1, false},
        {"xor %rdi, %rsi", 1, true},
        {"push %rsi; pop %rax", 1, false},
        {"call 1f; mov %rsi, %rax", 1, true},        // the tracer's call
        {"nop; call 1f; mov %rsi, %rax", 1, false},  // the call may have changed the register
        {"test %edi, %edi; je 2f; ret; 2: mov %rsi, %rax", 1, true},
        {"test %edi, %edi; je 2f; mov $1, %esi; 2: mov %rsi, %rax", 1, true},
        {"test %edi, %edi; je 1f; ret", 1, false},  // another function may read it
        {"2: dec %edi; jne 2b", 1, false},
        {"ud2; mov %rsi, %rax", 1, false},
        {"jmp 2f; mov %rsi, %rax; 2: ", 1, false},
        {"mov %r9, %rax", 5, true},
        {"mov %r9, %rax", 6, false},
    };
    test::TemporaryFolder folder;
    std::string source = ".text\n";
    for (size_t i = 0; i < std::size(rows); i++)
        source += ".globl f" + std::to_string(i) + "\nf" + std::to_string(i) + ": " + rows[i].code +
                  "; ret\n1: mov %rsi, %rax; ret\n";
    test::write_file(folder.path("code.s"), source + ".globl _start\n_start: ret\n");
    test::must_run(
        {"gcc", "-g", "-nostdlib", "-static", "-o", folder.path("code"), folder.path("code.s")});
    const auto file = DebugFile::open(folder.path("code"));
    ASSERT_TRUE(file) << file.error().message;
    const auto symbols = SymbolTable::load((*file)->elf());
    ASSERT_TRUE(symbols);
    const auto address = [&](const std::string &name) {
        const Symbol *symbol = symbols->named(name).at(0);
        for (const ElfSection &section : (*file)->sections())
            if (section.index == symbol->section)
                return section.address + symbol->offset;
        return uint64_t{0};
    };
    LiveInRegisters use(**file);
    for (size_t i = 0; i < std::size(rows); i++) {
        const uint64_t begin = address("f" + std::to_string(i));
        const uint64_t end =
            address(i + 1 < std::size(rows) ? "f" + std::to_string(i + 1) : "_start") - 4;
        const CodeRange range{begin, end};
        EXPECT_EQ(use.reads_argument(begin, std::span(&range, 1), rows[i].first), rows[i].reads)
            << rows[i].code;
    }
}

}  // namespace
}  // namespace btf_extra
