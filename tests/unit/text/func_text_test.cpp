// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Rows for what people type where a function is meant.
#include <gtest/gtest.h>

#include "userspace/text/func_text.h"

namespace btf_extra {
namespace {

TEST(FuncText, Understood) {
    const struct {
        const char *text, *object, *name, *file;
    } rows[] = {
        {"foo", "", "foo", ""},
        {"foo()", "", "foo", ""},
        {"kprobe:foo", "", "foo", ""},
        {"k:foo", "", "foo", ""},
        {"kprobe/foo", "", "foo", ""},
        {"fentry:foo", "", "foo", ""},
        {"fentry:vmlinux:foo", "vmlinux", "foo", ""},
        {"kfunc:xfs:foo", "xfs", "foo", ""},
        {"p:foo", "", "foo", ""},
        {"p::foo", "", "foo", ""},
        {"kprobe:foo()", "", "foo", ""},
        {"xfs:foo@fs/../fs/a.c", "xfs", "foo", "fs/a.c"},
        {"tcp_[a-z]*", "", "tcp_[a-z]*", ""},
        {"add", "", "add", ""},
        {"foo.isra.0", "", "foo.isra.0", ""},
    };
    for (const auto &row : rows) {
        const auto parsed = parse_func_text(row.text);
        ASSERT_TRUE(parsed) << parsed.error().message;
        EXPECT_EQ(parsed->object, row.object) << row.text;
        EXPECT_EQ(parsed->name, row.name) << row.text;
        EXPECT_EQ(parsed->file, row.file) << row.text;
    }
}

TEST(FuncText, Refused) {
    const std::string place = "a place is not a function: symbolize foo+0x10 prints its functions, "
                              "lookup --addr foo+0x10 its sites; the function is foo";
    const auto address = [](const std::string &text) {
        return "an address is not a function: symbolize " + text +
               " prints its functions, lookup --addr " + text + " its sites";
    };
    const struct {
        const char *text;
        std::string reason;
    } rows[] = {
        {"foo+0x10", place},
        {"foo+0x10/0x40", place},
        {"kprobe:foo+0x10", place},
        {"0xffffffff81000010", address("0xffffffff81000010")},
        {"ffffffff81000010", address("ffffffff81000010")},
        {"kretprobe:foo", "returns of functions cannot be named; its calls are foo"},
        {"fexit:xfs:foo", "returns of functions cannot be named; its calls are xfs:foo"},
        {"r::foo", "returns of functions cannot be named; its calls are foo"},
        {"r:foo", "returns of functions cannot be named; its calls are foo"},
        {"foo%return", "returns of functions cannot be named; its calls are foo"},
        {"foo [xfs]", "a function of a module is xfs:foo"},
        {"int foo(void)", "a name is needed, not a prototype: foo"},
        {"char *foo(int)", "a name is needed, not a prototype: foo"},
        {"", "the name of a function is missing"},
        {"kprobe:", "the name of a function is missing"},
        {"foo@", "no source file after '@'"},
    };
    for (const auto &row : rows) {
        const auto parsed = parse_func_text(row.text);
        ASSERT_FALSE(parsed) << row.text;
        EXPECT_EQ(parsed.error().message, "'" + std::string(row.text) + "': " + row.reason);
    }
}

}  // namespace
}  // namespace btf_extra
