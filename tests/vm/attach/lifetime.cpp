// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests what ends a link or its probes: its last descriptor, its process, its module, and lockdown.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/vm/attach/attach_tests.h"
#include "tests/vm/shapes/shapes.h"

using namespace guest;

namespace {

void killed() {
    Row row("a tracer that is killed leaves no probe");
    const std::multiset<std::string> before = probe_list();
    int ready[2];
    if (pipe(ready) != 0)
        die("pipe");
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        btf_extra_attach request = good_request();
        const Link link(request);
        const char told = link.error == 0 ? 'y' : 'n';
        if (write(ready[1], &told, 1) == 1)
            pause();
        _exit(1);
    }
    char told = 0;
    row.expect(read(ready[0], &told, 1) == 1 && told == 'y', "it was not attached");
    row.equal(static_cast<int64_t>(probe_list().size() - before.size()), kMany, "probes");
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    expect_probes(row, before);
    close(ready[0]);
    close(ready[1]);
}

struct ProbeCount {
    size_t placed = 0;
    size_t armed = 0;
};

ProbeCount count_probes() {
    ProbeCount count;
    std::ifstream list("/sys/kernel/debug/kprobes/list");
    for (std::string line; std::getline(list, line);) {
        count.placed++;
        count.armed += line.find("[DISABLED]") == std::string::npos;
    }
    return count;
}

// Attaches to all sites of shape_crowd() in another process, and kills that when the first probes
// exist. Returns whether it was killed before all existed.
bool kill_attaching(btf_extra_attach request, size_t ProbeCount::*stage) {
    using namespace std::chrono;
    const size_t before = count_probes().*stage;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const Link link(request);
        _exit(link.error);
    }
    int status = 0;
    size_t begun = 0, most = 0;
    // The kernel looks up a symbol for each line of its list, while the other process waits for a
    // processor of the emulator.
    for (auto pause = milliseconds(0); begun == 0 && waitpid(child, &status, WNOHANG) == 0;) {
        std::this_thread::sleep_for(pause);
        const auto asked = steady_clock::now();
        begun = count_probes().*stage - before;
        pause = duration_cast<milliseconds>(steady_clock::now() - asked) * 3;
    }
    if (begun == 0)
        return false;
    const auto killed = steady_clock::now();
    kill(child, SIGKILL);
    while (waitpid(child, &status, WNOHANG) == 0)
        most = std::max(most, count_probes().*stage - before);
    const auto took = duration_cast<milliseconds>(steady_clock::now() - killed).count();
    std::printf("# killed at %zu probes, gone %lld ms later\n", begun,
                static_cast<long long>(took));
    return WIFSIGNALED(status) && most < SHAPES_CROWD;
}

void killed_while_attaching() {
    constexpr struct {
        const char *name;
        size_t ProbeCount::*stage;
    } stages[] = {{"places its probes", &ProbeCount::placed}, {"arms them", &ProbeCount::armed}};
    for (const auto &[name, stage] : stages) {
        Row row(std::string("a tracer that is killed while it ") + name +
                " does not go on, and leaves no probe");
        const std::multiset<std::string> before = probe_list();
        btf_extra_attach request = attach_to("shapes", "shape_crowd");
        request.prog_fd = good_request().prog_fd;
        // The signal may come too late.
        bool stopped = false;
        for (int i = 0; i < 5 && !stopped; i++) {
            stopped = kill_attaching(request, stage);
            expect_probes(row, before);
        }
        row.expect(stopped, "it went on");
    }
}

void copies() {
    Row row("a link lives as long as its last descriptor");
    const std::multiset<std::string> before = probe_list();
    btf_extra_attach request = good_request();
    int copy;
    {
        const Link link(request);
        copy = dup(link.fd);
    }
    row.equal(static_cast<int64_t>(probe_list().size() - before.size()), kMany, "probes");
    close(copy);
    expect_probes(row, before);
}

void shell(Row &row, const char *command) {
    row.equal(std::system(command), 0, command);
}

