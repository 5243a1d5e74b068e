// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Hand-made DWARF, 4: for malformed input there is one line that names the place. If nothing else
// is affected, there is only a parameter without a location.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/handmade_object.h"

namespace btf_extra::test {
namespace {

constexpr uint64_t kHost = kCode + 0x100;
constexpr uint64_t kSite = kCode + 0x110;
const std::string kHostLine = "func.text+0x100 host()\n";

// host with f(a) inlined into it. "site" and "param" are labels.
Entry unit_with(Entry site, std::vector<Attribute> more = {}) {
    return c_unit({abstract("f", {{"a"}}), body("host", kHost, {std::move(site)})},
                  std::move(more));
}
Entry plain_site() {
    return inlined("f", kSite, {param("f.a", reg(1)).labelled("param")}).labelled("site");
}

TEST(HandmadeMalformed, UnitHeaders) {
    const struct {
        const char *name;
        UnitShape shape;
        const char *expected;
    } rows[] = {
        {"length past the end", {.length = 0x100000}, "unit at 0x0: cut off"},
        {"64-bit length past the end",
         {.offset_size = 8, .length = UINT64_MAX - 4},
         "unit at 0x0: cut off"},
        {"length of less than a header", {.length = 7}, "unit at 0x0: cut off"},
        {"length 0", {.length = 0}, "unit at 0x0: cut off"},
        {"DWARF 6", {.version = 6}, "unit at 0x0: DWARF version 6 is not known"},
        {"DWARF 1", {.version = 1}, "unit at 0x0: DWARF version 1 is not known"},
        {"addresses of 4 bytes", {.address_size = 4}, "unit at 0x0: addresses of 4 bytes"},
        {"abbreviations outside", {.abbrev_offset = 0x100000}, "unit at 0x0: malformed"},
        {"ends in the middle of an entry", {.length = 0x20}, "unit at 0x24: cut off"},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(HandmadeObject().add_unit(unit_with(plain_site()), row.shape).sites(),
                  std::string("error: .debug_info: ") + row.expected + "\n");
    }
}

TEST(HandmadeMalformed, Sections) {
    const auto broken = [](auto change) {
        HandmadeObject object;
        object.add_unit(unit_with(plain_site()));
        change(object.dwarf);
        return object.sites();
    };
    EXPECT_EQ(broken([](DwarfBuilder &dwarf) { dwarf.section(".debug_abbrev").resize(20); }),
              "error: .debug_info: unit at 0x0: malformed\n");
    EXPECT_EQ(broken([](DwarfBuilder &dwarf) { dwarf.section(".debug_abbrev").pop_back(); }),
              "error: .debug_info: unit at 0x0: malformed\n");
    // Half a header follows the last unit.
    size_t whole = 0;
    const std::string text = broken([&](DwarfBuilder &dwarf) {
        whole = dwarf.section(".debug_info").size();
        dwarf.section(".debug_info").insert(dwarf.section(".debug_info").end(), {0x20, 0});
    });
    EXPECT_EQ(text, fmt::format("error: .debug_info: unit at {:#x}: cut off\n", whole));
}

// Tries every prefix of the unit, each with a matching length. The result is an error or the sites
// up to there, and never a read beyond the end.
TEST(HandmadeMalformed, EveryPrefix) {
    HandmadeObject whole;
    whole.add_unit(unit_with(plain_site()));
    const auto length = static_cast<uint32_t>(whole.dwarf.sections().at(".debug_info").size());
    // The types before the functions are cut only at every seventh byte.
    for (uint32_t size = 4; size < length; size += size + 80 < length ? 7 : 1) {
        SCOPED_TRACE(size);
        HandmadeObject object;
        object.add_unit(unit_with(plain_site()), {.length = size - 4});
        object.dwarf.sections();
        object.dwarf.section(".debug_info").resize(size);
        const std::string text = object.sites();
        EXPECT_TRUE(text.starts_with("error: .debug_info: ") ||
                    text == "inline.text+0x110 f(a=reg1)\n" + kHostLine || text.empty())
            << text;
    }
}

struct EntryRow {
    const char *name;
    Entry site;
    const char *at;  // label of the entry that the error names; NULL: no error
    std::string expected;
};

TEST(HandmadeMalformed, Entries) {
    const auto with = [](Attribute attribute) {
        Entry site = plain_site();
        site.children[0].attributes.push_back(std::move(attribute));
        return site;
    };
    const auto located = [](Attribute attribute) {
        return inlined("f", kSite, {param("f.a", {std::move(attribute)})});
    };
    const auto referring = [](uint16_t form, uint64_t to) {
        Entry site = plain_site();
        site.attributes[0] = attr::number(DW_AT_abstract_origin, form, to);
        return site;
    };
    const auto param_referring = [](uint64_t to) {
        Entry site = plain_site();
        site.children[0].attributes[0] = attr::number(DW_AT_abstract_origin, DW_FORM_ref4, to);
        return site;
    };
    Entry endless = plain_site();
    endless.ends = false;  // host's end is taken for its end, and the unit's end for host's
    Entry endless_block = entry(DW_TAG_lexical_block, {}, {plain_site()});
    endless_block.ends = false;
    Entry backwards = plain_site();
    backwards.children[0].tag = DW_TAG_variable;
    backwards.children[0].attributes = {attr::to(DW_AT_sibling, "site")};
    backwards.children[0].has_children = true;
    Entry far_sibling = backwards;
    far_sibling.children[0].attributes = {attr::number(DW_AT_sibling, DW_FORM_ref4, 0x7fffffff)};

    const std::string no_location = "inline.text+0x110 f(a=<no location here>)\n" + kHostLine;
    const std::string optimized_out = "inline.text+0x110 f(a=<optimized out>)\n" + kHostLine;
    const EntryRow rows[] = {
        {"unknown form", with({.name = DW_AT_decl_line, .form = 0x7f, .bytes = raw({1, 2, 3})}),
         "param", ""},
        {"indirect, unknown form",
         with(attr::indirect({.name = DW_AT_decl_line, .form = 0x7f, .bytes = raw({1})})), "param",
         ""},
        {"indirect without end",
         with({.name = DW_AT_decl_line,
               .form = DW_FORM_indirect,
               .bytes = raw(std::vector<uint8_t>(600, DW_FORM_indirect)),
               .indirect = DW_FORM_indirect}),
         "param", ""},
        {"block past the end of the unit",
         with({.name = DW_AT_location, .form = 0x7e, .bytes = raw({})}), "param", ""},
        {"sibling backwards", backwards, "param", ""},
        {"sibling outside the unit", far_sibling, "param", ""},
        {"origin outside the section", referring(DW_FORM_ref_addr, 0x7fffffff), "site", "missing"},
        {"origin outside the unit", referring(DW_FORM_ref4, 0x7fffffff), "site", "missing"},
        {"origin in the header", referring(DW_FORM_ref4, 2), "site", "missing"},
        {"origin is the unit", referring(DW_FORM_ref4, 12), "site", "missing"},
        {"parameter's origin outside", param_referring(0x7fffffff), "param", "missing"},
        {"parameter's origin in the header", param_referring(2), "param", "missing"},
        {"location list outside", located(attr::offset(DW_AT_location, 0x7fffffff)), nullptr,
         no_location},
        {"location list at the section's end",
         located(attr::offset(DW_AT_location, kListsHeader + 1)), nullptr, no_location},
        {"location list of an unknown kind", located(attr::offset(DW_AT_location, kListsHeader)),
         nullptr, no_location},
        {"ranges outside",
         inlined("f", {attr::offset(DW_AT_ranges, 0x7fffffff)}, {param("f.a", reg(1))}), nullptr,
         kHostLine},
        {"entered at the other end of the addresses",
         inlined("f",
                 {attr::address(DW_AT_low_pc, kSite), attr::byte(DW_AT_high_pc, 0x10),
                  attr::address(DW_AT_entry_pc, kSite ^ (uint64_t{1} << 63))},
                 {param("f.a", reg(1))}),
         nullptr,
         "error: .debug_info: 1 inlined instances, but no site: it may describe another "
         "file\n"},
        {"an address as location", located(attr::address(DW_AT_location, kSite)), nullptr,
         no_location},
        {"views outside",
         [&] {
             Entry site = located(attr::offset(DW_AT_location, kListsHeader + 1));
             site.children[0].attributes.push_back(attr::offset(DW_AT_GNU_locviews, 0x7fffffff));
             return site;
         }(),
         nullptr, no_location},
    };
    for (const EntryRow &row : rows) {
        SCOPED_TRACE(row.name);
        HandmadeObject object;
        object.add_unit(unit_with(row.site));
        object.add(".debug_loclists", list_section({raw({0x77})}));
        std::string expected = row.expected;
        if (row.at) {
            const uint64_t at = object.dwarf.offset_of(row.at);
            expected =
                expected.empty()
                    ? fmt::format("error: .debug_info: malformed entry at {:#x}\n", at)
                    : fmt::format(
                          "error: .debug_info: entry at {:#x} refers to an entry that is missing\n",
                          at);
        }
        EXPECT_EQ(object.sites(), expected);
    }
}

TEST(HandmadeMalformed, ChildrenWithoutAnEnd) {
    Entry site = plain_site();
    site.ends = false;  // host's end is taken for its end, the unit's for host's, and the unit has
                        // none left
    EXPECT_EQ(HandmadeObject().add_unit(unit_with(site)).sites(),
              "inline.text+0x110 f(a=reg1)\n" + kHostLine);

    Entry unit = unit_with(site);
    unit.ends = false;
    HandmadeObject object;
    object.add_unit(unit);
    EXPECT_EQ(object.sites(), fmt::format("error: .debug_info: malformed entry at {:#x}\n",
                                          object.dwarf.sections().at(".debug_info").size()));
}

TEST(HandmadeMalformed, UnknownAbbreviation) {
    HandmadeObject object;
    object.add_unit(unit_with(plain_site()));
    object.dwarf.sections();
    const uint64_t at = object.dwarf.offset_of("param");
    object.dwarf.section(".debug_info")[at] = 0x7f;
    EXPECT_EQ(object.sites(), fmt::format("error: .debug_info: malformed entry at {:#x}\n", at));

    // The same holds for what is skipped: an abstract instance is read up to its end.
    HandmadeObject passed_over;
    passed_over.add_unit(unit_with(plain_site()));
    passed_over.dwarf.sections();
    passed_over.dwarf.section(".debug_info")[passed_over.dwarf.offset_of("f.a")] = 0x7f;
    EXPECT_EQ(passed_over.sites(), fmt::format("error: .debug_info: malformed entry at {:#x}\n",
                                               passed_over.dwarf.offset_of("f")));
}

TEST(HandmadeMalformed, CyclesOfOrigins) {
    const auto concrete = [](const char *label, const char *origin, std::vector<Entry> children) {
        return entry(DW_TAG_subprogram, {attr::to(DW_AT_abstract_origin, origin)},
                     std::move(children))
            .labelled(label);
    };
    const auto missing = [](const HandmadeObject &object, const char *label) {
        return fmt::format(
            "error: .debug_info: entry at {:#x} refers to an entry that is missing\n",
            object.dwarf.offset_of(label));
    };
    for (const char *origin : {"f", "self"}) {
        HandmadeObject functions;
        functions.add_unit(
            c_unit({concrete("f", "g", {}), concrete("g", "f", {}), concrete("self", "self", {}),
                    body("host", kHost, {inlined(origin, kSite, {}).labelled("site")})}));
        EXPECT_EQ(functions.sites(), missing(functions, "site"));
    }

    HandmadeObject params;
    params.add_unit(c_unit(
        {abstract("f", {{"a"}}),
         body("host", kHost, {inlined("f", kSite, {param("self", reg(1)).labelled("self")})})}));
    EXPECT_EQ(params.sites(), missing(params, "self"));

    // The declaration specifies itself.
    HandmadeObject specification;
    specification.add_unit(c_unit({entry(DW_TAG_subprogram, {attr::text(DW_AT_name, "host"),
                                                             attr::to(DW_AT_specification, "host"),
                                                             attr::address(DW_AT_low_pc, kHost)})
                                       .labelled("host")}));
    EXPECT_EQ(specification.sites(), kHostLine);
}

// Only a struct or union of C can contain itself.
TEST(HandmadeMalformed, CyclesOfTypes) {
    const struct {
        const char *name;
        Entry type;
    } rows[] = {
        {"pointer", entry(DW_TAG_pointer_type, {attr::to(DW_AT_type, "t")})},
        {"const", entry(DW_TAG_const_type, {attr::to(DW_AT_type, "t")})},
        {"typedef",
         entry(DW_TAG_typedef, {attr::text(DW_AT_name, "t"), attr::to(DW_AT_type, "t")})},
        {"atomic", entry(DW_TAG_atomic_type, {attr::to(DW_AT_type, "t")})},
        {"array", entry(DW_TAG_array_type, {attr::to(DW_AT_type, "t")},
                        {entry(DW_TAG_subrange_type, {attr::byte(DW_AT_count, 2)})})},
        {"function", entry(DW_TAG_subroutine_type, {attr::to(DW_AT_type, "t")})},
        {"parameter", entry(DW_TAG_subroutine_type, {},
                            {entry(DW_TAG_formal_parameter, {attr::to(DW_AT_type, "t")})})},
        {"struct",
         entry(DW_TAG_structure_type, {attr::text(DW_AT_name, "t"), attr::byte(DW_AT_byte_size, 8)},
               {entry(DW_TAG_member, {attr::text(DW_AT_name, "m"), attr::to(DW_AT_type, "t"),
                                      attr::byte(DW_AT_data_member_location, 0)})})},
        {"anonymous struct",
         entry(DW_TAG_structure_type, {attr::byte(DW_AT_byte_size, 8)},
               {entry(DW_TAG_member,
                      {attr::to(DW_AT_type, "t"), attr::byte(DW_AT_data_member_location, 0)})})},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        Entry type = row.type;
        type.label = "t";
        HandmadeObject object;
        object.add_unit(c_unit({std::move(type), abstract("f", {{"a", "t"}}),
                                body("host", kHost, {inlined("f", kSite, {})})}));
        const std::string text = object.sites();
        EXPECT_TRUE(text == "inline.text+0x110 f(a=<optimized out>)\n" + kHostLine ||
                    text.starts_with("error: "))
            << text;
    }
}

// Twenty thousand qualifiers around a type must not overflow the stack.
TEST(HandmadeMalformed, DeepTypes) {
    for (const uint16_t tag : {DW_TAG_pointer_type, DW_TAG_atomic_type, DW_TAG_const_type}) {
        SCOPED_TRACE(tag);
        std::vector<Entry> children;
        std::string before = "long";
        for (uint32_t i = 0; i < 20000; i++) {
            std::string label = fmt::format("t{}", i);
            children.push_back(entry(tag, {attr::to(DW_AT_type, before)}).labelled(label));
            before = label;
        }
        children.push_back(abstract("f", {{"a", before}}));
        children.push_back(body("host", kHost, {inlined("f", kSite, {})}));
        const std::string text = HandmadeObject().add_unit(c_unit(std::move(children))).sites();
        EXPECT_TRUE(text == "inline.text+0x110 f(a=<optimized out>)\n" + kHostLine ||
                    text.starts_with("error: "))
            << text;
    }
}

TEST(HandmadeMalformed, DeepEntries) {
    Entry blocks = plain_site();
    for (uint32_t i = 0; i < 2000; i++) {
        Entry outer = entry(DW_TAG_lexical_block, {});
        outer.children.push_back(std::move(blocks));
        blocks = std::move(outer);
    }
    const std::string text = HandmadeObject().add_unit(unit_with(std::move(blocks))).sites();
    EXPECT_TRUE(text.starts_with("error: .debug_info: malformed entry at ")) << text;
}

TEST(HandmadeMalformed, Types) {
    const struct {
        const char *name;
        Entry type;
        const char *expected;
    } rows[] = {
        {"another kind of entry", entry(DW_TAG_variable, {}), "<size>"},
        {"no type", entry(DW_TAG_unspecified_type, {}), "<size>"},
        {"enormous struct",
         entry(DW_TAG_structure_type, {attr::text(DW_AT_name, "long_one"),
                                       attr::number(DW_AT_byte_size, DW_FORM_udata, UINT64_MAX)}),
         "<size>"},
        {"complex number",
         entry(DW_TAG_base_type,
               {attr::text(DW_AT_name, "complex double"), attr::byte(DW_AT_byte_size, 16),
                attr::byte(DW_AT_encoding, DW_ATE_complex_float)}),
         "*(reg7):16"},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        Entry type = row.type;
        type.label = "t";
        HandmadeObject object;
        object.add_unit(
            c_unit({std::move(type), abstract("f", {{"a", "t"}, {"b"}}),
                    body("host", kHost, {inlined("f", kSite, {param("f.a", breg(7, 0))})})}));
        EXPECT_EQ(object.sites(), std::string("inline.text+0x110 f(a=") + row.expected +
                                      ", b=<optimized out>)\n" + kHostLine);
    }
}

TEST(HandmadeMalformed, CodeDescribedElsewhere) {
    EXPECT_EQ(HandmadeObject()
                  .add_unit(unit_with(plain_site(), {attr::text(DW_AT_dwo_name, "a.dwo")}))
                  .sites(),
              "error: .debug_info: unit at 0x0: its code is described in another file (a.dwo), "
              "which is not supported\n");
}

TEST(HandmadeMalformed, NoUnits) {
    // The sections must not be empty, or elfutils (0.188) would not see any DWARF.
    EXPECT_EQ(HandmadeObject().add_unit(entry(DW_TAG_compile_unit, {})).sites(), "");
}

}  // namespace
}  // namespace btf_extra::test
