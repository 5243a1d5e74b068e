// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs `btf-extra follow`, and knows the lines that it must print.
#ifndef BTF_EXTRA_FOLLOWING_H
#define BTF_EXTRA_FOLLOWING_H

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vm/follow/follow_tests.h"

// Runs `btf-extra follow` with these words. Its output is in a file.
class Following {
  public:
    // ready: what it prints when it is; "": it is not waited for.
    explicit Following(const std::string &words, const std::string &ready) {
        child_ = fork();
        if (child_ == 0) {
            const std::string line =
                "exec btf-extra follow " + words + " >" + path_ + " 2>&1 </dev/null";
            execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
            _exit(99);
        }
        if (!ready.empty())
            prints(ready);
    }
    Following(const Following &) = delete;
    Following &operator=(const Following &) = delete;
    ~Following() {
        end(SIGKILL);
        unlink(path_.c_str());
    }

    std::string output() const {
        std::ifstream file(path_);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    // Waits up to 20 s until it has printed that so often.
    bool prints(const std::string &text, int times = 1) const {
        for (int i = 0; i < 2000; i++) {
            const std::string all = output();
            int found = 0;
            for (size_t at = all.find(text); at != std::string::npos; at = all.find(text, at + 1))
                found++;
            if (found >= times)
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
    static inline int started_ = 0;
    const std::string path_ = "/tmp/follow-" + std::to_string(started_++) + ".out";
    pid_t child_;
};

inline constexpr char kReady[] = "are followed until";

// Returns how a line about a program of this process begins.
inline std::string own(const char *kind, const std::string &function = "ksys_fallocate") {
    return function + ": " + kind + " of follow_guest[" + std::to_string(getpid()) + "]";
}

inline std::string ended(const std::string &owner, uint64_t calls) {
    return owner + " has ended: " + std::to_string(calls) + " inlined calls, 0 missed\n";
}

// Calls ksys_fallocate() through its inlined site, and returns how many of these calls are seen.
constexpr uint32_t kCalls = 100;
inline uint64_t calls_seen(Tool &tool) {
    tool.clear();
    for (uint32_t i = 0; i < kCalls; i++)
        call_fallocate(i);
    return tool.state().by_fentry.calls;
}

// The lean kernel has neither.
inline bool has_locks() {
    return flock(guest::device(), LOCK_UN) == 0;
}
inline bool has_seccomp() {
    return access("/proc/sys/kernel/seccomp", F_OK) == 0;
}

#endif
