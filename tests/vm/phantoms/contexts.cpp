// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Sites where few programs run: in the idle task, in an NMI handler, and in what a callback of
// ftrace calls.
#include <atomic>
#include <thread>

#include <sched.h>
#include <sys/utsname.h>

#include "tests/vm/phantoms/phantom_tests.h"

using namespace guest;

namespace {

const std::string kParameters = "/sys/module/phantom_sites/parameters/";
const std::string kTracing = "/sys/kernel/tracing/";

// Returns false if it cannot be written.
bool write_to(const std::string &path, const std::string &text) {
    std::ofstream file(path);
    return static_cast<bool>(file << text << std::flush);
}

int64_t handled() {
    int64_t count = 0;
    std::ifstream(kParameters + "handled") >> count;
    return count;
}

int64_t missed(const std::string &stub) {
    return std::stoll(stub_state(stub)["missed"]);
}

void pin_to(int cpu) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0)
        die("sched_setaffinity");
}

// Before 6.12 tracing programs may call no kfunc of a module.
bool has_kfuncs() {
    utsname kernel = {};
    unsigned major = 0, minor = 0;
    return uname(&kernel) == 0 && std::sscanf(kernel.release, "%u.%u", &major, &minor) == 2 &&
           (major > 6 || minor >= 12);
}

void attach(Row &row, const AtStub &program, const std::string &stub) {
    row.equal(program.error, 0, stub + ": errno");
    row.expect(wait_for_state(stub, "armed")["state"] == "armed", stub + " is not armed");
}

}  // namespace

// The idle task calls it, inlined, each time a processor is about to rest.
void idle(const std::string &stub) {
    Row row("idle: calls of the idle task are seen");
    const AtStub program("enter", stub);
    attach(row, program, stub);
    const uint64_t before = program.seen().hits;
    for (int i = 0; i < 20; i++)
        usleep(50000);
    const uint64_t hits = program.seen().hits, idle = program.seen().idle;
    std::printf("# %lu hits, %ld missed\n", hits, missed(stub));
    row.expect(hits >= before + 20, "hits: " + std::to_string(hits - before));
    row.equal(static_cast<int64_t>(idle), static_cast<int64_t>(hits), "hits of the idle task");
}

void nmis() {
    const std::string stub = "site_in_nmi";
    constexpr int64_t kNmis = 200;
    // The kernel logs handlers that take longer, and the emulator may pause in one.
    if (!write_to("/sys/kernel/debug/x86/nmi_longest_ns", "60000000000"))
        die("nmi_longest_ns");
    pin_to(1);
    {
        Row row("NMI: each call in a handler is seen, with its argument");
        const AtStub program("enter", stub);
        attach(row, program, stub);
        row.expect(write_to(kParameters + "nmis", std::to_string(kNmis)), "no NMIs");
        row.equal(handled(), kNmis, "NMIs");
        row.equal(static_cast<int64_t>(program.seen().hits), kNmis, "hits");
        row.equal(missed(stub), 0, "missed");
        row.equal(static_cast<int64_t>(program.seen().sum), kNmis * (kNmis + 1) / 2,
                  "sum of arguments");
    }
    Row row("NMI: one that interrupts a hit is counted as missed, and the hit is not lost");
    const AtStub program("enter", stub), interrupted("enter", "shape_register");
    attach(row, program, stub);
    attach(row, interrupted, "shape_register");
    std::atomic<bool> done = false;
    size_t calls = 0;
    std::thread work([&] {
        pin_to(0);
        while (!done)
            calls += call_shape(SHAPE_register, 2000);
    });
    const int64_t before = handled();
    row.expect(write_to(kParameters + "nmis", std::to_string(5 * kNmis)), "no NMIs");
    done = true;
    work.join();
    const int64_t missed_now = missed(stub);
    std::printf("# %ld of %ld missed, %zu calls\n", missed_now, 5 * kNmis, calls);
    row.equal(handled() - before, 5 * kNmis, "NMIs");
    row.equal(static_cast<int64_t>(program.seen().hits) + missed_now, 5 * kNmis, "hits and missed");
    row.expect(program.seen().hits > 0, "no hit");
    row.equal(static_cast<int64_t>(interrupted.seen().hits), static_cast<int64_t>(calls),
              "hits of what is interrupted");
    row.equal(missed("shape_register"), 0, "missed of what is interrupted");
}

// The look-ups by address take no lock, so a program may call them in NMI.
void ask_in_nmi() {
    const std::string stub = "site_in_nmi";
    if (!has_kfuncs())
        return;
    Row row("NMI: a program asks which function is at an address");
    btf_extra_lookup lookup = of_name(stub.c_str());
    lookup.object = pointer("phantom_sites");
    const Answer answer = by_ioctl(device(), lookup);
    row.equal(static_cast<int64_t>(answer.sites.size()), 1, "sites");
    if (answer.sites.size() != 1)
        return;
    AtStub program("ask", stub);
    attach(row, program, stub);
    program.ask_about(answer.sites[0].address);
    row.expect(write_to(kParameters + "nmis", "20"), "no NMIs");
    row.equal(static_cast<int64_t>(program.seen().hits), 20, "hits");
    row.equal(program.seen().inlined, answer.sites[0].func_id, "id of the function");
    row.equal(program.seen().sites, 1, "sites in NMI");
    row.equal(program.seen().func, -ENOENT, "bodies in NMI");
}

// The function tracer takes a stack trace at each call, and the unwinder has sites of the stub. So
// has the program, within a hit.
void callbacks(const std::string &stub) {
    // Earlier programs are let go a moment later.
    for (const char *other : {"site_in_nmi", "shape_register", "site_called"})
        wait_for_state(other, "idle");
    const std::multiset<std::string> before = probe_list();
    {
        Row row("callbacks: ftrace's own reaches sites of the stub to which it is attached");
        row.expect(write_to(kTracing + "set_ftrace_filter", stub + "\nvfs_write\n"), "no filter");
        row.expect(write_to(kTracing + "current_tracer", "function") &&
                       write_to(kTracing + "options/func_stack_trace", "1"),
                   "no tracer");
        row.expect(wait_for_state(stub, "armed")["state"] == "armed", "not armed");
        const auto work = [&](const char *when) {
            const int64_t hits = std::stoll(stub_state(stub)["hits"]), before = missed(stub);
            for (int i = 0; i < 100; i++)
                write_to("/dev/null", "anything");
            const int64_t hit = std::stoll(stub_state(stub)["hits"]) - hits;
            std::printf("# %s: hits %ld, missed %ld\n", when, hit, missed(stub) - before);
            row.expect(hit > 0, std::string(when) + ": none is hit");
            return missed(stub) - before;
        };
        work("the tracer");
        {
            const AtStub program("enter", stub);
            attach(row, program, stub);
            row.expect(work("a program, too") > 0, "none is missed");
            row.expect(program.seen().hits > 0, "the program does not run");
        }
        row.expect(write_to(kTracing + "options/func_stack_trace", "0") &&
                       write_to(kTracing + "current_tracer", "nop") &&
                       write_to(kTracing + "set_ftrace_filter", ""),
                   "the tracer stays");
    }
    Row row("callbacks: nothing is left");
    row.expect(wait_for_state(stub, "idle")["state"] == "idle", "not idle");
    expect_probes(row, before);
}
