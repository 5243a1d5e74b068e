// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Hand-made DWARF, 5: what an entry refers to may be in another unit, in a partial unit, or in an
// alternate file, as dwz arranges it. Numbers of files count in the unit that has the attribute.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/handmade_object.h"
#include "tests/support/line_program.h"

namespace btf_extra::test {
namespace {

constexpr uint64_t kHost = kCode + 0x100;
constexpr uint64_t kSite = kCode + 0x110;
constexpr uint8_t kLine = 7;  // where f is declared, in h.h

void append_text(Code &out, const std::string &text) {
    out.insert(out.end(), text.begin(), text.end());
    out.push_back(0);
}

// The tables of DWARF 5: one folder, and names of files in it.
Code files(const std::vector<std::string> &names) {
    Code out{1, DW_LNCT_path, DW_FORM_string, 1};
    append_text(out, "/src");
    out.insert(out.end(), {1, DW_LNCT_path, DW_FORM_string, static_cast<uint8_t>(names.size())});
    for (const std::string &name : names)
        append_text(out, name);
    return out;
}

// Statements in line 7: of file 3 at 0x110 and further on, of file 2 at 0x11c.
Code rows(uint8_t further = 8) {
    Code out{0, 9, DW_LNE_set_address};
    for (uint32_t i = 0; i < 8; i++)
        out.push_back(static_cast<uint8_t>(kSite >> (8 * i)));
    out.insert(out.end(), {DW_LNS_advance_line, kLine - 1, DW_LNS_set_file, 3, DW_LNS_copy});
    out.insert(out.end(), {DW_LNS_advance_pc, further, DW_LNS_copy});
    out.insert(out.end(), {DW_LNS_set_file, 2, DW_LNS_advance_pc,
                           static_cast<uint8_t>(12 - further), DW_LNS_copy});
    out.insert(out.end(), {DW_LNS_advance_pc, 4, 0, 1, DW_LNE_end_sequence});
    return out;
}

Expr bytes_of(const Code &code) {
    return raw(code);
}

const Code kOwnLines = program(rows(), 5, 14, 13, files({"a.c", "a.c", "other.h", "h.h"}));
const Code kOtherLines = program({}, 5, 14, 13, files({"p.c", "p.c", "h.h"}));

// void f(long a), which is declared in a file with this number.
Entry declared_f(uint8_t file) {
    return entry(DW_TAG_subprogram,
                 {attr::text(DW_AT_name, "f"), attr::byte(DW_AT_inline, DW_INL_declared_inlined),
                  attr::byte(DW_AT_decl_file, file), attr::byte(DW_AT_decl_line, kLine)},
                 {entry(DW_TAG_formal_parameter,
                        {attr::text(DW_AT_name, "a"), attr::to(DW_AT_type, "f.long")})
                      .labelled("f.a")})
        .labelled("f");
}

// A unit with f, where h.h is file 2.
Entry unit_of_f(uint16_t tag, uint64_t lines, std::vector<Attribute> more = {}) {
    more.push_back(attr::offset(DW_AT_stmt_list, lines));
    return entry(tag, std::move(more),
                 {entry(DW_TAG_base_type,
                        {attr::text(DW_AT_name, "long int"), attr::byte(DW_AT_byte_size, 8),
                         attr::byte(DW_AT_encoding, DW_ATE_signed)})
                      .labelled("f.long"),
                  declared_f(2)});
}

// The unit with an instance of f, where h.h is file 3. The attributes are references to f and a.
Entry unit_of_host(const Attribute &to_f, const Attribute &to_a, std::vector<Entry> more = {}) {
    more.push_back(body("host", kHost,
                        {entry(DW_TAG_inlined_subroutine,
                               {to_f, attr::address(DW_AT_entry_pc, kSite),
                                attr::address(DW_AT_low_pc, kSite), attr::byte(DW_AT_high_pc, 16)},
                               {entry(DW_TAG_formal_parameter,
                                      {to_a, attr::expression(DW_AT_location, reg(1))})})}));
    return c_unit(std::move(more), {attr::offset(DW_AT_stmt_list, 0)});
}

Attribute far_to(const char *label) {
    return attr::far_to(DW_AT_abstract_origin, label);
}

Expr gnu_link(const std::string &name, const std::vector<uint8_t> &id = {1, 2, 3, 4}) {
    Code out;
    append_text(out, name);
    out.insert(out.end(), id.begin(), id.end());
    return raw(out);
}

Expr debug_sup(bool is_supplementary, const std::string &name,
               const std::vector<uint8_t> &checksum = {9, 8}) {
    Code out{5, 0, uint8_t{is_supplementary}};
    append_text(out, name);
    out.push_back(static_cast<uint8_t>(checksum.size()));
    out.insert(out.end(), checksum.begin(), checksum.end());
    return raw(out);
}

// f is in the alternate file, and references to it have a form.
HandmadeObject with_alternate(uint16_t form) {
    HandmadeObject object;
    object.alternate.add_unit(unit_of_f(DW_TAG_partial_unit, 0), {.type = DW_UT_partial});
    object.alternate.sections();
    object.alternate.section(".debug_line") = kOtherLines;
    object.add(".debug_line", bytes_of(kOwnLines));
    const auto to = [&](const char *label) {
        return attr::number(DW_AT_abstract_origin, form, object.alternate.offset_of(label));
    };
    object.add_unit(unit_of_host(to("f"), to("f.a")));
    return object;
}

struct Row {
    const char *name;
    HandmadeObject object;
};

// The second site is a copied entry: it takes the file of f and the rows of the unit with the
// instance.
TEST(HandmadeUnits, FilesAreNumberedByTheUnitWithTheAttribute) {
    const auto with_unit = [](const Entry &other, const UnitShape &shape, bool first) {
        HandmadeObject object;
        object.add(".debug_line", bytes_of(kOwnLines) + bytes_of(kOtherLines));
        if (first)
            object.add_unit(other, shape);
        object.add_unit(unit_of_host(far_to("f"), far_to("f.a")));
        if (!first)
            object.add_unit(other, shape);
        return object;
    };
    const UnitShape partial{.type = DW_UT_partial};
    const uint64_t lines = kOwnLines.size();
    const Attribute folder = attr::text(DW_AT_comp_dir, "/src");
    std::vector<Row> rows;
    {
        HandmadeObject object;
        object.add(".debug_line", bytes_of(kOwnLines));
        Entry type = entry(DW_TAG_base_type,
                           {attr::text(DW_AT_name, "long int"), attr::byte(DW_AT_byte_size, 8),
                            attr::byte(DW_AT_encoding, DW_ATE_signed)})
                         .labelled("f.long");
        object.add_unit(unit_of_host(far_to("f"), far_to("f.a"), {std::move(type), declared_f(3)}));
        rows.push_back({"same unit", object});
    }
    rows.push_back({"partial unit",
                    with_unit(unit_of_f(DW_TAG_partial_unit, lines, {folder}), partial, true)});
    rows.push_back({"partial unit without a folder",
                    with_unit(unit_of_f(DW_TAG_partial_unit, lines), partial, true)});
    rows.push_back({"partial unit, later",
                    with_unit(unit_of_f(DW_TAG_partial_unit, lines, {folder}), partial, false)});
    rows.push_back(
        {"partial unit of DWARF 4",
         with_unit(unit_of_f(DW_TAG_partial_unit, lines, {folder}), {.version = 4}, true)});
    rows.push_back(
        {"another unit", with_unit(unit_of_f(DW_TAG_compile_unit, lines, {folder}), {}, true)});
    for (const auto &[name, form] : {std::pair("GNU_ref_alt", DW_FORM_GNU_ref_alt),
                                     {"ref_sup4 of the GNU link", DW_FORM_ref_sup4}}) {
        rows.push_back({name, with_alternate(static_cast<uint16_t>(form))});
        rows.back().object.add(".gnu_debugaltlink", gnu_link("common.debug"));
    }
    for (const auto &[name, form] :
         {std::pair("ref_sup4", DW_FORM_ref_sup4), {"ref_sup8", DW_FORM_ref_sup8}}) {
        rows.push_back({name, with_alternate(static_cast<uint16_t>(form))});
        rows.back().object.add(".debug_sup", debug_sup(false, "common.debug"));
        rows.back().object.alternate.section(".debug_sup") = debug_sup(true, "").bytes;
    }
    for (Row &row : rows) {
        SCOPED_TRACE(row.name);
        Outcome outcome = row.object.generate();
        EXPECT_EQ(outcome.text, "inline.text+0x110 f(a=reg1)\n"
                                "inline.text+0x118 f(a=reg1)\n"
                                "func.text+0x100 host()\n");
        EXPECT_EQ(outcome.files["f"], "h.h");
    }
}

// The code is zeros, which are instructions of two bytes.
TEST(HandmadeUnits, RowInsideAnInstruction) {
    HandmadeObject object;
    object.add(".debug_line",
               bytes_of(program(rows(9), 5, 14, 13, files({"a.c", "a.c", "other.h", "h.h"}))) +
                   bytes_of(kOtherLines));
    object.add_unit(unit_of_f(DW_TAG_partial_unit, kOwnLines.size()), {.type = DW_UT_partial});
    object.add_unit(unit_of_host(far_to("f"), far_to("f.a")));
    const Outcome outcome = object.generate();
    EXPECT_EQ(outcome.text, "inline.text+0x110 f(a=reg1)\nfunc.text+0x100 host()\n");
    EXPECT_EQ(outcome.contradicted, 1u);
}

// Two files of one name in different folders are two files.
TEST(HandmadeUnits, TheFolderOfAnotherUnitCounts) {
    HandmadeObject object;
    object.add(".debug_line", bytes_of(kOwnLines) + bytes_of(kOtherLines));
    object.add_unit(unit_of_f(DW_TAG_compile_unit, kOwnLines.size(),
                              {attr::text(DW_AT_comp_dir, "/elsewhere")}));
    object.add_unit(unit_of_host(far_to("f"), far_to("f.a")));
    EXPECT_EQ(object.sites(), "inline.text+0x110 f(a=reg1)\nfunc.text+0x100 host()\n");
}

TEST(HandmadeUnits, StringsOfTheAlternateFile) {
    for (const uint16_t form : {DW_FORM_GNU_strp_alt, DW_FORM_strp_sup}) {
        HandmadeObject object;
        object.alternate.add_unit(entry(DW_TAG_partial_unit, {}));
        object.alternate.section(".debug_str") = {0, 'g', 'u', 'e', 's', 't', 0};
        object.add(".gnu_debugaltlink", gnu_link("common.debug"));
        Entry guest = body("", kHost, {});
        guest.attributes[0] = attr::number(DW_AT_name, form, 1);
        object.add_unit(c_unit({std::move(guest)}));
        EXPECT_EQ(object.sites(), "func.text+0x100 guest()\n");
    }
}

TEST(HandmadeUnits, WhatIsMissingIsNamed) {
    struct MissingRow {
        const char *name;
        HandmadeObject object;
        const char *error;
    };
    std::vector<MissingRow> rows;
    const auto add = [&](const char *name, HandmadeObject object, const char *error) {
        rows.push_back({name, std::move(object), error});
    };
    const char *const install = "install the debug information of the same build";
    add("no link", with_alternate(DW_FORM_GNU_ref_alt),
        ".debug_info: unit at 0x0: refers to an alternate file (dwz -m), which .gnu_debugaltlink "
        "or "
        ".debug_sup does not name");
    HandmadeObject object = with_alternate(DW_FORM_GNU_ref_alt);
    object.add(".gnu_debugaltlink", gnu_link("absent.debug"));
    add("no file", object, ".gnu_debugaltlink: absent.debug is missing (build-id 01020304); ");
    object = with_alternate(DW_FORM_GNU_ref_alt);
    object.add(".gnu_debugaltlink", gnu_link("common.debug", {1, 2, 3, 5}));
    add("another build", object, "common.debug is of another build (build-id 01020305); ");
    object = with_alternate(DW_FORM_ref_sup4);
    object.add(".debug_sup", debug_sup(false, "common.debug"));
    object.alternate.section(".debug_sup") = debug_sup(true, "", {9, 9}).bytes;
    add("another checksum", object, "common.debug is of another build (build-id 0908); ");
    object = with_alternate(DW_FORM_GNU_ref_alt);
    object.add(".gnu_debugaltlink", gnu_link("common.debug"));
    object.alternate.section(".debug_info").resize(20);
    add("a file that is cut off", object, "alternate file: .debug_info: unit at 0x0: cut off");
    object = {};
    object.add_unit(unit_of_host(attr::number(DW_AT_abstract_origin, DW_FORM_ref_sig8, 1),
                                 attr::byte(DW_AT_decl_line, 1)));
    add("type unit", object,
        ".debug_info: unit at 0x0: refers to a type in a unit of its own (-fdebug-types-section), "
        "which is not supported");
    for (MissingRow &row : rows) {
        SCOPED_TRACE(row.name);
        std::string text = row.object.sites();
        EXPECT_TRUE(text.starts_with("error: ")) << text;
        EXPECT_NE(text.find(row.error), text.npos) << text;
        EXPECT_EQ(std::string_view(row.error).ends_with("; "),
                  text.ends_with(std::string(install) + "\n"))
            << text;
    }
}

// A reference to no entry is never passed over.
TEST(HandmadeUnits, DanglingReferences) {
    const struct {
        const char *name;
        Attribute to_f, to_a;
    } rows[] = {
        {"function, in no unit", attr::number(DW_AT_abstract_origin, DW_FORM_ref_addr, 0x7fffffff),
         far_to("f.a")},
        {"function, beyond the alternate file",
         attr::number(DW_AT_abstract_origin, DW_FORM_GNU_ref_alt, 0x7fffffff), far_to("f.a")},
        {"function, a parameter", far_to("f.a"), far_to("f.a")},
        {"parameter, in no unit", far_to("f"),
         attr::number(DW_AT_abstract_origin, DW_FORM_ref_addr, 0x7fffffff)},
        {"parameter, in the header", far_to("f"),
         attr::number(DW_AT_abstract_origin, DW_FORM_ref_addr, 2)},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        HandmadeObject object;
        object.alternate.add_unit(entry(DW_TAG_partial_unit, {}));
        object.add(".gnu_debugaltlink", gnu_link("common.debug"));
        object.add(".debug_line", bytes_of(kOwnLines) + bytes_of(kOtherLines));
        object.add_unit(unit_of_f(DW_TAG_partial_unit, kOwnLines.size()), {.type = DW_UT_partial});
        object.add_unit(unit_of_host(row.to_f, row.to_a));
        const std::string text = object.sites();
        EXPECT_TRUE(text.starts_with("error: .debug_info: entry at 0x")) << text;
        EXPECT_NE(text.find(" refers to an entry that is missing"), text.npos) << text;
    }
}

}  // namespace
}  // namespace btf_extra::test
