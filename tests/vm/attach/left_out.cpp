// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests sites that cannot or must not have a probe: all or none, best effort, and the report.
#include <map>

#include <sys/resource.h>

#include "tests/vm/attach/attach_tests.h"

using namespace guest;

namespace {

constexpr size_t kSitesMax = 24;  // of a function; attaching takes time

struct Range {
    uint64_t start, end;
};

uint64_t address_of(const std::string &symbol) {
    std::ifstream file("/proc/kallsyms");
    for (std::string line; std::getline(file, line);)
        if (line.ends_with(" " + symbol))
            return std::strtoull(line.c_str(), nullptr, 16);
    die(symbol + ": no such symbol");
}

// Returns the range of text that the kernel frees after boot.
Range init_text() {
    return {address_of("_sinittext"), address_of("_einittext")};
}

// Returns the unlisted sites of get_task_struct at which kprobes see an exclusive sequence of
// arm64, by exclusive_sites.sh.
std::set<uint64_t> exclusive_sites() {
    std::set<uint64_t> sites;
    std::ifstream file("/exclusive_sites");
    if (!file)
        die("/exclusive_sites");
    const uint64_t text = address_of("_text");
    for (std::string line; std::getline(file, line);)
        sites.insert(text + std::strtoull(line.c_str(), nullptr, 16));
    return sites;
}

std::vector<Range> blacklist() {
    std::vector<Range> ranges;
    std::ifstream file("/sys/kernel/debug/kprobes/blacklist");
    for (std::string line; std::getline(file, line);) {
        char *end = nullptr;
        const uint64_t start = std::strtoull(line.c_str(), &end, 16);
        ranges.push_back({start, std::strtoull(end + 1, nullptr, 16)});
    }
    if (ranges.empty())
        die("/sys/kernel/debug/kprobes/blacklist");
    return ranges;
}

bool in(const std::vector<Range> &ranges, uint64_t address) {
    return std::ranges::any_of(
        ranges, [&](const Range &one) { return address >= one.start && address < one.end; });
}

// Returns the sites of a function of vmlinux that begin a call. The others get no probe.
std::vector<btf_extra_site> sites_of(uint32_t func_id) {
    std::vector<btf_extra_site> sites = by_ioctl(device(), of_id("vmlinux", func_id)).sites;
    std::erase_if(
        sites, [](const btf_extra_site &site) { return (site.flags & BTF_EXTRA_SITE_PART) != 0; });
    return sites;
}

// Returns the functions of vmlinux that have sites in these ranges, and few enough of them.
std::set<uint32_t> functions(const List &list, const std::vector<Range> &ranges) {
    std::set<uint32_t> ids;
    for (const Range &range : ranges)
        for (auto site =
                 std::ranges::lower_bound(list.sites, range.start, {}, &ListedSite::address);
             site != list.sites.end() && site->address < range.end; ++site)
            if (list.func(*site).sites <= kSitesMax)
                ids.insert(site->func_id);
    return ids;
}

btf_extra_attach request_of(const List &list, uint32_t func_id) {
    static const uint32_t vmlinux =
        by_ioctl(device(), of_id("vmlinux", list.funcs[0].id)).sites.at(0).object;
    btf_extra_attach request = good_request();
    request.object = vmlinux;
    request.func_id = func_id;
    return request;
}

std::set<uint64_t> addresses(const std::vector<btf_extra_left_out> &left_out) {
    std::set<uint64_t> addresses;
    for (const btf_extra_left_out &one : left_out)
        addresses.insert(one.site.address);
    return addresses;
}

// Returns true if an attach with these flags fails because that site is left out.
bool is_required(const btf_extra_left_out &left_out, uint32_t flags) {
    const uint32_t site = left_out.site.flags;
    return (site & BTF_EXTRA_SITE_FREED) == 0 &&
           ((site & BTF_EXTRA_SITE_CLOSED) == 0 || (flags & BTF_EXTRA_ALL) != 0);
}

// Attaches to all of the sites that are required or to none.
void try_all_or_none(Row &row, btf_extra_attach request, size_t sites, const std::string &name,
                     std::vector<btf_extra_left_out> &left_out) {
    const size_t before = probe_list().size();
    const Link link(request, &left_out);
    const bool lacking = std::ranges::any_of(
        left_out, [&](const btf_extra_left_out &one) { return is_required(one, request.flags); });
    row.equal(link.error, lacking || left_out.size() == sites ? EOPNOTSUPP : 0, name + ": error");
    row.equal(request.attached, static_cast<int64_t>(link.error == 0 ? sites - left_out.size() : 0),
              name + ": attached to all or none");
    row.equal(static_cast<int64_t>(probe_list().size() - before), request.attached,
              name + ": probes of all or none");
    row.equal(request.total, static_cast<int64_t>(left_out.size()), name + ": left out");
}

// Tries all or none first, then best effort. Returns what best effort left out.
std::vector<btf_extra_left_out> try_function(Row &row, btf_extra_attach request, size_t sites) {
    const std::multiset<std::string> before = probe_list();
    const std::string name = std::to_string(request.func_id);
    std::vector<btf_extra_left_out> all_or_none, best_effort;
    try_all_or_none(row, request, sites, name, all_or_none);
    request.flags |= BTF_EXTRA_ALL;
    try_all_or_none(row, request, sites, name + ", all", all_or_none);
    request.flags &= ~BTF_EXTRA_ALL;
    request.flags |= BTF_EXTRA_BEST_EFFORT;
    {
        const Link link(request, &best_effort);
        row.equal(request.attached + request.total, static_cast<int64_t>(sites),
                  name + ": attached and left out");
        row.expect((link.error == EOPNOTSUPP) == (request.attached == 0),
                   name + ": none attached, and " + std::strerror(link.error));
        row.equal(static_cast<int64_t>(probe_list().size() - before.size()), request.attached,
                  name + ": probes of best effort");
        for (const btf_extra_probe &probe : link.probes())
            row.expect(!addresses(best_effort).contains(probe.site.address),
                       name + ": left out, and with a probe");
    }
    expect_probes(row, before);
    for (const btf_extra_left_out &one : all_or_none)
        row.expect(addresses(best_effort).contains(one.site.address),
                   name + ": left out of all or none alone");
    return best_effort;
}

// Some sites of the function are in the blacklist, and some are not.
void blacklisted(const List &list) {
    Row row("left out: blacklisted sites, and no other for that reason");
    const std::vector<Range> black = blacklist();
    int tried = 0;
    for (const uint32_t id : functions(list, black)) {
        const std::vector<btf_extra_site> sites = sites_of(id);
        const auto count = std::ranges::count_if(
            sites, [&](const btf_extra_site &one) { return in(black, one.address); });
        if (count == 0 || count == static_cast<int64_t>(sites.size()))
            continue;
        btf_extra_attach request = request_of(list, id);
        // Else heads of loops among them are left out for what they are.
        request.flags = BTF_EXTRA_NOTRACE | BTF_EXTRA_INEXACT;
        std::set<uint64_t> named, known;
        for (const btf_extra_left_out &one : try_function(row, request, sites.size()))
            if (one.reason == BTF_EXTRA_REASON_KPROBE) {
                named.insert(one.site.address);
                row.equal(one.error, -EINVAL, "what register_kprobe() said");
            }
        for (const btf_extra_site &one : sites)
            if (in(black, one.address))
                known.insert(one.address);
        for (uint64_t address : known)
            row.expect(named.contains(address), std::to_string(id) + ": blacklisted, not named");
        if (++tried == 8)
            break;
    }
    row.expect(tried == 8, "too few functions");
}

void freed(const List &list) {
    Row row("left out: init text that is freed, which is no reason to refuse");
    int tried = 0, taken = 0;
    for (const uint32_t id : functions(list, {init_text()})) {
        const std::vector<btf_extra_site> sites = sites_of(id);
        const auto count = std::ranges::count_if(sites, [](const btf_extra_site &site) {
            return (site.flags & BTF_EXTRA_SITE_FREED) != 0;
        });
        if (count == 0 || count == static_cast<int64_t>(sites.size()))
            continue;
        int64_t named = 0;
        const auto left_out = try_function(row, request_of(list, id), sites.size());
        for (const btf_extra_left_out &one : left_out) {
            named += one.reason == BTF_EXTRA_REASON_NO_TEXT;
            row.equal(one.reason == BTF_EXTRA_REASON_NO_TEXT,
                      (one.site.flags & BTF_EXTRA_SITE_FREED) != 0, "named, and freed");
        }
        row.equal(named, count, "freed sites");
        taken += named == static_cast<int64_t>(left_out.size());
        if (++tried == 8)
            break;
    }
    row.expect(tried == 8, "too few functions");
    row.expect(taken > 0, "none has no other site that is left out");
}

void required() {
    Row row("left out: where a required parameter has no location");
    btf_extra_attach request = attach_to("shapes", "shape_eliminated");
    request.prog_fd = good_request().prog_fd;
    request.required = 3;
    const auto left_out = try_function(row, request, 1);
    row.equal(static_cast<int64_t>(left_out.size()), 1, "left out");
    for (const btf_extra_left_out &one : left_out) {
        row.equal(one.reason, BTF_EXTRA_REASON_PARAMETER, "reason");
        row.equal(static_cast<int64_t>(one.parameters), 2, "parameters");
    }
    request.required = 1;
    row.expect(try_function(row, request, 1).empty(), "left out with the one that it has");
}

void short_report() {
    Row row("left out: a report that is too short says how many");
    btf_extra_attach request = attach_to("shapes", "shape_structs");
    request.prog_fd = good_request().prog_fd;
    request.required = 1 << 2;
    row.equal(ioctl(device(), BTF_EXTRA_IOC_ATTACH, &request), -1, "ioctl");
    row.equal(errno, EOPNOTSUPP, "errno");
    row.equal(request.count, 0, "written");
    row.equal(request.total, 1, "total");
}

// System calls are inline in the source, so ftrace does not know their bodies. prlimit() takes a
// reference to a task there. lean has that code in a function that ftrace knows.
// Kernels for arm64 take no kprobe in an exclusive sequence.
void unlisted() {
    Row row("not left out: code that ftrace does not know because it is inline");
    btf_extra_attach request = attach_to("vmlinux", "get_task_struct");
    request.prog_fd = good_request().prog_fd;
    request.flags = BTF_EXTRA_BEST_EFFORT;
    std::vector<btf_extra_left_out> left_out;
    const Link link(request, &left_out);
    const auto is_unlisted = [](const auto &one) {
        return (one.site.flags & BTF_EXTRA_SITE_UNLISTED) != 0;
    };
    std::set<uint64_t> refused;
    for (const btf_extra_left_out &one : left_out)
        if (is_unlisted(one)) {
            refused.insert(one.site.address);
            row.equal(one.reason, BTF_EXTRA_REASON_KPROBE, "reason");
        }
    row.expect(refused == exclusive_sites(),
               "others are left out than those in exclusive sequences");
    row.expect(std::ranges::any_of(link.probes(), is_unlisted), "there is no probe");
    const uint64_t before = link.state().hits;
    rlimit64 limit = {};
    for (int i = 0; i < 100; i++)
        prlimit64(getpid(), RLIMIT_NOFILE, nullptr, &limit);
    row.expect(link.state().hits - before >= 100, "calls are missed");
}

void drawn(const List &list) {
    Row row("all or none, and best effort, of functions drawn");
    Random any;
    int attached = 0;
    for (int tried = 0; tried < 60;) {
        const ListedFunc &func = list.draw_func(any);
        if (func.sites > kSitesMax)
            continue;
        const std::vector<btf_extra_site> sites = sites_of(func.id);
        if (sites.empty())
            continue;
        attached += try_function(row, request_of(list, func.id), sites.size()).empty();
        tried++;
    }
    std::printf("# %d of 60 at all of their sites\n", attached);
    row.expect(attached > 20, "too few are attached");
}

}  // namespace

void left_out() {
    const List list = list_sites();
    required();
    short_report();
    blacklisted(list);
    freed(list);
    unlisted();
    drawn(list);
}
