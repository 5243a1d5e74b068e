// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The command: a tool that knows nothing of it sees inlined calls while it runs.
#include <csignal>
#include <cstdlib>
#include <iterator>

#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vm/follow/following.h"

using namespace guest;

namespace {

void comes_and_goes() {
    Row row("follow: a link that comes is followed, and dropped when it goes");
    const std::multiset<std::string> before = probe_list();
    Following following("", kReady);
    Tool tool({"fallocate_all"});
    row.expect(tool.attach("fallocate_all") >= 0, "not attached");
    row.expect(following.prints(own("fentry") + ": "), "not reported");
    row.equal(static_cast<int64_t>(calls_seen(tool)), kCalls, "calls");
    tool.detach();
    row.expect(following.prints(ended(own("fentry"), kCalls)), "its end");
    row.equal(following.end(SIGINT), 0, "exit code");
    expect_probes(row, before);
}

void second_is_refused(Row &row) {
    Following second("", "");
    row.equal(second.wait(), 1, "exit code of the second");
    row.expect(second.output() == "btf-extra: another btf-extra follow is running\n",
               "the second: " + second.output());
}

void second_follows_nothing(Row &row) {
    Following second("", kReady);
    row.expect(second.prints(own("fentry") + ": not followed: another process follows it\n"),
               "the second");
    row.equal(second.end(SIGTERM), 0, "exit code of the second");
}

void was_there() {
    Row row("follow: a link that was there before is followed, and another follower is refused");
    const std::multiset<std::string> before = probe_list();
    Tool tool({"fallocate_all", "at_exit"});
    row.expect(tool.attach("fallocate_all") >= 0 && tool.attach("at_exit") >= 0, "not attached");
    {
        Following following("ksys_fallocate", kReady);
        row.expect(following.prints(own("fexit") + ": not followed: an inlined call has no end"),
                   "fexit");
        row.equal(static_cast<int64_t>(calls_seen(tool)), kCalls, "calls");
        if (has_locks())
            second_is_refused(row);
        else
            second_follows_nothing(row);
        row.equal(static_cast<int64_t>(calls_seen(tool)), kCalls, "calls after that");
        row.equal(following.end(SIGKILL), 128 + SIGKILL, "exit code");
    }
    row.equal(static_cast<int64_t>(calls_seen(tool)), 0, "calls without it");
    expect_probes(row, before);
}

void others_are_left() {
    Row row("follow FUNC: other functions are left alone");
    Following following("path_put", kReady);
    Tool tool({"fallocate_all"});
    row.expect(tool.attach("fallocate_all") >= 0, "not attached");
    sleep(1);
    row.equal(static_cast<int64_t>(calls_seen(tool)), 0, "calls");
    tool.detach();
    row.equal(following.end(SIGTERM), 0, "exit code");
    row.expect(following.output().find("ksys_fallocate") == std::string::npos, "it is reported");
}

void with_command() {
    Row row("follow -- COMMAND: it sees the first call, and its exit code is returned");
    const std::multiset<std::string> before = probe_list();
    Following following("--json -- follow_guest tool", "");
    row.equal(following.wait(), 7, "exit code");
    const std::string output = following.output();
    row.expect(output.find(has_seccomp() ? ": 100 of 100 calls\n" : "without seccomp") !=
                   std::string::npos,
               "calls: " + output);
    row.expect(!has_seccomp() ||
                   output.find("{\"event\":\"ended\",\"object\":\"vmlinux\",\"function\":"
                               "\"ksys_fallocate\",\"program\":\"fentry\"") != std::string::npos,
               "no event: " + output);
    expect_probes(row, before);
}

struct Ids {
    uint32_t link, program;
};

Ids ids_of(int link_fd) {
    bpf_link_info info = {};
    uint32_t size = sizeof(info);
    if (bpf_obj_get_info_by_fd(link_fd, &info, &size) != 0)
        die("bpf_link_info");
    return {info.id, info.prog_id};
}

std::string event(const char *kind, const char *program, const Ids &ids, const std::string &rest) {
    return std::string("{\"event\":\"") + kind +
           "\",\"object\":\"vmlinux\",\"function\":\"ksys_fallocate\",\"program\":\"" + program +
           "\",\"link_id\":" + std::to_string(ids.link) +
           ",\"prog_id\":" + std::to_string(ids.program) + ",\"pid\":" + std::to_string(getpid()) +
           ",\"command\":\"follow_guest\"," + rest + "}\n";
}

void as_json() {
    Row row("follow --json: an object for each event, and no other line");
    Tool tool({"fallocate_all", "at_exit"});
    const Ids enter = ids_of(tool.attach("fallocate_all")), leave = ids_of(tool.attach("at_exit"));
    const std::string sites = std::to_string(nr_inlined("ksys_fallocate"));
    const std::string followed = event("followed", "fentry", enter,
                                       "\"attached\":" + sites + ",\"sites\":" + sites +
                                           ",\"reason\":null,\"calls\":null,\"missed\":null");
    const std::string not_followed =
        event("not followed", "fexit", leave,
              "\"attached\":null,\"sites\":null,\"reason\":\"an inlined call has no end where a "
              "program can run\",\"calls\":null,\"missed\":null");
    const std::string has_ended =
        event("ended", "fentry", enter,
              "\"attached\":null,\"sites\":null,\"reason\":null,\"calls\":100,\"missed\":0");
    Following following("--json", kReady);
    const std::string ready = following.output();
    row.expect(following.prints(followed + not_followed), "two events");
    calls_seen(tool);
    tool.detach();
    row.expect(following.prints(has_ended), "the third");
    row.equal(following.end(SIGTERM), 0, "exit code");
    row.expect(following.output() == ready + followed + not_followed + has_ended,
               "other lines:\n" + following.output());
}

// A process that was killed and not waited for has no command line.
bool runs(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
    return file.get() != std::ifstream::traits_type::eof();
}

// A tool that has made its calls, and does not end on its own.
struct LastingTool {
    LastingTool() : following("-- follow_guest lasting-tool", "calls\n") {
        const std::string output = following.output();
        const size_t at = output.find("tool ");
        process = at == std::string::npos ? -1 : std::atoi(output.c_str() + at + 5);
    }
    std::string name() const {
        return "ksys_fallocate: fentry of follow_guest[" + std::to_string(process) + "]";
    }

