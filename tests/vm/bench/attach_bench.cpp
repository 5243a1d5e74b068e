// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with both modules. Measures a hit, attaching and detaching, through the module
// and through perf kprobes at the same addresses with the same program. Each line that it prints is
// "attach_bench: WHAT count=N ns=N": the time of N runs.
//
//   attach_bench PROGRAMS.bpf.o
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "include/uapi/linux/btf_extra.h"

namespace {

constexpr int kCalls = 20000;

[[noreturn]] void die(const std::string &what) {
    fprintf(stderr, "attach_bench: %s: %s\n", what.c_str(), strerror(errno));
    exit(1);
}

uint64_t now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

uint64_t time_of(const std::function<void()> &work) {
    const uint64_t begin = now();
    work();
    return now() - begin;
}

void say(const std::string &what, size_t count, uint64_t ns) {
    printf("attach_bench: %s count=%zu ns=%llu\n", what.c_str(), count,
           static_cast<unsigned long long>(ns));
    fflush(stdout);
}

// ---- module and perf ----

int device = -1;

std::vector<btf_extra_site> sites_of(const char *name) {
    std::vector<btf_extra_site> sites(8192);
    btf_extra_lookup lookup = {};
    lookup.by = BTF_EXTRA_BY_NAME;
    lookup.name = reinterpret_cast<uintptr_t>(name);
    lookup.sites = reinterpret_cast<uintptr_t>(sites.data());
    lookup.capacity = sites.size();
    if (ioctl(device, BTF_EXTRA_IOC_LOOKUP, &lookup))
        die(name);
    sites.resize(lookup.count);
    return sites;
}

int attach_module(int program, const btf_extra_site &site) {
    btf_extra_attach attach = {};
    attach.prog_fd = program;
    attach.object = site.object;
    attach.func_id = site.func_id;
    attach.flags = BTF_EXTRA_BEST_EFFORT;
    const int link = ioctl(device, BTF_EXTRA_IOC_ATTACH, &attach);
    if (link < 0)
        die("attach through the module");
    return link;
}

std::vector<uint64_t> addresses_of(int link) {
    std::vector<btf_extra_probe> probes(8192);
    btf_extra_link info = {};
    info.probes = reinterpret_cast<uintptr_t>(probes.data());
    info.capacity = probes.size();
    if (ioctl(link, BTF_EXTRA_IOC_LINK, &info))
        die("what is attached");
    std::vector<uint64_t> addresses;
    for (uint32_t i = 0; i < info.count; i++)
        addresses.push_back(probes[i].site.address);
    return addresses;
}

int attach_perf(int program, uint64_t address) {
    static const uint32_t type = [] {
        uint32_t number = 0;
        std::ifstream("/sys/bus/event_source/devices/kprobe/type") >> number;
        return number;
    }();
    perf_event_attr attr = {};
    attr.size = sizeof(attr);
    attr.type = type;
    attr.kprobe_addr = address;
    const int event = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
    if (event < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, program) ||
        ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
        die("attach through perf");
    return event;
}

// ---- a hit ----

uint64_t calls() {
    std::ofstream run("/sys/module/hit_bench/parameters/calls");
    if (!(run << kCalls << std::flush))
        die("hit_bench");
    uint64_t ns = 0;
    std::ifstream("/sys/module/hit_bench/parameters/ns") >> ns;
    return ns;
}

// The kernel optimizes kprobes later and in steps.
void settle() {
    sleep(3);
}

void optimize(bool on) {
    std::ofstream file("/proc/sys/debug/kprobes-optimization");
    if (!(file << on << std::flush))
        die("kprobes-optimization");
    settle();
}

void hits(const char *program_name, int program, const char *how) {
    const std::string what = std::string(program_name) + "_" + how;
    const btf_extra_site site = sites_of("hit_bench_call").front();
    say("none_" + what, kCalls, calls());
    const int link = attach_module(program, site);
    settle();
    say("module_" + what, kCalls, calls());
    close(link);
    const int event = attach_perf(program, site.address);
    settle();
    say("perf_" + what, kCalls, calls());
    close(event);
    settle();
}

// ---- attach and detach ----

void many(int program) {
    const btf_extra_site site = sites_of("copy_to_user").front();
    int link = -1;
    const uint64_t attach = time_of([&] { link = attach_module(program, site); });
    const std::vector<uint64_t> addresses = addresses_of(link);
    say("attach_module", addresses.size(), attach);
    settle();
    say("detach_module", addresses.size(), time_of([&] { close(link); }));
    settle();

    std::vector<int> events;
    say("attach_perf", addresses.size(), time_of([&] {
            for (uint64_t address : addresses)
                events.push_back(attach_perf(program, address));
        }));
    settle();
    say("detach_perf", addresses.size(), time_of([&] {
            for (int event : events)
                close(event);
        }));
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2)
        die("usage: attach_bench PROGRAMS.bpf.o");
    const rlimit files = {65536, 65536};
    setrlimit(RLIMIT_NOFILE, &files);
    device = open(BTF_EXTRA_DEVICE, O_RDWR | O_CLOEXEC);
    if (device < 0)
        die(BTF_EXTRA_DEVICE);
    bpf_object *object = bpf_object__open(argv[1]);
    if (!object || bpf_object__load(object))
        die(argv[1]);
    const int empty = bpf_program__fd(bpf_object__find_program_by_name(object, "empty"));
    const int argument = bpf_program__fd(bpf_object__find_program_by_name(object, "argument"));
    for (const bool on : {true, false}) {
        optimize(on);
        const char *how = on ? "jump" : "int3";
        hits("empty", empty, how);
        hits("argument", argument, how);
    }
    optimize(true);
    many(empty);
}
