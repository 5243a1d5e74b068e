// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with vmlinux's tables loaded. Tests who may ask /dev/btf_extra, and what it
// refuses. Prints "pass NAME" or "fail NAME: what came" for each row.
//
//   running_access
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/membarrier.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/uapi/linux/btf_extra.h"

namespace {

bool all_passed = true;

void row(const std::string &name, const std::string &wanted, const std::string &got) {
    if (wanted == got) {
        fmt::print("pass {}\n", name);
    } else {
        fmt::print("fail {}: {}, not {}\n", name, got, wanted);
        all_passed = false;
    }
    std::fflush(stdout);
}

uint64_t pointer(const void *of) {
    return reinterpret_cast<uintptr_t>(of);
}

std::string error_name(int result) {
    return result == 0 ? "0" : strerrorname_np(errno);
}

int open_device() {
    return open(BTF_EXTRA_DEVICE, O_RDWR | O_CLOEXEC);
}

// A request that succeeds. Each row changes one thing.
constexpr char kName[] = "vfs_read";
btf_extra_site sites[8192];

btf_extra_lookup good_lookup() {
    btf_extra_lookup out = {};
    out.by = BTF_EXTRA_BY_NAME;
    out.name = pointer(kName);
    out.sites = pointer(sites);
    out.capacity = std::size(sites);
    return out;
}

// ---- requests ----

struct LookupRow {
    const char *name;
    const char *wanted;  // expected errno
    std::function<void(btf_extra_lookup &)> change;
};

void requests(int device) {
    static const std::string long_name(512, 'a'), longest(511, 'a');
    static const std::string long_object(64, 'a'), long_file(4096, 'a');
    const LookupRow rows[] = {
        {"a good request", "0", [](auto &) {}},
        {"by id without object", "EINVAL",
         [](auto &l) {
             l.by = BTF_EXTRA_BY_ID;
             l.name = 0;
             l.func_id = 1;
         }},
        {"first reserved word", "EINVAL", [](auto &l) { l.reserved[0] = 1; }},
        {"second reserved word", "EINVAL", [](auto &l) { l.reserved[1] = 1u << 31; }},
        {"by 0", "EINVAL", [](auto &l) { l.by = 0; }},
        {"by 4", "EINVAL",
         [](auto &l) {
             l.by = 4;
             l.name = 0;
         }},
        {"both classes", "EINVAL",
         [](auto &l) { l.flags = BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_BODY_ONLY; }},
        {"unknown flag", "EINVAL", [](auto &l) { l.flags = 1u << 2; }},
        {"by name without name", "EINVAL", [](auto &l) { l.name = 0; }},
        {"empty name", "EINVAL", [](auto &l) { l.name = pointer(""); }},
        {"name of 512 bytes", "EINVAL", [](auto &l) { l.name = pointer(long_name.c_str()); }},
        {"name of 511 bytes", "ENOENT", [](auto &l) { l.name = pointer(longest.c_str()); }},
        {"object of 64 bytes", "EINVAL", [](auto &l) { l.object = pointer(long_object.c_str()); }},
        {"file of 4096 bytes", "EINVAL", [](auto &l) { l.file = pointer(long_file.c_str()); }},
        {"address in a look-up by name", "EINVAL", [](auto &l) { l.address = 1; }},
        {"id in a look-up by name", "EINVAL", [](auto &l) { l.func_id = 1; }},
        {"unknown name", "ENOENT", [](auto &l) { l.name = pointer("no_such_function"); }},
        {"unknown suffix", "ENOENT", [](auto &l) { l.name = pointer("vfs_read.odd"); }},
        {"suffix that no body has", "ENOENT", [](auto &l) { l.name = pointer("vfs_read.isra.9"); }},
        {"unknown object", "ENOENT", [](auto &l) { l.object = pointer("no_such_module"); }},
        {"unknown file", "ENOENT", [](auto &l) { l.file = pointer("no/such/file.c"); }},
        {"bad pointer to the name", "EFAULT", [](auto &l) { l.name = 1; }},
        {"bad pointer to the object", "EFAULT", [](auto &l) { l.object = 1; }},
        {"bad pointer to the file", "EFAULT", [](auto &l) { l.file = 1; }},
        {"bad pointer to the sites", "EFAULT", [](auto &l) { l.sites = 1; }},
        {"kernel's memory for the sites", "EFAULT", [](auto &l) { l.sites = 0xffffffff81000000; }},
        {"no capacity", "0",
         [](auto &l) {
             l.sites = 0;
             l.capacity = 0;
         }},
        {"first past the end", "0", [](auto &l) { l.first = UINT32_MAX; }},
    };
    for (const LookupRow &each : rows) {
        btf_extra_lookup lookup = good_lookup();
        each.change(lookup);
        row(std::string("look-up: ") + each.name, each.wanted,
            error_name(ioctl(device, BTF_EXTRA_IOC_LOOKUP, &lookup)));
    }
    row("look-up: bad pointer to the request", "EFAULT",
        error_name(ioctl(device, BTF_EXTRA_IOC_LOOKUP, 1)));
    row("info: bad pointer to the request", "EFAULT",
        error_name(ioctl(device, BTF_EXTRA_IOC_INFO, 1)));
    row("unknown ioctl", "ENOTTY",
        error_name(ioctl(device, _IOWR(BTF_EXTRA_IOC_MAGIC, 0x7f, btf_extra_info), sites)));
    btf_extra_info info = {};
    info.reserved[1] = 1;
    row("info: reserved word", "EINVAL", error_name(ioctl(device, BTF_EXTRA_IOC_INFO, &info)));
    info = {};
    info.objects = 1;
    info.capacity = 1;
    row("info: bad pointer to the objects", "EFAULT",
        error_name(ioctl(device, BTF_EXTRA_IOC_INFO, &info)));
}

// ---- pages ----

std::string counts(const btf_extra_lookup &lookup) {
    return fmt::format("{} of {}", lookup.count, lookup.total);
}

void pages(int device) {
    static const char name[] = "skb_headlen";
    btf_extra_lookup all = good_lookup();
    all.name = pointer(name);
    if (ioctl(device, BTF_EXTRA_IOC_LOOKUP, &all) != 0 || all.total < 3) {
        row("pages", "three sites", "none");
        return;
    }
    const std::vector<btf_extra_site> wanted(sites, sites + all.count);
    auto same = [&](size_t from, size_t count) {
        return std::memcmp(sites, wanted.data() + from, count * sizeof(*sites)) == 0;
    };

    btf_extra_lookup lookup = all;
    std::memset(sites, 0x5a, sizeof(sites));
    lookup.capacity = 1;
    ioctl(device, BTF_EXTRA_IOC_LOOKUP, &lookup);
    row("pages: capacity 1", fmt::format("1 of {}, site 0", all.total),
        counts(lookup) + (same(0, 1) ? ", site 0" : ", another site"));
    row("pages: nothing is written past the capacity", "5a5a5a5a",
        fmt::format("{:x}", sites[1].func_id));

    lookup = all;
    lookup.first = all.total - 2;
    lookup.capacity = 2;
    ioctl(device, BTF_EXTRA_IOC_LOOKUP, &lookup);
    row("pages: the last two", fmt::format("2 of {}, the last", all.total),
        counts(lookup) + (same(all.total - 2, 2) ? ", the last" : ", others"));

    lookup = all;
    lookup.first = all.total;
    ioctl(device, BTF_EXTRA_IOC_LOOKUP, &lookup);
    row("pages: first is past the end", fmt::format("0 of {}", all.total), counts(lookup));

    lookup = all;
    lookup.capacity = UINT32_MAX;
    ioctl(device, BTF_EXTRA_IOC_LOOKUP, &lookup);
    row("pages: a capacity of 2^32-1", fmt::format("{} of {}", all.total, all.total),
        counts(lookup));
    row("pages: one generation", fmt::format("{}", all.generation),
        fmt::format("{}", lookup.generation));

    btf_extra_info info = {};
    row("info: no capacity", "0", error_name(ioctl(device, BTF_EXTRA_IOC_INFO, &info)));
    row("info: version", "1", fmt::format("{}", info.version));
    info.first = info.total;
    ioctl(device, BTF_EXTRA_IOC_INFO, &info);
    row("info: first is past the end", "0", fmt::format("{}", info.count));
}

// ---- access ----

// Runs act in a process of its own and makes its result a row.
void apart(const std::string &name, const std::string &wanted,
           const std::function<std::string()> &act) {
    int ends[2];
    if (pipe(ends) != 0)
        return row(name, wanted, "no pipe");
    pid_t child = fork();
    if (child == 0) {
        const std::string got = act();
        ssize_t done = write(ends[1], got.data(), got.size());
        _exit(done == static_cast<ssize_t>(got.size()) ? 0 : 1);
    }
    close(ends[1]);
    std::string got(256, '\0');
    ssize_t size = read(ends[0], got.data(), got.size());
    got.resize(size < 0 ? 0 : static_cast<size_t>(size));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    row(name, wanted, got);
}

// Makes the process root with only these capabilities.
bool keep_capabilities(uint64_t kept) {
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    for (int i = 0; i < 2; i++)
        data[i].effective = data[i].permitted = static_cast<uint32_t>(kept >> 32 * i);
    return syscall(SYS_capset, &header, data) == 0;
}

constexpr uint64_t bit(int capability) {
    return uint64_t{1} << capability;
}

// Returns "addresses", "hidden" or an errno. A look-up by address uses an address that has sites.
std::string by_name(int device) {
    btf_extra_lookup lookup = good_lookup();
    if (ioctl(device, BTF_EXTRA_IOC_LOOKUP, &lookup) != 0)
        return strerrorname_np(errno);
    bool any = false;
    for (uint32_t i = 0; i < lookup.count; i++)
        any = any || sites[i].address != 0;
    const bool hidden = (lookup.result & BTF_EXTRA_RESULT_HIDDEN) != 0;
    if (lookup.count == 0 || any == hidden)
        return fmt::format("{} sites, address {:#x}, result {}", lookup.count, sites[0].address,
                           lookup.result);
    return hidden ? "hidden" : "addresses";
}

std::string by_address(int device, uint64_t address) {
    btf_extra_lookup lookup = good_lookup();
    lookup.by = BTF_EXTRA_BY_ADDRESS;
    lookup.name = 0;
    lookup.address = address;
    return error_name(ioctl(device, BTF_EXTRA_IOC_LOOKUP, &lookup));
}

std::string text_base(int device) {
    btf_extra_object object = {};
    btf_extra_info info = {};
    info.objects = pointer(&object);
    info.capacity = 1;
    if (ioctl(device, BTF_EXTRA_IOC_INFO, &info) != 0 || info.count != 1)
        return "none";
    return object.text != 0 ? "known" : "hidden";
}

std::string all_ways(int device, uint64_t address) {
    if (device < 0)
        return strerrorname_np(errno);
    return by_name(device) + ", " + by_address(device, address) + ", text " + text_base(device);
}

void access(int device) {
    btf_extra_lookup lookup = good_lookup();
    ioctl(device, BTF_EXTRA_IOC_LOOKUP, &lookup);
    const uint64_t address = sites[0].address;
    const std::string sees = "addresses, 0, text known", blind = "hidden, EPERM, text hidden";

    row("access: root", sees, all_ways(device, address));
    apart("access: another user", "EACCES", [] {
        if (setgid(65534) != 0 || setuid(65534) != 0)
            return std::string("setuid");
        return error_name(open_device() < 0 ? -1 : 0);
    });
    struct Row {
        const char *name;
        uint64_t capabilities;
        std::string wanted;
    } rows[] = {
        {"access: no capability", 0, "EPERM"},
        {"access: all but CAP_PERFMON and CAP_SYS_ADMIN",
         (bit(CAP_CHECKPOINT_RESTORE + 1) - 1) & ~bit(CAP_PERFMON) & ~bit(CAP_SYS_ADMIN), "EPERM"},
        {"access: CAP_PERFMON alone", bit(CAP_PERFMON), blind},
        {"access: CAP_SYS_ADMIN alone", bit(CAP_SYS_ADMIN), blind},
        {"access: CAP_PERFMON and CAP_SYSLOG", bit(CAP_PERFMON) | bit(CAP_SYSLOG), sees},
    };
    for (const Row &each : rows)
        apart(each.name, each.wanted, [&] {
            if (!keep_capabilities(each.capabilities))
                return std::string("capset");
            return all_ways(open_device(), address);
        });
    apart("access: an open file keeps what its opener had", sees, [&] {
        if (!keep_capabilities(0))
            return std::string("capset");
        return all_ways(device, address);
    });

    auto restrict = [](const char *value) {
        std::ofstream("/proc/sys/kernel/kptr_restrict") << value;
    };
    std::string before;
    std::ifstream("/proc/sys/kernel/kptr_restrict") >> before;
    restrict("1");
    apart("access: kptr_restrict 1", sees, [&] { return all_ways(open_device(), address); });
    restrict("2");
    apart("access: kptr_restrict 2", blind, [&] { return all_ways(open_device(), address); });
    std::ifstream listing("/sys/kernel/debug/btf_extra/sites");
    std::string line;
    std::getline(listing, line);
    row("access: kptr_restrict 2 hides in the listing", "0000000000000000", line.substr(0, 16));
    restrict(before.c_str());
    apart("access: kptr_restrict as before", sees,
          [&] { return all_ways(open_device(), address); });
}

// ---- seeking in the list of all sites ----

using Clock = std::chrono::steady_clock;

long long milliseconds_since(Clock::time_point began) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began).count();
}

