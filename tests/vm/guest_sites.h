// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The test programs share this that run in a guest with btf_extra.ko loaded: rows, the list of all
// sites (debugfs), and look-ups through /dev/btf_extra.
#ifndef BTF_EXTRA_GUEST_SITES_H
#define BTF_EXTRA_GUEST_SITES_H

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>

#include "include/uapi/linux/btf_extra.h"

namespace guest {

[[noreturn]] inline void die(const std::string &message) {
    std::printf("fail %s: %s\n", message.c_str(), std::strerror(errno));
    std::exit(1);
}

// ---- rows: a row collects what is wrong until it ends ----

class Row {
  public:
    explicit Row(std::string name) : name_(std::move(name)) {}
    Row(const Row &) = delete;
    Row &operator=(const Row &) = delete;

    void expect(bool right, const std::string &what) {
        checked_++;
        if (!right && wrong_++ < 5)
            std::printf("%s: %s\n", name_.c_str(), what.c_str());
    }
    void equal(int64_t got, int64_t wanted, const std::string &what) {
        expect(got == wanted,
               what + ": " + std::to_string(got) + ", not " + std::to_string(wanted));
    }
    // A row that has checked nothing fails.
    ~Row() {
        const bool passed = checked_ > 0 && wrong_ == 0;
        failed += passed ? 0 : 1;
        std::printf("# %lu checked, %lu wrong\n%s %s\n", checked_, wrong_, passed ? "pass" : "fail",
                    name_.c_str());
        std::fflush(stdout);
    }
    static inline int failed = 0;

  private:
    std::string name_;
    unsigned long checked_ = 0, wrong_ = 0;
};

// ---- the list of all sites ----

// Returns the same numbers in every run.
class Random {
  public:
    uint32_t below(size_t end) {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<uint32_t>((state_ >> 32) * end >> 32);
    }

  private:
    uint64_t state_ = 1;
};

struct ListedSite {
    uint64_t address;
    uint32_t func_id;
    bool body;
};

struct ListedFunc {
    uint32_t id;
    std::string name, file;  // "-": not known
    size_t sites;
};

// The sites of vmlinux.
struct List {
    std::vector<ListedSite> sites;  // in order of address
    std::vector<ListedFunc> funcs;
    std::unordered_map<uint32_t, size_t> by_id;  // ids of functions

    const ListedFunc &func(const ListedSite &site) const { return funcs[by_id.at(site.func_id)]; }
    const ListedSite &draw_site(Random &any) const { return sites[any.below(sites.size())]; }
    const ListedFunc &draw_func(Random &any) const { return funcs[any.below(funcs.size())]; }

    // Returns how many sites begin there.
    size_t at_address(uint64_t address) const {
        return std::ranges::equal_range(sites, address, {}, &ListedSite::address).size();
    }
};

inline List list_sites() {
    List list;
    std::ifstream lines("/sys/kernel/debug/btf_extra/sites");
    for (std::string line; std::getline(lines, line);) {
        char *at = nullptr;
        const uint64_t address = std::strtoull(line.c_str(), &at, 16);
        const size_t name = at - line.c_str() + 3;
        const size_t object = line.find("\t[", name);
        const size_t end = line.find("] ", name);
        if (object == std::string::npos || end == std::string::npos)
            die("the list of sites: " + line);
        if (line.compare(object, end - object, "\t[vmlinux") != 0 || line[name - 2] == 's')
            continue;
        if (address == 0)
            die("the list of sites has no addresses");
        const auto id = static_cast<uint32_t>(std::strtoul(&line[end + 2], &at, 10));
        const auto [func, added] = list.by_id.try_emplace(id, list.funcs.size());
        const std::string file(at + 1, std::strcspn(at + 1, "\t"));
        if (added)
            list.funcs.push_back({id, line.substr(name, object - name), file, 0});
        list.funcs[func->second].sites++;
        list.sites.push_back({address, id, line[name - 2] == 't'});
    }
    std::ranges::stable_sort(list.sites, {}, &ListedSite::address);
    if (list.sites.empty())
        die("the list of sites is empty");
    return list;
}

// ---- look-ups ----

inline uint64_t pointer(const void *p) {
    return reinterpret_cast<uintptr_t>(p);
}

struct Answer {
    int error = 0;  // errno
    uint32_t total = 0;
    std::vector<btf_extra_site> sites;

    bool operator==(const Answer &other) const {
        return error == other.error && total == other.total && sites.size() == other.sites.size() &&
               std::memcmp(sites.data(), other.sites.data(),
                           sites.size() * sizeof(btf_extra_site)) == 0;
    }
};

// Calls the ioctl, and if the buffer was full calls it again with a larger one.
inline int ask_in_full(int fd, unsigned long request, btf_extra_lookup &lookup,
                       std::vector<btf_extra_site> &sites) {
    int returned = 0;
    for (size_t capacity : {64, 1 << 16}) {
        sites.resize(capacity);
        lookup.sites = pointer(sites.data());
        lookup.capacity = static_cast<uint32_t>(capacity);
        lookup.count = 0;
        returned = ioctl(fd, request, &lookup);
        if (returned < 0 || lookup.count < capacity)
            break;
    }
    sites.resize(returned < 0 ? 0 : lookup.count);
    return returned;
}

inline Answer by_ioctl(int fd, btf_extra_lookup lookup) {
    Answer answer;
    if (ask_in_full(fd, BTF_EXTRA_IOC_LOOKUP, lookup, answer.sites) < 0)
        answer.error = errno;
    answer.total = answer.error ? 0 : lookup.total;
    return answer;
}

inline btf_extra_lookup at_address(uint64_t address, uint32_t flags = 0) {
    btf_extra_lookup lookup = {};
    lookup.by = BTF_EXTRA_BY_ADDRESS;
    lookup.flags = flags;
    lookup.address = address;
    return lookup;
}

inline btf_extra_lookup of_id(const char *object, uint32_t func_id) {
    btf_extra_lookup lookup = {};
    lookup.by = BTF_EXTRA_BY_ID;
    lookup.object = pointer(object);
    lookup.func_id = func_id;
    return lookup;
}

inline btf_extra_lookup of_name(const char *name, const char *file = nullptr) {
    btf_extra_lookup lookup = {};
    lookup.by = BTF_EXTRA_BY_NAME;
    lookup.name = pointer(name);
    lookup.file = pointer(file);
    return lookup;
}

inline int open_device(const char *path) {
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        die(path);
    return fd;
}

// Returns the address of a symbol of the kernel. Ends this process if there is none.
inline uint64_t symbol_address(const std::string &symbol) {
    std::ifstream list("/proc/kallsyms");
    for (std::string line; std::getline(list, line);)
        if (line.ends_with(" " + symbol))
            return std::stoull(line, nullptr, 16);
    die(symbol);
}

// Returns where the body of a function of vmlinux begins. Ends this process if there is not one.
inline uint64_t body_address(int device, const std::string &function) {
    btf_extra_lookup lookup = of_name(function.c_str());
    lookup.object = pointer("vmlinux");
    lookup.flags = BTF_EXTRA_BODY_ONLY;
    const Answer answer = by_ioctl(device, lookup);
    if (answer.sites.size() != 1)
        die(function + ": not one body");
    return answer.sites[0].address;
}

}  // namespace guest

#endif
