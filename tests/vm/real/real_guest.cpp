// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with one processor. Functions that the kernel's compiler has inlined are traced
// during a workload, and compared with other events that tell of the same calls.
//
//   real_guest real.bpf.o module    with btf_extra.ko and btf_extra_vmlinux.ko loaded
//   real_guest real.bpf.o fentry    likewise; the functions are exposed, and have fentry programs
//   real_guest real.bpf.o multi     likewise, with a program of kprobe.multi
//   real_guest real.bpf.o FILE      with the library, that .btf_extra file and perf kprobes
#include <array>
#include <bit>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/vm/guest_phantoms.h"
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
// The statistics of lo count its calls and the bytes that they pass.
const std::string kCounted = "dev_lstats_add";
constexpr uint32_t kCountedBytes = 1;
// A pair's function has the pair's number as cookie, and the called function that number +
// kPairsCount. These cookies follow.
constexpr uint64_t kInitWl = 2 * kPairsCount;

struct Closer {
    void operator()(bpf_object *object) const { bpf_object__close(object); }
    void operator()(bpf_link *link) const { bpf_link__destroy(link); }
};

// The symbols of vmlinux, and then of modules; of several with one name the first.
struct Symbols {
    std::vector<uint64_t> addresses;
    std::unordered_map<std::string, uint64_t> by_name;

    Symbols() {
        std::ifstream list("/proc/kallsyms");
        for (std::string line; std::getline(list, line);) {
            addresses.push_back(std::stoull(line, nullptr, 16));
            by_name.emplace(line.substr(19, line.find('\t', 19) - 19), addresses.back());
        }
        std::ranges::sort(addresses);
    }
    // Returns false if there is no such symbol.
    bool holds(const char *symbol, uint64_t address) const {
        const auto found = by_name.find(symbol);
        return found != by_name.end() && address >= found->second &&
               address < *std::ranges::upper_bound(addresses, found->second);
    }
};

using Object = std::unique_ptr<bpf_object, Closer>;

void load(const Object &object, const char *programs) {
    if (!object || bpf_object__load(object.get()) != 0)
        die(programs);
}

// Leaves out the programs that are for stubs, which not every kernel can load.
Object load_kprobes(const char *programs) {
    Object object(bpf_object__open_file(programs, nullptr));
    bpf_program *program;
    bpf_object__for_each_program(program, object.get()) bpf_program__set_autoload(
        program, std::string(bpf_program__name(program)).starts_with("note"));
    load(object, programs);
    return object;
}

class Tracer {
  public:
    // way: "module", "fentry", "multi", or the file with the tables for perf kprobes.
    Tracer(const char *programs, const std::string &way)
        : path_(programs), way_(way), object_(load_kprobes(programs)) {
        events_ = static_cast<real_event *>(memory("events", REAL_EVENTS * sizeof(real_event)));
        count_ = static_cast<uint64_t *>(memory(".bss", sizeof(uint64_t)));
        if (way == "module")
            return;
        btf_extra_open_opts opts = {};
        opts.sz = sizeof(opts);
        opts.file = at_stubs() ? nullptr : way.c_str();
        opts.no_module = !at_stubs();
        if (btf_extra_open(&tables_, &opts) != 0)
            die(btf_extra_last_error());
    }
    Tracer(const Tracer &) = delete;
    ~Tracer() {
        for (btf_extra_kloc *kloc : klocs_)
            btf_extra_detach(kloc);
        btf_extra_close(tables_);
    }
    bool at_stubs() const { return way_ == "fentry" || way_ == "multi"; }
    // Makes stubs for the functions. They have the parameters that are compared.
    void expose(const std::vector<const char *> &functions);
    // Attaches to all possible sites and returns them.
    std::vector<btf_extra_probe> inlined(const char *function, uint64_t cookie) {
        if (at_stubs())
            return by_stub(function, cookie);
        return tables_ == nullptr ? by_module(function, cookie) : by_perf(function, cookie);
    }
    // Attaches with perf to a function that is called.
    bool called(const char *function, uint64_t cookie) {
        LIBBPF_OPTS(bpf_kprobe_opts, opts);
        opts.bpf_cookie = cookie;
        bpf_link *link = bpf_program__attach_kprobe_opts(program("note"), function, &opts);
        if (link == nullptr)
            return false;
        links_of_bpf_.emplace_back(link);
        return true;
    }
    // The probes of stubs come a moment after a program was attached.
    void wait_until_armed() const;
    void forget() { *count_ = 0; }
    std::vector<real_event> events(const Symbols &symbols) const;

