// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Which variables the types contain, and why they do not contain the others. The expectations were
// worked out by hand from tests/fixtures/variables.c and the order in which its files are linked.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/fixture_build.h"
#include "userspace/text/c_type.h"

namespace btf_extra {
namespace {

using test::Recipe;

class Variables : public testing::Test {
  protected:
    // Links the files and generates their tables.
    void make(Recipe recipe, std::vector<std::string> options = {}) {
        // As in the kernel, per-CPU data has a section of its own.
        recipe.more.push_back("-Wl,--unique=.data..percpu");
        test::link_fixture(path(), {"variables_other.c", "variables.c"}, recipe);
        test::add_base_btf(path());
        options.insert(options.begin(), {"generate", "-o", path() + ".btf_extra", path()});
        const auto made = test::run_btf_extra(options);
        ASSERT_EQ(made.exit_code, 0) << made.err;
        auto opened = ObjectView::open_with_base(path() + ".btf_extra", path());
        ASSERT_TRUE(opened) << opened.error().message;
        view_ = std::move(*opened);
    }
    // Returns "struct pair two; global; variables.c" of each VAR, in order of their ids.
    std::vector<std::string> written() const {
        std::vector<std::string> out;
        const btf_blob &blob = view_->types().blob();
        const auto &list = view_->file().variables;
        for (uint32_t id = blob.first_id; id < btf_blob_end_id(&blob); id++) {
            const btf_type *type = btf_blob_type(&blob, id);
            if (loc_kind(type) != BTF_KIND_VAR)
                continue;
            const uint32_t file = list ? list->var_files.at(out.size()) : VariableList::kNone;
            const uint32_t linkage = reinterpret_cast<const btf_var *>(type + 1)->linkage;
            out.push_back(
                fmt::format("{}; {}; {}",
                            c_declaration(blob, type->type, btf_blob_string(&blob, type->name_off)),
                            linkage == BTF_VAR_STATIC ? "static" : "global",
                            file == VariableList::kNone ? "?" : last_part(list->files[file])));
        }
        return out;
    }
    // Returns "name: reason; .data" of each variable that is left out.
    std::vector<std::string> left_out() const {
        std::vector<std::string> out;
        for (const auto &each : view_->file().variables->left_out)
            out.push_back(fmt::format("{}: {}; {}", each.name, text(each.reason),
                                      each.section == VariableList::kNone
                                          ? "-"
                                          : view_->file().variables->sections[each.section].name));
        return out;
    }
    static std::string last_part(const std::string &file) {
        return file.substr(file.rfind('/') + 1);
    }
    std::string path() const { return folder_.path("fixture"); }

