// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests functions of the kernel itself, and ways of attaching BPF programs that do not use these
// ids.
#include <csignal>

#include <unistd.h>

#include <bpf/bpf.h>

#include "tests/vm/intree/intree_tests.h"

using namespace guest;

namespace {

constexpr char kStrict[] = "/sys/module/btf_extra/parameters/strict";

const Types &extra() {
    static const Types types("btf_extra_vmlinux");
    return types;
}

const Types &vmlinux() {
    static const Types types("vmlinux");
    return types;
}

void read_all(const char *path) {
    std::ifstream file(path);
    std::string line;
    bool any = false;
    while (std::getline(file, line))
        any = true;
    if (!any)
        die(path);
}

void cat_sched() {
    read_all("/sys/kernel/debug/sched/debug");
}

void cat_timers() {
    read_all("/proc/timer_list");
}

// The scheduler has print_cpu(seq_file, cpu), and the timers have print_cpu(seq_file, cpu, now).
void real_pair(Kind kind, const std::string &name) {
    const Func sched = extra().only("print_cpu", "kernel/sched/debug.c");
    const Func timers = extra().only("print_cpu", "kernel/time/timer_list.c");
    const int64_t cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const struct {
        Func func;
        void (*ours)(), (*other)();
        int count;
    } cases[] = {{sched, cat_sched, cat_timers, 2}, {timers, cat_timers, cat_sched, 3}};
    for (const auto &[func, ours, other, count] : cases) {
        Row row(name + ": a pair of vmlinux, that of " + func.file);
        Program program(kind, func);
        row.expect(program.runs(), std::strerror(program.error()) + ("\n" + program.log()));
        if (!program.runs())
            continue;
        other();
        row.equal(program.seen().runs, 0, "runs for the other");
        ours();
        const intree_seen seen = program.seen();
        // A file that does not fit in the buffer is shown again.
        row.expect(seen.runs >= cpus, "runs: " + std::to_string(seen.runs));
        row.equal(static_cast<int64_t>(seen.count), count, "arguments");
        row.expect(seen.args[0] >> 47 == 0x1ffff, "m: " + hex(seen.args[0]));
        row.equal(static_cast<int32_t>(seen.args[1]), cpus - 1, "cpu");
        if (count == 3) {
            timespec now = {};
            clock_gettime(CLOCK_MONOTONIC, &now);
            const int64_t passed = now.tv_sec - static_cast<int64_t>(seen.args[2] / 1000000000);
            row.expect(passed >= 0 && passed < 60, "now: " + std::to_string(seen.args[2]));
        }
        row.expect(std::ranges::count(symbols("print_cpu"), seen.function) == 1,
                   hex(seen.function) + ": no symbol");
    }
}

// sigaltstack() calls this clone. Its last argument is a constant.
void real_clone() {
    {
        Row row("a clone of vmlinux by its source name: is refused, naming the parameter");
        const Func func = extra().only("do_sigaltstack");
        row.expect(func.id != 0, "no such function");
        const Program program(Kind::fentry, func);
        row.expect(!program.runs(), "it was attached");
        row.expect(program.says("do_sigaltstack") && program.says("min_ss_size"), program.log());
    }
    Row row("a clone of vmlinux by its own name: sees its arguments");
    Program program("do_sigaltstack.constprop.0");
    row.expect(program.runs(), std::strerror(program.error()) + ("\n" + program.log()));
    stack_t old = {};
    program.seen();
    row.equal(sigaltstack(nullptr, &old), 0, "sigaltstack()");
    const intree_seen seen = program.seen();
    row.equal(seen.runs, 1, "runs");
    row.equal(static_cast<int64_t>(seen.count), 3, "arguments");
    row.equal(static_cast<int64_t>(seen.args[0]), 0, "ss");
    // The stack of the system call, and this one.
    row.expect(static_cast<int64_t>(seen.args[1]) < 0, "oss: " + hex(seen.args[1]));
    row.expect(pointer(&old) - seen.args[2] < 65536, "sp: " + hex(seen.args[2]));
}

std::vector<std::string> all_addresses(const std::string &name) {
    std::vector<std::string> addresses;
    for (uint64_t address : symbols(name))
        addresses.push_back(hex(address));
    return addresses;
}

// The verifier must refuse these ids because of the functions that they stand for.
void denied() {
    Row row("what must not be traced is refused by any of its ids");
    for (const std::string name : kUntraceable)
        for (const Types *types : {&vmlinux(), &extra()})
            for (const Func &func : types->named(name)) {
                row.expect(!Program(Kind::fentry, func).runs(), name + ": fentry was attached");
                row.expect(!Program(Kind::fentry_multi, std::vector<Func>{func}).runs(),
                           name + ": fentry.multi was attached");
            }
    for (const std::string name : {"do_exit", "do_group_exit", "make_task_dead",
                                   "kthread_complete_and_exit", "__x64_sys_exit"})
        for (const Types *types : {&vmlinux(), &extra()})
            for (const Func &func : types->named(name)) {
                row.expect(!Program(Kind::fexit, func).runs(), name + ": fexit was attached");
                row.expect(!Program(Kind::fexit_multi, std::vector<Func>{func}).runs(),
                           name + ": fexit.multi was attached");
            }
}

void set_strict(Row &row, const char *value) {
    std::ofstream file(kStrict);
    file << value << std::flush;
    row.expect(file.good(), kStrict);
}

}  // namespace

