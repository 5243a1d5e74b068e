// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra.ko and shapes.ko loaded. Compares what BPF programs at the sites
// of its functions see with what these functions have written down, call by call.
//
//   shapes_guest shapes.bpf.o SITES CALLS MODE...
//
// SITES is the output of expected_sites.py, and CALLS the number of calls in each mode. MODE is
// typed (a program for each function, as for one that is never inlined), word (a program that reads
// what the module tells of the arguments), loc (a program that uses the library's header, attached
// by the library), perf (the same with perf kprobes) or steps (see steps.h). Once the inlined
// functions are exposed, it is also fentry:FILE (the program of FILE, phantom.bpf.o, at each stub)
// or multi (the typed programs, by kprobe.multi).
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <thread>

#include <bpf/bpf.h>
#include <sched.h>
#include <unistd.h>

#include "tests/vm/guest_phantoms.h"
#include "tests/vm/shapes/shapes_event.h"
#include "tests/vm/shapes/steps.h"
#include "userspace/lib/btf_extra.h"

using namespace guest;

namespace {

#define SHAPE_NAME(name, params) #name,
const char *const kNames[] = {SHAPES(SHAPE_NAME)};
#define SHAPE_PARAMS(name, params) params,
const uint32_t kParams[] = {SHAPES(SHAPE_PARAMS)};

std::string function_of(uint32_t shape) {
    return std::string("shape_") + kNames[shape];
}

bool has_two_words(uint32_t shape, uint32_t param) {
    return (shape == SHAPE_pair && param == 0) || (shape == SHAPE_structs_body && param == 1);
}

// ---- the sites: their located parameters, by function and address ----

using Sites = std::map<std::string, std::map<uint64_t, uint32_t>>;

Sites read_sites(const char *path) {
    std::map<std::string, uint64_t> symbols;
    std::ifstream kallsyms("/proc/kallsyms");
    for (std::string line; std::getline(kallsyms, line);) {
        const size_t module = line.find("\t[shapes]");
        if (module != std::string::npos)
            symbols[line.substr(19, module - 19)] = std::stoull(line, nullptr, 16);
    }
    Sites sites;
    std::ifstream file(path);
    std::string function, site_class, place;
    for (uint32_t mask; file >> function >> site_class >> place >> mask;) {
        const size_t plus = place.find('+');
        const auto symbol = symbols.find(place.substr(0, plus));
        if (symbol == symbols.end())
            die("no symbol for " + place);
        sites[function][symbol->second + std::stoull(place.substr(plus + 1), nullptr, 16)] |= mask;
    }
    if (sites.empty())
        die(path);
    return sites;
}

// ---- the programs ----

struct Closer {
    void operator()(bpf_object *object) const { bpf_object__close(object); }
};

// The events of one processor, by function and in order.
using Events = std::map<uint32_t, std::vector<const shape_event *>>;

class Programs {
  public:
    // prepare(), if there is one, is called before the programs are loaded.
    explicit Programs(const std::string &file,
                      const std::function<void(bpf_object *)> &prepare = nullptr)
        : object_(bpf_object__open_file(file.c_str(), nullptr)) {
        if (object_ && prepare)
            prepare(object_.get());
        if (!object_ || bpf_object__load(object_.get()) != 0)
            die(file);
        events_ = memory_of<shape_event>(object_.get(), "events");
        counts_ = memory_of<uint64_t>(object_.get(), ".bss");
    }
    bpf_program *program(const std::string &name) const {
        bpf_program *program = bpf_object__find_program_by_name(object_.get(), name.c_str());
        if (program == nullptr)
            die(name + ": no such program");
        return program;
    }
    int fd(const std::string &name) const { return bpf_program__fd(program(name)); }
    void forget() { std::fill_n(counts_, SHAPES_CPUS, 0); }
    // Returns the events since the last forget().
    Events events(size_t cpu) const {
        Events events;
        if (counts_[cpu] > SHAPES_EVENTS)
            die("more events than there is place for");
        for (size_t i = 0; i < counts_[cpu]; i++) {
            const shape_event *event = &events_[cpu * SHAPES_EVENTS + i];
            events[event->shape].push_back(event);
        }
        return events;
    }

