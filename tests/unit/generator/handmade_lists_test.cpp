// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Hand-made DWARF, 1: where a site is, and which entry of a location list is valid there. GCC's
// documentation of -gvariable-location-views describes location views; DWARF 5, 2.6.2, 2.17 and
// 2.18, describes the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "tests/support/handmade_object.h"

namespace btf_extra::test {
namespace {

// The function host is at 0x100 of .text, and f(long a) is inlined in it at 0x110.
constexpr uint64_t kHost = kCode + 0x100;
constexpr uint64_t kSite = kCode + 0x110;
const std::string kHostLine = "func.text+0x100 host()\n";
const char *const kNoSites = "error: .debug_info: 1 inlined instances, but no site: it may "
                             "describe another file\n";

Expr view_bytes(std::initializer_list<uint64_t> views) {
    Expr out;
    for (const uint64_t view : views)
        out += uleb(view);
    return out;
}

// Entry n of a list puts the value in register n. Offsets count from kCode.
Expr in(uint32_t n, uint64_t begin, uint64_t end) {
    return lle::offset_pair(begin, end, reg(n));
}

struct ListRow {
    const char *name;
    Expr list;
    std::vector<uint64_t> views;  // begin and end of each entry; if empty, no DW_AT_GNU_locviews
    std::optional<uint64_t> at_view;  // DW_AT_GNU_entry_view
    const char *expected;
};

Attribute view_attribute(uint64_t view) {
    return attr::number(DW_AT_GNU_entry_view, DW_FORM_data2, view);
}

// Views are before their list, as GCC writes them.
void check(std::span<const ListRow> rows, uint16_t version, const Expr &end) {
    for (const ListRow &row : rows) {
        SCOPED_TRACE(row.name);
        Expr views;
        for (const uint64_t view : row.views)
            views += uleb(view);
        const uint64_t first = version >= 5 ? kListsHeader : 0;
        const uint16_t form = version >= 4 ? DW_FORM_sec_offset : DW_FORM_data4;
        std::vector<Attribute> location = {
            attr::number(DW_AT_location, form, first + views.bytes.size())};
        if (!row.views.empty())
            location.push_back(attr::number(DW_AT_GNU_locviews, form, first));
        std::vector<Attribute> where = {attr::address(DW_AT_entry_pc, kSite)};
        if (row.at_view)
            where.push_back(view_attribute(*row.at_view));

        const Expr bytes = views + row.list + end;
        HandmadeObject object;
        object.add_unit(
            c_unit({abstract("f", {{"a"}}),
                    body("host", kHost, {inlined("f", where, {param("f.a", location)})})},
                   {attr::number(DW_AT_addr_base, form, kAddrHeader)}),
            {.version = version});
        object.add(".debug_addr", addr_section({kSite, kSite + 0x10, kCode}));
        if (version >= 5)
            object.add(".debug_loclists", list_section({bytes}));
        else
            object.add(".debug_loc", bytes);
        EXPECT_EQ(object.sites(),
                  std::string("inline.text+0x110 f(a=") + row.expected + ")\n" + kHostLine);
    }
}

TEST(HandmadeLists, EntriesWithoutViews) {
    using namespace lle;
    const ListRow rows[] = {
        {"covers the address", in(1, 0x100, 0x120), {}, {}, "reg1"},
        {"begins there", in(1, 0x110, 0x120), {}, {}, "reg1"},
        {"last byte", in(1, 0x100, 0x111), {}, {}, "reg1"},
        {"ends there", in(1, 0x100, 0x110), {}, {}, "<no location here>"},
        {"ends there, the next begins", in(1, 0x100, 0x110) + in(2, 0x110, 0x120), {}, {}, "reg2"},
        {"begins after it", in(1, 0x111, 0x120), {}, {}, "<no location here>"},
        {"empty list", {}, {}, {}, "<no location here>"},
        {"first of two that cover", in(1, 0x100, 0x120) + in(2, 0x110, 0x120), {}, {}, "reg1"},
        {"zero length", in(1, 0x110, 0x110), {}, {}, "<no location here>"},
        {"zero length, then a covering one",
         in(1, 0x110, 0x110) + in(2, 0x110, 0x120),
         {},
         {},
         "reg2"},
        // An empty expression is GCC's way to say that the value is gone for that range.
        {"empty expression", offset_pair(0x100, 0x120, Expr()), {}, {}, "<no location here>"},
        {"base_address", base_address(kCode + 0x100) + in(1, 0x10, 0x20), {}, {}, "reg1"},
        {"start_end", start_end(kSite, kSite + 1, reg(1)), {}, {}, "reg1"},
        {"start_length", start_length(kSite, 1, reg(1)), {}, {}, "reg1"},
        {"start_length, zero", start_length(kSite, 0, reg(1)), {}, {}, "<no location here>"},
        {"start_end is not relative to the base",
         base_address(kCode + 0x100) + start_end(kSite, kSite + 1, reg(1)),
         {},
         {},
         "reg1"},
        {"startx_endx", startx_endx(0, 1, reg(1)), {}, {}, "reg1"},
        {"startx_endx, other way round", startx_endx(1, 0, reg(1)), {}, {}, "<no location here>"},
        {"startx_length", startx_length(0, 1, reg(1)), {}, {}, "reg1"},
        {"base_addressx", base_addressx(0) + in(1, 0, 1), {}, {}, "reg1"},
        {"default only", default_location(reg(1)), {}, {}, "reg1"},
        {"default after entries elsewhere",
         in(1, 0x100, 0x110) + default_location(reg(2)),
         {},
         {},
         "reg2"},
        {"default gives way to a later entry",
         default_location(reg(1)) + in(2, 0x110, 0x120),
         {},
         {},
         "reg2"},
    };
    check(rows, 5, end());
}

TEST(HandmadeLists, LocationViews) {
    using namespace lle;
    // There are three states at one address. The last one holds for the instructions that follow.
    const Expr three = in(1, 0x110, 0x110) + in(2, 0x110, 0x110) + in(3, 0x110, 0x120);
    const std::vector<uint64_t> three_views = {0, 1, 1, 2, 2, 0};
    const ListRow rows[] = {
        {"zero length, before", in(1, 0x110, 0x110), {1, 3}, 0, "reg1"},
        {"zero length, at its first view", in(1, 0x110, 0x110), {1, 3}, 1, "reg1"},
        {"zero length, at its last view", in(1, 0x110, 0x110), {1, 3}, 2, "reg1"},
        {"zero length, ended", in(1, 0x110, 0x110), {1, 3}, 3, "<no location here>"},
        {"zero length in views, too", in(1, 0x110, 0x110), {1, 1}, 0, "<no location here>"},
        {"three at one address, view 0", three, three_views, 0, "reg1"},
        {"three at one address, view 1", three, three_views, 1, "reg2"},
        {"three at one address, view 2", three, three_views, 2, "reg3"},
        {"three at one address, view 300", three, three_views, 300, "reg3"},
        {"three at one address, no DW_AT_GNU_entry_view", three, three_views, {}, "reg1"},
        {"ended at an earlier view", in(1, 0x100, 0x110), {0, 1}, 1, "<no location here>"},
        {"ended earlier, the next comes later",
         in(1, 0x110, 0x110) + in(2, 0x110, 0x120),
         {0, 1, 3, 0},
         2,
         "reg2"},
        {"ends at the address at a later view",
         in(1, 0x100, 0x110) + in(2, 0x110, 0x120),
         {0, 2, 2, 0},
         1,
         "reg1"},
        {"ends at the address at this view",
         in(1, 0x100, 0x110) + in(2, 0x110, 0x120),
         {0, 2, 2, 0},
         2,
         "reg2"},
        {"none holds it: the first later one",
         in(1, 0x110, 0x110) + in(2, 0x110, 0x120),
         {2, 3, 3, 0},
         1,
         "reg1"},
        {"a later one before the one that holds it",
         in(1, 0x110, 0x120) + in(2, 0x100, 0x110),
         {2, 0, 0, 1},
         0,
         "reg2"},
        {"later, at another address",
         in(1, 0x100, 0x110) + in(2, 0x111, 0x120),
         {0, 1, 2, 0},
         1,
         "<no location here>"},
        {"views of more than one byte",
         in(1, 0x110, 0x110) + in(2, 0x110, 0x120),
         {130, 200, 200, 0},
         199,
         "reg1"},
        {"entry view, but no DW_AT_GNU_locviews", in(1, 0x110, 0x120), {}, 2, "reg1"},
        {"start_end",
         start_end(kSite, kSite, reg(1)) + start_end(kSite, kSite + 1, reg(2)),
         {0, 1, 1, 0},
         0,
         "reg1"},
        {"start_length",
         start_length(kSite, 0, reg(1)) + start_length(kSite, 1, reg(2)),
         {0, 1, 1, 0},
         1,
         "reg2"},
        // An entry that sets the base has no views: otherwise the next entry would get the wrong
        // pair.
        {"base_address between",
         base_address(kCode + 0x100) + in(1, 0, 0x10) + base_address(kCode) + in(2, 0x110, 0x110) +
             in(3, 0x110, 0x120),
         {0, 0, 0, 1, 1, 0},
         0,
         "reg2"},
        {"base_addressx between",
         in(1, 0x100, 0x110) + base_addressx(2) + in(2, 0x110, 0x110) + in(3, 0x110, 0x120),
         {0, 0, 0, 1, 1, 0},
         0,
         "reg2"},
    };
    check(rows, 5, end());
}

// -gvariable-location-views=incompat5 puts the views into the list itself.
TEST(HandmadeLists, ViewPairEntries) {
    using namespace lle;
    const Expr two = view_pair(0, 1) + in(1, 0x110, 0x110) + view_pair(1, 0) + in(2, 0x110, 0x120);
    const ListRow rows[] = {
        {"view 0", two, {}, 0, "reg1"},
        {"view 1", two, {}, 1, "reg2"},
        {"ended", view_pair(0, 1) + in(1, 0x110, 0x110), {}, 1, "<no location here>"},
        {"later", view_pair(2, 0) + in(1, 0x110, 0x120), {}, 1, "reg1"},
        {"for one entry only",
         view_pair(1, 2) + in(1, 0x110, 0x110) + in(2, 0x110, 0x110),
         {},
         2,
         "<no location here>"},
    };
    check(rows, 5, end());
}

TEST(HandmadeLists, Dwarf4) {
    const auto in4 = [](uint32_t n, uint64_t begin, uint64_t end) {
        return loc::pair(begin, end, reg(n));
    };
    const Expr two = in4(1, 0x110, 0x110) + in4(2, 0x110, 0x120);
    const ListRow rows[] = {
        {"covers the address", in4(1, 0x100, 0x120), {}, {}, "reg1"},
        {"ends there", in4(1, 0x100, 0x110), {}, {}, "<no location here>"},
        {"zero length", two, {}, {}, "reg2"},
        {"empty list", {}, {}, {}, "<no location here>"},
        {"base selection", loc::base(kSite) + in4(1, 0, 1), {}, {}, "reg1"},
        {"view 0", two, {0, 1, 1, 0}, 0, "reg1"},
        {"view 1", two, {0, 1, 1, 0}, 1, "reg2"},
        {"later", two, {1, 2, 2, 0}, 0, "reg1"},
        {"base selection has no views",
         loc::base(kCode + 0x100) + in4(5, 0, 0x10) + loc::base(kCode) + two,
         {0, 0, 0, 1, 1, 0},
         0,
         "reg1"},
    };
    check(rows, 4, loc::end());
    check(rows, 3, loc::end());
}

// The entry of a body is at view 0.
TEST(HandmadeLists, Bodies) {
    const struct {
        const char *name;
        std::initializer_list<uint64_t> views;
        const char *expected;
    } rows[] = {
        {"first entry holds view 0", {0, 1, 1, 0}, "reg1"},
        {"the first later one", {1, 2, 2, 0}, "reg1"},
        {"the first is empty", {1, 1, 1, 0}, "reg2"},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        const Expr views = view_bytes(row.views);
        HandmadeObject object;
        object.add_unit(
            c_unit({body("host", kHost,
                         {entry(DW_TAG_formal_parameter,
                                {attr::text(DW_AT_name, "a"), attr::to(DW_AT_type, "long"),
                                 attr::offset(DW_AT_location, kListsHeader + views.bytes.size()),
                                 attr::offset(DW_AT_GNU_locviews, kListsHeader)})})}));
        object.add(".debug_loclists",
                   list_section({views + in(1, 0x100, 0x100) + in(2, 0x100, 0x110) + lle::end()}));
        EXPECT_EQ(object.sites(), std::string("func.text+0x100 host(a=") + row.expected + ")\n");
    }
}

// Clang reaches every list through the tables of its unit.
TEST(HandmadeLists, ListIndexes) {
    const std::vector<Expr> lists = {in(1, 0x100, 0x110) + lle::end(),
                                     in(2, 0x110, 0x120) + lle::end(),
                                     lle::startx_length(0, 4, reg(3)) + lle::end()};
    const char *const expected[] = {"<no location here>", "reg2", "reg3", "<no location here>"};
    for (uint64_t index = 0; index < std::size(expected); index++) {
        SCOPED_TRACE(index);  // the last index is after the table's end and is read as an offset
        const Expr two_units = list_section(lists, true);
        const uint64_t base = two_units.bytes.size() + kListsHeader;
        HandmadeObject object;
        object.add_unit(c_unit(
            {abstract("f", {{"a"}}),
             body("host", kHost,
                  {inlined("f", kSite,
                           {param("f.a", {attr::number(DW_AT_location, DW_FORM_loclistx,
                                                       index == 3 ? 1000000 : index)})})})},
            {attr::offset(DW_AT_addr_base, kAddrHeader), attr::offset(DW_AT_loclists_base, base)}));
        object.add(".debug_addr", addr_section({kSite}));
        // The table of another unit comes first.
        object.add(".debug_loclists", two_units).add(".debug_loclists", two_units);
        EXPECT_EQ(object.sites(),
                  std::string("inline.text+0x110 f(a=") + expected[index] + ")\n" + kHostLine);
    }
}

struct AddressRow {
    const char *name;
    std::vector<Attribute> where;  // attributes of the instance
    Expr ranges;                   // the list at first_ranges()
    const char *expected;          // the address of the site
    uint64_t instances = 1;        // the number of instances
};

// It is not known how far host reaches: an instance may be anywhere.
void check(std::span<const AddressRow> rows, uint16_t version, const Expr &end) {
    for (const AddressRow &row : rows) {
        SCOPED_TRACE(row.name);
        HandmadeObject object;
        object.add_unit(c_unit({abstract("f", {}), entry(DW_TAG_subprogram,
                                                         {attr::text(DW_AT_name, "host"),
                                                          attr::address(DW_AT_low_pc, kHost)},
                                                         {inlined("f", row.where, {})})},
                               {attr::offset(DW_AT_addr_base, kAddrHeader),
                                attr::offset(DW_AT_rnglists_base, kListsHeader)}),
                        {.version = version});
        object.add(".debug_addr", addr_section({kSite, kCode + 0x120}));
        if (version >= 5)
            object.add(".debug_rnglists", list_section({row.ranges + end}, true));
        else
            object.add(".debug_ranges", row.ranges + end);
        const Outcome outcome = object.generate();
        if (row.instances && !*row.expected) {
            EXPECT_EQ(outcome.text, kNoSites);
            continue;
        }
        const std::string site =
            *row.expected ? std::string("inline") + row.expected + " f()\n" : std::string();
        EXPECT_EQ(outcome.text, row.instances && std::string_view(row.expected).starts_with(".init")
                                    ? kHostLine + site
                                    : site + kHostLine);
        EXPECT_EQ(outcome.inline_instances, row.instances);
    }
}

TEST(HandmadeLists, SiteAddress) {
    const auto low = attr::address(DW_AT_low_pc, kSite);
    const auto entry = [](uint64_t offset) {
        return attr::address(DW_AT_entry_pc, kCode + offset);
    };
    const auto offset = [](uint16_t form, uint64_t value) {
        return attr::number(DW_AT_entry_pc, form, value);
    };
    const auto addrx = [](uint16_t name, uint16_t form, uint64_t index) {
        return attr::number(name, form, index);
    };
    // The table of lists has one entry.
    const Attribute ranges = attr::number(DW_AT_ranges, DW_FORM_rnglistx, 0);
    const Attribute direct = attr::offset(DW_AT_ranges, kListsHeader + 4);
    const Expr two = rle::offset_pair(0x120, 0x130) + rle::offset_pair(0x110, 0x118);
    const AddressRow rows[] = {
        {"low_pc", {low}, {}, ".text+0x110"},
        {"nothing", {}, {}, "", 0},
        {"high_pc alone", {attr::address(DW_AT_high_pc, kSite)}, {}, "", 0},
        {"entry_pc", {low, entry(0x118)}, {}, ".text+0x118"},
        {"entry_pc alone", {entry(0x118)}, {}, ".text+0x118"},
        {"entry_pc as an offset from low_pc", {low, offset(DW_FORM_data1, 8)}, {}, ".text+0x118"},
        {"entry_pc first", {offset(DW_FORM_data2, 8), low}, {}, ".text+0x118"},
        {"entry_pc offset 0", {low, offset(DW_FORM_udata, 0)}, {}, ".text+0x110"},
        {"entry_pc offset, implicit", {low, offset(DW_FORM_implicit_const, 4)}, {}, ".text+0x114"},
        {"entry_pc offset, signed form", {low, offset(DW_FORM_sdata, 4)}, {}, ".text+0x114"},
        {"entry_pc offset from nothing", {offset(DW_FORM_data1, 8)}, {}, "", 0},
        {"ranges: the first, not the lowest", {direct}, two, ".text+0x120"},
        {"entry_pc with ranges", {direct, entry(0x114)}, two, ".text+0x114"},
        {"entry_pc as an offset from the first range",
         {direct, offset(DW_FORM_data1, 4)},
         two,
         ".text+0x124"},
        {"entry_pc outside its own ranges", {direct, entry(0x150)}, two, ""},
        {"first range empty",
         {direct},
         rle::offset_pair(0x110, 0x110) + rle::offset_pair(0x120, 0x130),
         ".text+0x120"},
        {"entry_pc as an offset, first range empty",
         {direct, offset(DW_FORM_data1, 4)},
         rle::offset_pair(0x110, 0x110) + rle::offset_pair(0x120, 0x130),
         ".text+0x124"},
        {"empty ranges only",
         {direct},
         rle::offset_pair(0x110, 0x110) + rle::start_end(kSite, kSite),
         "",
         0},
        {"empty ranges and an offset",
         {direct, offset(DW_FORM_data1, 4)},
         rle::offset_pair(0x110, 0x110),
         "",
         0},
        {"no ranges", {direct}, {}, "", 0},
        {"base_address",
         {direct},
         rle::base_address(kCode + 0x100) + rle::offset_pair(0x18, 0x20),
         ".text+0x118"},
        {"start_end", {direct}, rle::start_end(kSite, kSite + 4), ".text+0x110"},
        {"start_length", {direct}, rle::start_length(kSite, 4), ".text+0x110"},
        {"start_length, empty first",
         {direct},
         rle::start_length(kSite, 0) + rle::start_length(kSite + 4, 4),
         ".text+0x114"},
        {"rnglistx", {ranges}, two, ".text+0x120"},
        {"rnglistx outside the table", {addrx(DW_AT_ranges, DW_FORM_rnglistx, 4000)}, two, "", 0},
        {"startx_endx", {ranges}, rle::startx_endx(0, 1), ".text+0x110"},
        {"startx_endx, empty first",
         {ranges},
         rle::startx_endx(0, 0) + rle::startx_endx(1, 0),
         ".text+0x120"},
        {"startx_length", {ranges}, rle::startx_length(1, 4), ".text+0x120"},
        {"base_addressx", {ranges}, rle::base_addressx(1) + rle::offset_pair(4, 8), ".text+0x124"},
        {"addrx", {addrx(DW_AT_low_pc, DW_FORM_addrx, 1)}, {}, ".text+0x120"},
        {"addrx1", {addrx(DW_AT_low_pc, DW_FORM_addrx1, 1)}, {}, ".text+0x120"},
        {"addrx2", {addrx(DW_AT_low_pc, DW_FORM_addrx2, 1)}, {}, ".text+0x120"},
        {"addrx3", {addrx(DW_AT_low_pc, DW_FORM_addrx3, 1)}, {}, ".text+0x120"},
        {"addrx4", {addrx(DW_AT_low_pc, DW_FORM_addrx4, 1)}, {}, ".text+0x120"},
        {"entry_pc as addrx", {low, addrx(DW_AT_entry_pc, DW_FORM_addrx, 1)}, {}, ".text+0x120"},
        {"addrx outside the table", {addrx(DW_AT_low_pc, DW_FORM_addrx, 1000)}, {}, "", 0},
        {"another section", {attr::address(DW_AT_low_pc, kInitCode + 8)}, {}, ".init.text+0x8"},
        {"first byte of a section", {attr::address(DW_AT_low_pc, kInitCode)}, {}, ".init.text+0x0"},
        {"end of a section", {attr::address(DW_AT_low_pc, kData - 2)}, {}, ".text+0xffe"},
        // DWARF has an instance, but there is no code.
        {"in .data", {attr::address(DW_AT_low_pc, kData)}, {}, "", 1},
        {"in no section", {attr::address(DW_AT_low_pc, kEnd)}, {}, "", 1},
    };
    check(rows, 5, rle::end());
}

TEST(HandmadeLists, SiteAddressDwarf4) {
    const Attribute ranges = attr::offset(DW_AT_ranges, 0);
    const AddressRow rows[] = {
        {"first, not lowest",
         {ranges},
         range::pair(0x120, 0x130) + range::pair(0x110, 0x118),
         ".text+0x120"},
        {"base selection",
         {ranges},
         range::base(kCode + 0x100) + range::pair(0x18, 0x20),
         ".text+0x118"},
        {"first range empty",
         {ranges},
         range::pair(0x110, 0x110) + range::pair(0x120, 0x130),
         ".text+0x120"},
        {"empty ranges only", {ranges}, range::pair(0x110, 0x110), "", 0},
        {"offset from the first range",
         {ranges, attr::byte(DW_AT_entry_pc, 8)},
         range::pair(0x120, 0x130),
         ".text+0x128"},
    };
    check(rows, 4, range::end());
}

// An instance without an address is not a site. The instances inside it are.
TEST(HandmadeLists, InsideAnInstanceWithoutAddress) {
    HandmadeObject object;
    object.add_unit(c_unit(
        {abstract("f", {{"a"}}), abstract("g", {{"a"}}),
         body("host", kHost,
              {inlined("f", std::vector<Attribute>(),
                       {param("f.a", reg(1)), inlined("g", kSite, {param("g.a", reg(2))})})})}));
    const Outcome outcome = object.generate();
    EXPECT_EQ(outcome.text, "inline.text+0x110 g(a=reg2)\n" + kHostLine);
    EXPECT_EQ(outcome.inline_instances, 1u);
}

}  // namespace
}  // namespace btf_extra::test
