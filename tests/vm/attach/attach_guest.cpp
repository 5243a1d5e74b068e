// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra.ko, btf_extra_vmlinux.ko and shapes.ko loaded. Tests what can go
// wrong when a program is attached, and that nothing is left of it.
//
//   attach_guest [PART...]      PART: errors, left_out, recursion, ...
#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "tests/vm/attach/attach_tests.h"
#include "tests/vm/shapes/shapes.h"

using namespace guest;

int load_program(uint32_t type, uint32_t flags, uint32_t expected_attach_type,
                 uint32_t attach_btf_id) {
    const bpf_insn nothing[] = {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0},
                                {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.prog_flags = flags;
    options.expected_attach_type = static_cast<bpf_attach_type>(expected_attach_type);
    options.attach_btf_id = attach_btf_id;
    const int fd =
        bpf_prog_load(static_cast<bpf_prog_type>(type), "nothing", "GPL", nothing, 2, &options);
    if (fd < 0)
        die("program of type " + std::to_string(type));
    return fd;
}

std::multiset<std::string> probe_list() {
    std::multiset<std::string> probes;
    std::ifstream list("/sys/kernel/debug/kprobes/list");
    if (!list)
        die("/sys/kernel/debug/kprobes/list");
    // The rest of the line, such as [OPTIMIZED], changes by itself.
    for (std::string address, type, symbol, rest;
         list >> address >> type >> symbol && std::getline(list, rest);)
        probes.insert(address + " " + symbol);
    return probes;
}

btf_extra_attach good_request() {
    static const int program = load_program(BPF_PROG_TYPE_KPROBE);
    btf_extra_attach request = attach_to("shapes", "shape_many");
    request.prog_fd = program;
    return request;
}

uint32_t call_many() {
    const int shapes = open_device(SHAPES_DEVICE);
    std::vector<shape_record> records(256);
    shapes_run request = {};
    request.records = pointer(records.data());
    request.capacity = static_cast<uint32_t>(records.size());
    request.only = SHAPE_many;
    if (ioctl(shapes, SHAPES_IOC_RUN, &request) != 0)
        die("SHAPES_IOC_RUN");
    close(shapes);
    return request.count;
}

int main(int argc, char **argv) {
    // Without arguments all parts run in this order. lockdown must be last, because it cannot be
    // undone.
    const std::pair<const char *, void (*)()> parts[] = {
        {"errors", errors},     {"left_out", left_out}, {"recursion", recursion},
        {"lifetime", lifetime}, {"foreign", foreign},   {"crowd", crowd},
        {"lockdown", lockdown},
    };
    for (const auto &[name, part] : parts)
        if (argc == 1 || std::any_of(argv + 1, argv + argc,
                                     [&](const char *asked) { return std::string(asked) == name; }))
            part();
    return Row::failed != 0;
}
