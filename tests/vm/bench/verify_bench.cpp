// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest. Measures how long the kernel takes to verify an fentry program, a small and a
// large one. Each line that it prints is "verify_bench: NAME PROGRAM count=N ns=N": the time of N
// loads.
//
//   verify_bench NAME [FUNCTION]
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

namespace {

constexpr int kLoads = 100;

uint64_t now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

// The program is r0 = 0, some additions and exit.
std::vector<bpf_insn> program_of(size_t instructions) {
    const bpf_insn zero = {BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0};
    const bpf_insn add = {BPF_ALU64 | BPF_ADD | BPF_K, 0, 0, 0, 1};
    const bpf_insn leave = {BPF_JMP | BPF_EXIT, 0, 0, 0, 0};
    std::vector<bpf_insn> program(instructions, add);
    program.front() = zero;
    program[instructions - 2] = zero;
    program.back() = leave;
    return program;
}

uint64_t load(int id, const std::vector<bpf_insn> &program) {
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.expected_attach_type = BPF_TRACE_FENTRY;
    options.attach_btf_id = static_cast<uint32_t>(id);
    const uint64_t begin = now();
    const int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "bench", "GPL", program.data(),
                                 program.size(), &options);
    const uint64_t end = now();
    if (fd < 0) {
        std::fprintf(stderr, "verify_bench: %s\n", std::strerror(errno));
        std::exit(1);
    }
    close(fd);
    return end - begin;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    btf *vmlinux = btf__load_vmlinux_btf();
    const int id = btf__find_by_name_kind(vmlinux, argc > 2 ? argv[2] : "vfs_read", BTF_KIND_FUNC);
    const struct {
        const char *name;
        size_t instructions;
    } programs[] = {{"small", 3}, {"large", 300}};
    for (const auto &[name, instructions] : programs) {
        const std::vector<bpf_insn> program = program_of(instructions);
        load(id, program);
        uint64_t sum = 0;
        for (int i = 0; i < kLoads; i++)
            sum += load(id, program);
        std::printf("verify_bench: %s %s count=%d ns=%llu\n", argv[1], name, kLoads,
                    static_cast<unsigned long long>(sum));
    }
    return 0;
}
