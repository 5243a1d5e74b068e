// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Lines that name a kernel, as kernels of Debian, Ubuntu and kernel.org, perf and crash print them.
#include "userspace/text/kernel_name.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "userspace/stacks/text_origin.h"

namespace btf_extra {
namespace {

constexpr char kBuildId[] = "0123456789abcdef0123456789abcdef01234567";

TEST(KernelName, Lines) {
    const struct {
        std::string line;
        std::string name;  // release, version, package, build-id
    } rows[] = {
        {"[    0.000000] Linux version 6.1.0-56-cloud-amd64 (debian-kernel@lists.debian.org) "
         "(gcc-12 "
         "(Debian 12.2.0-14+deb12u1) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP "
         "PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-11-01)",
         "6.1.0-56-cloud-amd64|#1|6.1.192-2|"},
        {"[   12.3] CPU: 0 PID: 1 Comm: x Not tainted 6.1.0-56-cloud-amd64 #1  Debian 6.1.192-2",
         "6.1.0-56-cloud-amd64|#1|6.1.192-2|"},
        {"CPU: 3 UID: 0 PID: 1 Comm: a b Kdump: loaded Tainted: G        W  OE      7.0.0-rc2+ "
         "#561 "
         "PREEMPT(full)",
         "7.0.0-rc2+|#561||"},
        {std::string("CPU: 0 PID: 1 Comm: x Tainted: G D 6.12.7 #2 ") + kBuildId,
         std::string("6.12.7|#2||") + kBuildId},
        {"      Not tainted 5.15.0-91-generic #101-Ubuntu", "5.15.0-91-generic|#101-Ubuntu||"},
        {"6.8.0-rc1 #7 Not tainted", "6.8.0-rc1|#7||"},
        {"# os release : 6.1.0-56-amd64", "6.1.0-56-amd64|||"},
        {"     RELEASE: 6.1.0-56-amd64", "6.1.0-56-amd64|||"},
        {std::string("swapper 0 [000] 0.0: PERF_RECORD_MMAP2 -1/0: [0xffffffff81000000(0xe00000) @ "
                     "0xffffffff81000000 <") +
             kBuildId + ">]: --xp [kernel.kallsyms]_text",
         std::string("|||") + kBuildId},
        // no names of a kernel
        {std::string("x 1 [000] 0.0: PERF_RECORD_MMAP2 1/1: [0x1(0x2) @ 0 <") + kBuildId +
             ">]: r-xp /usr/bin/true",
         ""},
        {"Tainted: [W]=WARN, [O]=OOT_MODULE", ""},
        {"Linux version unknown", ""},
        {"a kernel that is not tainted", ""},
        {"RELEASE: 1", ""},
        {"", ""},
    };
    for (const auto &row : rows) {
        const auto name = find_kernel_name(row.line);
        EXPECT_EQ(name ? fmt::format("{}|{}|{}|{}", name->release, name->version, name->package,
                                     name->build_id)
                       : "",
                  row.name)
            << row.line;
    }
}

TEST(KernelName, Difference) {
    const KernelName name{"6.1.0", "#1", "6.1.192-2", "ab"};
    const struct {
        KernelName other;
        const char *difference;
    } rows[] = {
        {{}, ""},
        {{"6.1.0", "#1", "6.1.192-2", ""}, ""},
        {{"6.1.1", "#1", "6.1.192-2", ""}, "release 6.1.0"},
        {{"6.1.0", "#1", "6.1.192-1", ""}, "Debian 6.1.192-2"},
        {{"6.1.0", "#2", "", ""}, "version #1"},
        {{"6.1.0", "#1", "6.1.192-2", "cd"}, "build-id ab"},
        // One build-id is one kernel.
        {{"6.1.1", "#2", "6.1.192-1", "ab"}, ""},
    };
    for (const auto &row : rows)
        EXPECT_EQ(name.difference(row.other), row.difference) << row.other.release;
}

// Few contradictions are left out one by one. Five make a text one of another kernel.
TEST(TextOrigin, ManyContradictions) {
    const struct {
        const char *name;
        bool is_weighed;
        std::vector<const char *> conflicts;
        bool is_other;
    } rows[] = {
        {"four", true, {"a", "b", "c", "d"}, false},
        {"five", true, {"a", "b", "", "c", "d", "", "e"}, true},
        {"one again and again", true, {"a", "a", "a", "a", "a", "a"}, false},
        {"offsets of what may be functions of a program", false, {"a", "b", "c", "d", "e"}, false},
    };
    for (const auto &row : rows) {
        TextOrigin origin{KernelName{}};
        bool is_other = false;
        uint64_t line = 2;
        for (const char *conflict : row.conflicts)
            is_other = origin.count(row.is_weighed, conflict, line++);
        EXPECT_EQ(is_other, row.is_other) << row.name;
        EXPECT_EQ(origin.reason(), "line 2: a") << row.name;
    }
}

}  // namespace
}  // namespace btf_extra
