// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The flow of control of small bodies, whose answers were worked out by hand. Each instruction has
// one byte, and is written as a letter and where it leads.
#include <map>

#include <gtest/gtest.h>

#include "userspace/generator/flow/body_flow.h"

namespace btf_extra::generator {
namespace {

// n: falls. j: jumps. c: falls or jumps. r: ends. x: jumps anywhere. i: a NOP. f: falls, or faults
// and goes on at its target. a: falls, and what replaces it jumps.
struct Row {
    char kind;
    uint64_t target = 0;
};

class Rows : public FlowCode {
  public:
    explicit Rows(std::vector<Row> rows) : rows_(std::move(rows)) {}

    std::optional<FlowEdges> edges(uint64_t address) override {
        if (address >= rows_.size() || rows_[address].kind == '?')
            return std::nullopt;
        const Row &row = rows_[address];
        FlowEdges out{.size = 1, .jump = {}, .fixup = {}, .others = {}};
        out.falls = row.kind != 'j' && row.kind != 'r' && row.kind != 'x';
        out.anywhere = row.kind == 'x';
        out.idle = row.kind == 'i';
        if (row.kind == 'j' || row.kind == 'c')
            out.jump = row.target;
        if (row.kind == 'f')
            out.fixup = row.target;
        if (row.kind == 'a')
            out.others = {row.target};
        return out;
    }
    std::optional<FlowChanges> changes(uint64_t) override { return FlowChanges{}; }
    bool entered(uint64_t) override { return false; }