  private:
    std::unique_ptr<bpf_object, Closer> object_;
    shape_event *events_;
    uint64_t *counts_;
};

// ---- the workload ----

int workload;

std::vector<shape_record> run(uint64_t seed, uint32_t only, uint32_t capacity) {
    std::vector<shape_record> records(capacity);
    shapes_run request = {};
    request.records = pointer(records.data());
    request.capacity = capacity;
    request.seed = seed;
    request.only = only;
    if (ioctl(workload, SHAPES_IOC_RUN, &request) != 0)
        die("SHAPES_IOC_RUN");
    records.resize(request.count);
    return records;
}

// Runs on all processors at once.
std::vector<std::vector<shape_record>> run_everywhere(uint64_t seed, uint32_t only,
                                                      uint32_t capacity) {
    std::vector<std::vector<shape_record>> records(
        std::min<size_t>(std::thread::hardware_concurrency(), SHAPES_CPUS));
    std::vector<std::thread> threads;
    for (size_t cpu = 0; cpu < records.size(); cpu++)
        threads.emplace_back([&, cpu] {
            cpu_set_t set;
            CPU_ZERO(&set);
            CPU_SET(cpu, &set);
            if (sched_setaffinity(0, sizeof(set), &set) != 0)
                die("sched_setaffinity");
            records[cpu] = run(seed * 1000 + cpu, only, capacity);
        });
    for (std::thread &thread : threads)
        thread.join();
    return records;
}

// ---- the comparison ----

std::string hex(uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof(text), "0x%lx", value);
    return text;
}

void compare_args(Row &row, const shape_event &event, const shape_record &record, uint32_t located,
                  bool tells_presence) {
    const uint32_t all = (1U << kParams[event.shape]) - 1;
    if (tells_presence)
        row.equal(event.present & all, located & event.looked & all, "arguments present");
    for (uint32_t n = 0; n < kParams[event.shape]; n++) {
        const std::string what = "argument " + std::to_string(n);
        if (!(event.looked >> n & 1))
            continue;
        if (!(located >> n & 1)) {
            row.expect(event.args[n][0] == 0, what + ": no location, and not 0");
            continue;
        }
        if (record.unknown >> n & 1)
            continue;
        for (int word = 0; word < (has_two_words(event.shape, n) ? 2 : 1); word++)
            row.expect(event.args[n][word] == record.args[n][word],
                       what + " of " + hex(event.ip) + ": " + hex(event.args[n][word]) + ", not " +
                           hex(record.args[n][word]));
    }
}

// Compares the events of one function and one processor, in order.
void compare(Row &row, const std::vector<const shape_event *> &events,
             const std::vector<const shape_record *> &records,
             const std::map<uint64_t, uint32_t> &sites, bool tells_presence) {
    row.equal(static_cast<int64_t>(events.size()), static_cast<int64_t>(records.size()), "calls");
    for (size_t i = 0; i < std::min(events.size(), records.size()); i++) {
        const auto site = sites.find(events[i]->ip);
        row.expect(site != sites.end(), hex(events[i]->ip) + ": no site there");
        if (site != sites.end())
            compare_args(row, *events[i], *records[i], site->second, tells_presence);
    }
}

struct Tally {
    size_t calls = 0;
    std::map<uint32_t, std::unique_ptr<Row>> rows;  // by function
};

void compare_round(Tally &tally, const Programs &programs,
                   const std::vector<std::vector<shape_record>> &records, const Sites &sites,
                   bool tells_presence) {
    for (size_t cpu = 0; cpu < records.size(); cpu++) {
        Events events = programs.events(cpu);
        std::map<uint32_t, std::vector<const shape_record *>> by_shape;
        for (const shape_record &record : records[cpu])
            by_shape[record.shape].push_back(&record);
        for (auto &[shape, row] : tally.rows) {
            compare(*row, events[shape], by_shape[shape], sites.at(function_of(shape)),
                    tells_presence);
            tally.calls += by_shape[shape].size();
        }
    }
}

// ---- the modes ----

// The loop heads are tested below.
constexpr uint32_t kShapes = SHAPE_own_loop;

// Attaches a program to all sites of a function with an ioctl.
class ByIoctl {
  public:
    ByIoctl(const Programs &programs, const std::string &mode, uint32_t shape)
        : request_(request(programs, mode, shape)), link_(request_, &left_out) {}
    int error() const { return link_.error; }
    size_t attached() const { return request_.attached; }
    btf_extra_counts counts() const {
        const btf_extra_link state = link_.state();
        return {state.hits, state.missed};
    }
    std::vector<btf_extra_left_out> left_out;

