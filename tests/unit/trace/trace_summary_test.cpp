// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/trace/trace_summary.h"

#include <gtest/gtest.h>

namespace btf_extra {
namespace {

TEST(TraceSummary, ByCaller) {
    const TracedFunc foo = {"vmlinux", "foo", {}}, longer = {"vmlinux", "a_longer_name", {}};
    const TraceQuery query = {{}, {}, TRACE_BY_CALLER};
    TraceSummary summary(query);
    summary.add_caller(foo, "bar", 3);
    summary.add_caller(foo, "", 5);
    // Two sites in one function are one row.
    summary.add_caller(foo, "bar", 4);
    summary.add_caller(longer, "bar", 1);
    summary.add_caller(longer, "never", 0);
    EXPECT_EQ(summary.table(10, 0), "       calls  function       caller\n"
                                    "           7  foo            bar\n"
                                    "           5  foo            ?\n"
                                    "           1  a_longer_name  bar\n");
    EXPECT_EQ(summary.table(1, 100), "       calls  function       caller\n"
                                     "           7  foo            bar\n"
                                     "         106  others\n");
    EXPECT_EQ(summary.json(9),
              "{\"function\":\"foo\",\"by\":\"caller\",\"value\":\"bar\",\"calls\":7}\n"
              "{\"function\":\"foo\",\"by\":\"caller\",\"value\":null,\"calls\":5}\n"
              "{\"function\":\"a_longer_name\",\"by\":\"caller\",\"value\":\"bar\",\"calls\":1}\n"
              "{\"others\":9}\n");
}

TEST(TraceSummary, BySite) {
    const TracedFunc foo = {"vmlinux", "foo", {}};
    const TraceQuery query = {{}, {}, TRACE_BY_SITE};
    TraceSummary summary(query);
    summary.add_site(foo, {"host+0x12", "inlined"}, 2);
    summary.add_site(foo, {"foo.isra.0+0x0", "body"}, 3);
    EXPECT_EQ(summary.table(10, 0), "       calls  function  site\n"
                                    "           3  foo       foo.isra.0+0x0 body\n"
                                    "           2  foo       host+0x12 inlined\n");
}

TEST(TraceSummary, ByValue) {
    const TracedFunc foo = {"vmlinux", "foo", {}, {{"skb->len", ValueFormat::number()}}};
    const TraceQuery query = {{}, *parse_paths("skb->len"), TRACE_BY_VALUE};
    TraceSummary summary(query);
    const uint64_t words[TRACE_VALUE_WORDS] = {60};
    summary.add_value(foo, words, 2);
    summary.add_value(foo, nullptr, 1);
    EXPECT_EQ(summary.table(10, 0), "       calls  function  skb->len\n"
                                    "           2  foo       60\n"
                                    "           1  foo       ?\n");
    EXPECT_EQ(summary.json(0),
              "{\"function\":\"foo\",\"by\":\"skb->len\",\"value\":60,\"calls\":2}\n"
              "{\"function\":\"foo\",\"by\":\"skb->len\",\"value\":null,\"calls\":1}\n");
}

}  // namespace
}  // namespace btf_extra
