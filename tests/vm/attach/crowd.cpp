// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Attaches to many sites at once, and attaches and detaches while all processors run over the
// sites.
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/vm/attach/attach_tests.h"
#include "tests/vm/shapes/shapes.h"

using namespace guest;

namespace {

long long milliseconds() {
    using namespace std::chrono;
    return duration_cast<std::chrono::milliseconds>(steady_clock::now().time_since_epoch()).count();
}

// Returns how long the lock of all kprobes was held at most, in milliseconds, while done is false.
long long longest_hold(const std::atomic<bool> &done) {
    long long longest = 0;
    const int file = open("/sys/kernel/debug/kprobes/enabled", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        die("/sys/kernel/debug/kprobes/enabled");
    while (!done) {
        const long long began = milliseconds();
        if (write(file, "1", 1) != 1)  // takes the lock, and changes nothing
            die("/sys/kernel/debug/kprobes/enabled");
        longest = std::max(longest, milliseconds() - began);
    }
    close(file);
    return longest;
}

void each_is_hit(const Link &link, uint64_t attached, size_t probes) {
    Row row("2,048 sites in one attach, each is hit");
    row.equal(link.error, 0, "errno");
    row.equal(static_cast<int64_t>(attached), SHAPES_CROWD, "attached");
    row.equal(static_cast<int64_t>(probes), SHAPES_CROWD, "probes");
    const int shapes = open_device(SHAPES_DEVICE);
    for (int turn = 1; turn <= 3; turn++) {
        row.equal(ioctl(shapes, SHAPES_IOC_CROWD), 0, "ioctl");
        row.equal(static_cast<int64_t>(link.state().hits), turn * SHAPES_CROWD, "hits");
    }
    row.equal(static_cast<int64_t>(link.state().missed), 0, "missed");
    close(shapes);
}

// The kernel's optimizer holds the lock for long by itself, so it is off here.
void in_pieces(Link link) {
    Row row("detaching from 2,048 sites holds no lock for all of them");
    const char *optimization = "/proc/sys/debug/kprobes-optimization";
    std::ofstream(optimization) << 0 << std::flush;
    std::atomic<bool> done = false;
    long long longest = 0;
    std::thread other([&] { longest = longest_hold(done); });
    usleep(50000);
    const long long began = milliseconds();
    close(std::exchange(link.fd, -1));
    done = true;
    other.join();
    const long long took = milliseconds() - began;
    std::printf("# detached in %lld ms, the lock was held for %lld ms at most\n", took, longest);
    row.expect(longest <= took / 2, "the lock was held for most of the time");
    std::ofstream(optimization) << 1 << std::flush;
}

void many_sites() {
    const std::multiset<std::string> before = probe_list();
    btf_extra_attach request = attach_to("shapes", "shape_crowd");
    request.prog_fd = good_request().prog_fd;
    const long long began = milliseconds();
    Link link(request);
    std::printf("# attached in %lld ms\n", milliseconds() - began);
    each_is_hit(link, request.attached, probe_list().size() - before.size());
    in_pieces(std::move(link));
    Row row("no probe of 2,048 is left");
    expect_probes(row, before);
}

void under_load() {
    Row row("attach and detach while all processors come by");
    std::atomic<bool> done = false;
    std::atomic<uint64_t> calls = 0;
    std::vector<std::thread> threads;
    const std::multiset<std::string> before = probe_list();
    btf_extra_attach request = good_request();
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); i++)
        threads.emplace_back([&] {
            while (!done)
                calls += call_many();
        });
    uint64_t hits = 0;
    for (int turn = 0; turn < 3; turn++) {
        const Link link(request), second(request);
        row.equal(link.error, 0, "errno");
        row.equal(second.error, 0, "errno of the second");
        // Waits until there is a hit.
        for (int i = 0; i < 1000 && link.state().hits == 0; i++)
            usleep(1000);
        hits += link.state().hits;
        row.expect(link.state().hits > 0, "no hits");
    }
    done = true;
    for (std::thread &thread : threads)
        thread.join();
    std::printf("# %lu calls, %lu hits\n", calls.load(), hits);
    row.expect(hits <= calls, "more hits than calls");
    expect_probes(row, before);
}

int64_t number_in(const std::string &path) {
    int64_t number = 0;
    if (!(std::ifstream(path) >> number))
        die(path);
    return number;
}

// Attaches often in that cgroup. Returns how many KB it is charged for that.
int charged_in(const std::string &cgroup) {
    constexpr int kLinks = 32;
    std::ofstream(cgroup + "/cgroup.procs") << 0 << std::flush;
    btf_extra_attach request = good_request();
    const int64_t before = number_in(cgroup + "/memory.current");
    std::vector<Link> links;
    for (int i = 0; i < kLinks; i++)
        if (links.emplace_back(request).error != 0)
            die("attaching in a cgroup");
    return static_cast<int>((number_in(cgroup + "/memory.current") - before) / 1024);
}

void charged() {
    // lean has no cgroups.
    if (access("/proc/cgroups", F_OK) != 0)
        return;
    Row row("what a link takes is charged to the cgroup of who attaches");
    const std::string root = "/tmp/cgroup", cgroup = root + "/tracer";
    mkdir(root.c_str(), 0755);
    if (mount("none", root.c_str(), "cgroup2", 0, nullptr) != 0)
        die("mount cgroup2");
    std::ofstream(root + "/cgroup.subtree_control") << "+memory" << std::flush;
    mkdir(cgroup.c_str(), 0755);
    int told[2], charged_kb = 0;
    if (pipe(told) != 0)
        die("pipe");
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const int kb = charged_in(cgroup);
        _exit(write(told[1], &kb, sizeof(kb)) != sizeof(kb));
    }
    row.equal(read(told[0], &charged_kb, sizeof(charged_kb)), sizeof(charged_kb), "read");
    waitpid(child, nullptr, 0);
    close(told[0]);
    close(told[1]);
    // 32 links of 128 sites have a struct kprobe of at least 100 bytes each: 400 KB. The kernel
    // charges 64 pages at once, so 256 KB may be there without any of it.
    std::printf("# %d KB\n", charged_kb);
    row.expect(charged_kb >= 400, "too little was charged");
    rmdir(cgroup.c_str());
    umount(root.c_str());
}

}  // namespace

void crowd() {
    charged();
    under_load();
    many_sites();
}