  private:
    static struct btf_extra_attach request(const Programs &programs, const std::string &mode,
                                           uint32_t shape) {
        struct btf_extra_attach request = attach_to("shapes", function_of(shape));
        request.prog_fd = static_cast<uint32_t>(
            programs.fd(mode == "typed" ? std::string("typed_") + kNames[shape] : mode));
        request.cookie = shape;
        return request;
    }
    struct btf_extra_attach request_;
    Link link_;
};

btf_extra_tables *open_tables() {
    btf_extra_open_opts opts = {};
    opts.sz = sizeof(opts);
    btf_extra_tables *tables = nullptr;
    if (btf_extra_open(&tables, &opts) != 0)
        die(std::string("btf_extra_open: ") + btf_extra_last_error());
    return tables;
}

// Attaches with the library, through the module or with perf kprobes.
class ByLibrary {
  public:
    ByLibrary(const Programs &programs, const std::string &mode, uint32_t shape) {
        static btf_extra_tables *const tables = open_tables();
        btf_extra_attach_opts opts = {};
        opts.sz = sizeof(opts);
        opts.cookie = shape;
        opts.no_module = mode == "perf";
        const btf_extra_func *const *funcs = nullptr;
        size_t nr_funcs = 0;
        btf_extra_report *report = nullptr;
        if (btf_extra_find(tables, ("shapes:" + function_of(shape)).c_str(), &funcs, &nr_funcs) !=
                0 ||
            nr_funcs != 1)
            die(std::string("btf_extra_find: ") + btf_extra_last_error());
        error_ = -btf_extra_attach(&kloc_, tables, funcs[0], programs.fd("loc"), &opts, &report);
        if (error_ != 0)
            std::printf("%s\n", btf_extra_last_error());
        if (report != nullptr) {
            attached_ = report->attached;
            left_out.assign(report->left_out, report->left_out + report->nr_left_out);
            btf_extra_report_free(report);
        }
    }
    ByLibrary(const ByLibrary &) = delete;
    ~ByLibrary() { btf_extra_detach(kloc_); }
    int error() const { return error_; }
    size_t attached() const { return attached_; }
    btf_extra_counts counts() const {
        btf_extra_counts counts = {};
        if (kloc_ != nullptr && btf_extra_kloc_counts(kloc_, &counts) != 0)
            die(std::string("btf_extra_kloc_counts: ") + btf_extra_last_error());
        return counts;
    }
    std::vector<btf_extra_left_out> left_out;

  private:
    btf_extra_kloc *kloc_ = nullptr;
    int error_ = 0;
    size_t attached_ = 0;
};

template <class Attached>
void in_mode(const std::string &mode, Programs &programs, const Sites &sites, size_t calls) {
    std::vector<std::unique_ptr<Attached>> all;
    Tally tally;
    for (uint32_t shape = 0; shape < kShapes; shape++) {
        all.push_back(std::make_unique<Attached>(programs, mode, shape));
        Row row(mode + ": " + kNames[shape] + ": is attached to all of its sites");
        row.expect(all.back()->error() == 0, std::strerror(all.back()->error()));
        for (const btf_extra_left_out &one : all.back()->left_out)
            row.expect(false, hex(one.site.address) + ": reason " + std::to_string(one.reason) +
                                  ", " + std::strerror(-one.error));
        row.equal(static_cast<int64_t>(all.back()->attached()),
                  static_cast<int64_t>(sites.at(function_of(shape)).size()), "probes");
    }
    for (uint32_t shape = 0; shape < kShapes; shape++)
        tally.rows[shape] = std::make_unique<Row>(mode + ": " + kNames[shape] +
                                                  ": each call once, with its arguments");
    for (uint64_t round = 1; tally.calls < calls; round++) {
        programs.forget();
        compare_round(tally, programs, run_everywhere(round, SHAPES_COUNT, 1024), sites,
                      mode != "typed");
    }
    std::printf("# %s: %zu calls\n", mode.c_str(), tally.calls);
    Row row(mode + ": as many runs as calls, none missed");
    row.expect(tally.calls >= calls, "too few calls");
    uint64_t hits = 0, missed = 0;
    for (const auto &one : all) {
        const btf_extra_counts counts = one->counts();
        hits += counts.hits;
        missed += counts.missed == UINT64_MAX ? 0 : counts.missed;
        // perf does not count hits.
        if (counts.hits == UINT64_MAX)
            return;
    }
    row.equal(static_cast<int64_t>(hits), static_cast<int64_t>(tally.calls), "runs");
    row.equal(static_cast<int64_t>(missed), 0, "missed");
}

// ---- phantom functions ----