    Following following;
    pid_t process;
};

void killed() {
    Row row("follow -- COMMAND: when follow is killed, so is the command, and nothing is left");
    const std::multiset<std::string> before = probe_list();
    LastingTool tool;
    row.expect(tool.following.prints(tool.name()), "not followed");
    row.expect(tool.process > 1 && runs(tool.process), "not running");
    row.expect(probe_list() != before, "no probe");
    row.equal(tool.following.end(SIGKILL), 128 + SIGKILL, "exit code");
    for (int i = 0; i < 1000 && runs(tool.process); i++)
        usleep(10000);
    row.expect(!runs(tool.process), "it runs");
    expect_probes(row, before);
}

void command_killed() {
    Row row(
        "follow -- COMMAND: a command that is killed ends it, and its program has its last line");
    const std::multiset<std::string> before = probe_list();
    LastingTool tool;
    row.expect(tool.following.prints(tool.name()), "not followed");
    row.expect(tool.process > 1 && kill(tool.process, SIGKILL) == 0, "not running");
    row.equal(tool.following.wait(), 128 + SIGKILL, "exit code");
    row.expect(tool.following.output().ends_with(has_seccomp() ? ended(tool.name(), kCalls)
                                                               : ", 0 missed\n"),
               "its last line: " + tool.following.output());
    expect_probes(row, before);
}

}  // namespace

void command() {
    comes_and_goes();
    was_there();
    others_are_left();
    with_command();
    as_json();
    killed();
    command_killed();
    partly_followed();
    pinned();
    later_module();
}

void as_tool(bool lasts) {
    Tool tool({"fallocate_all"});
    if (tool.attach("fallocate_all") < 0)
        _exit(1);
    std::printf("tool %d: %lu of %u calls\n", getpid(), calls_seen(tool), kCalls);
    std::fflush(stdout);
    if (lasts)
        pause();
    _exit(7);
}
