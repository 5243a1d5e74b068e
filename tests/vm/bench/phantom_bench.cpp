// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with both modules and hit_bench.ko. Measures phantom functions: a hit and its
// parts, arming and disarming, and what 2,000 stubs cost the kernel. bench.h describes its output.
//
//   phantom_bench MANY.ko...       MANY.ko...: modules with 2,000 stubs
#include <bpf/bpf.h>

#include "tests/vm/bench/fentry_entry.h"

using namespace bench;

namespace {

constexpr int kCalls = 20000;
const std::string kParameters = "/sys/module/hit_bench/parameters/";
const std::string kStubs = "/sys/kernel/btf_extra/inlined/";
const std::string kTracing = "/sys/kernel/tracing/";

// The parameter of hit_bench.ko that calls the function.
void measure(const std::string &what, const std::string &calls) {
    settle();
    std::ofstream run(kParameters + calls);
    if (!(run << kCalls << std::flush))
        die(calls);
    uint64_t ns = 0;
    std::ifstream(kParameters + "ns") >> ns;
    say(what, kCalls, ns);
}

void write_to(const std::string &path, const std::string &text, bool append = false) {
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0);
    if (file < 0 || write(file, text.c_str(), text.size()) != static_cast<ssize_t>(text.size()))
        die(path + ": " + text);
    close(file);
}

std::string first_line(const std::string &command) {
    std::string line(4096, '\0');
    FILE *output = popen(command.c_str(), "r");
    if (output == nullptr || fgets(line.data(), static_cast<int>(line.size()), output) == nullptr)
        die(command);
    while (fgetc(output) != EOF) {
    }
    pclose(output);
    line.resize(line.find('\n'));
    return line;
}

// Returns the name of the stub.
std::string expose(const std::string &arguments) {
    const std::string line =
        first_line("btf-extra expose --best-effort --template /inlined.ko " + arguments);
    return line.substr(0, line.find(' '));
}

void take_away() {
    if (std::system("btf-extra expose --remove >/dev/null") != 0)
        die("btf-extra expose --remove");
}

std::string state_of(const std::string &stub, const std::string &key) {
    std::ifstream file(kStubs + stub);
    for (std::string name, value; file >> name && std::getline(file >> std::ws, value);)
        if (name == key)
            return value;
    die(stub + ": " + key);
}

void wait_for(const std::string &stub, const std::string &key, const std::string &value) {
    for (int i = 0; i < 60000 && state_of(stub, key) != value; i++)
        usleep(1000);
    if (state_of(stub, key) != value)
        die(stub + ": not " + value);
}

// ---- programs ----

// The places of the arguments of hit_bench_three() on the stack: "first=+8(%sp):u64".
struct Distances {
    uint32_t of[3];
};

Distances find_distances() {
    const std::string line = first_line("btf-extra probes hit_bench:hit_bench_three | grep '^p:'");
    Distances distances = {};
    size_t at = 0;
    for (uint32_t &distance : distances.of) {
        at = line.find("=+", at);
        if (at == std::string::npos)
            die("hit_bench_three: " + line);
        distance = static_cast<uint32_t>(std::stoul(line.substr(at + 2)));
        at = line.find("(%sp):u64", at);
    }
    if (at == std::string::npos)
        die("hit_bench_three: " + line);
    return distances;
}

class Programs {
  public:
    Programs() : object_(open_programs()) {
        bpf_program *each;
        bpf_object__for_each_program(each, object_)
            bpf_program__set_autoload(each, std::string(bpf_program__name(each)) != "enter");
        const Distances distances = find_distances();
        if (bpf_map__set_initial_value(bpf_object__find_map_by_name(object_, ".rodata"), &distances,
                                       sizeof(distances)) != 0 ||
            bpf_object__load(object_) != 0)
            die("kprobe programs");
    }
    int of(const char *name) const {
        return bpf_program__fd(bpf_object__find_program_by_name(object_, name));
    }

  private:
    bpf_object *object_;
};

// An event of tracefs for the site, with the arguments of the function.
class Event {
  public:
    Event(int program, const std::string &function) {
        std::string line = first_line("btf-extra probes hit_bench:" + function + " | grep '^p:'");
        const size_t end = line.find(' ');
        name_ = line.substr(2, end - 2);
        write_to(kTracing + "dynamic_events", line + "\n", true);
        perf_event_attr attr = {};
        attr.size = sizeof(attr);
        attr.type = PERF_TYPE_TRACEPOINT;
        attr.sample_period = 1;
        std::ifstream(kTracing + "events/" + name_ + "/id") >> attr.config;
        // The guest has one processor.
        event_ =
            static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC));
        if (event_ < 0 || ioctl(event_, PERF_EVENT_IOC_SET_BPF, program) != 0 ||
            ioctl(event_, PERF_EVENT_IOC_ENABLE, 0) != 0)
            die(line);
    }
    Event(const Event &) = delete;
    ~Event() {
        close(event_);
        settle();
        write_to(kTracing + "dynamic_events", "-:" + name_ + "\n", true);
    }

  private:
    std::string name_;
    int event_ = -1;
};

