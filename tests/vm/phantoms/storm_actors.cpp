// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <array>
#include <csignal>

#include <bpf/bpf.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/vm/phantoms/phantom_tests.h"
#include "tests/vm/phantoms/storm_actors.h"

using namespace guest;

namespace {

const std::string kTracing = "/sys/kernel/tracing/";

void write_to(const std::string &path, const std::string &text) {
    std::ofstream(path) << text;
}

// Attaches to stubs by turns until it is killed or the storm is over.
[[noreturn]] void attach_in_turns(const Storm &storm, unsigned first) {
    for (unsigned i = first; !storm.is_over(); i++) {
        const std::string &stub = storm.stubs[i % storm.stubs.size()];
        // "enter" takes a stack: at a site of the unwinder each hit would make fifty others.
        const bool enters = i / storm.stubs.size() % 2 != 0 && !stub.starts_with("on_stack");
        const AtStub program(enters ? "enter" : "leave", stub, i % 3 == 0);
        usleep(i * 7919 % 300000);
    }
    std::fflush(stdout);
    _exit(0);
}

pid_t fork_attacher(const Storm &storm, unsigned first) {
    const pid_t child = fork();
    if (child == 0)
        attach_in_turns(storm, first);
    return child;
}

void insmod(const std::string &module) {
    std::ignore = std::system(("insmod /" + module + ".ko 2>/dev/null").c_str());
}

}  // namespace

void attach_from_four(const Storm &storm) {
    std::array<pid_t, 4> children = {};
    for (unsigned i = 0; i < children.size(); i++)
        children[i] = fork_attacher(storm, i * 3);
    for (const pid_t child : children)
        waitpid(child, nullptr, 0);
}

void attach_and_kill(const Storm &storm) {
    std::array<pid_t, 4> children = {};
    for (unsigned turn = 0; !storm.is_over(); turn++) {
        pid_t &child = children[turn % children.size()];
        if (child != 0) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
        child = fork_attacher(storm, turn);
        usleep(1500000);
    }
    for (const pid_t child : children)
        if (child > 0)
            waitpid(child, nullptr, 0);
}

