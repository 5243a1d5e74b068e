// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Some functions have no call for a tracer: because they are inline, because a compiler split them
// off, or because somebody wants no tracer there. The source says which is which.
#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/fixture_build.h"
#include "userspace/generator/sites/closed_code.h"

namespace btf_extra {
namespace {

using test::GeneratedFixture;
using test::Recipe;

enum Known { kTraced, kUnlisted, kClosed };  // the marks

void PrintTo(Known known, std::ostream *out) {
    *out << (known == kTraced ? "traced" : known == kUnlisted ? "unlisted" : "closed");
}

// The key is the symbol that a site is in.
using Expected = std::map<std::string, Known>;

const Expected kExpected = {
    {"traced", kTraced},          {"_start", kTraced},
    {"rare.cold", kUnlisted},     {"by_inline", kUnlisted},
    {"__do_sys_some", kUnlisted}, {"from_header", kUnlisted},
    {"by_intent", kClosed},       {"native_write_msr", kClosed},
    {"in_section", kClosed},      {"in_bounds", kClosed},
    {"on_list", kClosed},         {"traced_on_list", kClosed},
    {"inline_here", kClosed},  // its unit has no call for the tracer
    {"other_unit", kClosed},      {"trace_event_get_offsets_some", kClosed},
    {"lib_unit", kUnlisted},  // nor has this one, but it is in lib/
    {"in_lib", kUnlisted},        {"perf_trace_in_lib", kClosed},
    {"noinstr_in_lib", kClosed},
};

const std::vector<std::string> kSources = {"untraced.c", "untraced_unit.c", "untraced_header.c",
                                           "lib/untraced_lib.c"};

class Untraced : public testing::Test {
  protected:
    // The bounds that the linker script of a kernel has; calls: the section with the addresses of
    // the calls for the tracer.
    static std::vector<std::string> bounds(const std::string &calls) {
        return {"-Wl,--defsym=__start_mcount_loc=__start_" + calls,
                "-Wl,--defsym=__stop_mcount_loc=__stop_" + calls,
                "-Wl,--defsym=__start_kprobe_blacklist=__start__kprobe_blacklist",
                "-Wl,--defsym=__stop_kprobe_blacklist=__stop__kprobe_blacklist",
                "-Wl,--defsym=__entry_text_start=ADDR(.bounds.text)",
                "-Wl,--defsym=__entry_text_end=ADDR(.bounds.text)+SIZEOF(.bounds.text)"};
    }
    std::string path() const { return folder_.path("fixture"); }

    // Returns what the file knows of the sites of leaf().
    static Expected found(const ObjectView &view, const ElfImage &elf) {
        const auto symbols = SymbolTable::load(elf);
        const auto &left_out = view.file().provenance->left_out_sites;
        EXPECT_TRUE(symbols && left_out);
        Expected out;
        for (uint32_t number = 0; symbols && left_out && number < view.index().nr_sites; number++) {
            const loc_section *section = nullptr;
            const loc_site *site = loc_index_site(&view.index(), number, &section);
            if (view.func_name(site->func) != "leaf")
                continue;
            const ElfSection *elf_section = elf.find(view.index().elf_sections[section->elf].name);
            const auto around = symbols->around({elf_section->index, site->offset});
            const bool unlisted = (view.site_marks(number) & SITE_MARK_UNLISTED) != 0;
            const bool closed = (view.site_marks(number) & SITE_MARK_CLOSED) != 0;
            const std::string symbol(around ? around->symbol : "?");
            EXPECT_FALSE(unlisted && closed) << symbol;
            EXPECT_EQ(std::ranges::binary_search(*left_out, number), closed) << symbol;
            const Known known = unlisted ? kUnlisted : closed ? kClosed : kTraced;
            EXPECT_EQ(out.try_emplace(symbol, known).first->second, known) << symbol;
        }
        return out;
    }

