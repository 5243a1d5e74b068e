// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Texts about sites that an attach leaves out, and which of them make it fail.
#include <cerrno>

#include <gtest/gtest.h>

#include "tests/support/running_sample.h"
#include "userspace/lib/attach/left_out_text.h"

namespace btf_extra {
namespace {

// skb_headlen() of the sample.
class LeftOutText : public test::RunningSample {
  protected:
    void SetUp() override {
        RunningSample::SetUp();
        auto found = tables_->find({"", "skb_headlen", "", {}});
        ASSERT_TRUE(found);
        func_.emplace(std::move(found->at(0)));
    }

    btf_extra_left_out left_out(uint64_t offset, uint32_t flags, uint32_t reason, int error = 0,
                                uint64_t parameters = 0) const {
        btf_extra_left_out out = {};
        out.site.address = offset != 0 ? test::kRunningText + offset : 0;
        out.site.flags = flags;
        out.reason = reason;
        out.error = error;
        out.parameters = parameters;
        return out;
    }

    std::optional<DescribedFunc> func_;
};

TEST_F(LeftOutText, Rows) {
    const auto freed = left_out(0x4, BTF_EXTRA_SITE_FREED, BTF_EXTRA_REASON_NO_TEXT);
    const auto gone = left_out(0, BTF_EXTRA_SITE_FREED, BTF_EXTRA_REASON_NO_TEXT);
    const auto unknown = left_out(0, 0, BTF_EXTRA_REASON_NO_TEXT);
    const auto closed = left_out(0x10, BTF_EXTRA_SITE_CLOSED, BTF_EXTRA_REASON_NOTRACE);
    const auto black = left_out(0x34, BTF_EXTRA_SITE_CLOSED, BTF_EXTRA_REASON_KPROBE, -EINVAL);
    const auto loop = left_out(0x10, 0, BTF_EXTRA_REASON_LOOP_HEAD);
    const auto closed_loop = left_out(0x14, BTF_EXTRA_SITE_CLOSED, BTF_EXTRA_REASON_LOOP_HEAD);
    const auto no_entry = left_out(0x24, 0, BTF_EXTRA_REASON_NO_ENTRY);
    const auto lacks = left_out(0x10, 0, BTF_EXTRA_REASON_PARAMETER, 0, 1);
    const auto notrace = left_out(0x34, 0, BTF_EXTRA_REASON_NOTRACE);
    const auto refused = left_out(0x20, 0, BTF_EXTRA_REASON_KPROBE, -EOPNOTSUPP);
    const uint32_t best = BTF_EXTRA_BEST_EFFORT, all = BTF_EXTRA_ALL;
    struct Row {
        const char *name;
        std::vector<btf_extra_left_out> left_out;
        uint32_t flags;
        size_t wanted, with_text;
        bool lacking;
        const char *counts;
        const char *error;  // if nothing is attached
    } rows[] = {
        {"freed", {freed, gone}, 0, 9, 7, false, "", "no site can be traced: 2 in freed text"},
        {"freed, all wanted",
         {freed},
         all,
         9,
         8,
         false,
         "",
         "no site can be traced: 1 in freed text"},
        {"closed",
         {closed},
         0,
         86,
         86,
         false,
         "1 in closed code (host)",
         "no site can be traced: 1 in closed code (host)"},
        {"closed, all wanted",
         {closed},
         all,
         86,
         86,
         true,
         "1 in closed code (host)",
         "1 of 86 sites cannot be traced: host+0x10 is in a notrace function"},
        {"closed and freed, all wanted",
         {freed, black},
         all,
         9,
         8,
         true,
         "1 in closed code (report)",
         "1 of 8 sites cannot be traced: report+0x4 takes no kprobe: Invalid argument"},
        {"closed in two ways",
         {closed, black},
         0,
         9,
         9,
         false,
         "2 in closed code (host, report)",
         "no site can be traced: 2 in closed code (host, report)"},
        {"three functions",
         {closed, black, left_out(0x20, closed.site.flags, closed.reason)},
         0,
         9,
         9,
         false,
         "3 in closed code (host, report, ...)",
         "no site can be traced: 3 in closed code (host, report, ...)"},
        {"a loop head",
         {closed, loop},
         0,
         9,
         9,
         true,
         "1 at a loop head; 1 in closed code (host)",
         "1 of 9 sites cannot be traced: host+0x10 is the head of a loop"},
        {"a loop head in closed code",
         {closed_loop},
         0,
         9,
         9,
         false,
         "1 at a loop head",
         "no site can be traced: 1 at a loop head"},
        {"two loop heads, best effort",
         {loop, closed_loop},
         best,
         9,
         9,
         false,
         "2 at loop heads",
         "no site can be traced: 2 at loop heads"},
        {"no entry",
         {no_entry},
         0,
         9,
         9,
         true,
         "1 without a known entry",
         "1 of 9 sites cannot be traced: skb_headlen+0x4 has no known entry"},
        {"a parameter",
         {lacks},
         0,
         9,
         9,
         true,
         "1 without a location of skb",
         "1 of 9 sites cannot be traced: host+0x10 has no location of skb"},
        {"ftrace",
         {notrace},
         0,
         9,
         9,
         true,
         "1 in a notrace function (report)",
         "1 of 9 sites cannot be traced: report+0x4 is in a notrace function"},
        {"a kprobe",
         {refused},
         0,
         9,
         9,
         true,
         "1 that takes no kprobe (skb_headlen)",
         "1 of 9 sites cannot be traced: skb_headlen+0x0 takes no kprobe: Operation not supported"},
        {"no address",
         {unknown},
         0,
         9,
         9,
         true,
         "1 without a known address",
         "1 of 9 sites cannot be traced: one has no known address"},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.name);
        AttachOutcome outcome;
        outcome.wanted = row.wanted;
        outcome.left_out = row.left_out;
        EXPECT_EQ(first_required(outcome.left_out, row.flags) != nullptr, row.lacking);
        EXPECT_EQ(sites_with_text(outcome), row.with_text);
        EXPECT_EQ(left_out_counts(*tables_, *func_, outcome.left_out), row.counts);
        const Error error = left_out_error(*tables_, *func_, outcome, row.flags);
        EXPECT_EQ(error.message, std::string("skb_headlen: ") + row.error);
        EXPECT_EQ(error.code, EOPNOTSUPP);
    }
    const Error none = left_out_error(*tables_, *func_, AttachOutcome(), 0);
    EXPECT_EQ(none.message, "skb_headlen: no such site");
    EXPECT_EQ(none.code, ENOENT);
}

}  // namespace
}  // namespace btf_extra
