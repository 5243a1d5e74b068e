// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest where functions of shapes.ko and of vmlinux are exposed, and tests programs on
// their stubs.
//
//   phantoms_guest PART...      PART: programs, from_the_first, stack, modules, gone, coming,
//                               edited, nmis, ask_in_nmi, patches, multi, recursion:STUB,
//                               idle:STUB, callbacks:STUB, storm:SECONDS, storm:SECONDS:NAME
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <sys/syscall.h>

#include "tests/vm/kernel_btf.h"
#include "tests/vm/phantoms/phantom_tests.h"

using namespace guest;

AtStub::AtStub(const std::string &program, const std::string &stub, bool updates)
    : object_(bpf_object__open_file("/phantoms.bpf.o", nullptr)) {
    bpf_program *one;
    bpf_program *chosen = nullptr;
    bpf_object__for_each_program(one, object_) {
        const bool is_it = program == bpf_program__name(one);
        bpf_program__set_autoload(one, is_it);
        if (is_it)
            chosen = one;
    }
    bpf_map *rodata = bpf_object__find_map_by_name(object_, ".rodata");
    if (chosen == nullptr || rodata == nullptr ||
        bpf_map__set_initial_value(rodata, &updates, sizeof(updates)) != 0 ||
        bpf_program__set_attach_target(chosen, 0, stub.c_str()) != 0 ||
        bpf_object__load(object_) != 0)
        die(program + " at " + stub);
    seen_ = memory_of<Seen>(object_, ".bss");
    link_ = bpf_program__attach(chosen);
    error = link_ == nullptr ? errno : 0;
}

AtStub::~AtStub() {
    bpf_link__destroy(link_);
    bpf_object__close(object_);
}

std::vector<shape_record> records_of_calls(uint32_t shape, uint32_t calls) {
    const int workload = open_device(SHAPES_DEVICE);
    std::vector<shape_record> records(calls + SHAPES_AT_ONCE);
    shapes_run request = {};
    request.records = pointer(records.data());
    request.capacity = static_cast<uint32_t>(records.size());
    request.seed = 1;
    request.only = shape;
    if (ioctl(workload, SHAPES_IOC_RUN, &request) != 0)
        die("SHAPES_IOC_RUN");
    close(workload);
    records.resize(request.count);
    return records;
}

size_t call_shape(uint32_t shape, uint32_t calls) {
    return records_of_calls(shape, calls).size();
}

int btf_of(const std::string &module) {
    int found = -1;
    for_each_kernel_btf([&](uint32_t, const std::string &name, int fd) {
        if (name == module)
            found = dup(fd);
        return name == module;
    });
    if (found < 0)
        die("BTF of " + module);
    return found;
}

uint32_t id_of(const std::string &func, const std::string &module) {
    btf *vmlinux = btf__load_vmlinux_btf();
    btf *own = btf__load_module_btf(module.c_str(), vmlinux);
    const int id = btf__find_by_name_kind(own, func.c_str(), BTF_KIND_FUNC);
    btf__free(own);
    btf__free(vmlinux);
    if (id < 0)
        die(func + " in BTF of " + module);
    return static_cast<uint32_t>(id);
}

int load(const std::string &module, const std::string &parameters) {
    return std::system(("insmod /" + module + ".ko " + parameters).c_str());
}

int unload(const std::string &module) {
    return syscall(SYS_delete_module, module.c_str(), O_NONBLOCK) == 0 ? 0 : errno;
}