  private:
    std::vector<Row> rows_;
};

std::optional<BodyFlow> flow_of(const std::vector<Row> &rows) {
    Rows code(rows);
    return BodyFlow::read({{0, rows.size()}}, 0, code);
}

TEST(BodyFlow, TellsHowCallsGoTogether) {
    const struct {
        const char *name;
        std::vector<Row> rows;
        uint64_t address;
        std::vector<uint64_t> others;
        CallOrder order;
    } rows[] = {
        {"one after the other", {{'n'}, {'n'}, {'n'}, {'r'}}, 2, {1}, CallOrder::kAfter},
        {"one before the other", {{'n'}, {'n'}, {'n'}, {'r'}}, 1, {2}, CallOrder::kOwn},
        {"the same place", {{'n'}, {'n'}, {'r'}}, 1, {1}, CallOrder::kAfter},
        {"no others", {{'n'}, {'n'}, {'r'}}, 1, {}, CallOrder::kOwn},
        {"on two ways", {{'c', 3}, {'n'}, {'r'}, {'n'}, {'r'}}, 3, {1}, CallOrder::kOwn},
        // 0 jumps to 3; else 1 runs, which falls to 2 or jumps to 3.
        {"on both ways to it, or on one",
         {{'c', 3}, {'c', 3}, {'r'}, {'n'}, {'r'}},
         3,
         {1},
         CallOrder::kEither},
        {"on both ways to it",
         {{'c', 3}, {'n'}, {'j', 4}, {'n'}, {'n'}, {'r'}},
         4,
         {1, 3},
         CallOrder::kAfter},
        // The loop is 1 to 6. In each iteration 2 or 5 runs.
        {"on two ways in a loop",
         {{'n'}, {'c', 5}, {'n'}, {'n'}, {'j', 6}, {'n'}, {'c', 1}, {'r'}},
         5,
         {2},
         CallOrder::kOwn},
        // 1 is the condition before the loop, and 3 is its copy in the loop.
        {"peeled from a loop",
         {{'n'}, {'c', 5}, {'n'}, {'n'}, {'c', 2}, {'r'}},
         3,
         {1},
         CallOrder::kAfter},
        {"by a fixup", {{'f', 3}, {'n'}, {'r'}, {'n'}, {'r'}}, 3, {1}, CallOrder::kOwn},
        {"by what replaces an instruction",
         {{'n'}, {'a', 4}, {'n'}, {'r'}, {'n'}, {'r'}},
         4,
         {2},
         CallOrder::kOwn},
        // 3 and 4 fill the gap up to 5, where 1 jumps.
        {"padding",
         {{'n'}, {'c', 5}, {'r'}, {'i'}, {'i'}, {'n'}, {'r'}},
         5,
         {1},
         CallOrder::kAfter},
        // Nothing leads to 3, which falls to 4.
        {"code that nothing leads to",
         {{'n'}, {'c', 4}, {'r'}, {'n'}, {'n'}, {'r'}},
         4,
         {1},
         CallOrder::kEither},
        {"a jump out of the body",
         {{'n'}, {'c', 3}, {'x'}, {'n'}, {'r'}},
         3,
         {1},
         CallOrder::kAfter},
        {"a jump to code that nothing else leads to",
         {{'n'}, {'c', 3}, {'x'}, {'n'}, {'r'}, {'n'}, {'r'}},
         3,
         {1},
         CallOrder::kUnknown},
        {"no instruction", {{'n'}, {'n'}, {'r'}}, 7, {1}, CallOrder::kUnknown},
    };
    for (const auto &row : rows) {
        const auto flow = flow_of(row.rows);
        ASSERT_TRUE(flow) << row.name;
        EXPECT_EQ(flow->order(row.address, row.others), row.order) << row.name;
    }
}

TEST(BodyFlow, TellsWhatOtherCallsLeadTo) {
    // 1 and 4 are the tests of two calls, which share the remainder at 3: 1 falls to 2, or jumps to
    // 3. 0 jumps to 4.
    const std::vector<Row> shared = {{'c', 4}, {'c', 3}, {'r'}, {'r'}, {'c', 3}, {'r'}};
    // Here 5 jumps to the remainder, too.
    const std::vector<Row> also = {{'c', 4}, {'c', 3}, {'r'}, {'r'}, {'c', 3}, {'j', 3}};
    const std::vector<uint64_t> own{1}, leading{4};
    const auto flow = flow_of(shared), other = flow_of(also);
    ASSERT_TRUE(flow && other);
    EXPECT_EQ(flow->order(3, own), CallOrder::kEither);
    EXPECT_EQ(flow->order(3, own, leading), CallOrder::kAfter);
    EXPECT_EQ(other->order(3, own, leading), CallOrder::kEither);
    EXPECT_EQ(flow->order(3, {}, leading), CallOrder::kEither);
}

TEST(BodyFlow, TellsWhatAnEntryTests) {
    const struct {
        const char *name;
        std::vector<Row> rows;
        std::optional<uint64_t> branch;
    } rows[] = {
        {"after an instruction", {{'n'}, {'n'}, {'c', 4}, {'r'}, {'r'}}, 2},
        {"at once", {{'n'}, {'c', 3}, {'r'}, {'r'}}, 1},
        {"nothing", {{'n'}, {'n'}, {'n'}, {'r'}}, std::nullopt},
        {"after a jump", {{'n'}, {'j', 2}, {'c', 4}, {'r'}, {'r'}}, std::nullopt},
        {"what others test", {{'c', 2}, {'n'}, {'c', 4}, {'r'}, {'r'}}, std::nullopt},
        {"no instruction", {{'r'}}, std::nullopt},
    };
    for (const auto &row : rows) {
        const auto flow = flow_of(row.rows);
        ASSERT_TRUE(flow) << row.name;
        EXPECT_EQ(flow->branch_after(1), row.branch) << row.name;
    }
}

TEST(BodyFlow, IsUnknownIfNotAllIsInstructions) {
    EXPECT_FALSE(flow_of({{'n'}, {'?'}, {'r'}}));
}

TEST(BodyFlow, TellsWhatComesBack) {
    const struct {
        const char *name;
        std::vector<Row> rows;
        uint64_t entry;
        std::vector<CodeRange> ranges;
        bool repeats;
    } rows[] = {
        {"by a jump", {{'n'}, {'n'}, {'c', 1}, {'r'}}, 1, {{1, 3}}, true},
        // 3 jumps to 1, which falls to the entry.
        {"by falling", {{'j', 2}, {'n'}, {'n'}, {'c', 1}, {'r'}}, 2, {{1, 4}}, true},
        {"its own code before it runs once", {{'n'}, {'n'}, {'n'}, {'r'}}, 2, {{1, 3}}, false},
        {"through code of the caller", {{'n'}, {'n'}, {'c', 1}, {'r'}}, 1, {{1, 2}}, false},
        {"by a fixup", {{'n'}, {'n'}, {'f', 1}, {'r'}}, 1, {{1, 3}}, true},
    };
    for (const auto &row : rows) {
        const auto flow = flow_of(row.rows);
        ASSERT_TRUE(flow) << row.name;
        EXPECT_EQ(flow->repeats(row.entry, row.ranges), row.repeats) << row.name;
    }
}

TEST(BodyFlow, TellsWhatRunsWithoutAnEntry) {
    // 0 jumps to 3. Only the other way runs 2.
    const std::vector<Row> rows = {{'c', 3}, {'n'}, {'n'}, {'n'}, {'r'}};
    const auto flow = flow_of(rows);
    ASSERT_TRUE(flow);
    const std::vector<CodeRange> second{{2, 3}}, third{{3, 4}};
    const uint64_t entry = 1;
    EXPECT_FALSE(flow->runs_without(second, {&entry, 1}));
    EXPECT_TRUE(flow->runs_without(third, {&entry, 1}));
}

TEST(BodyFlow, PaddingLeadsNowhere) {
    const auto flow = flow_of({{'c', 4}, {'r'}, {'i'}, {'i'}, {'n'}, {'r'}});
    ASSERT_TRUE(flow);
    EXPECT_EQ(flow->before(4), std::vector<uint64_t>{0});
}

}  // namespace
}  // namespace btf_extra::generator
