// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra.ko, btf_extra_vmlinux.ko and shapes.ko loaded. Tests what can go
// wrong when a program is attached, and that nothing is left of it.
//
//   attach_guest [PART...]      PART: errors, left_out, recursion, ...
#include "tests/vm/attach/attach_tests.h"
#include "tests/vm/shapes/shapes.h"

using namespace guest;

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
