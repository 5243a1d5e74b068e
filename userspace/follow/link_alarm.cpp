// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/follow/link_alarm.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "userspace/format/file_descriptor.h"

namespace btf_extra {
namespace {

// A link has its id after the first, and none after the second.
constexpr const char *kFunctions[] = {"vmlinux:bpf_link_settle", "vmlinux:bpf_link_free"};

Result<uint32_t> kprobe_type() {
    constexpr char kPath[] = "/sys/bus/event_source/devices/kprobe/type";
    std::ifstream in(kPath);
    uint32_t type;
    if (!(in >> type))
        return Error{fmt::format("{}: missing: the kernel has no perf kprobes", kPath), EOPNOTSUPP};
    return type;
}

FileDescriptor open_event(uint32_t type, uint64_t address, int processor) {
    perf_event_attr attr = {};
    attr.size = sizeof(attr);
    attr.type = type;
    attr.kprobe_addr = address;
    attr.sample_period = 1;
    attr.wakeup_events = 1;
    return FileDescriptor(static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, processor, -1,
                                                   (unsigned long)PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace

// The notes of one processor. The events after the first one write into the ring of that.
struct LinkAlarm::Ring {
    Ring() = default;
    Ring(const Ring &) = delete;
    Ring &operator=(const Ring &) = delete;
    ~Ring() {
        if (page != nullptr)
            munmap(page, size());
    }
    static size_t size() { return 2 * static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

    // Returns an errno, or 0.
    int add(FileDescriptor event) {
        if (events.empty()) {
            void *memory =
                mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_SHARED, event.get(), 0);
            if (memory == MAP_FAILED)
                return errno;
            page = static_cast<perf_event_mmap_page *>(memory);
        } else if (ioctl(event.get(), PERF_EVENT_IOC_SET_OUTPUT, events.front().get()) != 0) {
            return errno;
        }
        events.push_back(std::move(event));
        return 0;
    }

    std::vector<FileDescriptor> events;
    perf_event_mmap_page *page = nullptr;
};

LinkAlarm::LinkAlarm() = default;
LinkAlarm::LinkAlarm(LinkAlarm &&) noexcept = default;
LinkAlarm::~LinkAlarm() = default;

Result<void> LinkAlarm::add(uint32_t type, uint64_t address) {
    const int processors = get_nprocs_conf();
    rings_.resize(static_cast<size_t>(processors));
    for (int i = 0; i < processors; i++) {
        FileDescriptor event = open_event(type, address, i);
        if (!event && errno == ENODEV)  // this processor is not online
            continue;
        auto &ring = rings_[static_cast<size_t>(i)];
        if (!ring)
            ring = std::make_unique<Ring>();
        const int code = event ? ring->add(std::move(event)) : errno;
        if (code != 0)
            return Error{fmt::format("a probe at {:#x}: {}", address, std::strerror(code)), code};
    }
    return {};
}

Result<LinkAlarm> LinkAlarm::open(SiteTables &tables) {
    const uint32_t type = TRY(kprobe_type());
    LinkAlarm out;
    for (const char *function : kFunctions) {
        const auto parsed = TRY(parse_func_text(function));
        const auto found = TRY(tables.find(parsed));
        if (found.empty())
            return Error{fmt::format("{}: no such function", function), ENOENT};
        for (const btf_extra_site &site : found.front().sites) {
            constexpr uint32_t kNoCall = BTF_EXTRA_SITE_PART | BTF_EXTRA_SITE_FREED;
            if ((site.flags & kNoCall) != 0)
                continue;
            if (auto added = out.add(type, site.address); !added)
                return Error{fmt::format("{}: {}", function, added.error().message),
                             added.error().code};
        }
    }
    return out;
}

void LinkAlarm::add_to(std::vector<pollfd> &polled) const {
    for (const auto &ring : rings_)
        if (ring)
            polled.push_back({ring->events.front().get(), POLLIN, 0});
}

void LinkAlarm::clear() {
    for (const auto &ring : rings_) {
        if (!ring)
            continue;
        std::atomic_ref tail(ring->page->data_tail);
        tail.store(std::atomic_ref(ring->page->data_head).load(std::memory_order_acquire),
                   std::memory_order_release);
    }
}

}  // namespace btf_extra