void of_vmlinux() {
    real_pair(Kind::fentry, "fentry");
    real_pair(Kind::fexit, "fexit");
    real_clone();
    denied();
    Row row("an id of vmlinux whose name has several bodies: the log lists them");
    for (const Func &func : vmlinux().named("print_cpu")) {
        const auto [place, error, log] = place_of(func);
        row.expect(place == symbols("print_cpu").front(), hex(place) + ": not the first\n" + log);
        for (const std::string &address : all_addresses("print_cpu"))
            row.expect(log.find(address) != std::string::npos, address + ": not in\n" + log);
        for (const char *file : {"kernel/sched/debug.c", "kernel/time/timer_list.c"})
            row.expect(log.find(file) != std::string::npos, file + (": not in\n" + log));
    }
}

void strict() {
    const Types own("intree_test");
    {
        Row row("strict: an id of vmlinux or of a module whose name has several bodies is refused");
        set_strict(row, "1");
        for (const Func &func : vmlinux().named("print_cpu")) {
            const Program program(Kind::fentry, func);
            row.expect(!program.runs(), "it was attached");
            for (const std::string &address : all_addresses("print_cpu"))
                row.expect(program.says(address), address + ": not in\n" + program.log());
        }
        for (const Func &func : own.named("intree_copy"))
            row.expect(!Program(Kind::fentry, func).runs(), "intree_copy was attached");
    }
    {
        Row row("strict: what is clear is attached");
        for (const Func &func :
             {vmlinux().only("vfs_read"), own.only("intree_twin", "intree_there.c"),
              extra().only("print_cpu", "kernel/sched/debug.c")}) {
            const Program program(Kind::fentry, func);
            row.expect(program.runs(), func.name + ": " + program.log());
        }
    }
    Row row("not strict any more: they are attached");
    set_strict(row, "0");
    for (const Func &func : vmlinux().named("print_cpu"))
        row.expect(Program(Kind::fentry, func).runs(), "print_cpu was refused");
}

// ---- programs on programs, and targets without an id ----

namespace {

int ask(int program) {
    char packet[64] = "";
    LIBBPF_OPTS(bpf_test_run_opts, options);
    options.data_in = packet;
    options.data_size_in = sizeof(packet);
    return bpf_prog_test_run_opts(program, &options) == 0 ? static_cast<int>(options.retval) : -1;
}

struct Closer {
    void operator()(bpf_object *object) const { bpf_object__close(object); }
    void operator()(bpf_link *link) const { bpf_link__destroy(link); }
};

void on_program(Row &row, int target, const char *name, int answer) {
    const std::unique_ptr<bpf_object, Closer> object(
        bpf_object__open_file("/replacing.bpf.o", nullptr));
    bpf_program *program = nullptr, *each = nullptr;
    bpf_object__for_each_program(each, object.get()) {
        bpf_program__set_autoload(each, std::string(bpf_program__name(each)) == name);
        bpf_program__set_attach_target(each, target, "replace_answer");
        if (std::string(bpf_program__name(each)) == name)
            program = each;
    }
    row.equal(bpf_object__load(object.get()), 0, name + std::string(": loads"));
    const std::unique_ptr<bpf_link, Closer> link(bpf_program__attach(program));
    row.expect(link != nullptr, name + std::string(": ") + std::strerror(errno));
    row.equal(ask(target), answer, name);
}

}  // namespace

void untouched() {
    {
        Row row("freplace, and fentry on a program's function: as ever");
        const std::unique_ptr<bpf_object, Closer> object(
            bpf_object__open_file("/replace.bpf.o", nullptr));
        row.equal(bpf_object__load(object.get()), 0, "loads");
        const int target =
            bpf_program__fd(bpf_object__find_program_by_name(object.get(), "replace_asks"));
        row.equal(ask(target), 42, "by itself");
        on_program(row, target, "replace_answers", 141);
        row.equal(ask(target), 42, "by itself again");
        on_program(row, target, "replace_sees", 42);
    }
    Row row("fmod_ret of a system call, fentry by a plain name: as ever");
    const Program modify(Kind::fmod_ret, vmlinux().only("__x64_sys_getpgid"));
    row.expect(modify.runs(), modify.log());
    Program program("__x64_sys_getpgid");
    row.expect(program.runs(), program.log());
    const int64_t group = getpgid(0);
    const intree_seen seen = program.seen();
    row.equal(seen.runs, 1, "runs");
    row.expect(group >= 0, "no group");
    row.expect(!Program("no_such_function").runs(), "no_such_function was attached");
}
