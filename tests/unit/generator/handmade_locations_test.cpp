// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Hand-made DWARF, 2: the meaning of an expression at a site depends on the function around it: on
// its entry, its frame base, its call frame information and its sections.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "tests/support/handmade_object.h"

namespace btf_extra::test {
namespace {

using enum Op;

// The function host is at 0x100 of .text. f(a) is inlined at its entry and at 0x110.
constexpr uint64_t kHost = kCode + 0x100;
constexpr uint64_t kSite = kCode + 0x110;

struct Row {
    const char *name;
    Expr location;
    const char *at_entry;
    const char *inside;
    const char *type = "long";
};

struct Surroundings {
    std::vector<Attribute> host{};  // attributes of host
    std::vector<Expr> frames{};     // FDEs
    Expr frame_base_list{};         // at kListsHeader in .debug_loclists
    bool whole_scope = false;       // the location is an expression, not an entry of a list
    uint16_t version = 5;
};

void check(std::span<const Row> rows, const Surroundings &around = {}) {
    for (const Row &row : rows) {
        SCOPED_TRACE(row.name);
        const Expr list = lle::start_length(kHost, 0x100, row.location) + lle::end();
        const auto instance = [&](uint64_t address) {
            return inlined(
                "f", address,
                {around.whole_scope
                     ? param("f.a", row.location)
                     : param("f.a",
                             {attr::offset(DW_AT_location,
                                           kListsHeader + around.frame_base_list.bytes.size())})});
        };
        HandmadeObject object;
        object.add_unit(
            c_unit({abstract("f", {{"a", row.type}}),
                    body("host", kHost, {instance(kHost), instance(kSite)}, around.host)},
                   {attr::offset(DW_AT_addr_base, kAddrHeader)}),
            {.version = around.version});
        object.add(".debug_addr", addr_section({kData, 0x123}));
        object.add(".debug_loclists", list_section({around.frame_base_list, list}));
        if (!around.frames.empty())
            object.add(".debug_frame", cfa::cie());
        for (const Expr &frame : around.frames)
            object.add(".debug_frame", frame);
        const auto line = [](const char *offset, const char *location) {
            return std::string("inline.text+") + offset + " f(a=" + location + ")\n";
        };
        EXPECT_EQ(object.sites(), line("0x100", row.at_entry) + line("0x110", row.inside) +
                                      "func.text+0x100 host()\n");
    }
}

TEST(HandmadeLocations, EntryValues) {
    const Expr gnu = kGnuEntryValue + block(reg(5));
    const Row rows[] = {
        {"register", entry_value(reg(5)) + kStackValue, "reg5", "<entry value>"},
        {"GNU's", gnu + kStackValue, "reg5", "<entry value>"},
        {"plus an offset", entry_value(reg(5)) + plus_uconst(8) + kStackValue, "reg5 + 0x8",
         "<entry value>"},
        {"memory at it", entry_value(reg(5)), "*(reg5)", "<entry value>"},
        {"memory after it", entry_value(reg(5)) + plus_uconst(8), "*(reg5 + 0x8)", "<entry value>"},
        {"of memory", entry_value(breg(7, 8)) + kStackValue, "reg7 + 0x8", "<entry value>"},
        {"of a register that the format lacks", entry_value(reg(17)) + kStackValue, "<arithmetic>",
         "<entry value>"},
    };
    check(rows);
    check(std::span(rows).subspan(1, 1), {.whole_scope = true, .version = 4});
}

// Instances at the entry of host, however deep, share that entry. An instance elsewhere does not
// share the entry of a function that begins where an instance begins.
TEST(HandmadeLocations, EntryValuesOfNestedInstances) {
    const Expr value = entry_value(reg(5)) + kStackValue;
    HandmadeObject object;
    object.add_unit(c_unit(
        {abstract("f", {{"a"}}), abstract("g", {{"a"}}),
         body("host", kHost,
              {inlined("f", kHost,
                       {param("f.a", value), inlined("g", kHost, {param("g.a", value)})}),
               inlined("f", kSite,
                       {param("f.a", value), inlined("g", kSite, {param("g.a", value)})})}),
         body("next", kHost + 0x100, {inlined("g", kHost + 0x100, {param("g.a", value)})})}));
    EXPECT_EQ(object.sites(), "inline.text+0x100 f(a=reg5)\n"
                              "inline.text+0x110 f(a=<entry value>)\n"
                              "inline.text+0x100 g(a=reg5)\n"
                              "inline.text+0x110 g(a=<entry value>)\n"
                              "inline.text+0x200 g(a=reg5)\n"
                              "func.text+0x100 host()\n"
                              "func.text+0x200 next()\n");
}

// The entry is DW_AT_entry_pc or the first range, not the lowest address.
TEST(HandmadeLocations, EntryValueInAFunctionInSeveralParts) {
    const Expr value = entry_value(reg(5)) + kStackValue;
    HandmadeObject object;
    object.add_unit(
        c_unit({abstract("f", {{"a"}}),
                entry(DW_TAG_subprogram,
                      {attr::text(DW_AT_name, "host"), attr::offset(DW_AT_ranges, kListsHeader)},
                      {inlined("f", kSite, {param("f.a", value)}),
                       inlined("f", kHost, {param("f.a", value)})})}));
    object.add(".debug_rnglists", list_section({rle::offset_pair(0x110, 0x120) +
                                                rle::offset_pair(0x100, 0x108) + rle::end()}));
    EXPECT_EQ(object.sites(), "inline.text+0x100 f(a=<entry value>)\n"
                              "inline.text+0x110 f(a=reg5)\n"
                              "func.text+0x110 host()\n");
}

Attribute frame_base(Expr expression) {
    return attr::expression(DW_AT_frame_base, std::move(expression));
}

TEST(HandmadeLocations, FrameBaseIsTheCfa) {
    const Row rows[] = {
        {"in memory", fbreg(-24), "*(reg7 - 0x10)", "*(reg7 + 0x8)"},
        {"at the stack pointer", fbreg(-32), "*(reg7 - 0x18)", "*(reg7)"},
        {"its address", fbreg(-24) + kStackValue, "reg7 - 0x10", "reg7 + 0x8"},
        {"struct", fbreg(-24), "*(reg7 - 0x10):16", "*(reg7 + 0x8):16", "s16"},
        {"the CFA itself", kCallFrameCfa + kStackValue, "reg7 + 0x8", "reg7 + 0x20"},
    };
    // The code is push, sub $0x10. The CFA is reg7 + 8 at the entry, reg7 + 16 from 0x101 on and
    // reg7 + 32 from 0x108 on.
    const Surroundings around = {.host = {frame_base(kCallFrameCfa)},
                                 .frames = {cfa::fde(kHost, 0x100,
                                                     cfa::advance(1) + cfa::def_offset(16) +
                                                         cfa::advance(7) + cfa::def_offset(32))}};
    check(rows, around);

    // A change holds from exactly the address that it is noted for.
    const Row fbreg0[] = {{"changes at 0x110", fbreg(0), "*(reg7 + 0x8)", "*(reg6 + 0x10)"}};
    check(fbreg0, {.host = {frame_base(kCallFrameCfa)},
                   .frames = {cfa::fde(kHost, 0x100,
                                       cfa::advance(1) + cfa::def_offset(16) + cfa::advance(15) +
                                           cfa::def_register(6))}});
    const Row before[] = {{"changes at 0x111", fbreg(0), "*(reg7 + 0x8)", "*(reg7 + 0x10)"}};
    check(before, {.host = {frame_base(kCallFrameCfa)},
                   .frames = {cfa::fde(kHost, 0x100,
                                       cfa::advance(1) + cfa::def_offset(16) + cfa::advance(16) +
                                           cfa::def_register(6))}});
}

TEST(HandmadeLocations, NoCfa) {
    const Row none[] = {{"none anywhere", fbreg(0), "<arithmetic>", "<arithmetic>"}};
    check(none, {.host = {frame_base(kCallFrameCfa)}});

    const Row other[] = {{"of another function", fbreg(0), "<arithmetic>", "<arithmetic>"}};
    check(other, {.host = {frame_base(kCallFrameCfa)},
                  .frames = {cfa::fde(kHost + 0x100, 0x100, Expr())}});

    const Row part[] = {{"ends too early", fbreg(0), "*(reg7 + 0x8)", "<arithmetic>"}};
    check(part, {.host = {frame_base(kCallFrameCfa)}, .frames = {cfa::fde(kHost, 0x10, Expr())}});

    // The CFA is in memory, as GCC has it in main() when main() realigns the stack.
    const Row expression[] = {{"an expression", fbreg(0), "*(reg7 + 0x8)", "<arithmetic>"}};
    check(expression,
          {.host = {frame_base(kCallFrameCfa)},
           .frames = {cfa::fde(kHost, 0x100,
                               cfa::advance(1) + cfa::def_expression(breg(6, -8) + kDeref))}});

    const Row no_register[] = {
        {"a register that the format lacks", fbreg(0), "*(reg7 + 0x8)", "<arithmetic>"}};
    check(no_register, {.host = {frame_base(kCallFrameCfa)},
                        .frames = {cfa::fde(kHost, 0x100, cfa::advance(1) + cfa::def(17, 8))}});
}

// The code is push %rbp, mov %rsp, %rbp. From its fifth byte on, host has a frame.
std::vector<Expr> frame_pointer() {
    return {
        cfa::fde(kHost, 0x100,
                 cfa::advance(1) + cfa::def_offset(16) + cfa::advance(3) + cfa::def_register(6))};
}

// Clang's frame base is the register itself. At the entry it still has the caller's value, as the
// call frame information says.
TEST(HandmadeLocations, FrameBaseIsARegister) {
    const Row by_register[] = {
        {"in memory", fbreg(-24), "<no location here>", "*(reg6 - 0x18)"},
        {"its address", fbreg(16) + kStackValue, "<no location here>", "reg6 + 0x10"},
    };
    check(by_register, {.host = {frame_base(reg(6))}, .frames = frame_pointer()});
    const Row never[] = {{"never set up", fbreg(-24), "<no location here>", "<no location here>"}};
    check(never, {.host = {frame_base(reg(3))}, .frames = frame_pointer()});
    check(never, {.host = {frame_base(reg(6))}});
}

// DWARF gives memory of host's frame as the place of the parameter for its whole scope, without a
// list. Memory below the CFA may be written at the site or later, so it is no location. Memory
// above the CFA was written by the caller, so it is one.
TEST(HandmadeLocations, WholeScopeInTheFrame) {
    const Row by_cfa[] = {
        {"below the CFA", fbreg(-24), "<no location here>", "<no location here>"},
        {"just below it", fbreg(-1), "<no location here>", "<no location here>"},
        {"at the CFA", fbreg(0), "*(reg7 + 0x8)", "*(reg6 + 0x10)"},
        {"above it", fbreg(8), "*(reg7 + 0x10)", "*(reg6 + 0x18)"},
        {"its address", fbreg(-24) + kStackValue, "reg7 - 0x10", "reg6 - 0x8"},
        {"memory elsewhere", breg(3, -8), "*(reg3 - 0x8)", "*(reg3 - 0x8)"},
    };
    check(by_cfa,
          {.host = {frame_base(kCallFrameCfa)}, .frames = frame_pointer(), .whole_scope = true});
    const Row by_register[] = {
        {"clang", fbreg(-24), "<no location here>", "<no location here>"},
        {"clang, its address", fbreg(-24) + kStackValue, "<no location here>", "reg6 - 0x18"},
    };
    check(by_register,
          {.host = {frame_base(reg(6))}, .frames = frame_pointer(), .whole_scope = true});
}

TEST(HandmadeLocations, OtherFrameBases) {
    const Row none[] = {{"none", fbreg(0), "<arithmetic>", "<arithmetic>"}};
    check(none);

    // GCC in DWARF 2 has a location list: first the stack pointer, then the frame pointer.
    const Row list[] = {
        {"by location list", fbreg(-24), "*(reg7 - 0x10)", "*(reg6 - 0x8)"},
    };
    check(list, {.host = {attr::offset(DW_AT_frame_base, kListsHeader)},
                 .frame_base_list = lle::offset_pair(0x100, 0x104, breg(7, 8)) +
                                    lle::offset_pair(0x104, 0x200, breg(6, 16)) + lle::end()});
    const Row gap[] = {
        {"by location list, with a gap", fbreg(-24), "*(reg7 - 0x10)", "<arithmetic>"},
    };
    check(gap, {.host = {attr::offset(DW_AT_frame_base, kListsHeader)},
                .frame_base_list = lle::offset_pair(0x100, 0x104, breg(7, 8)) + lle::end()});
}

// The frame base is that of the function around the site, not that of the inlined function's own
// body.
TEST(HandmadeLocations, FrameBaseOfTheContainingFunction) {
    HandmadeObject object;
    object.add_unit(
        c_unit({abstract("f", {{"a"}}),
                body("host", kHost, {inlined("f", kSite, {param("f.a", fbreg(0))})},
                     {frame_base(breg(6, 0))}),
                entry(DW_TAG_subprogram,
                      {attr::to(DW_AT_abstract_origin, "f"),
                       attr::address(DW_AT_low_pc, kHost + 0x100), frame_base(breg(3, 0))},
                      {param("f.a", fbreg(0))})}));
    EXPECT_EQ(object.sites(), "inline.text+0x110 f(a=*(reg6))\n"
                              "func.text+0x200 f(a=*(reg3))\n"
                              "func.text+0x100 host()\n");
}

// The result of these rows does not depend on the site.
struct PlainRow {
    const char *name;
    const char *type;
    Attribute location;
    const char *expected;
};

void check(std::span<const PlainRow> rows) {
    for (const PlainRow &row : rows) {
        SCOPED_TRACE(row.name);
        HandmadeObject object;
        object.add_unit(
            c_unit({abstract("f", {{"a", row.type}}),
                    body("host", kHost, {inlined("f", kSite, {param("f.a", {row.location})})})},
                   {attr::offset(DW_AT_addr_base, kAddrHeader)}));
        object.add(".debug_addr", addr_section({kData, 0x123}));
        EXPECT_EQ(object.sites(), std::string("inline.text+0x110 f(a=") + row.expected +
                                      ")\nfunc.text+0x100 host()\n");
    }
}

Attribute at(Expr expression) {
    return attr::expression(DW_AT_location, std::move(expression));
}

TEST(HandmadeLocations, Addresses) {
    const PlainRow rows[] = {
        {"first byte of .text", "void*", at(addr(kCode) + kStackValue), "0x0 (addr)"},
        {"in .text", "void*", at(addr(kCode + 0x42) + kStackValue), "0x42 (addr)"},
        {"in .data", "void*", at(addr(kData) + kStackValue), "0x1000 (addr)"},
        {"in .bss", "void*", at(addr(kBss + 8) + kStackValue), "0x2008 (addr)"},
        {"plus an offset", "void*", at(addr(kData) + plus_uconst(8) + kStackValue),
         "0x1008 (addr)"},
        {"end of the last section", "void*", at(addr(kEnd) + kStackValue), "0x4000 (addr)"},
        {"for an integer", "long", at(addr(kData) + kStackValue), "0x1000 (addr)"},
        {"through .debug_addr", "void*", at(addrx(0) + kStackValue), "0x1000 (addr)"},
        {"through .debug_addr, outside it", "void*", at(addrx(7) + kStackValue), "<arithmetic>"},
        // Per-CPU data linked at 0 does not move with the kernel.
        {"per-CPU", "void*", at(addr(0x123) + kStackValue), "0x123"},
        {"per-CPU, first byte", "void*", at(addr(0) + kStackValue), "0x0"},
        {"per-CPU, through .debug_addr", "void*", at(addrx(1) + kStackValue), "0x123"},
        {"after all sections", "void*", at(addr(kEnd + 1) + kStackValue), "<static memory>"},
        {"before all that move", "void*", at(addr(kCode - 1) + kStackValue), "<static memory>"},
        {"after the per-CPU data", "void*", at(addr(0x1001) + kStackValue), "<static memory>"},
        {"half of an address", "int", at(addr(kData) + kStackValue), "<arithmetic>"},
        {"static memory", "long", at(addr(kData)), "<static memory>"},
        {"static memory, through .debug_addr", "long", at(addrx(0)), "<static memory>"},
        {"static per-CPU memory", "long", at(addr(0x10)), "<static memory>"},
        {"what is in static memory", "long", at(addr(kData) + kDeref + kStackValue),
         "<static memory>"},
    };
    check(rows);
}

TEST(HandmadeLocations, Constants) {
    const auto value = [](uint16_t form, uint64_t number) {
        return attr::number(DW_AT_const_value, form, number);
    };
    const auto bytes = [](Expr content) {
        return Attribute{.name = DW_AT_const_value, .form = DW_FORM_block1, .bytes = content};
    };
    const PlainRow rows[] = {
        {"data1", "int", value(DW_FORM_data1, 0x42), "0x42:4"},
        {"data1 for a wide type", "long", value(DW_FORM_data1, 0xff), "0xff"},
        {"sdata", "int", value(DW_FORM_sdata, UINT64_MAX), "0xffffffff:4"},
        {"sdata for a wide type", "long", value(DW_FORM_sdata, UINT64_MAX), "0xffffffffffffffff"},
        {"implicit", "long", value(DW_FORM_implicit_const, UINT64_MAX), "0xffffffffffffffff"},
        {"data8", "long", value(DW_FORM_data8, 0x8000000000000001), "0x8000000000000001"},
        {"udata", "char", value(DW_FORM_udata, 0x41), "0x41:1"},
        {"block of three", "s3", bytes(raw({1, 2, 3})), "0x30201:3"},
        {"block, cut", "s3", bytes(raw({1, 2})), "<pieces>"},
        {"block of nine, too many", "s9", bytes(raw({1, 2, 3, 4, 5, 6, 7, 8, 9})), "<pieces>"},
        {"string: the memory that a pointer would point to", "void*",
         attr::text(DW_AT_const_value, "text"), "<implicit pointer>"},
        {"literal", "int", at(lit(7) + kStackValue), "0x7:4"},
        {"negative literal", "int", at(consts(-1) + kStackValue), "0xffffffff:4"},
        {"implicit_value", "int", at(implicit_value({1, 0, 0, 0})), "0x1:4"},
    };
    check(rows);
}

TEST(HandmadeLocations, PiecesAndReferences) {
    const Expr pointer = fixed(0, 4) + sleb(0);  // a DIE, and an offset into what it describes
    const PlainRow rows[] = {
        {"pair", "s16", at(reg(5) + piece(8) + reg(4) + piece(8)), "reg5, reg4:16"},
        {"pair of 12 bytes", "s12", at(reg(5) + piece(8) + reg(4) + piece(4)), "reg5, reg4:12"},
        {"smaller pieces", "s16", at(reg(5) + piece(4) + reg(4) + piece(12)), "<pieces>"},
        {"first half missing", "s16", at(piece(8) + reg(4) + piece(8)), "<pieces>"},
        {"second half missing", "s16", at(reg(4) + piece(8)), "<pieces>"},
        {"register and constant", "s16", at(reg(5) + piece(8) + lit(0) + kStackValue + piece(8)),
         "<pieces>"},
        {"bit pieces", "s16", at(reg(5) + bit_piece(64, 0) + reg(4) + bit_piece(64, 0)),
         "<pieces>"},
        {"one piece", "long", at(reg(5) + piece(8)), "reg5"},
        {"struct in memory", "s16", at(breg(7, 8)), "*(reg7 + 0x8):16"},
        {"struct in one register, too large", "s16", at(reg(5)), "<pieces>"},
        {"implicit pointer", "void*", at(kImplicitPointer + pointer), "<implicit pointer>"},
        {"GNU's implicit pointer", "void*", at(kGnuImplicitPointer + pointer),
         "<implicit pointer>"},
        {"implicit pointer as a piece", "s16",
         at(reg(5) + piece(8) + kImplicitPointer + pointer + piece(8)), "<implicit pointer>"},
        {"parameter reference", "long", at(kGnuParameterRef + fixed(0, 4) + kStackValue),
         "<parameter reference>"},
        {"sum with a parameter reference", "long",
         at(kGnuParameterRef + fixed(0, 4) + plus_uconst(1) + kStackValue),
         "<parameter reference>"},
    };
    check(rows);
}

TEST(HandmadeLocations, Sizes) {
    const PlainRow rows[] = {
        {"0 bytes", "s0", at(breg(7, 8)), "<size>"},
        {"3 bytes in memory", "s3", at(breg(7, 8)), "*(reg7 + 0x8):3"},
        {"3 bytes in a register", "s3", at(reg(5)), "reg5:3"},
        {"16 bytes", "s16", at(breg(7, 0)), "*(reg7):16"},
        {"17 bytes", "s17", at(breg(7, 0)), "<size>"},
        {"17 bytes, no location", "s17", attr::flag(DW_AT_artificial), "<optimized out>"},
    };
    check(rows);
}

}  // namespace
}  // namespace btf_extra::test
