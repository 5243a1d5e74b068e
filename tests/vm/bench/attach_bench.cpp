// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with both modules. Measures a hit, attaching and detaching, through the module
// and through perf kprobes at the same addresses with the same program. Each line that it prints is
// "attach_bench: WHAT count=N ns=N": the time of N runs.
//
//   attach_bench PROGRAMS.bpf.o
#include "tests/vm/bench/bench.h"

using namespace bench;

namespace {

constexpr int kCalls = 20000;

// ---- a hit ----

uint64_t calls(const char *parameter = "calls") {
    std::ofstream run(std::string("/sys/module/hit_bench/parameters/") + parameter);
    if (!(run << kCalls << std::flush))
        die("hit_bench");
    uint64_t ns = 0;
    std::ifstream("/sys/module/hit_bench/parameters/ns") >> ns;
    return ns;
}

constexpr char kOptimization[] = "/proc/sys/debug/kprobes-optimization";

void optimize(bool on) {
    std::ofstream file(kOptimization);
    if (!(file << on << std::flush))
        die("kprobes-optimization");
    settle();
}

void hits(const char *program_name, int program, const char *how) {
    const std::string what = std::string(program_name) + "_" + how;
    const btf_extra_site site = sites_of("hit_bench_call").front();
    say("none_" + what, kCalls, calls());
    const int link = attach_module(program, site);
    settle();
    say("module_" + what, kCalls, calls());
    close(link);
    const int event = attach_perf(program, site.address);
    if (event < 0)
        die("attach through perf");
    settle();
    say("perf_" + what, kCalls, calls());
    close(event);
    settle();
}

// The argument is the sum of two registers.
void hits_with_expression(int program, const char *how) {
    const std::string what = std::string("expression_") + how;
    say("none_" + what, kCalls, calls("calls_sum"));
    const int link = attach_module(program, sites_of("hit_bench_sum").front(), 1);
    settle();
    say("module_" + what, kCalls, calls("calls_sum"));
    close(link);
    settle();
}

// ---- attach and detach ----

void many(int program) {
    const btf_extra_site site = sites_of("copy_to_user").front();
    int link = -1;
    const uint64_t attach = time_of([&] { link = attach_module(program, site); });
    const std::vector<uint64_t> addresses = addresses_of(link);
    say("attach_module", addresses.size(), attach);
    settle();
    say("detach_module", addresses.size(), time_of([&] { close(link); }));
    settle();

    const PerfEvents perf = attach_perf_to(program, addresses);
    say("attach_perf", perf.events.size(), perf.ns);
    settle();
    say("detach_perf", perf.events.size(), time_of([&] {
            for (int event : perf.events)
                close(event);
        }));
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2)
        die("usage: attach_bench PROGRAMS.bpf.o");
    const rlimit files = {65536, 65536};
    setrlimit(RLIMIT_NOFILE, &files);
    bpf_object *object = bpf_object__open(argv[1]);
    if (!object || bpf_object__load(object))
        die(argv[1]);
    const int empty = bpf_program__fd(bpf_object__find_program_by_name(object, "empty"));
    const int argument = bpf_program__fd(bpf_object__find_program_by_name(object, "argument"));
    const bool optimizes = access(kOptimization, F_OK) == 0;
    for (const char *how : {"jump", "breakpoint"}) {
        const bool jump = std::string(how) == "jump";
        if (jump && !optimizes)
            continue;
        if (optimizes)
            optimize(jump);
        hits("empty", empty, how);
        hits("argument", argument, how);
        hits_with_expression(argument, how);
    }
    if (optimizes)
        optimize(true);
    many(empty);
}
