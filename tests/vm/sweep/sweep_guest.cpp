// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra.ko and btf_extra_vmlinux.ko loaded. Attaches a program to every
// site of every function of vmlinux, some functions at a time, while all processors work.
//
//   sweep_guest [notrace | fentry] [FIRST [END]]     functions in the order of the list of sites,
//                                                    from 0
//
// notrace: only functions that have sites in what ftrace does not know, and these sites, too.
// fentry: programs of fentry, at the inlined sites of the functions that have a body.
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include <bpf/libbpf.h>
#include <sys/resource.h>

#include "tests/vm/guest_attach.h"
#include "tests/vm/sweep/fentry.h"
#include "tests/vm/sweep/load.h"
#include "tests/vm/sweep/untraced.h"

using namespace guest;

namespace {

// The number of functions in a batch or, after its first function, of sites. With probes at 10,000
// sites of the hottest functions an emulated guest does nothing but serve timer interrupts.
constexpr size_t kFunctions = 1000, kSites = 3000;
constexpr unsigned kRounds = 2;  // of the load, while all probes of a batch are there

constexpr std::array<const char *, 7> kReasons = {
    "not at all", "freed or unknown text", "head of a loop", "parameter without location",
    "notrace",    "the kernel refuses",    "no entry",
};

struct Totals {
    uint64_t functions = 0, attached = 0, hits = 0, missed = 0;
    std::map<std::pair<uint32_t, int32_t>, uint64_t> left_out;  // by reason and error
    std::map<int, uint64_t> refused, not_loaded;                // functions, by errno

    uint64_t all_left_out() const {
        uint64_t sum = 0;
        for (const auto &[why, count] : left_out)
            sum += count;
        return sum;
    }
};

class Phases {
  public:
    // The seconds since the last one.
    double next() {
        const auto began = std::exchange(began_, std::chrono::steady_clock::now());
        return std::chrono::duration<double>(began_ - began).count();
    }