// ---- a hit ----

void hits(const Programs &programs, const std::string &name, const std::string &calls) {
    const std::string function = "hit_bench_" + name;
    const uint64_t site = sites_of(function.c_str()).front().address;
    const auto say_of = [&](const char *what) { measure(what + ("_" + name), calls); };
    say_of("none");
    write_to(kParameters + "probe", std::to_string(site));
    say_of("probe");
    write_to(kParameters + "probe", "0");
    settle();
    const char *takes = name == "call" ? "takes_call" : "takes_three";
    for (const char *program : {"empty", takes}) {
        const int event = attach_perf(programs.of(program), site);
        if (event < 0)
            die("attach through perf");
        say_of(program == takes ? "perf_takes" : "perf_empty");
        close(event);
        settle();
    }
    for (const char *program : {"empty", "goes_on"}) {
        const Event event(programs.of(program), function);
        say_of((std::string("event_") + program).c_str());
    }
    const std::string stub = expose("hit_bench:" + function);
    write_to(kStubs + stub, "arm");
    say_of("stub");
    write_to(kStubs + stub, "auto");
    {
        const Entry entry = attach_entry(stub);
        wait_for(stub, "state", "armed");
        const uint64_t before = std::stoull(state_of(stub, "hits"));
        say_of("fentry");
        if (std::stoull(state_of(stub, "hits")) - before < kCalls)
            die(stub + ": hits");
    }
    sleep(1);
    take_away();
    const std::string params = name == "call" ? "value" : "first --without second --without third";
    const std::string bare = expose("hit_bench:" + function + " --without " + params);
    write_to(kStubs + bare, "arm");
    say_of("bare");
    write_to(kStubs + bare, "auto");
    take_away();
}

// The kernel's own trampoline, at a function with a body.
void body() {
    measure("none_body", "calls_body");
    const Entry entry = attach_entry("hit_bench_body");
    measure("fentry_body", "calls_body");
}

// One function: at its stub, and followed.
void followed() {
    constexpr char kFunction[] = "hit_bench_both", kHow[] = "calls_both";
    measure("none_both", kHow);
    const std::string stub = expose(std::string("hit_bench:") + kFunction);
    {
        const Entry entry = attach_entry(stub);
        wait_for(stub, "state", "armed");
        measure("fentry_both", kHow);
    }
    sleep(1);
    take_away();
    const Entry entry = attach_entry(kFunction);
    const int link = try_follow(entry.link_fd(), sites_of(kFunction).front());
    measure("followed_both", kHow);
    btf_extra_link state = {};
    if (ioctl(link, BTF_EXTRA_IOC_LINK, &state) != 0 || state.hits < uint64_t{kCalls} ||
        state.missed != 0)
        die("the hits of a followed program");
    close(link);
}

// ---- many sites ----

void many(const Programs &programs) {
    const std::string stub = expose("copy_to_user");
    size_t sites = 0;
    {
        const uint64_t began = now();
        const Entry entry = attach_entry(stub);
        wait_for(stub, "state", "armed");
        const uint64_t ns = now() - began;
        sites = std::stoull(state_of(stub, "armed"));
        say("arm", sites, ns);
        settle();
    }
    // Counted from here: to detach is the kernel's own time.
    const uint64_t began = now();
    wait_for(stub, "armed", "0");
    say("disarm", sites, now() - began);
    const int link = attach_module(programs.of("empty"), sites_of("copy_to_user").front());
    std::vector<uint64_t> addresses = addresses_of(link);
    close(link);
    settle();
    if (addresses.size() < sites)
        die("fewer sites than the stub has");
    addresses.resize(sites);
    const PerfEvents perf = attach_perf_to(programs.of("empty"), addresses);
    say("arm_perf", perf.events.size(), perf.ns);
    for (const int event : perf.events)
        close(event);
    settle();
    take_away();
}

// ---- many stubs ----

uint64_t read_functions() {
    return time_of([] {
        std::ifstream file(kTracing + "available_filter_functions");
        size_t lines = 0;
        for (std::string line; std::getline(file, line);)
            lines++;
        if (lines == 0)
            die("available_filter_functions");
    });
}

void stubs(const std::vector<std::string> &modules) {
    say("functions_without", 1, read_functions());
    say("insmod", 1, time_of([&] {
            for (const std::string &module : modules) {
                const int file = open(module.c_str(), O_RDONLY | O_CLOEXEC);
                if (file < 0 || syscall(SYS_finit_module, file, "", 0) != 0)
                    die(module);
                close(file);
            }
        }));
    settle();
    say("functions_with", 1, read_functions());
    take_away();
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 2)
        die("usage: phantom_bench MANY.ko...");
    const rlimit files = {65536, 65536};
    setrlimit(RLIMIT_NOFILE, &files);
    const Programs programs;
    hits(programs, "call", "calls");
    hits(programs, "three", "calls_three");
    body();
    followed();
    many(programs);
    stubs({argv + 1, argv + argc});
}
