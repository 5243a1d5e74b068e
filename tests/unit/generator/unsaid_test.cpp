// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A type or a parameter that DWARF does not state is not shown as if it were known.
#include <dwarf.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/fixture_build.h"
#include "tests/support/handmade_object.h"

namespace btf_extra::test {
namespace {

using nlohmann::json;

class Unsaid : public testing::Test {
  protected:
    // Makes a program, and tables for it. It has the base BTF of one with all types.
    void make(const Recipe &recipe) const {
        link_fixture(path("whole"), {"weak.c"}, {});
        add_base_btf(path("whole"));
        link_fixture(path("program"), {"weak.c"}, recipe);
        must_run({"objcopy", "--add-section", ".BTF=" + path("whole.btf"), path("program")});
        const auto made = run_btf_extra({"generate", "-o", path("tables"), path("program")});
        ASSERT_EQ(made.exit_code, 0) << made.err;
    }
    std::string ask(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(),
                         {"--tables", path("tables"), "--vmlinux", path("program")});
        const auto result = run_btf_extra(arguments);
        EXPECT_EQ(result.exit_code, 0) << result.err;
        return result.out;
    }
    std::string path(std::string_view name) const { return folder_.path(name); }

    TemporaryFolder folder_;
};

TEST_F(Unsaid, PrototypesOfAFileWithoutTypes) {
    const struct {
        const char *name;
        std::vector<std::string> more;
        const char *prototype;  // nullptr: not known
        size_t params;
    } rows[] = {
        {"-g", {}, "void kept(long int x)", 1},
        {"-g1", {"-g1"}, nullptr, 0},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        make({.more = row.more});
        const std::string text = ask({"lookup", "kept"});
        EXPECT_TRUE(text.starts_with(row.prototype ? std::string(row.prototype) + "\n"
                                                   : "kept (prototype not known)\n"))
            << text;
        for (const auto &[command, list] :
             {std::pair("lookup", "sites"), std::pair("list", "functions")}) {
            const json answer = json::parse(ask({command, "kept", "--json"}), nullptr, false);
            ASSERT_EQ(answer[list].size(), 1u) << command;
            const json &prototype = answer[list][0]["prototype"];
            EXPECT_EQ(prototype, row.prototype ? json(row.prototype) : json(nullptr)) << command;
            EXPECT_EQ(answer[list][0]["params"].size(), row.params) << command;
        }
    }
}

// DW_AT_prototyped says of a function without parameters that it has none.
TEST_F(Unsaid, PrototypesByAttribute) {
    const struct {
        const char *name;
        bool prototyped, has_type, has_param;
        uint8_t language;
        const char *expected;
    } rows[] = {
        {"prototyped", true, false, false, DW_LANG_C11, "host()"},
        {"neither this nor a type", false, false, false, DW_LANG_C11, "host(...)"},
        {"in C99", false, false, false, DW_LANG_C99, "host(...)"},
        {"with a type", false, true, false, DW_LANG_C11, "host()"},
        {"with a parameter", false, false, true, DW_LANG_C11, "host(x=<optimized out>)"},
        {"another language has no such attribute", false, false, false, DW_LANG_C_plus_plus,
         "host()"},
    };
    for (const auto &row : rows) {
        std::vector<Entry> params;
        if (row.has_param)
            params.push_back(entry(DW_TAG_formal_parameter,
                                   {attr::text(DW_AT_name, "x"), attr::to(DW_AT_type, "long")}));
        Entry unit = c_unit({body("host", kCode, std::move(params))});
        for (Attribute &attribute : unit.attributes)
            if (attribute.name == DW_AT_language)
                attribute = attr::byte(DW_AT_language, row.language);
        Entry &host = unit.children.back();
        std::erase_if(host.attributes,
                      [](const Attribute &each) { return each.name == DW_AT_prototyped; });
        if (row.prototyped)
            host.attributes.push_back(attr::flag(DW_AT_prototyped));
        if (row.has_type)
            host.attributes.push_back(attr::to(DW_AT_type, "long"));
        HandmadeObject object;
        object.add_unit(unit);
        EXPECT_EQ(object.sites(), std::string("func.text+0x0 ") + row.expected + "\n") << row.name;
    }
}

// The units in Rust are counted, and a file that has no others is no success.
TEST_F(Unsaid, UnitsInRust) {
    // The first source is compiled, and its unit then says another DW_AT_language.
    const std::string script = "gcc -O2 -gdwarf-5 -S -dA -o $0.s weak.c\n"
                               "sed -i \"/DW_AT_language/s/0x1d/$1/\" $0.s\n"
                               "gcc -O2 -g -nostdlib -static -Wl,--build-id=sha1 -o $0 $0.s $2\n";
    const struct {
        const char *name, *language, *other;
        int rust;
        bool has_functions;
    } rows[] = {
        {"C", "0x1d", "weak_other.c", 0, true},
        {"C and Rust", "0x1c", "weak_other.c", 1, true},
        {"Rust", "0x1c", "", 1, false},
    };
    link_fixture(path("whole"), {"weak.c"}, {});
    add_base_btf(path("whole"));
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        const auto built =
            run_in_fixtures({"sh", "-ec", script, path("program"), row.language, row.other});
        ASSERT_EQ(built.exit_code, 0) << built.err;
        must_run({"objcopy", "--add-section", ".BTF=" + path("whole.btf"), path("program")});
        const auto made = run_btf_extra({"generate", "-o", path("tables"), path("program")});
        EXPECT_EQ(made.exit_code, row.has_functions ? 0 : 1);
        EXPECT_EQ(made.err, row.has_functions
                                ? ""
                                : "btf-extra: " + path("program") +
                                      ": only functions of 1 Rust unit, which are not "
                                      "read\n");
        if (!row.has_functions)
            continue;
        const auto text = run_btf_extra({"stat", path("tables")}).out;
        EXPECT_EQ(text.find("units in Rust, skipped                 1\n") != text.npos,
                  row.rust != 0)
            << text;
        const auto result = run_btf_extra({"stat", path("tables"), "--json"});
        EXPECT_EQ(json::parse(result.out, nullptr, false)["skipped_rust_units"], row.rust);
    }
    // The lines of such a file are of use.
    const auto lines =
        run_btf_extra({"generate", "--lines", "-o", path("tables"), path("program")});
    EXPECT_EQ(lines.exit_code, 0);
    EXPECT_EQ(lines.err, "btf-extra: " + path("program") +
                             ": only functions of 1 Rust unit, which are not read: the "
                             "tables have only lines\n");
}

}  // namespace
}  // namespace btf_extra::test