    test::TemporaryFolder folder_;
    std::unique_ptr<ObjectView> view_;
};

const std::vector<std::string> kWritten = {
    "const char banner[6]; global; variables.c",
    "int (*callback)(int); global; variables.c",
    "enum colour colour; global; variables.c",
    "int counter; global; variables.c",
    "const int declared_first; global; variables.c",
    "int elsewhere; global; variables_other.c",
    "struct pair fixed; global; variables.c",  // without const: the verifier looks for the struct
    "char hidden; static; variables.c",
    "struct {...} level; global; variables.c",  // without its typedef, likewise
    "struct pair many[3]; global; variables.c",
    "int overridden; global; variables_other.c",
    "void *pointer; global; variables.c",
    "int shared; static; variables_other.c",
    "struct with_tail tailed; global; variables.c",
    "struct pair two; global; variables.c",
};

TEST_F(Variables, EachIsWrittenOrHasAReason) {
    for (const Recipe &recipe : test::recipes({"-O2"})) {
        SCOPED_TRACE(recipe.name());
        make(recipe);
        std::vector<std::string> written = this->written();
        EXPECT_EQ(written, kWritten);
        // GCC names the symbol of a static variable of a function calls.0, clang count_calls.calls.
        const std::vector<std::string> expected = {
            "calls: no symbol of its name; .bss",
            "clash: another symbol has its name; .data",
            "complex_number: type not in BTF; .data",
            "early: freed after boot; .init.data",
            "folded: optimized out; -",
            "kept_inside: no symbol of its name; .data",
            "of_each_cpu: per-CPU; .data..percpu",
            "shared: another symbol has its name; .data",
        };
        EXPECT_EQ(left_out(), expected);
    }
}

TEST_F(Variables, TheOutputDoesNotDependOnTheThreads) {
    make({}, {"-j1"});
    const auto one = view_->file().container;
    make({}, {"-j4"});
    EXPECT_EQ(view_->file().container, one);
}

// A kernel without CONFIG_KALLSYMS_ALL finds no variable by its name. It counts its symbols.
TEST_F(Variables, NoneIsWrittenIfKallsymsHasOnlyCode) {
    make({.more = {"-DKALLSYMS_NUM_SYMS=4"}});
    EXPECT_EQ(written(), std::vector<std::string>());
    EXPECT_EQ(std::ranges::count(left_out(), "counter: no symbol of its name; .data"), 1);
    make({.more = {"-DKALLSYMS_NUM_SYMS=40"}});
    EXPECT_EQ(written().size(), kWritten.size() + 1);  // the number itself
}

TEST_F(Variables, NoneIsWrittenIfNoneIsWanted) {
    make({}, {"--no-variables"});
    EXPECT_EQ(written(), std::vector<std::string>());
    EXPECT_FALSE(view_->file().variables);
}

// The addresses are those of nm.
TEST_F(Variables, TheCommandPrintsThem) {
    make({});
    const auto nm = test::run_command({"nm", path()});
    const auto address = [&](const std::string &name) {
        for (const char *type : {" D ", " d ", " B ", " R "})
            if (const size_t at = nm.out.find(type + name + "\n"); at != nm.out.npos)
                return "0x" + nm.out.substr(at - 16, 16)
                                  .erase(0, nm.out.substr(at - 16, 16).find_first_not_of('0'));
        return std::string("?");
    };
    const auto print = [&](const char *command, const char *option, const char *name) {
        const auto printed = test::run_btf_extra(
            {command, option, name, "--tables", path() + ".btf_extra", "--vmlinux", path()});
        return printed.out + printed.err;
    };
    const std::string two =
        "vmlinux:two  " + address("two") + "  global struct pair two  variables.c\n";
    EXPECT_EQ(print("lookup", "--variable", "two"), two);
    EXPECT_EQ(print("list", "--variables", "tw*"), two);
    EXPECT_EQ(print("list", "--variables", "vmlinux:t?o"), two);
    EXPECT_EQ(print("lookup", "--variable", "folded"),
              "vmlinux:folded  left out: optimized out  variables.c\n");
    EXPECT_EQ(print("lookup", "--variable", "early"),
              "vmlinux:early  " + address("early") + "  left out: freed after boot  variables.c\n");
    EXPECT_EQ(print("lookup", "--variable", "of_each_cpu"),
              "vmlinux:of_each_cpu  .data..percpu+0x0  left out: per-CPU  variables.c\n");
    EXPECT_EQ(print("lookup", "--variable", "nothing"),
              "btf-extra: " + path() + ".btf_extra: no variable nothing\n");
    // Both definitions, of which programs can read the first.
    const std::string both = print("lookup", "--variable", "shared");
    EXPECT_TRUE(both.find("  static int shared  ") != both.npos) << both;
    EXPECT_TRUE(both.find("  left out: another symbol has its name  variables.c\n") != both.npos)
        << both;
}

TEST_F(Variables, StatCountsThem) {
    make({});
    const auto stat = test::run_btf_extra({"stat", "--json", path() + ".btf_extra"});
    EXPECT_EQ(stat.exit_code, 0) << stat.err;
    EXPECT_NE(stat.out.find("\"variables\": 15,"), stat.out.npos) << stat.out;
    EXPECT_NE(stat.out.find("\"no symbol of its name\": 2"), stat.out.npos) << stat.out;
    EXPECT_NE(stat.out.find("\"another symbol has its name\": 2"), stat.out.npos) << stat.out;
}

TEST_F(Variables, WithoutItsSymbolNoneIsWritten) {
    make({});
    test::must_run({"objcopy", "--strip-symbol=counter", path()});
    const auto made = test::run_btf_extra({"generate", "-o", path() + ".btf_extra", path()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    auto opened = ObjectView::open_with_base(path() + ".btf_extra", path());
    ASSERT_TRUE(opened) << opened.error().message;
    view_ = std::move(*opened);
    EXPECT_TRUE(std::ranges::count(left_out(), "counter: no symbol of its name; .data"));
    EXPECT_EQ(written().size(), kWritten.size() - 1);
}

}  // namespace
}  // namespace btf_extra
