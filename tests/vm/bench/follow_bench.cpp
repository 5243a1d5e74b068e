// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with both modules. Measures `btf-extra follow`: its time for one program and for
// many, and how often it wakes if nothing comes. bench.h describes its output; here ns is the time
// of the follower on a processor.
//
//   follow_bench FUNC...       FUNC...: functions of vmlinux with a body and inlined calls
#include <csignal>
#include <iterator>

#include <sys/wait.h>

#include "tests/vm/bench/fentry_entry.h"

using namespace bench;

namespace {

constexpr size_t kPrograms = 200;
constexpr unsigned kIdleSeconds = 10;

uint64_t cpu_now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

class Follower {
  public:
    Follower() : process_(fork()) {
        if (process_ != 0)
            return;
        const int output = open(kOutput, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(output, STDOUT_FILENO);
        execlp("btf-extra", "btf-extra", "follow", nullptr);
        _exit(1);
    }
    Follower(const Follower &) = delete;
    ~Follower() {
        kill(process_, SIGTERM);
        waitpid(process_, nullptr, 0);
    }

    // Time on a processor.
    uint64_t ns() const {
        uint64_t out = 0;
        if (!(std::ifstream(of_proc("schedstat")) >> out))
            die("schedstat");
        return out;
    }
    uint64_t wakeups() const {
        std::ifstream file(of_proc("status"));
        for (std::string line; std::getline(file, line);)
            if (line.starts_with("voluntary_ctxt_switches:"))
                return std::stoull(line.substr(line.find(':') + 1));
        die("status");
    }
    // Waits until it has reported that number of programs, and returns how many it follows.
    static size_t wait_for(size_t programs) {
        for (int i = 0; i < 60000; i++) {
            size_t reported = 0, followed = 0;
            std::ifstream file(kOutput);
            for (std::string line; std::getline(file, line);) {
                reported += line.find(" has ended: ") == std::string::npos;
                followed += line.find(" as well") != std::string::npos;
            }
            if (reported >= programs)
                return followed;
            usleep(1000);
        }
        die("not reported");
    }

  private:
    static constexpr char kOutput[] = "/tmp/followed";

    std::string of_proc(const char *file) const {
        return "/proc/" + std::to_string(process_) + "/" + file;
    }

    pid_t process_;
};

// Attaches to some of the functions.
std::vector<Entry> attach(const std::vector<std::string> &functions, size_t count) {
    std::vector<Entry> entries;
    for (size_t i = 0; i < functions.size() && entries.size() < count; i++)
        if (Entry entry(functions[i]); entry.attached())
            entries.push_back(std::move(entry));
    if (entries.size() < count)
        die("too few functions");
    return entries;
}

void measure(const Follower &follower, const std::string &what, size_t count,
             const std::vector<std::string> &functions) {
    static size_t reported = 0;
    const uint64_t before = follower.ns();
    const std::vector<Entry> entries = attach(functions, count);
    reported += count;
    const size_t followed = Follower::wait_for(reported);
    settle();
    say(what, count, follower.ns() - before);
    std::printf("%s: %zu followed since the start\n", what.c_str(), followed);
}

// Measures how long the module takes to attach the same programs, which is the kernel's own time.
void without_follower(size_t count, const std::vector<std::string> &functions) {
    const std::vector<Entry> entries = attach(functions, count);
    size_t sites = 0;
    uint64_t ns = 0;
    std::vector<int> links;
    for (const Entry &entry : entries) {
        const btf_extra_site site = sites_of(entry.function().c_str()).front();
        const uint64_t before = cpu_now();
        const int link = try_follow(entry.link_fd(), site);
        ns += cpu_now() - before;
        if (link < 0)
            continue;
        sites += addresses_of(link).size();
        links.push_back(link);
    }
    for (const int link : links)
        close(link);
    say("follow_attach", sites, ns);
    settle();
}

}  // namespace

int main(int argc, char **argv) {
    const std::vector<std::string> functions(argv + 1, argv + argc);
    libbpf_set_print(nullptr);
    const rlimit files = {65536, 65536};
    setrlimit(RLIMIT_NOFILE, &files);
    without_follower(kPrograms, functions);
    const Follower follower;
    // The first one makes it warm.
    measure(follower, "follow_first", 1, {"ksys_fallocate"});
    measure(follower, "follow_one", 1, {"ksys_fallocate"});
    measure(follower, "follow_many", kPrograms, functions);
    settle();
    const uint64_t before = follower.wakeups();
    sleep(kIdleSeconds);
    say("follow_idle", follower.wakeups() - before, kIdleSeconds * uint64_t{1000000000});
}
