// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The programs that measure in a guest share this: the lines that they print, "attach_bench: WHAT
// count=N ns=N", and attaching to sites through the module and through perf.
#ifndef BTF_EXTRA_BENCH_H
#define BTF_EXTRA_BENCH_H

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
#include "tests/vm/kprobe_event.h"

namespace bench {

[[noreturn]] inline void die(const std::string &what) {
    fprintf(stderr, "attach_bench: %s: %s\n", what.c_str(), strerror(errno));
    exit(1);
}

inline uint64_t now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

inline uint64_t time_of(const std::function<void()> &work) {
    const uint64_t begin = now();
    work();
    return now() - begin;
}

inline void say(const std::string &what, size_t count, uint64_t ns) {
    printf("attach_bench: %s count=%zu ns=%llu\n", what.c_str(), count,
           static_cast<unsigned long long>(ns));
    fflush(stdout);
}

// ---- module and perf ----

// It is never closed.
inline int device() {
    static const int fd = [] {
        const int opened = open(BTF_EXTRA_DEVICE, O_RDWR | O_CLOEXEC);
        if (opened < 0)
            die(BTF_EXTRA_DEVICE);
        return opened;
    }();
    return fd;
}

inline std::vector<btf_extra_site> sites_of(const char *name) {
    std::vector<btf_extra_site> sites(8192);
    btf_extra_lookup lookup = {};
    lookup.by = BTF_EXTRA_BY_NAME;
    lookup.name = reinterpret_cast<uintptr_t>(name);
    lookup.sites = reinterpret_cast<uintptr_t>(sites.data());
    lookup.capacity = sites.size();
    if (ioctl(device(), BTF_EXTRA_IOC_LOOKUP, &lookup))
        die(name);
    sites.resize(lookup.count);
    return sites;
}

// Returns -1 and errno if the module refuses it.
inline int attach_with(int fd, uint32_t flags, const btf_extra_site &site, uint64_t required = 0) {
    btf_extra_attach attach = {};
    attach.prog_fd = fd;
    attach.object = site.object;
    attach.func_id = site.func_id;
    attach.flags = flags;
    attach.required = required;
    return ioctl(device(), BTF_EXTRA_IOC_ATTACH, &attach);
}

// required: bit n, parameter n must have a location.
inline int attach_module(int program, const btf_extra_site &site, uint64_t required = 0) {
    const int link = attach_with(program, BTF_EXTRA_BEST_EFFORT, site, required);
    if (link < 0)
        die("attach through the module");
    return link;
}

// At the inlined sites, as `btf-extra follow` does.
inline int try_follow(int bpf_link, const btf_extra_site &site) {
    return attach_with(bpf_link, BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_LINK, site);
}

inline std::vector<uint64_t> addresses_of(int link) {
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

// Returns -1 if the kernel refuses the site.
inline int attach_perf(int program, uint64_t address) {
    const int event = open_kprobe_event(nullptr, address);
    if (event >= 0 &&
        (ioctl(event, PERF_EVENT_IOC_SET_BPF, program) || ioctl(event, PERF_EVENT_IOC_ENABLE, 0)))
        die("attach through perf");
    return event;
}

// Events at all of these sites, and the time that they took. Perf refuses functions that ftrace
// does not know; their sites do not count.
struct PerfEvents {
    std::vector<int> events;
    uint64_t ns = 0;
};

inline PerfEvents attach_perf_to(int program, const std::vector<uint64_t> &addresses) {
    PerfEvents attached;
    for (const uint64_t address : addresses) {
        const uint64_t began = now();
        const int event = attach_perf(program, address);
        if (event < 0 && errno != EINVAL)
            die("attach through perf");
        if (event < 0)
            continue;
        attached.ns += now() - began;
        attached.events.push_back(event);
    }
    return attached;
}

// The kernel optimizes kprobes later and in steps.
inline void settle() {
    sleep(3);
}

}  // namespace bench

#endif
