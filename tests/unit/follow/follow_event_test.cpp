// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The lines of `btf-extra follow`.
#include "userspace/follow/follow_event.h"

#include <gtest/gtest.h>

namespace btf_extra {
namespace {

using Event = FollowEvent::Kind;
using Program = AttachedLink::Kind;

struct Row {
    const char *name;
    FollowEvent event;
    const char *text, *json;
};

FollowEvent event(Event kind, Program program, std::optional<LinkOwner> owner, size_t attached,
                  size_t sites, const char *reason, std::optional<btf_extra_counts> counts = {}) {
    return {kind,     "vmlinux", "foo",  program, 12, 34, std::move(owner),
            attached, sites,     reason, counts};
}

const LinkOwner kTool = {812, "bpftrace"};

const Row kRows[] = {
    {"all inlined calls", event(Event::kFollowed, Program::kFentry, kTool, 2, 2, ""),
     "foo: fentry of bpftrace[812]: 2 of 2 inlined calls as well",
     R"({"event":"followed","object":"vmlinux","function":"foo","program":"fentry","link_id":12,)"
     R"("prog_id":34,"pid":812,"command":"bpftrace","attached":2,"sites":2,"reason":null,)"
     R"("calls":null,"missed":null})"},
    {"some", event(Event::kFollowed, Program::kFentry, kTool, 1, 3, "2 at loop heads"),
     "foo: fentry of bpftrace[812]: 1 of 3 inlined calls as well; 2 at loop heads",
     R"({"event":"followed","object":"vmlinux","function":"foo","program":"fentry","link_id":12,)"
     R"("prog_id":34,"pid":812,"command":"bpftrace","attached":1,"sites":3,)"
     R"("reason":"2 at loop heads","calls":null,"missed":null})"},
    {"a pinned link", event(Event::kFollowed, Program::kFentry, {}, 2, 2, ""),
     "foo: fentry of BPF link 12: 2 of 2 inlined calls as well",
     R"({"event":"followed","object":"vmlinux","function":"foo","program":"fentry","link_id":12,)"
     R"("prog_id":34,"pid":null,"command":null,"attached":2,"sites":2,"reason":null,)"
     R"("calls":null,"missed":null})"},
    {"another kind", event(Event::kNotFollowed, Program::kModifyReturn, kTool, 0, 0, "no end"),
     "foo: fmod_ret of bpftrace[812]: not followed: no end",
     R"({"event":"not followed","object":"vmlinux","function":"foo","program":"fmod_ret",)"
     R"("link_id":12,"prog_id":34,"pid":812,"command":"bpftrace","attached":null,"sites":null,)"
     R"("reason":"no end","calls":null,"missed":null})"},
    {"its end", event(Event::kEnded, Program::kFentry, kTool, 2, 2, "", btf_extra_counts{50, 1}),
     "foo: fentry of bpftrace[812] has ended: 50 inlined calls, 1 missed",
     R"({"event":"ended","object":"vmlinux","function":"foo","program":"fentry","link_id":12,)"
     R"("prog_id":34,"pid":812,"command":"bpftrace","attached":null,"sites":null,"reason":null,)"
     R"("calls":50,"missed":1})"},
    {"its end after one call",
     event(Event::kEnded, Program::kFentry, kTool, 2, 2, "", btf_extra_counts{1, 0}),
     "foo: fentry of bpftrace[812] has ended: 1 inlined call, 0 missed",
     R"({"event":"ended","object":"vmlinux","function":"foo","program":"fentry","link_id":12,)"
     R"("prog_id":34,"pid":812,"command":"bpftrace","attached":null,"sites":null,"reason":null,)"
     R"("calls":1,"missed":0})"},
    {"its end, without counts", event(Event::kEnded, Program::kFentry, kTool, 2, 2, ""),
     "foo: fentry of bpftrace[812] has ended: the number of inlined calls is not known",
     R"({"event":"ended","object":"vmlinux","function":"foo","program":"fentry","link_id":12,)"
     R"("prog_id":34,"pid":812,"command":"bpftrace","attached":null,"sites":null,"reason":null,)"
     R"("calls":null,"missed":null})"},
};

TEST(FollowEvent, LinkThatWasNotSeen) {
    FollowEvent ended =
        event(Event::kEnded, Program::kFentry, kTool, 2, 2, "", btf_extra_counts{1, 0});
    ended.link_id = 0;
    EXPECT_EQ(event_text(ended),
              "foo: fentry of bpftrace[812] has ended: 1 inlined call, 0 missed");
    EXPECT_NE(event_json(ended).find(R"("link_id":null)"), std::string::npos);
}

TEST(FollowEvent, Lines) {
    for (const Row &row : kRows) {
        EXPECT_EQ(event_text(row.event), row.text) << row.name;
        EXPECT_EQ(event_json(row.event), row.json) << row.name;
    }
}

}  // namespace
}  // namespace btf_extra