// Returns how long the longest grace period of RCU takes while act() runs, in milliseconds.
long long longest_grace_period(const std::function<void()> &act) {
    std::atomic<bool> done = false;
    long long longest = 0;
    std::ofstream("/sys/kernel/rcu_expedited") << 1 << std::flush;
    std::thread waiter([&] {
        while (!done) {
            const Clock::time_point began = Clock::now();
            syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
            longest = std::max(longest, milliseconds_since(began));
        }
    });
    act();
    done = true;
    waiter.join();
    std::ofstream("/sys/kernel/rcu_expedited") << 0 << std::flush;
    return longest;
}

// All lines before a position are made by one call.
void seeking() {
    const int list = open("/sys/kernel/debug/btf_extra/sites", O_RDONLY | O_CLOEXEC);
    long long took = 0;
    std::string text(4096, 0);
    ssize_t size = 0;
    const long long longest = longest_grace_period([&] {
        const Clock::time_point began = Clock::now();
        size = pread(list, text.data(), text.size(), 8 << 20);
        took = milliseconds_since(began);
    });
    fmt::print("# passed over 8 MB in {} ms, longest grace period {} ms\n", took, longest);
    row("seeking: in the middle of the list there are lines", "yes", size > 100 ? "yes" : "no");
    row("seeking: no reader holds RCU for all of it", "yes",
        took < 200 || longest < took / 3 ? "yes" : "no");
    close(list);
}

}  // namespace

int main() {
    int device = open_device();
    if (device < 0) {
        row("the device opens", "0", strerrorname_np(errno));
        return 1;
    }
    requests(device);
    pages(device);
    access(device);
    seeking();
    return all_passed ? 0 : 1;
}
