// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Functions that are inlined in what the traced program itself calls.
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

// [start, end) of a symbol of vmlinux.
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

// Functions with an inlined instance in that symbol, those with few sites first.
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

// From userspace, so that the sites are hit at first.
void touch(const Object &object, const char *map) {
    const int fd = bpf_object__find_map_fd_by_name(object.get(), map);
    for (uint32_t key = 0; key < 200; key++) {
        const uint64_t value = key;
        bpf_map_update_elem(fd, &key, &value, BPF_ANY);
        if (key % 3 == 0)
            bpf_map_delete_elem(fd, &key);
    }
}

void of_symbol(const Object &object, const List &list, const char *program, const char *symbol,
               const char *map) {
    Row row(std::string("recursion: ") + program + ", inlined in " + symbol);
    const std::multiset<std::string> before = probe_list();
    const uint32_t vmlinux =
        by_ioctl(device(), of_id("vmlinux", list.funcs[0].id)).sites.at(0).object;
    const int prog_fd = bpf_program__fd(bpf_object__find_program_by_name(object.get(), program));
    uint64_t hits = 0, missed = 0;
    for (uint32_t id : inlined_in(list, symbol, 6)) {
        btf_extra_attach request = {};
        request.prog_fd = static_cast<uint32_t>(prog_fd);
        request.flags = BTF_EXTRA_BEST_EFFORT;
        request.object = vmlinux;
        request.func_id = id;
        const ListedFunc &func = list.funcs[list.by_id.at(id)];
        std::printf("# %s: %zu sites\n", func.name.c_str(), func.sites);
        std::fflush(stdout);
        const Link link(request);
        row.expect(link.error == 0 || link.error == EOPNOTSUPP, std::strerror(link.error));
        touch(object, map);
        hits += link.state().hits;
        missed += link.state().missed;
    }
    std::printf("# %lu hits, %lu missed\n", hits, missed);
    row.expect(hits > 0, "no hits");
    row.expect(missed > 0, "nothing missed: the program does not come by");
    row.expect(probe_list() == before, "probes are left");
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
    of_symbol(object, list, "into_hash", "htab_map_update_elem", "hash");
    of_symbol(object, list, "into_hash", "alloc_htab_elem", "hash");
}

// Where perf does not run a program: within a system call that changes a map. This one's would wait
// for a lock that is held where the site is.
void locked_recursion() {
    const Object object = load();
    of_symbol(object, list_sites(), "into_lru", "bpf_lru_pop_free", "lru");
}
