// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The command: a tool that knows nothing of it sees inlined calls while it runs.
#include <csignal>
#include <cstdlib>
#include <iterator>

#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vm/follow/follow_tests.h"

using namespace guest;

namespace {

constexpr uint32_t kCalls = 100;
constexpr char kOutput[] = "/tmp/follow.out";

// Runs `btf-extra follow` with these words. Its output is in a file.
class Following {
  public:
    explicit Following(const std::string &words, const std::string &ready) {
        unlink(kOutput);
        child_ = fork();
        if (child_ == 0) {
            const std::string line =
                "exec btf-extra follow " + words + " >" + kOutput + " 2>&1 </dev/null";
            execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
            _exit(99);
        }
        prints(ready);
    }
    Following(const Following &) = delete;
    Following &operator=(const Following &) = delete;
    ~Following() { end(SIGKILL); }

    static std::string output() {
        std::ifstream file(kOutput);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    // Waits up to 20 s.
    static bool prints(const std::string &text) {
        for (int i = 0; i < 2000; i++) {
            if (output().find(text) != std::string::npos)
                return true;
            usleep(10000);
        }
        std::printf("# no \"%s\" in:\n%s", text.c_str(), output().c_str());
        return false;
    }
    // Returns the exit code; 128 and the number of the signal that ended it.
    int end(int signal) {
        if (child_ > 0 && signal != 0)
            kill(child_, signal);
        return wait();
    }
    int wait() {
        int status = 0;
        if (child_ <= 0 || waitpid(child_, &status, 0) != child_)
            return -1;
        child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

  private:
    pid_t child_;
};

const char kReady[] = "until Ctrl-C";

std::string own(const char *kind) {
    return std::string("ksys_fallocate: ") + kind + " of follow_guest[" + std::to_string(getpid()) +
           "]";
}

uint64_t calls_seen(Tool &tool) {
    tool.clear();
    for (uint32_t i = 0; i < kCalls; i++)
        call_fallocate(i);
    return tool.state().by_fentry.calls;
}

void comes_and_goes() {
    Row row("follow: a link that comes is followed, and dropped when it goes");
    const std::multiset<std::string> before = probe_list();
    Following following("", kReady);
    Tool tool({"fallocate_all"});
    row.expect(tool.attach("fallocate_all") >= 0, "not attached");
    row.expect(Following::prints(own("fentry") + ": "), "not reported");
    row.equal(static_cast<int64_t>(calls_seen(tool)), kCalls, "calls");
    tool.detach();
    row.expect(Following::prints(own("fentry") + " has ended: " + std::to_string(kCalls) +
                                 " inlined calls, 0 missed\n"),
               "its end");
    row.equal(following.end(SIGINT), 0, "exit code");
    expect_probes(row, before);
}

// The lean kernel has neither.
bool has_locks() {
    return flock(device(), LOCK_UN) == 0;
}
bool has_seccomp() {
    return access("/proc/sys/kernel/seccomp", F_OK) == 0;
}

void was_there() {
    Row row("follow: a link that was there before is followed, and another follower is refused");
    const std::multiset<std::string> before = probe_list();
    Tool tool({"fallocate_all", "at_exit"});
    row.expect(tool.attach("fallocate_all") >= 0 && tool.attach("at_exit") >= 0, "not attached");
    {
        Following following("ksys_fallocate", kReady);
        row.expect(Following::prints(own("fexit") + ": not followed: an inlined call has no end"),
                   "fexit");
        row.equal(static_cast<int64_t>(calls_seen(tool)), kCalls, "calls");
        row.expect(!has_locks() ||
                       std::system("btf-extra follow 2>&1 | grep -q 'another btf-extra follow'") ==
                           0,
                   "two");
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
    row.expect(Following::output().find("ksys_fallocate") == std::string::npos, "it is reported");
}

void with_command() {
    Row row("follow -- COMMAND: it sees the first call, and its exit code is returned");
    const std::multiset<std::string> before = probe_list();
    Following following("--json -- follow_guest tool", "");
    row.equal(following.wait(), 7, "exit code");
    const std::string output = Following::output();
    row.expect(output.find(has_seccomp() ? "tool: 100 of 100 calls\n" : "without seccomp") !=
                   std::string::npos,
               "calls: " + output);
    row.expect(!has_seccomp() ||
                   output.find("{\"event\":\"ended\",\"object\":\"vmlinux\",\"function\":"
                               "\"ksys_fallocate\",\"program\":\"fentry\"") != std::string::npos,
               "no event: " + output);
    expect_probes(row, before);
}

// A process that was killed and not waited for has no command line.
bool runs(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/cmdline");
    return file.get() != std::ifstream::traits_type::eof();
}

void killed() {
    Row row("follow -- COMMAND: when follow is killed, so is the command");
    const std::multiset<std::string> before = probe_list();
    Following following("-- sh -c 'echo pid $$; exec sleep 1000'", "pid ");
    const std::string output = Following::output();
    const pid_t command =
        std::atoi(output.c_str() + std::min(output.find("pid ") + 4, output.size()));
    // Its command line may be missing for a moment, because it executes another program.
    row.expect(command > 1 && kill(command, 0) == 0, "not running: " + output);
    row.equal(following.end(SIGKILL), 128 + SIGKILL, "exit code");
    for (int i = 0; i < 100 && runs(command); i++)
        usleep(10000);
    row.expect(!runs(command), "it runs");
    expect_probes(row, before);
}

}  // namespace

void command() {
    comes_and_goes();
    was_there();
    others_are_left();
    with_command();
    killed();
}

void as_tool() {
    Tool tool({"fallocate_all"});
    if (tool.attach("fallocate_all") < 0)
        _exit(1);
    std::printf("tool: %lu of %u calls\n", calls_seen(tool), kCalls);
    std::fflush(stdout);
    _exit(7);
}