void module_goes() {
    Row row("a module goes while its sites are traced: the link stays, its probes do not");
    btf_extra_attach request = good_request();
    const Link link(request);
    const uint64_t calls = call_many();
    row.equal(static_cast<int64_t>(link.state().hits), static_cast<int64_t>(calls), "hits");
    shell(row, "rmmod shapes");
    row.equal(static_cast<int64_t>(link.state().total), kMany, "probes that there were");
    for (const btf_extra_probe &probe : link.probes())
        row.expect(probe.site.address == 0 && probe.site.flags & BTF_EXTRA_SITE_FREED,
                   "a probe of it is still there");
    // The kernel may load it at the same address.
    shell(row, "insmod /shapes.ko");
    row.expect(call_many() > 0, "no calls");
    row.equal(static_cast<int64_t>(link.state().hits), static_cast<int64_t>(calls),
              "hits after it came again");
    {
        btf_extra_attach again = good_request();
        row.expect(again.object != request.object, "the same object");
        const Link second(again);
        row.equal(second.error, 0, "errno of a second link");
        const uint32_t more = call_many();
        row.equal(static_cast<int64_t>(second.state().hits), more, "hits of a second link");
        row.equal(static_cast<int64_t>(link.state().hits), static_cast<int64_t>(calls),
                  "hits beside a second link");
    }
    const int error = ioctl(device(), BTF_EXTRA_IOC_ATTACH, &request) < 0 ? errno : 0;
    row.equal(error, ENOENT, "attaching to the one that is gone");
}

bool any_optimized() {
    std::ifstream list("/sys/kernel/debug/kprobes/list");
    for (std::string line; std::getline(list, line);)
        if (line.find("shape") != std::string::npos &&
            line.find("[OPTIMIZED]") != std::string::npos)
            return true;
    return false;
}

// The kernel would keep a probe that its optimizer still has when the module goes, and refuse the
// next one at that address, with a warning. Some architectures have no optimizer.
void module_goes_behind() {
    Row row("a module goes right after its tracer, and comes again");
    const bool optimizes = access("/proc/sys/debug/kprobes-optimization", F_OK) == 0;
    for (int turn = 0; turn < 4; turn++) {
        btf_extra_attach request = good_request();
        std::vector<btf_extra_left_out> left_out;
        {
            const Link link(request, &left_out);
            row.equal(link.error, 0, "errno");
            row.equal(static_cast<int64_t>(left_out.size()), 0, "left out");
            for (int i = 0; i < 300 && optimizes && !any_optimized(); i++)
                usleep(10000);
            row.expect(!optimizes || any_optimized(), "no probe was optimized");
        }
        row.equal(syscall(SYS_delete_module, "shapes", 0), 0, "delete_module");
        shell(row, "insmod /shapes.ko");
    }
}

// The link holds btf_extra.ko, but not the module of the sites.
void held() {
    Row row("what a link holds");
    btf_extra_attach request = good_request();
    const Link link(request);
    row.expect(std::system("rmmod btf_extra 2>/dev/null") != 0, "btf_extra.ko went");
    row.equal(static_cast<int64_t>(link.state().total), kMany, "probes");
}

}  // namespace

void lifetime() {
    killed();
    killed_while_attaching();
    copies();
    held();
    module_goes();
    module_goes_behind();
}

// This comes last because lockdown cannot be undone.
void lockdown() {
    mount("securityfs", "/sys/kernel/security", "securityfs", 0, nullptr);
    std::ofstream file("/sys/kernel/security/lockdown");
    if (!file) {
        std::printf("# no lockdown in this kernel\n");
        return;
    }
    Row row("refused: under lockdown");
    const std::multiset<std::string> before = probe_list();
    file << "confidentiality" << std::flush;
    row.expect(file.good(), "lockdown could not be set");
    btf_extra_attach request = good_request();
    const Link link(request);
    row.equal(link.error, EPERM, "errno");
    expect_probes(row, before);
}
