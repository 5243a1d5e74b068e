// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with one processor. Functions that the kernel's compiler has inlined are traced
// during a workload, and compared with other events that tell of the same calls.
//
//   real_guest real.bpf.o module    with btf_extra.ko and btf_extra_vmlinux.ko loaded
//   real_guest real.bpf.o FILE      with the library, that .btf_extra file and perf kprobes
#include <memory>
#include <sstream>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/vm/guest_attach.h"
#include "tests/vm/real/real_event.h"
#include "tests/vm/real/workload.h"
#include "userspace/lib/btf_extra.h"

using namespace guest;

namespace {

// An inlined function whose instances in one caller are traced, and a function that is called once
// for each of its calls. The latter's arguments are where the ABI has them.
struct Pair {
    const char *function, *caller, *called;
    bool own;  // only calls of this process count
    struct {
        int of_function, of_called;
    } same[3];  // pairs of arguments that are the same; -1 ends them
};

const Pair kPairs[] = {
    // vfs_write(file, buf, count, pos) calls new_sync_write(filp, buf, len, ppos) if the file has
    // write_iter, as those of tmpfs have. file_start_write() and file_end_write() are around it.
    // fsnotify_modify() follows if something was written, which is always so here.
    {"new_sync_write", "vfs_write", "vfs_write", true, {{0, 0}, {1, 1}, {2, 2}}},
    {"file_start_write", "vfs_write", "vfs_write", true, {{0, 0}, {-1, 0}}},
    {"file_end_write", "vfs_write", "vfs_write", true, {{0, 0}, {-1, 0}}},
    {"fsnotify_modify", "vfs_write", "vfs_write", true, {{0, 0}, {-1, 0}}},
    // vfs_read(file, buf, count, pos) does the same. No read here reaches the end of the file.
    {"new_sync_read", "vfs_read", "vfs_read", true, {{0, 0}, {1, 1}, {2, 2}}},
    {"fsnotify_access", "vfs_read", "vfs_read", true, {{0, 0}, {-1, 0}}},
    // vfs_open(path, file) and its caller do this: until 6.1 it was at the end of the system call.
    {"fsnotify_open", "do_sys_openat2", "vfs_open", true, {{0, 1}, {-1, 0}}},
    {"fsnotify_open", "vfs_open", "vfs_open", true, {{0, 1}, {-1, 0}}},
    // copy_process() calls the copy functions one after another, and among them
    // copy_namespaces(flags, tsk), which is out of line.
    {"copy_files", "copy_process", "copy_namespaces", false, {{0, 0}, {1, 1}, {-1, 0}}},
    {"copy_fs", "copy_process", "copy_namespaces", false, {{0, 0}, {1, 1}, {-1, 0}}},
    {"copy_sighand", "copy_process", "copy_namespaces", false, {{0, 0}, {1, 1}, {-1, 0}}},
    // do_exit() calls exit_signals(tsk) first, and exit_notify(tsk, group_dead) near its end.
    {"exit_notify", "do_exit", "exit_signals", false, {{0, 0}, {-1, 0}}},
    // loopback_xmit(skb, dev) calls each of them once.
    {"skb_orphan", "loopback_xmit", "loopback_xmit", false, {{0, 0}, {-1, 0}}},
    {"dev_lstats_add", "loopback_xmit", "loopback_xmit", false, {{0, 1}, {-1, 0}}},
    // ip_rcv(skb, ...) neither drops nor redirects packets for this host.
    {"dst_input", "ip_rcv", "ip_rcv", false, {{0, 0}, {-1, 0}}},
    // The machine code of tcp_queue_rcv() has it twice: after tcp_try_coalesce(sk, ...), and where
    // the queue is empty, so that nothing is tried. DWARF has one entry for both.
    {"tcp_rcv_nxt_update", "tcp_queue_rcv", "tcp_queue_rcv", false, {{0, 0}, {-1, 0}}},
};
constexpr size_t kPairsCount = std::size(kPairs);
// A pair's function has the pair's number as cookie, and the called function that number +
// kPairsCount. These cookies follow.
constexpr uint64_t kInitWl = 2 * kPairsCount;

struct Closer {
    void operator()(bpf_object *object) const { bpf_object__close(object); }
    void operator()(bpf_link *link) const { bpf_link__destroy(link); }
};

// Returns [start, end) of a symbol of vmlinux, or nothing if there is none.
struct Symbols {
    std::vector<uint64_t> addresses;
    std::unordered_map<std::string, uint64_t> by_name;

