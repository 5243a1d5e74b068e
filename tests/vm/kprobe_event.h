// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A kprobe of perf, for the test programs that run in a guest.
#ifndef BTF_EXTRA_KPROBE_EVENT_H
#define BTF_EXTRA_KPROBE_EVENT_H

#include <cstdint>
#include <fstream>

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

// Opens an event at a function, or if that is NULL at an address. Returns one that counts on one
// processor, or -1 and errno if the kernel refuses it.
inline int open_kprobe_event(const char *function, uint64_t address = 0) {
    static const uint32_t type = [] {
        uint32_t number = 0;
        std::ifstream("/sys/bus/event_source/devices/kprobe/type") >> number;
        return number;
    }();
    perf_event_attr attr = {};
    attr.size = sizeof(attr);
    attr.type = type;
    attr.kprobe_func = reinterpret_cast<uintptr_t>(function);
    attr.kprobe_addr = address;
    return static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC));
}

#endif
