// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests what ends a link or its probes: its last descriptor, its process, its module, and lockdown.
#include <chrono>
#include <csignal>
#include <fstream>

#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/vm/attach/attach_tests.h"

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
    row.expect(probe_list() == before, "probes are left");
    close(ready[0]);
    close(ready[1]);
}

// Attaches to all sites of shape_crowd() in another process. Returns how long that lives, in
// milliseconds, if it is killed after so many of them, or by itself.
long long attach_crowd(btf_extra_attach request, long long kill_after) {
    using namespace std::chrono;
    std::fflush(stdout);
    const auto began = steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
        const Link link(request);
        _exit(link.error);
    }
    if (kill_after > 0) {
        usleep(static_cast<useconds_t>(kill_after * 1000));
        kill(child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (kill_after > 0 ? !WIFSIGNALED(status) : status != 0)
        die("attaching to shape_crowd()");
    return duration_cast<milliseconds>(steady_clock::now() - began).count();
}

void killed_while_attaching() {
    Row row("a tracer that is killed while it attaches goes at once, and leaves no probe");
    const std::multiset<std::string> before = probe_list();
    btf_extra_attach request = attach_to("shapes", "shape_crowd");
    request.prog_fd = good_request().prog_fd;
    const long long whole = attach_crowd(request, 0);
    for (const long long part : {whole / 8, whole / 4}) {
        const long long lived = attach_crowd(request, part);
        std::printf("# of %lld ms killed after %lld ms, gone after %lld ms\n", whole, part, lived);
        row.expect(lived < part + whole / 4, "it lived on");
        row.expect(probe_list() == before, "probes are left");
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
    row.expect(probe_list() == before, "probes are left");
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
    Row row("a module goes right behind its tracer, and comes again");
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
    row.expect(probe_list() == before, "there are other probes than before");
}