    test::TemporaryFolder folder_;
};

TEST_F(Untraced, OfAKernel) {
    struct Row {
        Recipe recipe;
        const char *calls;
        std::vector<std::string> flags;
    } rows[] = {
        {{}, "__mcount_loc", {"-pg", "-mfentry", "-mrecord-mcount"}},
        {{.dwarf = "-gdwarf-4"}, "__mcount_loc", {"-pg", "-mfentry", "-mrecord-mcount"}},
        // The addresses are in relocations.
        {{}, "__mcount_loc", {"-pg", "-mfentry", "-mrecord-mcount", "-fpie", "-Wl,-pie"}},
        {{.compiler = "aarch64-linux-gnu-gcc"},
         "__patchable_function_entries",
         {"-fpatchable-function-entry=2"}},
        {{.compiler = "aarch64-linux-gnu-gcc"},
         "__patchable_function_entries",
         {"-fpatchable-function-entry=2", "-fpie", "-Wl,-pie", "-Wl,--no-apply-dynamic-relocs"}},
        // Two of the NOPs are before the function, and so is the address.
        {{.compiler = "aarch64-linux-gnu-gcc"},
         "__patchable_function_entries",
         {"-fpatchable-function-entry=4,2"}},
    };
    for (Row &row : rows) {
        row.recipe.more = bounds(row.calls);
        row.recipe.more.insert(row.recipe.more.end(), row.flags.begin(), row.flags.end());
        SCOPED_TRACE(row.recipe.name());
        row.recipe.more.push_back("-Wl,--defsym=__fentry__=0");
        test::link_fixture(path(), kSources, row.recipe);
        test::add_base_btf(path());
        const auto opened = GeneratedFixture::open(path());
        ASSERT_TRUE(opened) << opened.error().message;
        Expected expected = kExpected;
        // GCC 12 has no code elsewhere on aarch64.
        if (row.recipe.compiler != "gcc") {
            expected.erase("rare.cold");
            expected["rare"] = kTraced;
        }
        EXPECT_EQ(found((*opened)->view(), (*opened)->elf()), expected);
        // GCC 12 has bodies after the hook there.
        const auto &sections = (*opened)->view().file().sections;
        const auto text = std::ranges::find(sections, ".text", &ObjectSection::name);
        ASSERT_NE(text, sections.end());
        EXPECT_EQ((text->flags & EXTRA_SHF_BEHIND_HOOKS) != 0, row.recipe.compiler != "gcc");
    }
}

// The tables of a module are in sections, and their addresses in relocations.
TEST_F(Untraced, OfAModule) {
    const std::string module = folder_.path("module.o"), output = folder_.path("out");
    std::vector<std::string> command = {"gcc", "-r", "-nostdlib", "-Wl,--build-id", "-o", module};
    for (const std::string &source : kSources) {
        const std::string object =
            folder_.path(std::filesystem::path(source).filename().string() + ".o");
        test::compile_fixture(object, source, {.more = {"-pg", "-mfentry", "-mrecord-mcount"}});
        command.push_back(object);
    }
    test::must_run(command);
    test::link_fixture(path(), kSources, {});
    test::add_base_btf(path());
    const auto made = test::run_btf_extra({"generate", "--vmlinux", path(), "-o", output, module});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const auto elf = ElfImage::open(module);
    const auto view = ObjectView::open(output);
    ASSERT_TRUE(elf && view);
    // A module has no bounds of text: the section is what keeps kprobes out.
    Expected expected = kExpected;
    expected["in_bounds"] = kUnlisted;
    EXPECT_EQ(found(**view, *elf), expected);
}

// A makefile's reasons are not in the file, so they are known by name and path.
TEST(ClosedCode, ByNameAndPath) {
    struct {
        const char *name;
        bool closed;
    } functions[] = {
        {"native_write_msr", true},
        {"native_read_msr", false},
        {"trace_event_raw_event_ma_op", true},
        {"do_trace_event_raw_event_ma_op", true},
        {"perf_trace_ma_op", true},
        {"do_perf_trace_ma_op", true},
        {"trace_raw_output_ma_op", true},
        {"trace_event_get_offsets_ma_op", true},
        {"__bpf_trace_ma_op", true},
        {"__traceiter_ma_op", false},
        {"perf_trace", false},
    };
    for (const auto &row : functions)
        EXPECT_EQ(generator::closed_by_name(row.name), row.closed) << row.name;
    struct {
        const char *path;
        bool open;
    } units[] = {
        {"lib/sort.c", true},
        {"lib/zstd/common/debug.c", true},
        {"lib/ubsan.c", false},
        {"kernel/trace/trace.c", false},
        {"kernel/irq_work.c", false},
        {"kernel/kcsan/core.c", false},
        {"mm/kasan/report.c", false},
        {"arch/x86/kernel/head64.c", false},
        {"arch/x86/lib/cmdline.c", false},
        {"tools/lib/bpf/relo_core.c", false},
        {"/src/module/lib/sort.c", false},
        {"library.c", false},
        {"", false},
    };
    for (const auto &row : units)
        EXPECT_EQ(generator::open_by_path(row.path), row.open) << row.path;
}

// A file that does not say what is traced: no mark, and no claim.
TEST_F(Untraced, WithoutATable) {
    test::link_fixture(path(), kSources, {});
    test::add_base_btf(path());
    const auto opened = GeneratedFixture::open(path());
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_FALSE((*opened)->view().file().provenance->left_out_sites);
    for (const test::NamedSite &site : (*opened)->sites())
        EXPECT_EQ(site.marks & SITE_MARK_UNLISTED, 0u) << site.function;
}

}  // namespace
}  // namespace btf_extra