// The parameters that a stub has: guest/shapes.sh exposes them without the others.
uint32_t kept_params(uint32_t shape) {
    switch (shape) {
    case SHAPE_structs:
    case SHAPE_eliminated:
        return 1;
    default:
        return (1U << std::min(kParams[shape], 6U)) - 1;
    }
}

// Puts the words that fentry has of the arguments where shape_record has them.
shape_event in_order(const shape_event &words, bool fentry) {
    shape_event event = words;
    event.looked = kept_params(event.shape);
    if (!fentry)
        return event;
    if (event.shape == SHAPE_pair)
        event.args[0][1] = words.args[1][0];
    return event;
}

// A program at the stub of a function, attached as to any function.
class Phantom {
  public:
    Phantom(uint32_t shape, const std::string &fentry_file)
        : shape_(shape), stub_(function_of(shape) + (shape == SHAPE_part ? "__inlined" : "")),
          programs_(fentry_file.empty() ? multi() : fentry(fentry_file)) {
        if (fentry_file.empty())
            attach_multi();
        else
            link_ = bpf_program__attach(programs_.program("phantom"));
        error_ = link_ == nullptr ? errno : 0;
    }
    Phantom(const Phantom &) = delete;
    ~Phantom() { bpf_link__destroy(link_); }
    uint32_t shape() const { return shape_; }
    int error() const { return error_; }
    const std::string &stub() const { return stub_; }
    Programs &programs() { return programs_; }

  private:
    Programs fentry(const std::string &file) const {
        return Programs(file, [&](bpf_object *object) {
            bpf_program *program = bpf_object__find_program_by_name(object, "phantom");
            bpf_map *rodata = bpf_object__find_map_by_name(object, ".rodata");
            if (program == nullptr || rodata == nullptr ||
                bpf_program__set_attach_target(program, 0, stub_.c_str()) != 0 ||
                bpf_map__set_initial_value(rodata, &shape_, sizeof(shape_)) != 0)
                die(stub_);
        });
    }
    Programs multi() const {
        return Programs("/shapes.bpf.o", [&](bpf_object *object) {
            bpf_program *program;
            bpf_object__for_each_program(program, object) {
                const bool ours =
                    bpf_program__name(program) == "typed_" + std::string(kNames[shape_]);
                bpf_program__set_autoload(program, ours);
                if (ours)
                    bpf_program__set_expected_attach_type(program, BPF_TRACE_KPROBE_MULTI);
            }
        });
    }
    // 6.1 finds no function of a module by name.
    void attach_multi() {
        const unsigned long address = stub_address(stub_);
        LIBBPF_OPTS(bpf_kprobe_multi_opts, options);
        options.addrs = &address;
        options.cnt = 1;
        link_ = bpf_program__attach_kprobe_multi_opts(
            programs_.program(std::string("typed_") + kNames[shape_]), nullptr, &options);
    }

    uint32_t shape_;
    std::string stub_;
    Programs programs_;
    bpf_link *link_ = nullptr;
    int error_ = 0;
};

// Compares the events of one function and one processor, in order.
void compare_phantom(Row &row, const std::vector<const shape_event *> &events,
                     const std::vector<const shape_record *> &records, bool fentry) {
    row.equal(static_cast<int64_t>(events.size()), static_cast<int64_t>(records.size()), "calls");
    for (size_t i = 0; i < std::min(events.size(), records.size()); i++) {
        const shape_event event = in_order(*events[i], fentry);
        compare_args(row, event, *records[i], event.looked, false);
    }
}

// Returns at how many sites of a function all parameters of its stub have a location.
size_t usable_sites(const Sites &sites, uint32_t shape) {
    const uint32_t kept = kept_params(shape);
    return static_cast<size_t>(
        std::ranges::count_if(sites.at(function_of(shape)),
                              [&](const auto &site) { return (site.second & kept) == kept; }));
}

