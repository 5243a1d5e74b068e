// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Each row has what a user writes, and how it is understood: operands in brackets, in the order in
// which they are compared.
#include "userspace/trace/trace_expression.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace btf_extra {
namespace {

std::string text_of(const Operand &operand) {
    std::string out;
    if (operand.kind == Operand::kText)
        return '"' + operand.text + '"';
    if (operand.kind == Operand::kNumber)
        return fmt::format("{}{}", operand.negative ? "-" : "",
                           operand.negative ? 0 - operand.number : operand.number);
    out = operand.name;
    for (const Access &each : operand.accesses)
        out += each.kind == Access::kArrow ? "->" + each.member
               : each.kind == Access::kDot ? "." + each.member
                                           : fmt::format("[{}]", each.index);
    if (operand.mask != ~uint64_t{0})
        out += fmt::format("&{}", operand.mask);
    return out;
}

std::string filter_of(const char *text) {
    static constexpr const char *kCodes[] = {"==", "!=", "<",  "<=", ">",
                                             ">=", "?",  "&&", "||", "!"};
    const auto parsed = parse_filter(text);
    if (!parsed)
        return parsed.error().message;
    std::string out;
    for (const FilterStep &step : *parsed) {
        out += out.empty() ? "" : " ";
        if (step.code < FilterStep::kAnd)
            out += fmt::format("[{}{}]", text_of(step.left),
                               step.code != FilterStep::kNotZero ? " " + text_of(step.right) : "");
        out += kCodes[step.code];
    }
    return out;
}

struct Row {
    const char *text;
    std::string wanted;
};

TEST(TraceExpression, Filters) {
    const Row rows[] = {
        {"len > 1000", "[len 1000]>"},
        {"len>=0x10", "[len 16]>="},
        {"  a<b ", "[a b]<"},
        {"a <= -1", "[a -1]<="},
        {"c == 'x'", "[c 120]=="},
        {"ok", "[ok]?"},
        {"!ok", "[ok]? !"},
        {"comm == \"curl\" && len > 1", "[comm \"curl\"]== [len 1]> &&"},
        // && binds before ||.
        {"a || b && c", "[a]? [b]? [c]? && ||"},
        {"(a || b) && c", "[a]? [b]? || [c]? &&"},
        {"!(a || b)", "[a]? [b]? || !"},
        {"!a && b", "[a]? ! [b]? &&"},
        {"((a))", "[a]?"},
        // A mask is one &.
        {"flags & 4", "[flags&4]?"},
        {"(flags & 4)", "[flags&4]?"},
        {"(flags & 0x30) == 0x10", "[flags&48 16]=="},
        {"(flags & 4) && a", "[flags&4]? [a]? &&"},
        {"(flags && a)", "[flags]? [a]? &&"},
        {"(a & 4 || b) && c", "[a&4]? [b]? || [c]? &&"},
        {"skb->dev->ifindex != 1", "[skb->dev->ifindex 1]!="},
        {"a.b[2].c == D", "[a.b[2].c D]=="},
        {"*p == 1", "[p[0] 1]=="},
        {"**p->q == 1", "[p->q[0][0] 1]=="},
        {"a == 18446744073709551615", "[a 18446744073709551615]=="},
        {"a == -9223372036854775808", "[a -9223372036854775808]=="},
    };
    for (const Row &row : rows)
        EXPECT_EQ(filter_of(row.text), row.wanted) << row.text;
}

TEST(TraceExpression, Refused) {
    const Row rows[] = {
        {"", "'': a name is missing at the end"},
        {"len >", "'len >': a name is missing at the end"},
        {"len > 1 2", "'len > 1 2': expected && or || before '2'"},
        {"len >> 3", "'len >> 3': expected a name before '> 3'"},
        {"(a", "'(a': ) is missing at the end"},
        {"a)", "'a)': expected && or || before ')'"},
        {"a &&", "'a &&': a name is missing at the end"},
        {"1 < a", "'1 < a': the left side must be a value of the call"},
        {"\"x\" == comm", "'\"x\" == comm': the left side must be a value of the call"},
        {"comm == \"x", "'comm == \"x': unterminated text"},
        {"c == 'x", "'c == 'x': expected one character and ' before 'x'"},
        {"a & 4 == 4", "'a & 4 == 4': write (a & 0x4) with parentheses"},
        {"a == 18446744073709551616",
         "'a == 18446744073709551616': 18446744073709551616 has more than 64 bits"},
        {"a == -9223372036854775809",
         "'a == -9223372036854775809': -9223372036854775809 has more than 64 bits"},
        {"a == 5x", "'a == 5x': expected the end of a number before 'x'"},
        {"a == 0x", "'a == 0x': a number is missing at the end"},
        {"a->5", "'a->5': expected a name before '5'"},
        {"a[b]", "'a[b]': expected a number before 'b]'"},
        {"a[1", "'a[1': ] is missing at the end"},
    };
    for (const Row &row : rows)
        EXPECT_EQ(filter_of(row.text), row.wanted) << row.text;
    const std::string deep = std::string(40, '(') + "a" + std::string(40, ')');
    EXPECT_EQ(filter_of(deep.c_str()), "'" + deep + "': too many parentheses");
    const std::string nots = std::string(100'000, '!') + "a";
    EXPECT_EQ(filter_of(nots.c_str()), "'" + nots + "': too many parentheses");
}

TEST(TraceExpression, Paths) {
    const auto paths = parse_paths(" skb->len , *p,name");
    ASSERT_TRUE(paths) << paths.error().message;
    ASSERT_EQ(paths->size(), 3u);
    EXPECT_EQ(text_of((*paths)[0]), "skb->len");
    EXPECT_EQ((*paths)[0].text, "skb->len");
    EXPECT_EQ(text_of((*paths)[1]), "p[0]");
    EXPECT_EQ((*paths)[1].text, "*p");
    EXPECT_EQ((*paths)[2].text, "name");
    EXPECT_EQ(parse_paths("a,").error().message, "'a,': a name is missing at the end");
    EXPECT_EQ(parse_paths("a b").error().message, "'a b': expected ->, . or [ before 'b'");
    EXPECT_EQ(parse_paths("a == 1").error().message, "'a == 1': expected ->, . or [ before '== 1'");
}

}  // namespace
}  // namespace btf_extra
