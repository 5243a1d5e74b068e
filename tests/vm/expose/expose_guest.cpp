// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// expose_guest hold                  attaches the program of expose.bpf.o as any other tool does,
//                                    prints its id, and keeps it until it is killed
// expose_guest names FILE STUBS      see names.h
#include <cstdio>
#include <string>

#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/vm/expose/names.h"

namespace {

int hold() {
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

}  // namespace

int main(int argc, char **argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "hold")
        return hold();
    if (mode != "names" || argc != 4)
        return 2;
    write_names(argv[2], argv[3]);
}
