// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/vm/expose/names.h"
#include "tests/vm/guest_attach.h"
#include "tests/vm/kernel_btf.h"
#include "tests/vm/kprobe_event.h"

using namespace guest;

namespace {

constexpr size_t kChosen = 500;
// No more of the programs of fentry are attached, too: the kernel takes long to detach them.
constexpr size_t kAttached = 100;

// ---- what has a name ----

struct Closer {
    void operator()(btf *types) const { btf__free(types); }
};
using Types = std::unique_ptr<btf, Closer>;

// "BTF:ID" of each FUNC of that name and "ADDRESS" or "ADDRESS [MODULE]" of each symbol.
using Found = std::map<std::string, std::vector<std::string>>;

void add_funcs(const btf *types, const std::string &object, bool only_known, Found &found) {
    const btf *base = btf__base_btf(types);
    for (uint32_t id = base != nullptr ? btf__type_cnt(base) : 1; id < btf__type_cnt(types); id++) {
        const btf_type *type = btf__type_by_id(types, id);
        if (!btf_is_func(type))
            continue;
        const std::string name = btf__name_by_offset(types, type->name_off);
        if (!only_known || found.contains(name))
            found[name].push_back(object + ":" + std::to_string(id));
    }
}

// libbpf looks into vmlinux's BTF, and then into those of all modules.
Found find_funcs(const btf *vmlinux) {
    Found found;
    add_funcs(vmlinux, "vmlinux", false, found);
    for_each_kernel_btf([&](uint32_t id, const std::string &name, int) {
        if (name == "vmlinux")
            return false;
        const Types types(btf__load_from_kernel_by_id_split(id, const_cast<btf *>(vmlinux)));
        if (!types)
            die("BTF of " + name);
        add_funcs(types.get(), name, true, found);
        return false;
    });
    return found;
}

void add_symbols(Found &found) {
    std::ifstream kallsyms("/proc/kallsyms");
    for (std::string line; std::getline(kallsyms, line);) {
        const size_t end = std::min(line.find('\t'), line.size());
        const auto of_name = found.find(line.substr(19, end - 19));
        if (of_name != found.end())
            of_name->second.push_back(line.substr(0, 16) + line.substr(end));
    }
}

// ---- what attaches ----

// Makes the same choice in each run.
std::vector<std::string> choose(const Found &found, const char *stubs) {
    std::vector<std::string> exposed, all;
    std::ifstream list(stubs);
    const std::string suffix = "__inlined";
    for (std::string stub, rest; list >> stub && std::getline(list, rest);)
        if (stub.ends_with(suffix) && found.contains(stub.substr(0, stub.size() - suffix.size())))
            exposed.push_back(stub.substr(0, stub.size() - suffix.size()));
    for (const auto &[name, where] : found)
        all.push_back(name);
    std::set<std::string> chosen;
    Random any;
    if (exposed.size() < kChosen / 2)
        die("few stubs of functions with a body: " + std::to_string(exposed.size()));
    while (chosen.size() < kChosen / 2)
        chosen.insert(exposed[any.below(exposed.size())]);
    while (chosen.size() < kChosen)
        chosen.insert(all[any.below(all.size())]);
    return {chosen.begin(), chosen.end()};
}

std::string outcome(int fd) {
    return fd >= 0 ? "attached" : std::strerror(errno);
}

// libbpf takes the first FUNC of vmlinux with that name. Returns the program or its link.
int load_fentry(uint32_t id, bool attached) {
    const int program = try_load_program(BPF_PROG_TYPE_TRACING, 0, BPF_TRACE_FENTRY, id);
    if (program < 0 || !attached)
        return program;
    const int link = bpf_raw_tracepoint_open(nullptr, program);
    const int error = errno;
    close(program);
    errno = error;
    return link;
}

void close_all(const std::vector<int> &files) {
    for (const int file : files)
        if (file >= 0)
            close(file);
}

void set(const char *path, int value) {
    if (!(std::ofstream(path) << value << std::flush))
        die(path);
}

// The kernel waits less: for its readers, and for the jumps in place of breakpoints.
void hurry(bool on) {
    set("/sys/kernel/rcu_expedited", on ? 1 : 0);
    set("/proc/sys/debug/kprobes-optimization", on ? 0 : 1);
}

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

void write_names(const char *file, const char *stubs) {
    const rlimit files = {4096, 4096};
    setrlimit(RLIMIT_NOFILE, &files);
    double began = seconds();
    const auto said = [&](const char *what) {
        std::printf("# %s: %.1f s\n", what, seconds() - began);
        began = seconds();
    };
    const Types vmlinux(btf__load_vmlinux_btf());
    Found found = find_funcs(vmlinux.get());
    said("FUNCs");
    add_symbols(found);
    said("symbols");
    const std::vector<std::string> chosen = choose(found, stubs);
    std::ofstream out(file);
    std::vector<int> open;
    hurry(true);
    for (const std::string &name : chosen) {
        open.push_back(open_kprobe_event(name.c_str()));
        out << "kprobe " << name << ' ' << outcome(open.back()) << '\n';
    }
    said("kprobes");
    close_all(open);
    said("kprobes closed");
    open.clear();
    for (const std::string &name : chosen) {
        const std::string &first = found[name].front();
        open.push_back(load_fentry(static_cast<uint32_t>(std::stoul(first.substr(8))),
                                   open.size() < kAttached));
        out << "fentry " << name << ' ' << outcome(open.back()) << '\n';
    }
    said("fentry");
    close_all(open);
    said("fentry closed");
    hurry(false);
    for (const auto &[name, where] : found) {
        out << "name " << name;
        for (const std::string &one : where)
            out << ' ' << one;
        out << '\n';
    }
}
