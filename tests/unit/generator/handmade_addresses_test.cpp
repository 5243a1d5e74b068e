// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Hand-made DWARF, 6: addresses that contradict the rest of DWARF, or the code. The code is nothing
// but zeros, which are instructions of two bytes (add %al,(%rax)).
#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/handmade_object.h"

namespace btf_extra::test {
namespace {

constexpr uint64_t kHost = kCode + 0x100;  // up to 0x200
constexpr uint64_t kSite = kCode + 0x110;
const std::string kHostLine = "func.text+0x100 host()\n";
const std::string kGood = "inline.text+0x180 good()\n" + kHostLine;
const std::string kAll = "inline.text+0x110 f(a=reg1)\n";

std::vector<Attribute> at(uint64_t low_pc, uint64_t size, std::vector<Attribute> more = {}) {
    more.push_back(attr::address(DW_AT_low_pc, low_pc));
    more.push_back(attr::number(DW_AT_high_pc, DW_FORM_data4, size));
    return more;
}
Attribute entry_pc(uint64_t address) {
    return attr::address(DW_AT_entry_pc, address);
}
Entry f(std::vector<Attribute> where) {
    return inlined("f", std::move(where), {param("f.a", reg(1))});
}
// A body with any extent.
Entry function(const char *name, std::vector<Attribute> where, std::vector<Entry> children = {}) {
    where.push_back(attr::text(DW_AT_name, name));
    return entry(DW_TAG_subprogram, std::move(where), std::move(children));
}
Entry ranges(uint64_t offset, uint64_t entered) {
    return f({attr::offset(DW_AT_ranges, kListsHeader + offset), entry_pc(entered)});
}

// In the order of their bytes: the blob's own is not wanted here.
std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    std::ranges::sort(lines);
    return lines;
}

struct Row {
    const char *name;
    Entry instance;           // of f, in host
    std::vector<Entry> more;  // functions
    std::string expected;     // without what is always there
    uint32_t contradicted;
};

TEST(HandmadeAddresses, Contradictions) {
    const Entry good_f = f(at(kSite, 16, {entry_pc(kSite)}));
    const Row rows[] = {
        {"no contradiction", good_f, {}, kAll, 0},
        {"entered later", f(at(kSite - 16, 32, {entry_pc(kSite)})), {}, kAll, 0},
        {"entered before its code", f(at(kSite, 16, {entry_pc(kSite - 2)})), {}, "", 1},
        {"entered after its code", f(at(kSite, 16, {entry_pc(kSite + 16)})), {}, "", 1},
        {"entered after its code, by an offset",
         f(at(kSite, 16, {attr::byte(DW_AT_entry_pc, 18)})),
         {},
         "",
         1},
        {"entered inside an instruction", f(at(kSite, 16, {entry_pc(kSite + 1)})), {}, "", 1},
        {"begins inside an instruction", f(at(kSite + 1, 16)), {}, "", 1},
        {"entered at an address that is missing",
         f(at(kSite, 16, {attr::number(DW_AT_entry_pc, DW_FORM_addrx, 7)})),
         {},
         "",
         1},
        {"begins at an address that is missing",
         f({attr::number(DW_AT_low_pc, DW_FORM_addrx, 7), attr::byte(DW_AT_high_pc, 16)}),
         {},
         "",
         1},
        {"before the body", f(at(kHost - 32, 16)), {}, "", 1},
        {"after the body", f(at(kHost + 0x100, 16)), {}, "", 1},
        {"in another body",
         f(at(kHost + 0x110, 16, {entry_pc(kHost + 0x110)})),
         {body("other", kHost + 0x100, {})},
         "func.text+0x200 other()\n",
         1},
        {"reaches out of the body", f(at(kSite, 0x800, {entry_pc(kSite)})), {}, kAll, 0},
        {"begins before the body, is entered inside",
         f(at(kHost - 16, 64, {entry_pc(kSite)})),
         {},
         kAll,
         0},
        {"ranges, entered in the second", ranges(0, kSite), {}, kAll, 0},
        {"ranges, entered between them", ranges(0, kSite - 4), {}, "", 1},
        {"ranges outside the body, entered inside", ranges(21, kSite), {}, "", 1},
        {"body without code",
         good_f,
         {function("nothing", at(kHost + 0x100, 0), {f(at(kHost + 0x100, 16))})},
         kAll,
         2},
        {"body that ends before it begins",
         good_f,
         {function("nothing", {attr::address(DW_AT_low_pc, kHost + 0x100),
                               attr::address(DW_AT_high_pc, kHost)})},
         kAll,
         1},
        {"body in data",
         good_f,
         {function("data", at(kData, 0x100), {f(at(kData + 0x10, 16)), f(at(kSite + 16, 16))})},
         kAll,
         3},
        {"body that reaches out of its section",
         good_f,
         {function("last", at(kData - 16, kInitCode - kData + 64),
                   {f(at(kData - 8, 4)), f(at(kInitCode + 16, 4))})},
         kAll + "inline.text+0xff8 f(a=reg1)\nfunc.text+0xff0 last()\n",
         1},
        {"body that is entered elsewhere",
         good_f,
         {function("odd", at(kHost + 0x100, 16, {entry_pc(kHost + 0x180)}))},
         kAll,
         1},
        {"body at an address that is missing",
         good_f,
         {function("odd",
                   {attr::number(DW_AT_low_pc, DW_FORM_addrx, 7), attr::byte(DW_AT_high_pc, 16)})},
         kAll,
         1},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.name);
        std::vector<Entry> entries = {
            abstract("f", {{"a"}}), abstract("good", {}),
            body("host", kHost, {row.instance, inlined("good", kHost + 0x80, {})})};
        entries.insert(entries.end(), row.more.begin(), row.more.end());
        HandmadeObject object;
        object.add_unit(c_unit(std::move(entries)));
        object.add(".debug_rnglists",
                   list_section({rle::offset_pair(0x104, 0x108) + rle::offset_pair(0x110, 0x120) +
                                     rle::offset_pair(0x124, 0x128) + rle::end(),
                                 raw(std::vector<uint8_t>(5, 0)),
                                 rle::offset_pair(0x10, 0x20) + rle::end()}));
        const Outcome outcome = object.generate();
        EXPECT_EQ(lines_of(outcome.text), lines_of(row.expected + kGood));
        EXPECT_EQ(outcome.contradicted, row.contradicted);
    }
}

// An interval in which a value is somewhere does not reach out of the function.
TEST(HandmadeAddresses, LocationLists) {
    const struct {
        const char *name;
        uint64_t begin, end;
        const char *expected;
    } rows[] = {
        {"all of the function", 0x100, 0x200, "reg1"},
        {"from before it", 0xff, 0x200, "<no location here>"},
        {"to after it", 0x100, 0x201, "<no location here>"},
        {"backwards", 0x120, 0x110, "<no location here>"},
    };
    for (const auto &row : rows) {
        SCOPED_TRACE(row.name);
        HandmadeObject object;
        object.add(".debug_loclists",
                   list_section({lle::offset_pair(row.begin, row.end, reg(1)) + lle::end()}));
        object.add_unit(c_unit(
            {abstract("f", {{"a"}}),
             body("host", kHost,
                  {inlined("f", kSite,
                           {param("f.a", {attr::offset(DW_AT_location, kListsHeader)})})})}));
        EXPECT_EQ(object.sites(),
                  std::string("inline.text+0x110 f(a=") + row.expected + ")\n" + kHostLine);
    }
}

}  // namespace
}  // namespace btf_extra::test
