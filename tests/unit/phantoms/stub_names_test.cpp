// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <gtest/gtest.h>

#include "userspace/phantoms/stub_names.h"

namespace btf_extra::phantoms {
namespace {

struct Row {
    const char *what;
    std::vector<NamedFunc> funcs;
    std::vector<std::string> names;
};

// Symbols: path_put, foo__inlined, twice__b, init. A stub: there.
const Row kRows[] = {
    {"inlined only", {{"skb_headlen", "include/linux/skbuff.h", false}}, {"skb_headlen"}},
    {"has a body", {{"tcp_ack", "net/ipv4/tcp_input.c", true}}, {"tcp_ack__inlined"}},
    {"a symbol has its name", {{"path_put", "fs/namei.c", false}}, {"path_put__inlined"}},
    {"a symbol has both names", {{"foo", "a/b.c", true}}, {"foo__b__inlined"}},
    {"a stub has its name", {{"there", "a/b.c", false}}, {"there__b"}},
    {"several",
     {{"select_bucket", "kernel/bpf/hashtab.c", false},
      {"select_bucket", "net/core/sock_map.c", false}},
     {"select_bucket__hashtab", "select_bucket__sock_map"}},
    {"several, one with a body",
     {{"get", "a/x.c", true}, {"get", "b/y.c", false}},
     {"get__x__inlined", "get__y"}},
    {"several, and the name is a symbol's",
     {{"init", "a/x.c", false}, {"init", "b/y.c", false}},
     {"init__x__inlined", "init__y__inlined"}},
    {"equal stems",
     {{"get", "a/b/x.c", false}, {"get", "a/c/x.c", false}, {"get", "y.h", false}},
     {"get__b_x", "get__c_x", "get__y"}},
    {"one path is the end of the other",
     {{"get", "x.c", false}, {"get", "a/x.c", false}},
     {"get__x", "get__a_x"}},
    {"one file", {{"get", "a/x.c", false}, {"get", "a/x.c", false}}, {"get__x", "get__x_2"}},
    {"a symbol has the longer name",
     {{"twice", "a/b.c", false}, {"twice", "a/c.c", false}},
     {"twice__a_b", "twice__c"}},
    {"characters", {{"foo.isra-0", "a/b.c", false}}, {"foo_isra_0"}},
    {"a digit first", {{"9p", "net/9p/9-p.c", false}}, {"_9p"}},
    {"a file with odd characters",
     {{"get", "drivers/net/8021q.d/vlan-core.c", false}, {"get", "x/8+1.h", false}},
     {"get__vlan_core", "get__8_1"}},
    {"nothing is known of the files",
     {{"get", "", false}, {"get", "", false}},
     {"get__", "get___2"}},
};

class StubNameRows : public testing::TestWithParam<Row> {};

TEST_P(StubNameRows, Name) {
    StubNames names({"path_put", "foo__inlined", "twice__b", "init", "there"});
    names.add_stub("there");
    const std::vector<bool> asked(GetParam().funcs.size(), true);
    EXPECT_EQ(names.name(GetParam().funcs, asked), GetParam().names) << GetParam().what;
}

INSTANTIATE_TEST_SUITE_P(, StubNameRows, testing::ValuesIn(kRows));

TEST(StubNames, OnlyThoseThatAreAskedForAreTaken) {
    StubNames names({});
    const std::vector<NamedFunc> two = {{"get", "a/x.c", false}, {"get", "b/y.c", false}};
    EXPECT_EQ(names.name(two, {true, false}), (std::vector<std::string>{"get__x", "get__y"}));
    EXPECT_EQ(names.name({{"get__x", "c.c", false}}, {true}),
              std::vector<std::string>{"get__x__c"});
    EXPECT_EQ(names.name({{"get__y", "c.c", false}}, {true}), std::vector<std::string>{"get__y"});
}

}  // namespace
}  // namespace btf_extra::phantoms
