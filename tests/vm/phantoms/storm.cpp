// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Everything that attaches to stubs, comes and goes, all at once.
#include <atomic>
#include <csignal>
#include <thread>

#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/vm/phantoms/phantom_tests.h"

using namespace guest;

namespace {

const char *const kTracing = "/sys/kernel/tracing/";

void write_to(const char *name, const char *text) {
    std::ofstream(std::string(kTracing) + name) << text;
}

// Attaches to stubs by turns until it is killed or the time is over.
[[noreturn]] void attach_in_turns(const std::vector<std::string> &stubs, unsigned first,
                                  time_t until) {
    for (unsigned i = first; time(nullptr) < until; i++) {
        const AtStub program(i % 2 != 0 ? "enter" : "leave", stubs[i % stubs.size()], i % 3 == 0);
        usleep(i * 7919 % 300000);
    }
    _exit(0);
}

// Of four processes one is killed each half second, and another one takes its place.
void attach_and_kill(const std::vector<std::string> &stubs, time_t until) {
    std::vector<pid_t> children(4, 0);
    for (unsigned turn = 0; time(nullptr) < until; turn++) {
        pid_t &child = children[turn % children.size()];
        if (child != 0) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
        child = fork();
        if (child == 0)
            attach_in_turns(stubs, turn, until + 1);
        usleep(500000);
    }
    for (const pid_t child : children)
        if (child > 0)
            waitpid(child, nullptr, 0);
}

// Tracers of every function: the stubs are among them.
void switch_tracers(time_t until) {
    write_to("tracing_on", "0");
    for (unsigned turn = 0; time(nullptr) < until; turn++) {
        write_to("current_tracer", turn % 2 != 0 ? "function_graph" : "function");
        usleep(200000);
        write_to("current_tracer", "nop");
        usleep(300000);
    }
    write_to("current_tracer", "nop");
    write_to("tracing_on", "1");
}

void load_and_unload(time_t until) {
    while (time(nullptr) < until) {
        syscall(SYS_delete_module, "shapes", O_NONBLOCK);
        usleep(200000);
        std::ignore = std::system("insmod /shapes.ko 2>/dev/null");
        usleep(200000);
    }
    std::ignore = std::system("insmod /shapes.ko 2>/dev/null");
}

void arm_by_hand(const std::vector<std::string> &stubs, time_t until) {
    for (unsigned turn = 0; time(nullptr) < until; turn++) {
        const std::string file = kStubs + stubs[turn % stubs.size()];
        std::ofstream(file) << "arm";
        usleep(50000);
        std::ofstream(file) << "auto";
    }
}

void work(time_t until) {
    while (time(nullptr) < until) {
        const int workload = open(SHAPES_DEVICE, O_RDWR);
        std::vector<shape_record> records(512);
        shapes_run request = {};
        request.records = pointer(records.data());
        request.capacity = static_cast<uint32_t>(records.size());
        request.only = SHAPES_COUNT;
        if (workload >= 0) {
            ioctl(workload, SHAPES_IOC_RUN, &request);
            close(workload);
        }
        usleep(1000);
    }
}

std::vector<std::string> all_stubs() {
    std::vector<std::string> stubs;
    std::ifstream list("/proc/kallsyms");
    for (std::string line; std::getline(list, line);) {
        const size_t module = line.find("\t[inlined]");
        const std::string name = line.substr(19, module - 19);
        if (module != std::string::npos && !stub_state(name).empty())
            stubs.push_back(name);
    }
    return stubs;
}

}  // namespace

void storm(unsigned seconds) {
    const std::vector<std::string> stubs = all_stubs();
    for (const std::string &stub : stubs)
        wait_for_state(stub, "idle");
    const std::multiset<std::string> before = probe_list();
    const time_t until = time(nullptr) + seconds;
    {
        std::vector<std::thread> threads;
        threads.emplace_back([&] { switch_tracers(until); });
        threads.emplace_back([&] { load_and_unload(until); });
        threads.emplace_back([&] { arm_by_hand(stubs, until); });
        threads.emplace_back([&] { work(until); });
        attach_and_kill(stubs, until);
        for (std::thread &thread : threads)
            thread.join();
    }
    {
        Row row("storm: after " + std::to_string(seconds) + " s nothing is armed");
        for (const std::string &stub : stubs) {
            auto state = wait_for_state(stub, "idle");
            row.expect(state["state"] == "idle" && state["armed"] == "0",
                       stub + ": " + state["state"] + ", " + state["armed"]);
            std::printf("# %s: usable %s, hits %s, missed %s\n", stub.c_str(),
                        state["usable"].c_str(), state["hits"].c_str(), state["missed"].c_str());
        }
        row.expect(probe_list() == before, "probes are left");
    }
    Row row("storm: a stub works after it");
    const AtStub program("enter", "shape_register");
    row.expect(wait_for_state("shape_register", "armed")["state"] == "armed", "not armed");
    const size_t calls = call_shape(SHAPE_register, 20);
    row.equal(static_cast<int64_t>(program.seen().hits), static_cast<int64_t>(calls), "hits");
}