void phantoms(const std::string &mode, const Sites &sites, size_t calls) {
    const std::string name = mode.substr(0, mode.find(':'));
    const std::string file = mode == name ? "" : mode.substr(name.size() + 1);
    if (file.empty() && !has_kprobe_multi()) {
        Row row("multi: the kernel has no fprobe, and says so");
        row.equal(Phantom(SHAPE_register, file).error(), EOPNOTSUPP, "errno");
        return;
    }
    std::vector<std::unique_ptr<Phantom>> all;
    std::map<uint32_t, std::unique_ptr<Row>> rows;
    for (uint32_t shape = 0; shape < SHAPE_signed_body; shape++)
        all.push_back(std::make_unique<Phantom>(shape, file));
    all.push_back(std::make_unique<Phantom>(SHAPE_part, file));
    size_t whole = 0;
    for (const auto &one : all) {
        Row row(name + ": " + one->stub() + ": each site with all arguments is armed");
        auto state = wait_for_state(one->stub(), "armed");
        row.equal(one->error(), 0, "errno");
        row.expect(state["state"] == "armed", "state " + state["state"]);
        if (one->shape() != SHAPE_part)
            row.equal(static_cast<int64_t>(std::stoul(state["armed"])),
                      static_cast<int64_t>(usable_sites(sites, one->shape())), "probes");
        if (state["armed"] != state["sites"])
            continue;
        whole++;
        rows[one->shape()] = std::make_unique<Row>(name + ": " + one->stub() +
                                                   ": each call once, with its arguments");
    }
    {
        Row row(name + ": of most functions all sites are armed");
        row.expect(whole + 3 >= all.size(), std::to_string(whole));
    }
    size_t compared = 0;
    for (uint64_t round = 1; compared < calls; round++) {
        for (const auto &one : all)
            one->programs().forget();
        const auto records = run_everywhere(round, SHAPES_COUNT, 1024);
        for (size_t cpu = 0; cpu < records.size(); cpu++)
            for (const auto &one : all) {
                if (!rows.contains(one->shape()))
                    continue;
                std::vector<const shape_record *> wanted;
                for (const shape_record &record : records[cpu])
                    if (record.shape == one->shape())
                        wanted.push_back(&record);
                compare_phantom(*rows[one->shape()], one->programs().events(cpu)[one->shape()],
                                wanted, !file.empty());
                compared += wanted.size();
            }
    }
    rows.clear();
    std::printf("# %s: %zu calls\n", name.c_str(), compared);
    for (const auto &one : all) {
        Row row(name + ": " + one->stub() + ": no call is missed");
        auto state = stub_state(one->stub());
        row.expect(state["missed"] == "0", state["missed"]);
        row.expect(state["hits"] != "0" || state["armed"] == "0", "no hits");
    }
}

// ---- a function that begins with a loop ----

void loop_heads(Programs &programs) {
    struct btf_extra_attach request = attach_to("shapes", "shape_own_loop");
    request.prog_fd = programs.fd("word");
    request.cookie = SHAPE_own_loop;
    std::vector<btf_extra_left_out> left_out;
    {
        Row row("loop head: is left out, and said");
        const Link link(request, &left_out);
        row.equal(link.error, EOPNOTSUPP, "errno");
        row.equal(request.total, 1, "sites left out");
        row.expect(left_out.size() == 1 && left_out[0].reason == BTF_EXTRA_REASON_LOOP_HEAD &&
                       left_out[0].site.flags & BTF_EXTRA_SITE_LOOP_HEAD,
                   "the reason");
    }
    Row row("loop head: where it is asked for, each turn counts");
    request.flags = BTF_EXTRA_INEXACT;
    const Link link(request);
    row.equal(link.error, 0, "errno");
    programs.forget();
    const auto records = run_everywhere(1, SHAPE_own_loop, 256);
    for (size_t cpu = 0; cpu < records.size(); cpu++) {
        const auto events = programs.events(cpu)[SHAPE_own_loop];
        size_t seen = 0;
        for (const shape_record &record : records[cpu])
            for (uint64_t left = record.args[0][0]; left != 0; left -= record.args[1][0]) {
                row.expect(seen < events.size() && events[seen]->args[0][0] == left,
                           "the turn with " + std::to_string(left));
                seen++;
            }
        row.equal(static_cast<int64_t>(events.size()), static_cast<int64_t>(seen), "turns");
    }
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 5)
        die("usage: shapes_guest shapes.bpf.o SITES CALLS MODE...");
    workload = open_device(SHAPES_DEVICE);
    const Sites sites = read_sites(argv[2]);
    Programs programs(argv[1]);
    for (int i = 4; i < argc; i++) {
        const std::string mode = argv[i];
        const size_t calls = std::strtoul(argv[3], nullptr, 10);
        if (mode == "multi" || mode.starts_with("fentry:"))
            phantoms(mode, sites, calls);
        else if (mode == "steps")
            steps(workload, open_tables());
        else if (mode == "typed" || mode == "word")
            in_mode<ByIoctl>(mode, programs, sites, calls);
        else
            in_mode<ByLibrary>(mode, programs, sites, calls);
    }
    if (std::string(argv[4]) == "typed")
        loop_heads(programs);
    return Row::failed != 0;
}