    Symbols() {
        std::ifstream list("/proc/kallsyms");
        for (std::string line; std::getline(list, line) && line.find('[') == std::string::npos;) {
            addresses.push_back(std::stoull(line, nullptr, 16));
            by_name.emplace(line.substr(19), addresses.back());
        }
        std::ranges::sort(addresses);
    }
    bool holds(const char *symbol, uint64_t address) const {
        const auto found = by_name.find(symbol);
        return found != by_name.end() && address >= found->second &&
               address < *std::ranges::upper_bound(addresses, found->second);
    }
};

class Tracer {
  public:
    // file has the tables for perf kprobes; NULL: the module attaches.
    Tracer(const char *programs, const char *file)
        : object_(bpf_object__open_file(programs, nullptr)) {
        if (!object_ || bpf_object__load(object_.get()) != 0)
            die(programs);
        events_ = static_cast<real_event *>(memory("events", REAL_EVENTS * sizeof(real_event)));
        count_ = static_cast<uint64_t *>(memory(".bss", sizeof(uint64_t)));
        if (file == nullptr)
            return;
        btf_extra_open_opts opts = {};
        opts.sz = sizeof(opts);
        opts.file = file;
        opts.no_module = true;
        if (btf_extra_open(&tables_, &opts) != 0)
            die(btf_extra_last_error());
    }
    Tracer(const Tracer &) = delete;
    ~Tracer() {
        for (btf_extra_kloc *kloc : klocs_)
            btf_extra_detach(kloc);
        btf_extra_close(tables_);
    }
    // Attaches to all possible sites and returns them.
    std::vector<btf_extra_probe> inlined(const char *function, uint64_t cookie) {
        return tables_ == nullptr ? by_module(function, cookie) : by_perf(function, cookie);
    }
    // Attaches with perf to a function that is called.
    bool called(const char *function, uint64_t cookie) {
        LIBBPF_OPTS(bpf_kprobe_opts, opts);
        opts.bpf_cookie = cookie;
        bpf_link *link = bpf_program__attach_kprobe_opts(program("note"), function, &opts);
        if (link == nullptr)
            return false;
        kprobes_.emplace_back(link);
        return true;
    }
    void forget() { *count_ = 0; }
    std::vector<real_event> events() const {
        if (*count_ > REAL_EVENTS)
            die("more events than there is place for");
        return {events_, events_ + *count_};
    }

  private:
    std::vector<btf_extra_probe> by_module(const char *function, uint64_t cookie) {
        struct btf_extra_attach request = attach_to("vmlinux", function);
        request.prog_fd = static_cast<uint32_t>(bpf_program__fd(program("note")));
        request.flags = BTF_EXTRA_BEST_EFFORT;
        request.cookie = cookie;
        return links_.emplace_back(std::make_unique<Link>(request))->probes();
    }
    std::vector<btf_extra_probe> by_perf(const char *function, uint64_t cookie) {
        const btf_extra_func *const *funcs = nullptr;
        size_t count = 0;
        if (btf_extra_find(tables_, (std::string("vmlinux:") + function).c_str(), &funcs, &count) !=
                0 ||
            count != 1)
            die(std::string(function) + ": not one function of vmlinux");
        btf_extra_attach_opts opts = {};
        opts.sz = sizeof(opts);
        opts.flags = BTF_EXTRA_BEST_EFFORT;
        opts.cookie = cookie;
        btf_extra_kloc *kloc = nullptr;
        const int error = btf_extra_attach(&kloc, tables_, funcs[0],
                                           bpf_program__fd(program("note_loc")), &opts, nullptr);
        const btf_extra_probe *probes = nullptr;
        if (error == -EOPNOTSUPP)
            return {};
        if (error != 0 || btf_extra_kloc_probes(kloc, &probes, &count) != 0)
            die(btf_extra_last_error());
        klocs_.push_back(kloc);
        return {probes, probes + count};
    }
    bpf_program *program(const char *name) {
        return bpf_object__find_program_by_name(object_.get(), name);
    }
    void *memory(const char *map, size_t size) {
        void *at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED,
                        bpf_object__find_map_fd_by_name(object_.get(), map), 0);
        if (at == MAP_FAILED)
            die(map);
        return at;
    }
    std::unique_ptr<bpf_object, Closer> object_;
    real_event *events_;
    uint64_t *count_;
    btf_extra_tables *tables_ = nullptr;
    std::vector<btf_extra_kloc *> klocs_;
    std::vector<std::unique_ptr<Link>> links_;
    std::vector<std::unique_ptr<bpf_link, Closer>> kprobes_;
};

bool has_probe_in(const std::vector<btf_extra_probe> &probes, const Symbols &symbols,
                  const char *caller) {
    return std::ranges::any_of(probes, [&](const btf_extra_probe &probe) {
        return probe.site.site_class == BTF_EXTRA_CLASS_INLINE &&
               symbols.holds(caller, probe.site.address);
    });
}

