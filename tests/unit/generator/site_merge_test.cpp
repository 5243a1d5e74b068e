// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Merges the sites of several units.
#include "userspace/generator/write/site_merge.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tests/support/unit_builder.h"
#include "userspace/format/core_api.h"
#include "userspace/text/loc_text.h"

namespace btf_extra::test {

namespace {

// Returns lines like "inline0+0x10 f(reg5, <optimized out>)". File and unit follow in brackets
// where functions need them to differ, and then the id in the base.
std::string text_of(const Merged &merged) {
    std::string out;
    for (const MergedSection &section : merged.sections) {
        for (const MergedSite &site : section.sites) {
            const MergedFunction &function = merged.functions[site.function];
            std::string params;
            for (const ParamSlot slot : merged.param_lists[site.params]) {
                params += params.empty() ? "" : ", ";
                if (slot == kVariadicEnd)
                    params += "...";
                else if (is_computed(slot))
                    params += fmt::format("code{:02x}", merged.expressions[expression_of(slot)][2]);
                else if (slot & kMissing)
                    params += fmt::format("<{}>", text(reason_of(slot)));
                else
                    params += fmt::format("reg{}", merged.loc_params[slot].values[0]);
            }
            out += fmt::format("{}{}+{:#x} {}{}{}{}({})\n",
                               section.site_class == SiteClass::kInline ? "inline" : "func",
                               section.section, site.offset, function.source->name,
                               function.base_id ? fmt::format("#{}", function.base_id) : "",
                               function.tag_file ? fmt::format("[{}]", function.source->file) : "",
                               function.tag_units.empty()
                                   ? ""
                                   : fmt::format("[{}]", fmt::join(function.tag_units, " ")),
                               params);
        }
    }
    return out;
}

// The result must not depend on the number of threads.
std::string merged_text(const std::vector<UnitSites> &units) {
    const std::string text = text_of(merged_sites(units, 1));
    EXPECT_EQ(text_of(merged_sites(units, 2)), text);
    EXPECT_EQ(text_of(merged_sites(units, 7)), text);
    return text;
}

TEST(SiteMerge, Nothing) {
    EXPECT_EQ(merged_text({}), "");
    EXPECT_EQ(merged_text(units_of({UnitBuilder("a.c"), UnitBuilder("b.c")})), "");
}

TEST(SiteMerge, ExactRepeats) {
    UnitBuilder a("a.c"), b("b.c");
    const uint32_t fa = a.function("f", "f.h"), fb = b.function("f", "f.h");
    a.site(fa, 0x10, {a.reg(5)}).site(fa, 0x10, {a.reg(5)});
    b.reg(9);  // gives other numbers to the same locations
    b.site(fb, 0x10, {b.reg(5)}).site(fb, 0x20, {b.reg(5)}).site(fb, 0x10, {b.reg(4)});
    const std::vector<UnitSites> units = units_of({a, b});
    EXPECT_EQ(merged_text(units), "inline0+0x10 f(reg4)\n"
                                  "inline0+0x10 f(reg5)\n"
                                  "inline0+0x20 f(reg5)\n");
    EXPECT_EQ(merged_sites(units, 1).inline_instances, 5u);
}

// An inlined instance at the entry of a body is a site of its own.
TEST(SiteMerge, ClassesAndSectionsAreApart) {
    UnitBuilder a("a.c");
    const uint32_t f = a.function("f", "f.h");
    const ParamSlot slot = a.reg(5);
    a.site(f, 0x10, {slot}, SiteClass::kBody, 1).site(f, 0x10, {slot}, SiteClass::kInline, 1);
    a.site(f, 0x10, {slot}, SiteClass::kBody, 0).site(f, 0x10, {slot}, SiteClass::kInline, 0);
    EXPECT_EQ(merged_text(units_of({a})), "inline0+0x10 f(reg5)\n"
                                          "func0+0x10 f(reg5)\n"
                                          "inline1+0x10 f(reg5)\n"
                                          "func1+0x10 f(reg5)\n");
}

// Sites that differ only in their reasons are one site. It keeps the lowest reasons, whichever
// comes first.
TEST(SiteMerge, ReasonsDoNotMakeASite) {
    const std::vector<ParamSlot> lists[] = {
        {kEntryValue, kOut}, {kNotHere, kEntryValue}, {kNotHere, kOut}};
    size_t order[] = {0, 1, 2};
    do {
        UnitBuilder a("a.c"), b("b.c");
        const uint32_t fa = a.function("f", "f.h", {kLong, kLong});
        const uint32_t fb = b.function("f", "f.h", {kLong, kLong});
        a.site(fa, 0x10, lists[order[0]]).site(fa, 0x10, lists[order[1]]);
        b.site(fb, 0x10, lists[order[2]]);
        EXPECT_EQ(merged_text(units_of({a, b})),
                  "inline0+0x10 f(<no location here>, <optimized out>)\n")
            << order[0] << order[1] << order[2];
    } while (std::next_permutation(std::begin(order), std::end(order)));

    // A location makes a difference.
    UnitBuilder c("c.c");
    const uint32_t f = c.function("f", "f.h", {kLong, kLong});
    c.site(f, 0x10, {kOut, c.reg(5)})
        .site(f, 0x10, {kOut, kOut})
        .site(f, 0x10, {kNotHere, c.reg(5)});
    EXPECT_EQ(merged_text(units_of({c})), "inline0+0x10 f(<optimized out>, reg5)\n"
                                          "inline0+0x10 f(<optimized out>, <optimized out>)\n");
}

// A LOCSEC is ordered by function, offset and locations. Available locations come first.
TEST(SiteMerge, OrderOfSites) {
    UnitBuilder a("a.c"), b("b.c");
    const uint32_t ga = a.function("g", "g.h"), fa = a.function("f", "f.h");
    const uint32_t fb = b.function("f", "f.h"), gb = b.function("g", "g.h");
    a.site(ga, 0x20, {a.reg(7)}).site(fa, 0x30, {kOut}).site(fa, 0x30, {a.reg(9)});
    b.site(fb, 0x10, {b.reg(1)}).site(gb, 0x10, {b.reg(2)}).site(fb, 0x30, {b.reg(3)});
    const std::string expected = "inline0+0x10 f(reg1)\n"
                                 "inline0+0x30 f(reg3)\n"
                                 "inline0+0x30 f(reg9)\n"
                                 "inline0+0x30 f(<optimized out>)\n"
                                 "inline0+0x10 g(reg2)\n"
                                 "inline0+0x20 g(reg7)\n";
    EXPECT_EQ(merged_text(units_of({a, b})), expected);
    EXPECT_EQ(merged_text(units_of({b, a})), expected);
}

TEST(SiteMerge, WhichFunction) {
    struct Definition {
        const char *unit;
        const char *name;
        const char *file;
        std::vector<TypeId> params{};
        uint32_t base_id = 0;
    };
    const struct {
        const char *name;
        std::vector<Definition> definitions;  // each has a site, whose offset is its index
        std::string expected;
    } rows[] = {
        {"in the base", {{"a.c", "f", "f.h", {}, 7}}, "inline0+0x0 f#7()\n"},
        {"in the base, many units",
         {{"a.c", "f", "f.h", {}, 7}, {"b.c", "f", "f.h", {}, 7}},
         "inline0+0x0 f#7()\ninline0+0x1 f#7()\n"},
        {"not in the base", {{"a.c", "f", "f.h"}}, "inline0+0x0 f()\n"},
        {"two files",
         {{"b.c", "f", "b.c", {}, 7}, {"a.c", "f", "a.c", {}, 7}},
         "inline0+0x1 f[a.c]()\ninline0+0x0 f[b.c]()\n"},
        {"two files, one of them twice",
         {{"b.c", "f", "f.h"}, {"a.c", "f", "a.c"}, {"c.c", "f", "f.h"}},
         "inline0+0x1 f[a.c]()\ninline0+0x0 f[f.h]()\ninline0+0x2 f[f.h]()\n"},
        // fill_thread_core_info is like this: another file includes its file.
        {"one file, two prototypes",
         {{"b.c", "f", "f.h", {kLong}, 7}, {"a.c", "f", "f.h", {kInt}}},
         "inline0+0x1 f[f.h][a.c](reg5)\ninline0+0x0 f[f.h][b.c](reg5)\n"},
        {"one file, two prototypes, one of them in two units",
         {{"c.c", "f", "f.h", {kLong}}, {"a.c", "f", "f.h", {kInt}}, {"b.c", "f", "f.h", {kLong}}},
         "inline0+0x1 f[f.h][a.c](reg5)\ninline0+0x0 f[f.h][b.c c.c](reg5)\ninline0+0x2 "
         "f[f.h][b.c c.c](reg5)\n"},
        {"one file, two prototypes, and another file",
         {{"b.c", "f", "f.h", {kLong}}, {"a.c", "f", "f.h", {kInt}}, {"c.c", "f", "c.c", {kInt}}},
         "inline0+0x2 f[c.c](reg5)\ninline0+0x1 f[f.h][a.c](reg5)\ninline0+0x0 "
         "f[f.h][b.c](reg5)\n"},
        {"those of the base first, by id",
         {{"a.c", "a", "a.c"}, {"a.c", "z", "z.c", {}, 3}, {"a.c", "b", "b.c", {}, 9}},
         "inline0+0x1 z#3()\ninline0+0x2 b#9()\ninline0+0x0 a()\n"},
        // Names are ordered by unsigned bytes, and a shorter one comes first.
        {"order of names",
         {{"a.c", "long_name_of_b", "x"},
          {"a.c", "long_name_of_a", "x"},
          {"a.c", "long_nam", "x"},
          {"a.c", "Z", "x"},
          {"a.c", "\xc3\xa4", "x"},
          {"a.c", "_a", "x"}},
         "inline0+0x3 Z()\ninline0+0x5 _a()\ninline0+0x2 long_nam()\ninline0+0x1 "
         "long_name_of_a()\ninline0+0x0 long_name_of_b()\ninline0+0x4 \xc3\xa4()\n"},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        std::vector<UnitSites> units;
        for (uint32_t i = 0; i < row.definitions.size(); i++) {
            const Definition &definition = row.definitions[i];
            UnitBuilder unit(definition.unit);
            const uint32_t f = unit.function(definition.name, definition.file, definition.params,
                                             definition.base_id);
            unit.site(f, i, std::vector<ParamSlot>(definition.params.size(), unit.reg(5)));
            units.push_back(std::move(unit.unit_));
        }
        EXPECT_EQ(merged_text(units), row.expected);
        std::reverse(units.begin(), units.end());
        EXPECT_EQ(merged_text(units), row.expected);
    }
}

// Functions without sites do not make others ambiguous, and they are not written.
TEST(SiteMerge, FunctionsWithoutSites) {
    UnitBuilder a("a.c"), b("b.c");
    const uint32_t f = a.function("f", "a.c", {}, 7);
    a.function("unused", "a.c");
    b.function("f", "b.c");
    a.site(f, 0x10, {});
    const std::vector<UnitSites> units = units_of({a, b});
    EXPECT_EQ(merged_text(units), "inline0+0x10 f#7()\n");
    EXPECT_EQ(merged_sites(units, 1).functions.size(), 1u);
}

TEST(SiteMerge, Variadic) {
    UnitBuilder a("a.c"), b("b.c");
    const uint32_t fa = a.function("f", "f.h"), fb = b.function("f", "f.h");
    a.at(fa).variadic = true;
    a.site(fa, 0x10, {a.reg(5), kVariadicEnd});
    EXPECT_EQ(merged_text(units_of({a})), "inline0+0x10 f(reg5, ...)\n");
    // Prototypes with and without "..." are different.
    b.site(fb, 0x20, {b.reg(5)});
    EXPECT_EQ(merged_text(units_of({a, b})), "inline0+0x10 f[f.h][a.c](reg5, ...)\n"
                                             "inline0+0x20 f[f.h][b.c](reg5)\n");
}

// A site is shown with the names of its own definition.
TEST(SiteMerge, NamesOfParametersMakeAFunction) {
    UnitBuilder a("a.c"), b("b.c");
    const uint32_t fa = a.function("f", "f.h"), fb = b.function("f", "f.h");
    a.unit_.param_names = {"first"};
    b.unit_.param_names = {"second"};
    a.site(fa, 0x10, {a.reg(5)});
    b.site(fb, 0x20, {b.reg(5)});
    const std::vector<UnitSites> units = units_of({a, b});
    EXPECT_EQ(merged_text(units),
              "inline0+0x10 f[f.h][a.c](reg5)\ninline0+0x20 f[f.h][b.c](reg5)\n");
    const Merged merged = merged_sites(units, 1);
    ASSERT_EQ(merged.functions.size(), 2u);
    for (const size_t number : {0, 1}) {
        ASSERT_EQ(merged.functions[number].param_names.size(), 1u);
        EXPECT_EQ(merged.functions[number].param_names[0], number == 0 ? "first" : "second");
    }
}

TEST(SiteMerge, Counts) {
    UnitBuilder a("a.c"), b("b.c");
    a.unit_.inline_instances = 3;
    a.unit_.outside_sections = 1;
    b.unit_.inline_instances = 4;
    b.unit_.skipped_rust = true;
    const Merged merged = merged_sites(units_of({a, b}), 2);
    EXPECT_EQ(merged.inline_instances, 7u);
    EXPECT_EQ(merged.outside_sections, 1u);
    EXPECT_EQ(merged.skipped_rust_units, 1u);
}

TEST(SiteMerge, LocationsAreSharedAndSorted) {
    UnitBuilder a("a.c"), b("b.c");
    const uint32_t fa = a.function("f", "f.h"), fb = b.function("f", "f.h");
    a.site(fa, 1, {a.reg(9)}).site(fa, 2, {a.reg(1)});
    b.site(fb, 3, {b.reg(5)}).site(fb, 4, {b.reg(9)});
    const Merged merged = merged_sites(units_of({a, b}), 1);
    EXPECT_EQ(merged.loc_params,
              (std::vector<LocParam>{in_register(1), in_register(5), in_register(9)}));
    EXPECT_EQ(merged.param_lists, (std::vector<std::vector<ParamSlot>>{{0}, {1}, {2}}));
}

// Codes differ by their operators: here each is one register.
TEST(SiteMerge, ExpressionsMakeASite) {
    const auto code = [](uint8_t reg) { return ExpressionCode{8, 1, reg}; };
    UnitBuilder a("a.c"), b("b.c");
    const uint32_t fa = a.function("f", "f.h", {kLong, kLong});
    const uint32_t fb = b.function("f", "f.h", {kLong, kLong});
    a.site(fa, 0x10, {a.computed(code(5)), kOut}).site(fa, 0x20, {kOut, kOut});
    // Another reason is the same location, and the lower one stays.
    b.site(fb, 0x10, {b.computed(code(5), MissingReason::kPieces), kOut})
        .site(fb, 0x10, {b.computed(code(3)), kOut})
        .site(fb, 0x20, {b.reg(5), b.computed(code(3))})
        .site(fb, 0x20, {b.reg(5), kNotHere});
    const std::vector<UnitSites> units = units_of({a, b});
    EXPECT_EQ(merged_text(units), "inline0+0x10 f(code03, <optimized out>)\n"
                                  "inline0+0x10 f(code05, <optimized out>)\n"
                                  "inline0+0x20 f(reg5, <no location here>)\n"
                                  "inline0+0x20 f(<optimized out>, <optimized out>)\n"
                                  "inline0+0x20 f(reg5, code03)\n");
    const Merged merged = merged_sites(units, 1);
    EXPECT_EQ(merged.expressions, (std::vector{code(3), code(5)}));
    const MergedSite &kept = merged.sections[0].sites[1];
    EXPECT_EQ(reason_of(merged.param_lists[kept.params][0]), MissingReason::kArithmetic);
}

using Marks = std::map<uint32_t, uint32_t>;

Marks marks_in(const MergedSection &section) {
    Marks marks;
    for (uint32_t number = 0; number < section.sites.size(); number++)
        if (section.sites[number].marks != 0)
            marks[number] = section.sites[number].marks;
    return marks;
}

// Sites with the same locations become one, also those that differ only in their reasons. Bits: 1
// is the head of a loop, 2 a part, 4 no entry, 8 unlisted. The head of a loop counts wherever it is
// found. A part and no entry count only if nothing of those sites is an entry, and unlisted only if
// all are.
TEST(SiteMerge, Marks) {
    struct Row {
        const char *name;
        std::vector<uint8_t> marks;  // of the sites below
        Marks expected;              // by number in the section
    } rows[] = {
        {"none", {0, 0, 0, 0, 0, 0}, {}},
        {"the first of equals", {1, 0, 0, 0, 0, 0}, {{0, 1}}},
        {"the last of equals", {0, 1, 0, 0, 0, 0}, {{0, 1}}},
        {"all of equals", {1, 1, 1, 0, 0, 0}, {{0, 1}}},
        {"the one with higher reasons, which goes", {0, 0, 1, 0, 0, 0}, {{0, 1}}},
        {"a part at an entry", {2, 0, 0, 0, 0, 0}, {}},
        {"an entry at parts", {2, 2, 0, 0, 0, 0}, {}},
        {"parts", {2, 2, 2, 0, 0, 0}, {{0, 2}}},
        {"no entry at an entry", {0, 4, 0, 0, 0, 0}, {}},
        {"an entry at no entries", {0, 4, 4, 0, 0, 0}, {}},
        {"no entries", {4, 4, 4, 0, 0, 0}, {{0, 4}}},
        {"no entry at the entry of a part", {2, 4, 2, 0, 0, 0}, {}},
        {"a part without entry", {6, 6, 2, 0, 0, 0}, {{0, 2}}},
        {"an entry, a part and no entry", {0, 2, 4, 0, 0, 0}, {}},
        {"a part in the head of an entry's loop", {3, 0, 0, 0, 0, 0}, {{0, 1}}},
        {"one of each", {1, 4, 2, 0, 0, 0}, {{0, 1}}},
        {"unlisted", {8, 8, 8, 0, 0, 0}, {{0, 8}}},
        {"unlisted for two of three", {8, 0, 8, 0, 0, 0}, {}},
        {"unlisted parts, and an entry", {10, 8, 10, 0, 0, 0}, {{0, 8}}},
        {"with another location", {0, 0, 0, 2, 0, 0}, {{1, 2}}},
        {"of another function there", {0, 0, 0, 0, 1, 0}, {{3, 1}}},
        {"at another offset", {0, 0, 0, 0, 0, 3}, {{2, 3}}},
        {"every one", {1, 1, 1, 2, 3, 1}, {{0, 1}, {1, 2}, {2, 1}, {3, 3}}},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.name);
        UnitBuilder a("a.c"), b("b.c");
        const uint32_t f = a.function("f", "f.h"), g = a.function("g", "f.h");
        const uint32_t again = b.function("f", "f.h");
        b.site(again, 8, {kOut}).site(again, 8, {kOut}).site(again, 8, {kEntryValue});
        a.site(f, 8, {a.reg(3)}).site(g, 8, {kOut}).site(f, 16, {kOut});
        for (size_t i = 0; i < 3; i++) {
            b.unit_.sites[i].marks = row.marks[i];
            a.unit_.sites[i].marks = row.marks[i + 3];
        }
        a.site(f, 8, {kOut}, SiteClass::kBody);
        const std::vector<UnitSites> units = units_of({a, b});
        for (size_t threads : {1, 2}) {
            const Merged merged = merged_sites(units, threads);
            ASSERT_EQ(merged.sections.size(), 2u);
            EXPECT_EQ(merged.sections[0].sites.size(), 4u);
            // Sites are ordered by their parameter lists, with those without a location last.
            const bool located_first =
                merged.param_lists[merged.sections[0].sites[0].params][0] < kMissing;
            Marks expected;
            for (const auto &[number, marks] : row.expected)
                expected[located_first && number < 2 ? 1 - number : number] = marks;
            EXPECT_EQ(marks_in(merged.sections[0]), expected);
            EXPECT_EQ(marks_in(merged.sections[1]), Marks());
        }
    }
}

// A site is unlisted if the function around it is declared inline in some unit, and else closed.
TEST(SiteMerge, InlineInAnotherUnit) {
    const struct {
        const char *name, *file;
        bool in_a, in_b, names_body;
        Marks expected;
    } rows[] = {
        {"in this unit", "f.h", false, true, true, {{0, 8}}},
        {"in another unit", "f.h", true, false, true, {{0, 8}}},
        {"in none", "f.h", false, false, true, {{0, 64}}},
        {"a function of another file", "g.h", true, false, true, {{0, 64}}},
        {"nobody asks", "f.h", true, true, false, {{0, 64}}},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        UnitBuilder a("a.c"), b("b.c");
        const uint32_t other = a.function("f", row.file);
        const uint32_t leaf = b.function("leaf", "f.h"), body = b.function("f", "f.h");
        a.at(other).declared_inline = row.in_a;
        b.at(body).declared_inline = row.in_b;
        a.site(other, 0x80, {kOut});
        b.site(leaf, 8, {kOut}).site(body, 0x40, {kOut}, SiteClass::kBody);
        b.unit_.sites[0].untraced = true;
        b.unit_.sites[0].body = row.names_body ? body + 1 : 0;
        for (const auto &units : {units_of({a, b}), units_of({b, a})}) {
            const Merged merged = merged_sites(units, 2);
            ASSERT_EQ(merged.sections.size(), 2u);
            Marks found;  // by number, but leaf is the first
            for (const MergedSite &site : merged.sections[0].sites)
                if (site.marks != 0)
                    found[merged.functions[site.function].source->name == "leaf" ? 0 : 1] =
                        site.marks;
            EXPECT_EQ(found, row.expected);
        }
    }
}

}  // namespace
}  // namespace btf_extra::test