  private:
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

const bpf_object *load_programs() {
    bpf_object *object = bpf_object__open("/sweep.bpf.o");
    bpf_program *fentry =
        object != nullptr ? bpf_object__find_program_by_name(object, "count_with_args") : nullptr;
    if (fentry == nullptr || bpf_program__set_attach_target(fentry, 0, "ksys_fallocate") != 0 ||
        bpf_object__load(object) != 0)
        die("/sweep.bpf.o");
    return object;
}

// A mode decides what is attached, and to which sites.
struct Mode {
    // Returns a program that the caller closes, or -1 and errno.
    std::function<int(const ListedFunc &)> load;
    // Returns true if the module may refuse the function, because a name has several addresses.
    std::function<bool(const ListedFunc &)> is_ambiguous;
    uint32_t object, flags;
    bool only_exact = false;
};

// The sites of a function that get a probe or a reason: those that are not the part of a call.
uint64_t sites_to_reach(const btf_extra_attach &request) {
    const bool with_body = (request.flags & BTF_EXTRA_INLINE_ONLY) == 0;
    const Answer answer = by_ioctl(device(), of_id("vmlinux", request.func_id));
    return std::ranges::count_if(answer.sites, [&](const btf_extra_site &site) {
        return (site.flags & BTF_EXTRA_SITE_PART) == 0 &&
               (with_body || site.site_class == BTF_EXTRA_CLASS_INLINE);
    });
}

void expect_refused(const Mode &mode, const ListedFunc &func, int error,
                    const btf_extra_attach &request, Row &row) {
    if (error == EINVAL && mode.is_ambiguous(func))
        return;
    // A function that is only the part of others has no site.
    row.equal(error, ENOENT, "errno of " + func.name);
    row.equal(static_cast<int64_t>(sites_to_reach(request)), 0, "sites of a refused function");
}

// Attaches to one function. Every site must have a probe or a reason.
std::optional<Link> attach(const Mode &mode, const ListedFunc &func, Totals &totals, Row &row) {
    btf_extra_attach request = {};
    const int program = mode.load(func);
    if (program < 0) {
        totals.not_loaded[errno]++;
        return {};
    }
    request.prog_fd = static_cast<uint32_t>(program);
    request.object = mode.object;
    request.func_id = func.id;
    request.flags = mode.flags;
    request.cookie = func.id;
    std::vector<btf_extra_left_out> left_out;
    Link link(request, &left_out, func.sites);
    close(program);
    if (link.error != 0 && link.error != EOPNOTSUPP) {
        totals.refused[link.error]++;
        expect_refused(mode, func, link.error, request, row);
        return {};
    }
    for (const btf_extra_left_out &site : left_out)
        totals.left_out[{site.reason, site.error}]++;
    totals.attached += request.attached;
    row.equal(request.attached + left_out.size(), static_cast<int64_t>(sites_to_reach(request)),
              "sites of " + func.name);
    if (link.error != 0)
        return {};
    if (mode.only_exact)
        for (const btf_extra_probe &probe : link.probes())
            row.expect((probe.site.flags & (BTF_EXTRA_SITE_LOOP_HEAD | BTF_EXTRA_SITE_NO_ENTRY)) ==
                           0,
                       func.name + ": a site that is not exact takes part");
    return link;
}

size_t end_of_batch(const List &list, size_t first, size_t end) {
    size_t sites = 0, at = first;
    while (at < std::min(end, first + kFunctions) &&
           (at == first || sites + list.funcs[at].sites <= kSites))
        sites += list.funcs[at++].sites;
    return at;
}

void batch(const List &list, size_t first, size_t end, const Mode &mode, Load &load, Totals &totals,
           Row &row) {
    Phases phases;
    load.rest(std::chrono::milliseconds(500));
    const Totals before = totals;
    std::vector<Link> links;
    for (size_t i = first; i < end; i++) {
        totals.functions++;
        if (auto link = attach(mode, list.funcs[i], totals, row))
            links.push_back(std::move(*link));
    }
    const double attaching = phases.next();
    load.rest(std::chrono::milliseconds(1));
    load.wait_for(kRounds);
    const double loaded = phases.next();
    for (const Link &link : links) {
        const btf_extra_link state = link.state();
        totals.hits += state.hits;
        totals.missed += state.missed;
    }
    // Each waits for all processors: many at a time wait together.
    std::vector<std::thread> closers;
    constexpr size_t kClosers = 16;
    for (size_t closer = 0; closer < kClosers; closer++)
        closers.emplace_back([&links, closer] {
            for (size_t i = closer; i < links.size(); i += kClosers)
                const Link gone(std::move(links[i]));
        });
    for (std::thread &closer : closers)
        closer.join();
    std::printf("# functions %zu to %zu: %lu sites attached, %lu left out, %lu hits, %lu missed, "
                "seconds: %.0f to attach, %.0f with all, %.0f to detach\n",
                first, end - 1, totals.attached - before.attached,
                totals.all_left_out() - before.all_left_out(), totals.hits - before.hits,
                totals.missed - before.missed, attaching, loaded, phases.next());
    std::fflush(stdout);
}

void print(const Totals &totals) {
    std::printf("# %lu functions, %lu sites attached, %lu hits, %lu missed\n", totals.functions,
                totals.attached, totals.hits, totals.missed);
    for (const auto &[why, count] : totals.left_out)
        std::printf("# left out: %lu: %s%s%s\n", count, kReasons.at(why.first),
                    why.second != 0 ? ": " : "", why.second != 0 ? std::strerror(-why.second) : "");
    for (const auto &[error, count] : totals.refused)
        std::printf("# functions refused: %lu: %s\n", count, std::strerror(error));
    for (const auto &[error, count] : totals.not_loaded)
        std::printf("# functions without a program: %lu: %s\n", count, std::strerror(error));
}

}  // namespace

int main(int argc, char **argv) {
    const rlimit files = {4096, 4096};
    if (setrlimit(RLIMIT_NOFILE, &files) != 0)
        die("RLIMIT_NOFILE");
    List list = list_sites();
    std::span<char *const> words(argv + 1, static_cast<size_t>(argc - 1));
    const std::string_view word = !words.empty() ? words[0] : "";
    const bool with_notrace = word == "notrace", with_fentry = word == "fentry";
    if (with_notrace || with_fentry)
        words = words.subspan(1);
    const bpf_object *object = load_programs();
    const int counter = bpf_program__fd(bpf_object__find_program_by_name(object, "count_call"));
    Mode mode = {
        .load = [&](const ListedFunc &) { return dup(counter); },
        .is_ambiguous = [](const ListedFunc &) { return false; },
        .object = by_ioctl(device(), of_id("vmlinux", list.funcs.at(0).id)).sites.at(0).object,
        .flags = BTF_EXTRA_BEST_EFFORT | BTF_EXTRA_INEXACT,
    };
    std::optional<FentryPrograms> fentry;
    if (with_notrace) {
        const auto untraced = untraced_functions(list);
        std::erase_if(list.funcs,
                      [&](const ListedFunc &func) { return !untraced.contains(func.id); });
        mode.flags |= BTF_EXTRA_NOTRACE;
    } else if (with_fentry) {
        fentry.emplace(object);
        fentry->leave_attachable(list);
        mode.load = [&](const ListedFunc &func) { return fentry->load(func.id); };
        mode.is_ambiguous = [&](const ListedFunc &func) { return fentry->is_ambiguous(func); };
        mode.flags |= BTF_EXTRA_INLINE_ONLY;
        mode.only_exact = true;
    }
    const size_t first = !words.empty() ? std::strtoul(words[0], nullptr, 10) : 0;
    const size_t end = std::min(list.funcs.size(),
                                words.size() > 1 ? std::strtoul(words[1], nullptr, 10) : SIZE_MAX);
    const std::multiset<std::string> before = probe_list();
    Totals totals;
    {
        Row row("every site has a probe once, or a reason");
        Load load;
        for (size_t at = first; at < end;) {
            const size_t next = end_of_batch(list, at, end);
            batch(list, at, next, mode, load, totals, row);
            at = next;
        }
    }
    print(totals);
    {
        Row row("the program ran, and nothing is left of it");
        row.expect(totals.hits > 0, "no hits");
        expect_probes(row, before);
    }
    return Row::failed != 0;
}