  private:
    std::vector<btf_extra_probe> by_module(const char *function, uint64_t cookie) {
        struct btf_extra_attach request = attach_to("vmlinux", function);
        request.prog_fd = static_cast<uint32_t>(bpf_program__fd(program("note")));
        request.flags = BTF_EXTRA_BEST_EFFORT;
        request.cookie = cookie;
        return links_.emplace_back(std::make_unique<Link>(request))->probes();
    }
    std::vector<btf_extra_probe> by_perf(const char *function, uint64_t cookie) {
        btf_extra_attach_opts opts = {};
        opts.sz = sizeof(opts);
        opts.flags = BTF_EXTRA_BEST_EFFORT;
        opts.cookie = cookie;
        btf_extra_kloc *kloc = nullptr;
        const btf_extra_probe *probes = nullptr;
        size_t count = 0;
        const int error = btf_extra_attach(&kloc, tables_, find(function),
                                           bpf_program__fd(program("note_loc")), &opts, nullptr);
        if (error == -EOPNOTSUPP)
            return {};
        if (error != 0 || btf_extra_kloc_probes(kloc, &probes, &count) != 0)
            die(btf_extra_last_error());
        klocs_.push_back(kloc);
        return {probes, probes + count};
    }
    std::vector<btf_extra_probe> by_stub(const char *function, uint64_t cookie);
    bpf_link *attach_fentry(const std::string &stub, uint64_t cookie);
    bpf_link *attach_multi(const std::string &stub, uint64_t cookie);
    // A program of fentry is loaded for one function; its memory is that of the others.
    Object load_at_stub(const char *name, const std::string &stub);
    const btf_extra_func *find(const char *function) const {
        const btf_extra_func *const *funcs = nullptr;
        size_t count = 0;
        if (btf_extra_find(tables_, (std::string("vmlinux:") + function).c_str(), &funcs, &count) !=
                0 ||
            count != 1)
            die(std::string(function) + ": not one function of vmlinux");
        return funcs[0];
    }
    // Bit n: the stub has parameter n of the function.
    uint32_t kept_params(const btf_extra_func *func) const {
        uint32_t kept = 0;
        for (uint32_t n = 0; n < btf_extra_func_nr_params(func); n++)
            kept |= without_.contains(btf_extra_func_param(func, n)) ? 0 : 1U << n;
        return kept;
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
    const char *path_;
    std::string way_;
    Object object_;
    real_event *events_;
    uint64_t *count_;
    btf_extra_tables *tables_ = nullptr;
    std::set<std::string> without_;           // parameters that no stub has
    std::map<std::string, size_t> nr_sites_;  // of stubs, where they have their arguments
    std::map<uint64_t, uint32_t> kept_;       // of stubs, by cookie
    std::vector<Object> objects_of_stubs_;
    std::vector<btf_extra_kloc *> klocs_;
    std::vector<std::unique_ptr<Link>> links_;
    std::vector<std::unique_ptr<bpf_link, Closer>> links_of_bpf_;
};

// ---- stubs ----

// Bit n: parameter n of the function is compared.
uint32_t compared_params(const std::string &function) {
    uint32_t compared = function == kCounted ? 1U << kCountedBytes : 0;
    for (const Pair &pair : kPairs)
        for (const auto &[of_function, of_called] : pair.same) {
            if (of_function < 0)
                break;
            compared |= function == pair.function ? 1U << of_function : 0;
        }
    return compared;
}

void Tracer::expose(const std::vector<const char *> &functions) {
    std::set<std::string> compared;
    std::string command;
    for (const char *function : functions) {
        const btf_extra_func *func = find(function);
        command += std::string(" vmlinux:") + function;
        for (uint32_t n = 0; n < btf_extra_func_nr_params(func); n++)
            (compared_params(function) >> n & 1 ? compared : without_)
                .insert(btf_extra_func_param(func, n));
    }
    for (const std::string &name : compared)
        without_.erase(name);
    for (const std::string &name : without_)
        command += " --without " + name;
    // One that is inlined nowhere has none.
    if (std::system(("btf-extra expose --best-effort --template /inlined.ko" + command).c_str()) !=
        0)
        die("btf-extra expose");
}

Object Tracer::load_at_stub(const char *name, const std::string &stub) {
    Object object(bpf_object__open_file(path_, nullptr));
    bpf_program *program;
    bpf_object__for_each_program(program, object.get()) {
        const bool is_it = std::string(bpf_program__name(program)) == name;
        bpf_program__set_autoload(program, is_it);
        if (is_it && !stub.empty() && bpf_program__set_attach_target(program, 0, stub.c_str()) != 0)
            die(stub);
    }
    for (const char *map : {"events", ".bss"})
        if (bpf_map__reuse_fd(bpf_object__find_map_by_name(object.get(), map),
                              bpf_object__find_map_fd_by_name(object_.get(), map)) != 0)
            die(map);
    load(object, name);
    return object;
}

bpf_link *Tracer::attach_fentry(const std::string &stub, uint64_t cookie) {
    LIBBPF_OPTS(bpf_trace_opts, opts);
    opts.cookie = cookie;
    const Object &object = objects_of_stubs_.emplace_back(load_at_stub("at_stub", stub));
    return bpf_program__attach_trace_opts(bpf_object__find_program_by_name(object.get(), "at_stub"),
                                          &opts);
}

// 6.1 finds no function of a module by name.
bpf_link *Tracer::attach_multi(const std::string &stub, uint64_t cookie) {
    const unsigned long address = stub_address(stub);
    const __u64 cookies[] = {cookie};
    LIBBPF_OPTS(bpf_kprobe_multi_opts, opts);
    opts.addrs = &address;
    opts.cookies = cookies;
    opts.cnt = 1;
    if (objects_of_stubs_.empty())
        objects_of_stubs_.push_back(load_at_stub("at_stubs", ""));
    return bpf_program__attach_kprobe_multi_opts(
        bpf_object__find_program_by_name(objects_of_stubs_[0].get(), "at_stubs"), nullptr, &opts);
}

std::vector<btf_extra_probe> Tracer::by_stub(const char *function, uint64_t cookie) {
    // A function with a body, or one that another BTF names, has a stub of another name.
    std::string stub = std::string(function) + "__inlined";
    if (stub_state(stub).empty())
        stub = function;
    if (stub_state(stub).empty())
        return {};
    bpf_link *link = way_ == "fentry" ? attach_fentry(stub, cookie) : attach_multi(stub, cookie);
    if (link == nullptr)
        die(stub);
    links_of_bpf_.emplace_back(link);
    const btf_extra_func *func = find(function);
    const uint32_t kept = kept_[cookie] = kept_params(func);
    constexpr uint32_t kNoExactCall =
        BTF_EXTRA_SITE_LOOP_HEAD | BTF_EXTRA_SITE_PART | BTF_EXTRA_SITE_NO_ENTRY;
    std::vector<btf_extra_probe> probes;
    size_t count = 0;
    const btf_extra_site *sites = btf_extra_func_sites(func, &count);
    for (const btf_extra_site *site = sites; site != sites + count; site++)
        if (site->site_class == BTF_EXTRA_CLASS_INLINE && (site->flags & kNoExactCall) == 0 &&
            (btf_extra_site_located(func, site) & kept) == kept)
            probes.push_back({*site, 0});
    nr_sites_[stub] = probes.size();
    return probes;
}

void Tracer::wait_until_armed() const {
    for (const auto &[stub, nr_sites] : nr_sites_) {
        Row row(stub + ": each site with the arguments that it has is armed");
        auto state = wait_for_state(stub, "armed");
        row.expect(state["state"] == "armed", state["state"]);
        row.equal(std::stoll(state["armed"]), static_cast<int64_t>(nr_sites), "probes");
    }
}

// The site of a stub is after the code that calls it, and arguments follow each other.
std::vector<real_event> Tracer::events(const Symbols &symbols) const {
    if (*count_ > REAL_EVENTS)
        die("more events than there is place for");
    std::vector<real_event> events(events_, events_ + *count_);
    for (real_event &event : events) {
        const auto stub = kept_.find(event.cookie);
        if (stub == kept_.end())
            continue;
        for (size_t i = 0; i + 1 < REAL_FRAMES; i++)
            if (symbols.holds("arch_phantom_call", event.frames[i]))
                event.site = event.frames[i + 1];
        const std::array<__u64, 4> args = std::to_array(event.args);
        for (uint32_t n = 0; n < args.size(); n++)
            if (stub->second >> n & 1)
                event.args[n] = args.at(std::popcount(stub->second & ((1U << n) - 1)));
    }
    return events;
}

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
    // Several tasks may be in the caller at once. The calls of each one have an order.
    for (auto *list : {&inlined, &called})
        std::ranges::stable_sort(*list, {}, &real_event::pid);
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
        if (event.cookie < kPairsCount && kPairs[event.cookie].function == kCounted) {
            packets++;
            bytes += event.args[kCountedBytes];
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
        die("usage: real_guest real.bpf.o module|fentry|multi|FILE");
    Tracer tracer(argv[1], argv[2]);
    if (tracer.at_stubs()) {
        std::vector<const char *> functions = {"tcp_init_wl"};
        for (const Pair &pair : kPairs)
            functions.push_back(pair.function);
        tracer.expose(functions);
    }
    const Symbols symbols;
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
    tracer.wait_until_armed();
    std::fflush(stdout);

    const Counters before;
    tracer.forget();
    run_workload();
    const std::vector<real_event> events = tracer.events(symbols);
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