void kill_bpftrace(const Storm &storm) {
    constexpr useconds_t kLongest = 20000000;  // it takes most of that to attach, under KASAN
    unsigned turn = 0, attached = 0;
    for (; !storm.is_over(); turn++) {
        const std::string stub = storm.stubs[turn % storm.stubs.size()];
        const pid_t child = fork();
        if (child == 0) {
            const std::string script = "fentry:inlined:" + stub + " { @[kstack(3)] = count(); }";
            std::ignore = freopen("/dev/null", "w", stdout);
            execl("/tools/ld.so", "ld.so", "--library-path", "/tools", "/tools/bpftrace", "-e",
                  script.c_str(), nullptr);
            _exit(1);
        }
        // One of four is killed as soon as the stub is armed, the others at any time.
        const useconds_t patience = turn % 4 == 0 ? kLongest : turn * 7919000 % kLongest;
        for (useconds_t waited = 0; waited < patience && stub_state(stub)["state"] != "armed";
             waited += 100000)
            usleep(100000);
        attached += stub_state(stub)["state"] == "armed" ? 1 : 0;
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    Row row("storm: bpftrace is killed while it is attached, too");
    std::printf("# killed %u times, %u while attached\n", turn, attached);
    row.expect(attached > 0, "never");
}

void switch_tracers(const Storm &storm) {
    write_to(kTracing + "tracing_on", "0");
    for (unsigned turn = 0; !storm.is_over(); turn++) {
        write_to(kTracing + "current_tracer", turn % 2 != 0 ? "function_graph" : "function");
        usleep(200000);
        write_to(kTracing + "current_tracer", "nop");
        usleep(300000);
    }
    write_to(kTracing + "tracing_on", "1");
}

void trace_stacks(const Storm &storm) {
    write_to(kTracing + "set_ftrace_filter", "vfs_write *:mod:inlined\n");
    while (!storm.is_over()) {
        write_to(kTracing + "current_tracer", "function");
        write_to(kTracing + "options/func_stack_trace", "1");
        usleep(700000);
        write_to(kTracing + "options/func_stack_trace", "0");
        write_to(kTracing + "current_tracer", "nop");
        usleep(200000);
    }
    write_to(kTracing + "set_ftrace_filter", "");
}

void load_and_unload(const Storm &storm) {
    const std::array<std::string, 2> modules = {"shapes", "phantom_sites"};
    for (unsigned turn = 0; !storm.is_over(); turn++) {
        unload(modules.at(turn % 2));
        usleep(200000);
        insmod(modules.at(turn % 2));
        usleep(200000);
    }
    // A stub that was busy then is still there.
    for (const std::string &module : modules)
        insmod(module);
}

void unload_in_every_order(const Storm &storm) {
    const std::string stub = "shape_register";
    std::vector<std::string> order = {"btf_extra", "btf_extra_vmlinux", "inlined", "shapes"};
    constexpr unsigned kOrders = 24;
    unsigned turn = 0;
    Row row("storm: what is in use stays, all else goes, and comes back");
    do {
        {
            const AtStub program("enter", stub);
            row.expect(wait_for_state(stub, "armed")["state"] == "armed", "not armed");
            const auto calls = static_cast<int64_t>(call_shape(SHAPE_register, 20));
            row.equal(static_cast<int64_t>(program.seen().hits), calls, "hits");
            for (const std::string &module : order) {
                const bool in_use = module == "inlined" || module == "btf_extra";
                row.equal(unload(module), in_use ? EWOULDBLOCK : 0, "rmmod " + module);
            }
        }
        // Now these two go as well. Where btf_extra is asked first, it still has a user.
        std::vector<std::string> left = order;
        std::erase_if(left, [](const std::string &module) {
            return module != "inlined" && module != "btf_extra";
        });
        for (int i = 0; i < 100 && !left.empty(); i++) {
            std::erase_if(left, [](const std::string &module) { return unload(module) == 0; });
            usleep(left.empty() ? 0 : 100000);
        }
        row.expect(left.empty(), left.empty() ? "" : left[0] + " stays");
        for (const char *module : {"btf_extra", "btf_extra_vmlinux", "shapes"})
            row.equal(load(module), 0, std::string("insmod ") + module);
        row.equal(
            std::system(
                ("btf-extra expose --template /inlined.ko shapes:" + stub + " >/dev/null").c_str()),
            0, "expose");
        std::ranges::next_permutation(order);
    } while (++turn < kOrders || !storm.is_over());
    std::printf("# %u times\n", turn);
}

void arm_by_hand(const Storm &storm) {
    for (unsigned turn = 0; !storm.is_over(); turn++) {
        const std::string file = kStubs + storm.stubs[turn % storm.stubs.size()];
        write_to(file, "arm");
        usleep(50000);
        write_to(file, "auto");
    }
}

void send_nmis(const Storm &storm) {
    // The kernel logs handlers that take longer, and the emulator may pause in one.
    write_to("/sys/kernel/debug/x86/nmi_longest_ns", "60000000000");
    while (!storm.is_over())
        write_to("/sys/module/phantom_sites/parameters/nmis", "200");
}

void call_shapes(const Storm &storm) {
    while (!storm.is_over()) {
        const int workload = open(SHAPES_DEVICE, O_RDWR | O_CLOEXEC);
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

void change_maps(const Storm &storm) {
    const int map =
        bpf_map_create(BPF_MAP_TYPE_HASH, "outer", sizeof(uint32_t), sizeof(uint64_t), 64, nullptr);
    while (!storm.is_over()) {
        for (uint32_t key = 0; key < 200; key++) {
            const uint64_t value = key;
            bpf_map_update_elem(map, &key, &value, BPF_ANY);
            bpf_map_delete_elem(map, &key);
        }
        write_to("/dev/null", "anything");
        usleep(1000);
    }
    close(map);
}
