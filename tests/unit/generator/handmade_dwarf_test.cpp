// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Hand-made DWARF, 3: which entry is which parameter of which function, and the shapes of units,
// forms and abbreviations.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tests/support/handmade_object.h"

namespace btf_extra::test {
namespace {

using enum Op;

constexpr uint64_t kHost = kCode + 0x100;
constexpr uint64_t kSite = kCode + 0x110;
const std::string kHostLine = "func.text+0x100 host()\n";

// A parameter that has only its origin.
Entry silent(const std::string &origin) {
    return param(origin, std::vector<Attribute>());
}

// A parameter of a body: it has a name and a type of its own, and no origin.
Entry own(const char *name, const char *type, const Expr &location) {
    return entry(DW_TAG_formal_parameter, {attr::text(DW_AT_name, name), attr::to(DW_AT_type, type),
                                           attr::expression(DW_AT_location, location)});
}

struct ParamRow {
    const char *name;
    std::vector<Entry> entries;  // children of the instance
    const char *expected;
};

// Instances of void f(long a, int b, void *c) at 0x110. g also has a parameter.
void check(std::span<const ParamRow> rows) {
    for (const ParamRow &row : rows) {
        SCOPED_TRACE(row.name);
        HandmadeObject object;
        object.add_unit(
            c_unit({abstract("f", {{"a"}, {"b", "int"}, {"c", "void*"}}), abstract("g", {{"a"}}),
                    body("host", kHost, {inlined("f", kSite, row.entries)})}));
        object.add(".debug_loclists",
                   list_section({lle::offset_pair(0x100, 0x110, reg(9)) + lle::end()}));
        EXPECT_EQ(object.sites(),
                  std::string("inline.text+0x110 f(") + row.expected + ")\n" + kHostLine);
    }
}

TEST(HandmadeDwarf, WhichParameter) {
    const Entry no_origin = own("a", "long", reg(9));
    const Entry elsewhere = param("f.a", {attr::offset(DW_AT_location, kListsHeader)});
    const Entry computed = param("f.a", breg(1, 0) + breg(2, 0) + kPlus + kStackValue);
    const ParamRow rows[] = {
        {"in order",
         {param("f.a", reg(1)), param("f.b", reg(2)), param("f.c", reg(3))},
         "a=reg1, b=reg2:4, c=reg3"},
        {"out of order",
         {param("f.c", reg(3)), param("f.a", reg(1)), param("f.b", reg(2))},
         "a=reg1, b=reg2:4, c=reg3"},
        {"some without an entry",
         {param("f.b", reg(2))},
         "a=<optimized out>, b=reg2:4, c=<optimized out>"},
        {"none", {}, "a=<optimized out>, b=<optimized out>, c=<optimized out>"},
        {"entries without a location",
         {silent("f.a"), silent("f.b"), param("f.c", reg(3))},
         "a=<optimized out>, b=<optimized out>, c=reg3"},
        {"without an origin, in the right place",
         {no_origin, param("f.b", reg(2))},
         "a=<optimized out>, b=reg2:4, c=<optimized out>"},
        {"origin in another function",
         {param("g.a", reg(9)), param("f.b", reg(2))},
         "a=<optimized out>, b=reg2:4, c=<optimized out>"},
        {"origin is the function",
         {param("f", reg(9))},
         "a=<optimized out>, b=<optimized out>, c=<optimized out>"},
        {"twice, the second with a location",
         {silent("f.a"), param("f.a", reg(1))},
         "a=reg1, b=<optimized out>, c=<optimized out>"},
        {"twice, the first with a location",
         {param("f.a", reg(1)), silent("f.a")},
         "a=reg1, b=<optimized out>, c=<optimized out>"},
        {"twice, both with one",
         {param("f.a", reg(1)), param("f.a", reg(9))},
         "a=reg1, b=<optimized out>, c=<optimized out>"},
        {"twice, the first one's list ends before",
         {elsewhere, param("f.a", reg(1))},
         "a=reg1, b=<optimized out>, c=<optimized out>"},
        {"twice, the second one's list ends before",
         {param("f.a", reg(1)), elsewhere},
         "a=reg1, b=<optimized out>, c=<optimized out>"},
        {"twice, neither here",
         {silent("f.a"), elsewhere},
         "a=<no location here>, b=<optimized out>, c=<optimized out>"},
        {"twice, neither here, other order",
         {elsewhere, silent("f.a")},
         "a=<no location here>, b=<optimized out>, c=<optimized out>"},
        {"twice, the first not a shape of the format",
         {computed, param("f.a", reg(1))},
         "a=<arithmetic>, b=<optimized out>, c=<optimized out>"},
        // These are a variable of the inlined function and a parameter of another one.
        {"in a block",
         {entry(DW_TAG_lexical_block, {}, {param("f.a", reg(9))}), param("f.b", reg(2))},
         "a=<optimized out>, b=reg2:4, c=<optimized out>"},
    };
    check(rows);
}

TEST(HandmadeDwarf, Variadic) {
    HandmadeObject object;
    object.add_unit(
        c_unit({abstract("report", {{"format", "void*"}}, true), abstract("all", {}, true),
                body("host", kHost,
                     {inlined("report", kSite, {param("report.format", reg(5))}),
                      inlined("report", kSite + 4, {}), inlined("all", kSite, {})})}));
    EXPECT_EQ(object.sites(), "inline.text+0x110 all(...)\n"
                              "inline.text+0x110 report(format=reg5, ...)\n"
                              "inline.text+0x114 report(format=<optimized out>, ...)\n" +
                                  kHostLine);
}

// An instance of a concrete clone, which itself is an instance (GCC's .isra, .part).
TEST(HandmadeDwarf, ChainOfOrigins) {
    HandmadeObject object;
    object.add_unit(c_unit(
        {abstract("f", {{"a"}, {"b", "int"}}),
         entry(DW_TAG_subprogram,
               {attr::to(DW_AT_abstract_origin, "f"), attr::address(DW_AT_low_pc, kHost + 0x100)},
               {param("f.b", reg(4)).labelled("clone.b"), silent("f.a").labelled("clone.a")})
             .labelled("clone"),
         body("host", kHost,
              {inlined("clone", kSite, {param("clone.a", reg(1)), param("clone.b", reg(2))})})}));
    EXPECT_EQ(object.sites(), "inline.text+0x110 f(a=reg1, b=reg2:4)\n"
                              "func.text+0x200 f(a=<optimized out>, b=reg4:4)\n" +
                                  kHostLine);
}

TEST(HandmadeDwarf, Bodies) {
    HandmadeObject object;
    object.add_unit(c_unit(
        {abstract("f", {{"a"}, {"b", "int"}}),
         // host has parameters of its own. The location list of one does not cover the entry.
         body("host", kHost, {own("x", "long", reg(5)), own("y", "s16", breg(7, 8))}),
         // An out-of-line body has its parameters in another order.
         entry(DW_TAG_subprogram,
               {attr::to(DW_AT_abstract_origin, "f"), attr::address(DW_AT_low_pc, kHost + 0x100)},
               {param("f.b", reg(2)), param("f.a", reg(1))}),
         // Parameters are never matched by position: "a" does not say which parameter of f it is.
         entry(DW_TAG_subprogram,
               {attr::to(DW_AT_abstract_origin, "f"), attr::address(DW_AT_low_pc, kHost + 0x200)},
               {own("a", "long", reg(9)), param("f.b", reg(2))}),
         // A declaration has no code.
         entry(DW_TAG_subprogram,
               {attr::text(DW_AT_name, "far"), attr::flag(DW_AT_declaration)})}));
    EXPECT_EQ(object.sites(), "func.text+0x200 f(a=reg1, b=reg2:4)\n"
                              "func.text+0x300 f(a=<optimized out>, b=reg2:4)\n"
                              "func.text+0x100 host(x=reg5, y=*(reg7 + 0x8):16)\n");
}

TEST(HandmadeDwarf, Specification) {
    HandmadeObject object;
    object.add_unit(c_unit(
        {entry(DW_TAG_subprogram, {attr::text(DW_AT_name, "host"), attr::flag(DW_AT_declaration)},
               {entry(DW_TAG_formal_parameter, {attr::to(DW_AT_type, "long")})})
             .labelled("declared"),
         entry(DW_TAG_subprogram,
               {attr::to(DW_AT_specification, "declared"), attr::address(DW_AT_low_pc, kHost)},
               {own("x", "long", reg(5))})}));
    EXPECT_EQ(object.sites(), "func.text+0x100 host(x=reg5)\n");
}

// A DW_AT_decl_file counts in the file table of the unit that has the attribute.
TEST(HandmadeDwarf, DeclFile) {
    const auto line_table = [](std::string_view file) {
        Expr name;
        name.bytes.assign(file.begin(), file.end());
        const Expr header = raw({1, 1, 1, 0xfb, 14, 1, 0}) + name + raw({0, 0, 0, 0}) + raw({0});
        const Expr rest = fixed(4, 2) + fixed(header.bytes.size(), 4) + header;
        return fixed(rest.bytes.size(), 4) + rest;
    };
    const Expr first_lines = line_table("first.h");
    const auto lines_at = [](uint64_t offset) {
        return std::vector<Attribute>{attr::offset(DW_AT_stmt_list, offset)};
    };
    const auto file_1 = attr::byte(DW_AT_decl_file, 1);
    Entry f = abstract("f", {});
    f.attributes.push_back(file_1);
    HandmadeObject object;
    object.add_unit(c_unit(
        {f,
         entry(DW_TAG_subprogram, {attr::text(DW_AT_name, "host"), file_1}).labelled("declared")},
        lines_at(0)));
    object.add_unit(c_unit(
        {entry(DW_TAG_subprogram,
               {attr::far_to(DW_AT_specification, "declared"), attr::address(DW_AT_low_pc, kHost)}),
         entry(DW_TAG_subprogram,
               {attr::text(DW_AT_name, "next"), attr::address(DW_AT_low_pc, kHost + 0x100), file_1},
               {entry(DW_TAG_inlined_subroutine, {attr::far_to(DW_AT_abstract_origin, "f"),
                                                  attr::address(DW_AT_low_pc, kHost + 0x110)})}),
         entry(DW_TAG_subprogram,
               {attr::text(DW_AT_name, "none"), attr::address(DW_AT_low_pc, kHost + 0x200),
                attr::byte(DW_AT_decl_file, 7)})},
        lines_at(first_lines.bytes.size())));
    object.add(".debug_line", first_lines).add(".debug_line", line_table("second.h"));
    const Outcome outcome = object.generate();
    EXPECT_EQ(outcome.files,
              (std::map<std::string, std::string>{
                  {"f", "first.h"}, {"host", "first.h"}, {"next", "second.h"}, {"none", ""}}))
        << outcome.text;
}

TEST(HandmadeDwarf, NestedBlocks) {
    const auto block = [](std::vector<Entry> children) {
        return entry(DW_TAG_lexical_block, {attr::address(DW_AT_low_pc, kSite)},
                     std::move(children));
    };
    HandmadeObject object;
    object.add_unit(c_unit(
        {abstract("f", {{"a"}}), abstract("g", {{"a"}}),
         body("host", kHost,
              {block({block({inlined("f", kSite,
                                     {param("f.a", reg(1)),
                                      block({inlined("g", kSite + 4, {param("g.a", reg(2))}),
                                             inlined("g", kSite + 8, {param("g.a", reg(3))})})})}),
                      inlined("f", kSite + 12, {param("f.a", reg(4))})}),
               own("late", "long", reg(5))})}));
    EXPECT_EQ(object.sites(), "inline.text+0x110 f(a=reg1)\n"
                              "inline.text+0x11c f(a=reg4)\n"
                              "inline.text+0x114 g(a=reg2)\n"
                              "inline.text+0x118 g(a=reg3)\n"
                              "func.text+0x100 host(late=reg5)\n");
}

// The sites of the whole unit. The rows below must not change them.
const char kWhole[] = "inline.text+0x110 f(a=reg1)\nfunc.text+0x100 host()\n";

Entry whole_unit() {
    return c_unit({abstract("f", {{"a"}}),
                   body("host", kHost, {inlined("f", kSite, {param("f.a", reg(1))})})});
}

template <class Change> void change_all(Entry &entry, Change change) {
    change(entry);
    for (Entry &child : entry.children)
        change_all(child, change);
}

TEST(HandmadeDwarf, UnitShapes) {
    const struct {
        const char *name;
        UnitShape shape;
    } rows[] = {
        {"DWARF 5", {}},
        {"DWARF 4", {.version = 4}},
        {"DWARF 3", {.version = 3}},
        {"DWARF 5, 64-bit", {.offset_size = 8}},
        {"DWARF 4, 64-bit", {.version = 4, .offset_size = 8}},
        {"partial unit", {.type = DW_UT_partial}},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(HandmadeObject().add_unit(whole_unit(), row.shape).sites(), kWhole);
    }
}

TEST(HandmadeDwarf, References) {
    for (const uint16_t form : {DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8, DW_FORM_ref_addr}) {
        for (const UnitShape &shape : {UnitShape{}, UnitShape{.version = 4},
                                       UnitShape{.version = 2}, UnitShape{.offset_size = 8}}) {
            SCOPED_TRACE(form * 100 + shape.version * 10 + shape.offset_size);
            Entry unit = whole_unit();
            change_all(unit, [&](Entry &entry) {
                for (Attribute &attribute : entry.attributes) {
                    if (attribute.form == DW_FORM_ref4)
                        attribute.form = form;
                    if (shape.version == 2 && attribute.form == DW_FORM_exprloc)
                        attribute.form = DW_FORM_block1;
                }
            });
            // Another unit comes first, so that offsets in the unit and in the section differ.
            EXPECT_EQ(HandmadeObject().add_unit(c_unit({})).add_unit(unit, shape).sites(), kWhole);
        }
    }
}

TEST(HandmadeDwarf, IndirectForms) {
    Entry unit = whole_unit();
    change_all(unit, [](Entry &entry) {
        for (Attribute &attribute : entry.attributes)
            if (attribute.form != DW_FORM_flag_present)
                attribute = attr::indirect(attribute);
    });
    EXPECT_EQ(HandmadeObject().add_unit(unit).sites(), kWhole);
}

TEST(HandmadeDwarf, ImplicitConstants) {
    Entry unit = whole_unit();
    change_all(unit, [](Entry &entry) {
        for (Attribute &attribute : entry.attributes)
            if (attribute.form == DW_FORM_data1 || attribute.form == DW_FORM_data4)
                attribute.form = DW_FORM_implicit_const;
    });
    EXPECT_EQ(HandmadeObject().add_unit(unit).sites(), kWhole);
}

TEST(HandmadeDwarf, AbbreviationCodes) {
    const struct {
        const char *name;
        uint64_t (*code)(uint64_t);
    } rows[] = {
        {"backwards", [](uint64_t n) { return 1000 - n; }},
        {"with gaps", [](uint64_t n) { return 1 + 3 * n; }},
        {"of three bytes", [](uint64_t n) { return 0x10000 + n; }},
        {"of 64 bits", [](uint64_t n) { return UINT64_MAX - n; }},
        {"1 is the last", [](uint64_t n) { return n == 12 ? 1 : 2 + n; }},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        Entry unit = whole_unit();
        uint64_t number = 0;
        change_all(unit, [&](Entry &entry) { entry.code = row.code(number++); });
        EXPECT_EQ(HandmadeObject().add_unit(unit).sites(), kWhole);
    }
}

// The abstract instance has no address. DW_AT_sibling jumps over it, and what is between must not
// be read.
TEST(HandmadeDwarf, Siblings) {
    Entry f = abstract("f", {{"a"}});
    f.attributes.push_back(attr::to(DW_AT_sibling, "host"));
    Entry host = body("host", kHost, {inlined("f", kSite, {param("f.a", reg(1))})});
    host.label = "host";
    EXPECT_EQ(HandmadeObject().add_unit(c_unit({f, host})).sites(), kWhole);

    // An attribute of variable size comes before DW_AT_sibling and must be read first.
    std::rotate(f.attributes.begin(), f.attributes.begin() + 1, f.attributes.end());
    f.attributes.insert(f.attributes.begin(), attr::number(DW_AT_decl_line, DW_FORM_udata, 1000));
    EXPECT_EQ(HandmadeObject().add_unit(c_unit({f, host})).sites(), kWhole);
}

TEST(HandmadeDwarf, StringForms) {
    const struct {
        const char *name;
        Attribute attribute;
    } rows[] = {
        {".debug_str", attr::number(DW_AT_name, DW_FORM_strp, 1)},
        {".debug_line_str", attr::number(DW_AT_name, DW_FORM_line_strp, 2)},
        {".debug_str_offsets", attr::number(DW_AT_name, DW_FORM_strx, 1)},
        {".debug_str_offsets, one byte", attr::number(DW_AT_name, DW_FORM_strx1, 1)},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        Entry unit = whole_unit();
        unit.attributes.push_back(attr::offset(DW_AT_str_offsets_base, 8));
        change_all(unit, [&](Entry &entry) {
            if (entry.label == "f")
                entry.attributes[0] = row.attribute;
        });
        HandmadeObject object;
        object.add_unit(unit);
        object.add(".debug_str", raw({0, 'f', 0}));
        object.add(".debug_line_str", raw({'x', 0, 'f', 0}));
        object.add(".debug_str_offsets",
                   fixed(12, 4) + fixed(5, 2) + fixed(0, 2) + fixed(0, 4) + fixed(1, 4));
        EXPECT_EQ(object.sites(), kWhole);
    }
}

// Link-time optimization leaves the abstract instance in another unit.
TEST(HandmadeDwarf, OriginInAnotherUnit) {
    const Entry origins = c_unit({abstract("f", {{"a"}})});
    Entry instance = inlined("f", kSite, {param("f.a", reg(1))});
    change_all(instance, [](Entry &entry) { entry.attributes[0].form = DW_FORM_ref_addr; });
    const Entry instances =
        entry(DW_TAG_compile_unit,
              {attr::text(DW_AT_name, "b.c"), attr::byte(DW_AT_language, DW_LANG_C11)},
              {body("host", kHost, {instance})});
    const struct {
        const char *name;
        UnitShape origins, instances;
    } rows[] = {
        {"both DWARF 5", {}, {}},
        {"4 to 5", {.version = 5}, {.version = 4}},
        {"5 to 4", {.version = 4}, {.version = 5}},
        {"32-bit to 64-bit", {.offset_size = 8}, {}},
        {"64-bit to 32-bit", {}, {.offset_size = 8}},
        {"to a partial unit", {.type = DW_UT_partial}, {}},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(HandmadeObject()
                      .add_unit(origins, row.origins)
                      .add_unit(instances, row.instances)
                      .sites(),
                  kWhole);
        EXPECT_EQ(HandmadeObject()
                      .add_unit(instances, row.instances)
                      .add_unit(origins, row.origins)
                      .sites(),
                  kWhole);
    }
}

TEST(HandmadeDwarf, UnitsOfSeveralVersions) {
    const auto unit = [](const char *host, uint64_t address, const Attribute &location) {
        return c_unit(
            {abstract("f", {{"a"}}),
             body(host, address, {inlined("f", address + 8, {param("f.a", {location})})})});
    };
    HandmadeObject object;
    object.add_unit(unit("old", kCode, attr::offset(DW_AT_location, 0)), {.version = 4});
    object.add_unit(unit("new", kCode + 0x100, attr::offset(DW_AT_location, kListsHeader)));
    object.add(".debug_loc", loc::pair(0, 0x10, reg(4)) + loc::end());
    object.add(".debug_loclists",
               list_section({lle::offset_pair(0x100, 0x110, reg(5)) + lle::end()}));
    EXPECT_EQ(object.sites(), "inline.text+0x8 f(a=reg4)\n"
                              "inline.text+0x108 f(a=reg5)\n"
                              "func.text+0x100 new()\n"
                              "func.text+0x0 old()\n");
}

TEST(HandmadeDwarf, OtherLanguages) {
    const struct {
        const char *name;
        uint64_t language;
        uint32_t rust_units;
        bool has_sites;
    } rows[] = {
        {"C99", DW_LANG_C99, 0, true},
        {"C89", DW_LANG_C89, 0, true},
        {"Rust", 0x1c, 1, false},
        {"assembler", DW_LANG_Mips_Assembler, 0, false},
        {"assembler, DWARF 6", 0x31, 0, false},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        Entry other = c_unit({abstract("f", {{"a"}}),
                              body("other", kCode, {inlined("f", kCode, {param("f.a", reg(2))})})});
        for (Attribute &attribute : other.attributes)
            if (attribute.name == DW_AT_language)
                attribute = attr::number(DW_AT_language, DW_FORM_data2, row.language);
        HandmadeObject object;
        object.add_unit(other).add_unit(whole_unit()).add_unit(other);
        const Outcome outcome = object.generate();
        EXPECT_EQ(outcome.text, row.has_sites ? "inline.text+0x0 f(a=reg2)\n"
                                                "inline.text+0x110 f(a=reg1)\n"
                                                "func.text+0x100 host()\n"
                                                "func.text+0x0 other()\n"
                                              : kWhole);
        EXPECT_EQ(outcome.skipped_rust_units, 2 * row.rust_units);
        EXPECT_EQ(outcome.inline_instances, row.has_sites ? 3u : 1u);
    }
}

}  // namespace
}  // namespace btf_extra::test