int load_at_stub(const std::string &stub, uint32_t type, uint32_t expected_attach_type,
                 uint32_t flags) {
    const int btf_fd = btf_of("inlined");
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.expected_attach_type = static_cast<bpf_attach_type>(expected_attach_type);
    options.attach_btf_id = id_of(stub);
    options.attach_btf_obj_fd = static_cast<uint32_t>(btf_fd);
    options.prog_flags = flags;
    const bpf_insn nothing[] = {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0},
                                {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
    const int fd =
        bpf_prog_load(static_cast<bpf_prog_type>(type), "nothing", "GPL", nothing, 2, &options);
    const int error = fd < 0 ? errno : 0;
    close(fd);
    close(btf_fd);
    return error;
}

namespace {

const char *const kStub = "shape_register";

void programs() {
    {
        Row row("fentry: each call is seen, with its argument");
        const AtStub program("enter", kStub);
        row.equal(program.error, 0, "errno");
        row.expect(wait_for_state(kStub, "armed")["state"] == "armed", "not armed");
        row.equal(static_cast<int64_t>(program.seen().hits), 0, "hits before the calls");
        const size_t calls = call_shape(SHAPE_register, 100);
        row.equal(static_cast<int64_t>(program.seen().hits), static_cast<int64_t>(calls), "hits");
    }
    {
        Row row("detached: it is disarmed within a second");
        usleep(1000000);
        row.expect(stub_state(kStub)["state"] == "idle", stub_state(kStub)["state"]);
    }
    {
        Row row("fexit: runs when the stub returns, with the arguments, and there is no result");
        const AtStub program("leave", kStub);
        row.equal(program.error, 0, "errno");
        row.expect(wait_for_state(kStub, "armed")["state"] == "armed", "not armed");
        const size_t calls = call_shape(SHAPE_register, 100);
        row.equal(static_cast<int64_t>(program.seen().hits), static_cast<int64_t>(calls), "hits");
    }
    const struct {
        const char *name;
        uint32_t type, attach, flags;
        int error;
    } rows[] = {
        {"fentry", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, 0, 0},
        {"fexit", BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, 0, 0},
        {"fmod_ret", BPF_PROG_TYPE_TRACING, BPF_MODIFY_RETURN, 0, EINVAL},
        {"sleepable fentry", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, BPF_F_SLEEPABLE, EINVAL},
        {"freplace", BPF_PROG_TYPE_EXT, 0, 0, EINVAL},
        {"lsm", BPF_PROG_TYPE_LSM, BPF_LSM_MAC, 0, EINVAL},
    };
    for (const auto &one : rows) {
        Row row(std::string("the verifier: ") + one.name +
                (one.error != 0 ? " is refused" : " is accepted"));
        row.equal(load_at_stub(kStub, one.type, one.attach, one.flags), one.error, "errno");
    }
    Row row("by hand: armed at once, and given back");
    std::ofstream(std::string(kStubs) + kStub) << "arm";
    auto state = stub_state(kStub);
    row.expect(state["state"] == "held" && state["armed"] == state["sites"], state["state"]);
    std::ofstream(std::string(kStubs) + kStub) << "auto";
    row.expect(wait_for_state(kStub, "idle")["armed"] == "0", "still armed");
    std::ofstream bad(std::string(kStubs) + kStub);
    bad << "nonsense";
    bad.flush();
    row.expect(!bad, "nonsense is taken");
}

std::string symbol_around(uint64_t address) {
    std::ifstream kallsyms("/proc/kallsyms");
    std::string found;
    uint64_t best = 0;
    for (std::string line; std::getline(kallsyms, line);) {
        const uint64_t at = std::stoull(line, nullptr, 16);
        const std::string name = line.substr(19, line.find('\t', 19) - 19);
        // arm64 has symbols "$x", which mark where code begins.
        if (at > best && at <= address && !name.starts_with('$')) {
            best = at;
            found = name;
        }
    }
    return found;
}

// The stack: the stub, what called it, the site, and whoever called the function around that.
void stack() {
    Row row("a stack goes on at the site");
    const AtStub program("enter", kStub);
    row.expect(wait_for_state(kStub, "armed")["state"] == "armed", "not armed");
    call_shape(SHAPE_register, 1);
    const int32_t bytes = program.seen().nr_bytes;
    const size_t nr = bytes > 0 ? static_cast<size_t>(bytes) / 8 : 0;
    std::vector<std::string> names;
    for (size_t i = 0; i < nr; i++)
        names.push_back(symbol_around(program.seen().frames[i]));
    const auto stub = std::ranges::find(names, kStub);
    row.expect(names.end() - stub > 3,
               std::to_string(nr) + " frames, " + (names.empty() ? "none" : names[0]));
    if (names.end() - stub > 3) {
        row.expect(stub[1] == "arch_phantom_call", stub[1]);
        row.expect(stub[2] == "call_register", stub[2]);
        row.expect(stub[3] == "run_shapes" || stub[3] == "shapes_ioctl", stub[3]);
    }
}

// The stub was armed when it was made, so no call is lost, before and after a program is attached.
void from_the_first() {
    const std::string stub = "site_called";
    constexpr int kRounds = 10, kCalls = 20;
    Row row("armed when it is exposed: each call is counted from the first on");
    const auto call = [&] {
        std::ofstream("/sys/module/phantom_sites/parameters/calls") << kCalls;
    };
    row.expect(stub_state(stub)["state"] == "held", stub_state(stub)["state"]);
    row.equal(std::stoll(stub_state(stub)["hits"]), 0, "hits at first");
    call();
    row.equal(std::stoll(stub_state(stub)["hits"]), kCalls, "hits without a program");
    for (int i = 0; i < kRounds; i++) {
        const AtStub program("enter", stub);
        call();
        row.equal(static_cast<int64_t>(program.seen().hits), kCalls, "hits of a program");
    }
    row.equal(std::stoll(stub_state(stub)["hits"]), (kRounds + 1) * kCalls, "hits at last");
    row.equal(std::stoll(stub_state(stub)["missed"]), 0, "missed");
    std::ofstream(std::string(kStubs) + stub) << "auto";
    row.expect(wait_for_state(stub, "idle")["state"] == "idle", "not idle");
}

// The program at a function of hash maps changes a hash map.
void recursion(const std::string &stub) {
    // Earlier programs are let go a moment later.
    wait_for_state(kStub, "idle");
    const std::multiset<std::string> before = probe_list();
    {
        Row row("recursion: a program whose map update runs the sites of its own stub");
        const AtStub program("enter", stub, true);
        row.expect(wait_for_state(stub, "armed")["state"] == "armed", "not armed");
        const int map = bpf_map_create(BPF_MAP_TYPE_HASH, "outer", sizeof(uint32_t),
                                       sizeof(uint64_t), 64, nullptr);
        for (uint32_t key = 0; key < 200; key++) {
            const uint64_t value = key;
            bpf_map_update_elem(map, &key, &value, BPF_ANY);
            bpf_map_delete_elem(map, &key);
        }
        close(map);
        // A system call that changes a map raises bpf_prog_active, and its hits are missed.
        auto state = stub_state(stub);
        row.expect(std::stoull(state["missed"]) > 0, "none is missed");
    }
    Row row("recursion: nothing is left");
    row.expect(wait_for_state(stub, "idle")["state"] == "idle", "not idle");
    expect_probes(row, before);
}

void modules() {
    {
        Row row("modules: what has a user stays");
        const AtStub program("enter", kStub);
        row.expect(wait_for_state(kStub, "armed")["state"] == "armed", "not armed");
        row.equal(unload("inlined"), EWOULDBLOCK, "rmmod inlined");
        row.equal(unload("btf_extra"), EWOULDBLOCK, "rmmod btf_extra");
    }
    const AtStub program("enter", kStub);
    wait_for_state(kStub, "armed");
    {
        Row row("modules: one with armed sites goes");
        row.equal(unload("shapes"), 0, "rmmod shapes");
        for (int i = 0; i < 100 && stub_state(kStub)["armed"] != "0"; i++)
            usleep(100000);
        row.expect(stub_state(kStub)["armed"] == "0", "probes are there");
        row.expect(stub_state(kStub)["sites"] == "0", "sites are there");
    }
    Row row("modules: it comes back, and is armed while something is attached");
    row.equal(load("shapes"), 0, "insmod shapes");
    for (int i = 0; i < 200 && stub_state(kStub)["armed"] == "0"; i++)
        usleep(100000);
    row.expect(stub_state(kStub)["armed"] != "0", "no probes");
}

}  // namespace

int main(int argc, char **argv) {
    const std::map<std::string, void (*)()> parts = {
        {"programs", programs},
        {"from_the_first", from_the_first},
        {"stack", stack},
        {"modules", modules},
        {"gone", gone},
        {"coming", coming},
        {"ask_in_nmi", ask_in_nmi},
        {"edited", edited_modules},
        {"nmis", nmis},
        {"patches", patches},
        {"multi", multi},
    };
    const std::map<std::string, void (*)(const std::string &stub)> parts_of_stub = {
        {"recursion", recursion}, {"idle", idle}, {"callbacks", callbacks}};
    for (int i = 1; i < argc; i++) {
        const std::string asked = argv[i];
        const std::string part = asked.substr(0, asked.find(':'));
        const std::string of = asked.substr(std::min(asked.size(), part.size() + 1));
        if (part == "storm")
            storm(static_cast<unsigned>(std::stoul(of)),
                  of.find(':') == std::string::npos ? "all" : of.substr(of.find(':') + 1));
        else if (parts_of_stub.contains(part))
            parts_of_stub.at(part)(of);
        else if (parts.contains(part))
            parts.at(part)();
        else
            die(part + ": no such part");
    }
    return Row::failed != 0;
}
