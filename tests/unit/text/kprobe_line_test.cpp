// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/kprobe_line.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace btf_extra {
namespace {

std::string parts(const KprobeLine &line) {
    std::string out = fmt::format("{}|{}|{}|{}|{}", line.group, line.event,
                                  line.at_return ? "return" : "entry", line.module, line.place);
    for (const KprobeLine::Field &field : line.fields)
        out += fmt::format("|{}:{}", field.name, field.type);
    return out;
}

// The lines are those of trace_kprobe_show() and trace_probe_match_command_args() (Linux 6.1).
TEST(KprobeLine, Parts) {
    const struct {
        const char *name, *line, *parts;  // parts "": it is none
    } rows[] = {
        {"no field", "p:probe/foo _text+1234", "probe|foo|entry||_text+1234"},
        {"fields", "p:probe/foo foo+0 fd=%di:s32 len=+8(%sp):u64",
         "probe|foo|entry||foo+0|fd:s32|len:u64"},
        {"the default type", "p:probe/foo foo+0 fd=%di", "probe|foo|entry||foo+0|fd:"},
        {"a module", "p:probe/foo xfs:foo+16", "probe|foo|entry|xfs|foo+16"},
        {"a return", "r:probe/foo foo+0 ret=$retval:s32", "probe|foo|return||foo+0|ret:s32"},
        {"instances", "r16:probe/foo foo+0", "probe|foo|return||foo+0"},
        {"an address", "p:probe/foo 0x00000000f00dcafe", "probe|foo|entry||0x00000000f00dcafe"},
        {"a string", "p:probe/foo foo+0 name=+0(%si):string", "probe|foo|entry||foo+0|name:string"},
        {"a comment", "# nothing", ""},
        {"empty", "", ""},
        {"no place", "p:probe/foo", ""},
        {"no group", "p:foo foo+0", ""},
        {"a probe of user space", "x:probe/foo foo+0", ""},
        {"a field without a name", "p:probe/foo foo+0 =%di", ""},
        {"a field without a value", "p:probe/foo foo+0 fd=", ""},
        {"a field that is none", "p:probe/foo foo+0 fd", ""},
    };
    for (const auto &row : rows) {
        const auto line = parse_kprobe_line(row.line);
        EXPECT_EQ(line ? parts(*line) : "", row.parts) << row.name;
    }
}

TEST(KprobeLine, BitsOfTypes) {
    const struct {
        const char *type;
        uint32_t bits;
    } rows[] = {
        {"", 64},  {"u8", 8},      {"s16", 16},    {"x32", 32},    {"u64", 64}, {"u", 0},
        {"64", 0}, {"string", 0},  {"x8[4]", 0},   {"b4@2/32", 0}, {"s128", 0}, {"symbol", 0},
        {"s", 0},  {"ustring", 0}, {"unknown", 0}, {"x64 ", 0},
    };
    for (const auto &row : rows)
        EXPECT_EQ(bits_of_kprobe_type(row.type), row.bits) << row.type;
}

}  // namespace
}  // namespace btf_extra
