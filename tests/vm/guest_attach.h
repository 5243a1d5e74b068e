// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Attaches through /dev/btf_extra, for the test programs that run in a guest.
#ifndef BTF_EXTRA_GUEST_ATTACH_H
#define BTF_EXTRA_GUEST_ATTACH_H

#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/vm/guest_sites.h"

namespace guest {

// It is never closed, but the links do not need it.
inline int device() {
    static const int fd = open_device(BTF_EXTRA_DEVICE);
    return fd;
}

// Loads a program of this type and with these flags that does nothing. Returns -1 and errno if it
// does not load.
inline int try_load_program(uint32_t type, uint32_t flags = 0, uint32_t expected_attach_type = 0,
                            uint32_t attach_btf_id = 0) {
    const bpf_insn nothing[] = {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0},
                                {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.prog_flags = flags;
    options.expected_attach_type = static_cast<bpf_attach_type>(expected_attach_type);
    options.attach_btf_id = attach_btf_id;
    return bpf_prog_load(static_cast<bpf_prog_type>(type), "nothing", "GPL", nothing, 2, &options);
}

// The same. Ends this process if the program does not load.
inline int load_program(uint32_t type, uint32_t flags = 0, uint32_t expected_attach_type = 0,
                        uint32_t attach_btf_id = 0) {
    const int fd = try_load_program(type, flags, expected_attach_type, attach_btf_id);
    if (fd < 0)
        die("program of type " + std::to_string(type));
    return fd;
}

// Maps the memory of a map.
template <class Value> Value *memory_of(const bpf_object *object, const char *name) {
    const bpf_map *map = bpf_object__find_map_by_name(object, name);
    if (map == nullptr)
        die(std::string(name) + ": no such map");
    const size_t size = size_t{bpf_map__max_entries(map)} * bpf_map__value_size(map);
    void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
    if (memory == MAP_FAILED)
        die(name);
    return static_cast<Value *>(memory);
}

// Returns address and symbol of each probe in the kernel; symbol and module in a module, which may
// be loaded again elsewhere. A probe of a module that is gone has no symbol.
inline std::multiset<std::string> probe_list() {
    std::multiset<std::string> probes;
    std::ifstream list("/sys/kernel/debug/kprobes/list");
    if (!list)
        die("/sys/kernel/debug/kprobes/list");
    for (std::string line; std::getline(list, line);) {
        std::istringstream words(line);
        std::string address, type, symbol, module;
        words >> address >> type >> symbol >> module;
        // The flags in the line, such as [OPTIMIZED], change on their own.
        const bool in_module = !module.empty() && module.front() != '[';
        probes.insert(in_module ? symbol + " " + module : address + " " + symbol);
    }
    return probes;
}

// Expects the probes that there were before, and names the others.
inline void expect_probes(Row &row, const std::multiset<std::string> &before) {
    const std::multiset<std::string> now = probe_list();
    std::vector<std::string> left, gone;
    std::ranges::set_difference(now, before, std::back_inserter(left));
    std::ranges::set_difference(before, now, std::back_inserter(gone));
    for (const std::string &probe : left)
        row.expect(false, "a probe is left: " + probe);
    for (const std::string &probe : gone)
        row.expect(false, "a probe is gone: " + probe);
    row.expect(now == before, "there are other probes than before");
}

// Makes a request for the function of that name. Ends the program if there is not exactly one.
inline btf_extra_attach attach_to(const char *object, const std::string &function) {
    btf_extra_lookup lookup = of_name(function.c_str());
    lookup.object = pointer(object);
    const Answer answer = by_ioctl(device(), lookup);
    if (answer.sites.empty() || answer.sites.front().func_id != answer.sites.back().func_id)
        die(function + ": not one function of " + object);
    btf_extra_attach request = {};
    request.object = answer.sites[0].object;
    request.func_id = answer.sites[0].func_id;
    return request;
}

// Attaches, and detaches when it is destroyed.
class Link {
  public:
    // Fills in the outputs of request, and the report, of that many sites at most.
    explicit Link(btf_extra_attach &request, std::vector<btf_extra_left_out> *report = nullptr,
                  size_t capacity = 4096) {
        std::vector<btf_extra_left_out> left_out(report != nullptr ? capacity : 0);
        request.left_out = pointer(left_out.data());
        request.capacity = static_cast<uint32_t>(left_out.size());
        request.count = 0;
        fd = ioctl(device(), BTF_EXTRA_IOC_ATTACH, &request);
        error = fd < 0 ? errno : 0;
        if (report != nullptr) {
            left_out.resize(request.count);
            *report = std::move(left_out);
        }
    }
    Link(Link &&other) noexcept : fd(std::exchange(other.fd, -1)), error(other.error) {}
    Link &operator=(Link &&) = delete;
    ~Link() {
        if (fd >= 0)
            close(fd);
    }

    btf_extra_link state() const {
        btf_extra_link state = {};
        if (fd >= 0 && ioctl(fd, BTF_EXTRA_IOC_LINK, &state) != 0)
            die("BTF_EXTRA_IOC_LINK");
        return state;
    }
    std::vector<btf_extra_probe> probes() const {
        std::vector<btf_extra_probe> probes(4096);
        btf_extra_link state = {};
        state.probes = pointer(probes.data());
        state.capacity = static_cast<uint32_t>(probes.size());
        if (fd >= 0 && ioctl(fd, BTF_EXTRA_IOC_LINK, &state) != 0)
            die("BTF_EXTRA_IOC_LINK");
        probes.resize(state.count);
        return probes;
    }

    int fd;
    int error;  // errno
};

// Attaching must return this error, and leave nothing.
inline void refused(const std::string &name, int wanted, btf_extra_attach request) {
    Row row("refused: " + name);
    const std::multiset<std::string> before = probe_list();
    const btf_extra_attach unchanged = request;
    const int fd = ioctl(device(), BTF_EXTRA_IOC_ATTACH, &request);
    const int error = fd < 0 ? errno : 0;
    row.expect(error == wanted,
               std::string(std::strerror(error)) + ", not " + std::strerror(wanted));
    expect_probes(row, before);
    row.expect(std::memcmp(&request, &unchanged, sizeof(request)) == 0,
               "the request was written to");
    if (fd >= 0)
        close(fd);
}

}  // namespace guest

#endif
