// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The traced functions are inlined in code that the program itself calls.
#include <map>
#include <memory>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/vm/attach/attach_tests.h"

using namespace guest;

namespace {

struct Closer {
    void operator()(bpf_object *object) const { bpf_object__close(object); }
};
using Object = std::unique_ptr<bpf_object, Closer>;

// Returns [start, end) of a symbol of vmlinux.
std::pair<uint64_t, uint64_t> symbol_range(const std::string &symbol) {
    std::ifstream list("/proc/kallsyms");
    uint64_t start = 0;
    std::vector<uint64_t> all;
    for (std::string line; std::getline(list, line);) {
        if (line.find('[') != std::string::npos)
            break;
        all.push_back(std::stoull(line, nullptr, 16));
        if (line.ends_with(" " + symbol))
            start = all.back();
    }
    if (start == 0)
        return {0, 0};
    std::ranges::sort(all);
    return {start, *std::ranges::upper_bound(all, start)};
}

// Returns functions with an inlined instance in that symbol, those with few sites first.
std::vector<uint32_t> inlined_in(const List &list, const std::string &symbol, size_t at_most) {
    const auto [start, end] = symbol_range(symbol);
    std::multimap<size_t, uint32_t> by_sites;
    std::set<uint32_t> seen;
    for (const ListedSite &site : list.sites)
        if (site.address > start && site.address < end && !site.body &&
            seen.insert(site.func_id).second && list.func(site).sites <= 40)
            by_sites.emplace(list.func(site).sites, site.func_id);
    std::vector<uint32_t> functions;
    for (const auto &[sites, id] : by_sites)
        if (functions.size() < at_most)
            functions.push_back(id);
    return functions;
}

// This system call changes the map, so it also runs over the sites.
void change(const Object &object, const char *map) {
    const int fd = bpf_object__find_map_fd_by_name(object.get(), map);
    for (uint32_t key = 0; key < 200; key++) {
        const uint64_t value = key;
        bpf_map_update_elem(fd, &key, &value, BPF_ANY);
        if (key % 3 == 0)
            bpf_map_delete_elem(fd, &key);
    }
}

// Only the program and this process use the map. So a site that is inside the symbol must never run
// the program: it would find the map half changed, or wait for its own lock.
void of_symbols(const Object &object, const List &list, const char *program, const char *map,
                const std::vector<std::string> &symbols) {
    Row row(std::string("recursion is counted, and not entered: ") + program);
    const std::multiset<std::string> before = probe_list();
    const int fd = bpf_program__fd(bpf_object__find_program_by_name(object.get(), program));
    btf_extra_attach outside = good_request();
    outside.prog_fd = static_cast<uint32_t>(fd);
    const Link runs(outside);
    row.equal(runs.error, 0, "errno");
    uint64_t missed = 0, calls = 0;
    for (const std::string &symbol : symbols)
        for (uint32_t id : inlined_in(list, symbol, 6)) {
            const ListedFunc &func = list.funcs[list.by_id.at(id)];
            btf_extra_attach request = {};
            request.prog_fd = static_cast<uint32_t>(fd);
            request.flags = BTF_EXTRA_BEST_EFFORT;
            request.object = by_ioctl(device(), of_id("vmlinux", id)).sites.at(0).object;
            request.func_id = id;
            const Link link(request);
            row.expect(link.error == 0 || link.error == EOPNOTSUPP, std::strerror(link.error));
            calls += call_many();
            const uint64_t by_program = link.state().missed;
            change(object, map);
            const btf_extra_link state = link.state();
            std::printf("# %s in %s: %llu hits, %lu missed by the program, %llu by system calls\n",
                        func.name.c_str(), symbol.c_str(), state.hits, by_program,
                        state.missed - by_program);
            row.equal(static_cast<int64_t>(state.hits), 0, func.name + ": hits");
            missed += by_program;
        }
    row.expect(missed > 0, "the program does not come by");
    row.equal(static_cast<int64_t>(runs.state().hits), static_cast<int64_t>(calls), "runs");
    row.expect(probe_list().size() == before.size() + kMany, "probes are left");
}

Object load() {
    const char *const file = "/attach.bpf.o";
    Object object(bpf_object__open_file(file, nullptr));
    if (!object || bpf_object__load(object.get()) != 0)
        die(file);
    return object;
}

}  // namespace

void recursion() {
    const Object object = load();
    const List list = list_sites();
    of_symbols(object, list, "into_hash", "hash", {"htab_map_update_elem", "alloc_htab_elem"});
    of_symbols(object, list, "into_lru", "lru", {"htab_lru_map_update_elem", "bpf_lru_pop_free"});
}
