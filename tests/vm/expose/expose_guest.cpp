// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Attaches the program of expose.bpf.o as any other tool does, prints its id, and keeps it until it
// is killed.
#include <cstdio>

#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

int main() {
    bpf_object *object = bpf_object__open("/expose.bpf.o");
    bpf_program *program =
        object != nullptr ? bpf_object__find_program_by_name(object, "on_headlen") : nullptr;
    if (program == nullptr || bpf_object__load(object) != 0 ||
        bpf_program__attach(program) == nullptr)
        return 1;
    bpf_prog_info info = {};
    uint32_t size = sizeof(info);
    if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) != 0)
        return 1;
    std::printf("%u\n", info.id);
    std::fflush(stdout);
    for (;;)
        pause();
}
