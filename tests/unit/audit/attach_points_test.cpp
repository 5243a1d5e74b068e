// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Attach points as tools write them.
#include "userspace/audit/attach_points.h"
#include "userspace/audit/attached_points.h"
#include "userspace/lib/attach/completed_links.h"

#include <gtest/gtest.h>

namespace btf_extra::audit {
namespace {

std::string text_of(const Result<std::optional<AttachPoint>> &point) {
    if (!point)
        return "error: " + point.error().message;
    return *point ? (*point)->text() : "none";
}

TEST(AttachPoints, Probes) {
    const struct {
        const char *probe, *text;
    } rows[] = {
        {"kprobe:foo", "kprobe:foo"},
        {"k:foo", "kprobe:foo"},
        {"kprobe:xfs:foo", "kprobe:xfs:foo"},
        {"kprobe:foo+0x10", "kprobe:foo+0x10"},
        {"kprobe:foo+16", "kprobe:foo+0x10"},
        {"kprobe:tcp_*", "kprobe:tcp_*"},
        {"kretprobe:foo", "kretprobe:foo"},
        {"kr:foo", "kretprobe:foo"},
        {"fentry:foo", "fentry:foo"},
        {"kfunc:vmlinux:foo", "fentry:vmlinux:foo"},
        {"f:foo", "fentry:foo"},
        {"fexit:xfs:foo", "fexit:xfs:foo"},
        {"kretfunc:foo", "fexit:foo"},
        {"kprobe.multi:foo*", "kprobe.multi:foo*"},
        {"fmod_ret:foo", "fmod_ret:foo"},
        {"tracepoint:sched:sched_switch", "none"},
        {"BEGIN", "none"},
        {"kprobe:", "error: 'kprobe:': the name of a function is missing"},
        {"kprobe:foo+x", "error: 'kprobe:foo+x': 'x' is no offset"},
    };
    for (const auto &row : rows)
        EXPECT_EQ(text_of(parse_bpftrace_probe(row.probe)), row.text) << row.probe;
}

TEST(AttachPoints, LinksThatAreCompleted) {
    EXPECT_EQ(parse_completed_links("12 7 2 50 0 ksys_fallocate\t[vmlinux] 4711\n"
                                    "13 0 9 1 0 path_put\t[vmlinux] 4712\n"
                                    "14 8 31 0 0 -\t[-] 4712\n"
                                    "no line\n"
                                    "15 9"),
              (CompletedLinks{{7, 2}, {8, 31}}));
    EXPECT_TRUE(parse_completed_links("").empty());
}

TEST(AttachPoints, Sections) {
    const struct {
        const char *section, *text;
    } rows[] = {
        {"kprobe/foo", "kprobe:foo"},
        {"?kprobe/foo", "kprobe:foo"},
        {"kretprobe/foo", "kretprobe:foo"},
        {"ksyscall/openat", "ksyscall:openat"},
        {"kprobe.multi/foo*", "kprobe.multi:foo*"},
        {"fentry.s/xfs:foo", "fentry:xfs:foo"},
        {"fexit/foo", "fexit:foo"},
        {"fmod_ret.s/foo", "fmod_ret:foo"},
        {"fsession.s/foo", "fsession:foo"},
        {"fentry.multi/foo*", "fentry.multi:foo*"},
        {"fexit.multi.s/foo", "fexit.multi:foo"},
        {"fsession.multi/xfs:foo", "fsession.multi:xfs:foo"},
        {"kprobe", "none"},
        {"tp_btf/sched_switch", "none"},
        {"uprobe//bin/sh:main", "none"},
    };
    for (const auto &row : rows)
        EXPECT_EQ(text_of(parse_section_name(row.section)), row.text) << row.section;
}

TEST(AttachPoints, Script) {
    const auto read = script_attach_points(R"(#!/usr/bin/env bpftrace
// kprobe:not_this { }
#include <linux/path.h>
config = { max_map_keys = 10 }
struct pair { int a; int b; };
BEGIN { printf("kprobe:nor_this {%d", 1); }
kprobe:vfs_read,
kprobe:vfs_write /arg2 > 10 && comm == "a{b"/
{
    @[tid] = arg0 /* arg1 */;
    if (@[tid]) { @a = $arg5; }
}
fentry:xfs:xfs_file_read_iter { @ = args.to->count; }
kfunc:do_nanosleep { @b = args->t; print(args); }
kretprobe:vfs_read { @ = retval; }
tracepoint:sched:sched_switch { }
)",
                                           "x.bt");
    ASSERT_TRUE(read) << read.error().message;
    std::vector<std::string> texts;
    for (const AttachPoint &point : read->points)
        texts.push_back(point.text());
    EXPECT_EQ(texts, (std::vector<std::string>{"kprobe:vfs_read", "kprobe:vfs_write",
                                               "fentry:xfs:xfs_file_read_iter",
                                               "fentry:do_nanosleep", "kretprobe:vfs_read"}));
    EXPECT_EQ(read->others, 2u);
    const ContextReads &first = read->points[0].reads;
    EXPECT_TRUE(first.known);
    EXPECT_EQ(first.arguments, (std::set<uint32_t>{0, 2}));
    EXPECT_EQ(read->points[2].reads.names, (std::set<std::string>{"to"}));
    EXPECT_FALSE(read->points[3].reads.known);  // args as a whole
    EXPECT_EQ(read->points[0].origin, "x.bt");
}

std::vector<std::string> texts_of(const AttachPoints &read) {
    std::vector<std::string> out;
    for (const AttachPoint &point : read.points)
        out.push_back(point.text() + " (" + point.origin + ")");
    return out;
}

// As Linux 6.1 prints them.
TEST(AttachPoints, Tracefs) {
    AttachPoints read;
    add_tracefs_kprobes("p:kprobes/p_vfs_read_0 vfs_read\n"
                        "r16:probe/ret__return vfs_read+0 ret=$retval\n"
                        "p:probe/line tcp_v4_rcv+51 skb=%di\n"
                        "p:mine/e xfs:xfs_file_read_iter+4\n"
                        "p:kloc/skb_headlen _stext+9224\n"
                        "e:eprobes/x syscalls/sys_enter_openat\n",
                        read);
    EXPECT_EQ(texts_of(read),
              (std::vector<std::string>{"kprobe:vfs_read (tracefs kprobes/p_vfs_read_0)",
                                        "kretprobe:vfs_read (tracefs probe/ret__return)",
                                        "kprobe:tcp_v4_rcv+0x33 (tracefs probe/line)",
                                        "kprobe:xfs:xfs_file_read_iter+0x4 (tracefs mine/e)"}));
    EXPECT_EQ(read.others, 1u);
    AttachPoints filter;
    add_ftrace_filter("#### all functions enabled ####\n", filter);
    EXPECT_TRUE(filter.points.empty());
    add_ftrace_filter("vfs_read\nxfs_file_read_iter [xfs]\n", filter);
    EXPECT_EQ(texts_of(filter),
              (std::vector<std::string>{"function:vfs_read (set_ftrace_filter)",
                                        "function:xfs:xfs_file_read_iter (set_ftrace_filter)"}));
}

TEST(AttachPoints, ScriptRefused) {
    const struct {
        const char *script, *message;
    } rows[] = {
        {"kprobe:foo", "x.bt:1: a probe without a block"},
        {"\n\nkprobe:foo { if (1) { }", "x.bt:3: a block without its end"},
        {"\nkprobe: { }", "x.bt:2: 'kprobe:': the name of a function is missing"},
    };
    for (const auto &row : rows) {
        const auto read = script_attach_points(row.script, "x.bt");
        ASSERT_FALSE(read) << row.script;
        EXPECT_EQ(read.error().message, row.message);
    }
}

}  // namespace
}  // namespace btf_extra::audit