void compare(const Pair &pair, size_t number, const std::vector<real_event> &events,
             const Symbols &symbols) {
    Row row(std::string(pair.function) + " in " + pair.caller + ", against " + pair.called);
    std::vector<const real_event *> inlined, called;
    for (const real_event &event : events) {
        if (pair.own && event.pid != static_cast<uint32_t>(getpid()))
            continue;
        if (event.cookie == number && symbols.holds(pair.caller, event.site))
            inlined.push_back(&event);
        else if (event.cookie == number + kPairsCount)
            called.push_back(&event);
    }
    std::printf("# %zu calls\n", called.size());
    row.expect(called.size() >= 10, "too few calls");
    row.equal(static_cast<int64_t>(inlined.size()), static_cast<int64_t>(called.size()), "calls");
    for (size_t i = 0; i < std::min(inlined.size(), called.size()); i++)
        for (const auto &[of_function, of_called] : pair.same) {
            if (of_function < 0)
                break;
            row.equal(static_cast<int64_t>(inlined[i]->args[of_function]),
                      static_cast<int64_t>(called[i]->args[of_called]),
                      "argument " + std::to_string(of_function));
        }
}

// ---- counters ----

uint64_t number_in(const std::string &path) {
    uint64_t number = 0;
    std::ifstream(path) >> number;
    return number;
}

uint64_t tcp_counter(const std::string &name) {
    std::ifstream file("/proc/net/snmp");
    std::vector<std::string> names;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word != "Tcp:")
            continue;
        std::vector<std::string> of_line;
        while (words >> word)
            of_line.push_back(word);
        if (names.empty()) {
            names = of_line;
            continue;
        }
        const auto at = std::ranges::find(names, name) - names.begin();
        return std::stoull(of_line.at(at));
    }
    die(name);
}

struct Counters {
    uint64_t packets = number_in("/sys/class/net/lo/statistics/tx_packets");
    uint64_t bytes = number_in("/sys/class/net/lo/statistics/tx_bytes");
    uint64_t active = tcp_counter("ActiveOpens"), passive = tcp_counter("PassiveOpens");
};

void compare_counters(const std::vector<real_event> &events, const Symbols &symbols,
                      const Counters &before, const Counters &after) {
    uint64_t packets = 0, bytes = 0, active = 0, passive = 0;
    for (const real_event &event : events) {
        if (event.cookie < kPairsCount &&
            std::string(kPairs[event.cookie].function) == "dev_lstats_add") {
            packets++;
            bytes += event.args[1];
        }
        // It happens once when a connection is opened, and once when one is accepted.
        active += event.cookie == kInitWl && symbols.holds("tcp_connect", event.site);
        passive += event.cookie == kInitWl && symbols.holds("tcp_create_openreq_child", event.site);
    }
    {
        Row row("dev_lstats_add, against the statistics of lo");
        row.equal(static_cast<int64_t>(packets),
                  static_cast<int64_t>(after.packets - before.packets), "packets");
        row.equal(static_cast<int64_t>(bytes), static_cast<int64_t>(after.bytes - before.bytes),
                  "bytes");
        row.expect(bytes > kConnections * 20000, "too few bytes");
    }
    Row row("tcp_init_wl, against ActiveOpens and PassiveOpens");
    row.equal(static_cast<int64_t>(active), static_cast<int64_t>(after.active - before.active),
              "begun");
    row.equal(static_cast<int64_t>(passive), static_cast<int64_t>(after.passive - before.passive),
              "taken");
    row.equal(static_cast<int64_t>(active), kConnections, "connections");
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 3)
        die("usage: real_guest real.bpf.o module|FILE");
    const Symbols symbols;
    Tracer tracer(argv[1], std::string(argv[2]) == "module" ? nullptr : argv[2]);
    std::vector<size_t> traced;
    for (size_t i = 0; i < kPairsCount; i++) {
        const Pair &pair = kPairs[i];
        if (!has_probe_in(tracer.inlined(pair.function, i), symbols, pair.caller) ||
            !tracer.called(pair.called, i + kPairsCount))
            std::printf("# %s is not inlined in %s, or %s is not called, in this kernel\n",
                        pair.function, pair.caller, pair.called);
        else
            traced.push_back(i);
    }
    tracer.inlined("tcp_init_wl", kInitWl);
    std::fflush(stdout);

    const Counters before;
    tracer.forget();
    run_workload();
    const std::vector<real_event> events = tracer.events();
    const Counters after;
    {
        Row row("functions that can be compared");
        row.expect(traced.size() >= 12, std::to_string(traced.size()) + " of them");
    }
    for (size_t i : traced)
        compare(kPairs[i], i, events, symbols);
    compare_counters(events, symbols, before, after);
    return Row::failed != 0;
}
