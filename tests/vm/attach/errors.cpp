// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// These requests must be refused.
#include <functional>

#include <linux/bpf.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/vm/attach/attach_tests.h"

using namespace guest;

namespace {

btf_extra_attach with(const std::function<void(btf_extra_attach &)> &change) {
    btf_extra_attach request = good_request();
    change(request);
    return request;
}

btf_extra_attach with_program(int fd) {
    return with([&](auto &request) { request.prog_fd = static_cast<uint32_t>(fd); });
}

// Kernels before 6.18 do not load it.
void writes_registers() {
    const bpf_insn writes[] = {{BPF_ST | BPF_MEM | BPF_DW, 1, 0, 0, 0},
                               {BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0},
                               {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
    const int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "writes", "GPL", writes, 3, nullptr);
    if (fd >= 0)
        refused("a program that writes to registers", EINVAL, with_program(fd));
    else
        std::printf("# no program of this kernel writes to registers\n");
}

int closed_fd() {
    const int fd = load_program(BPF_PROG_TYPE_KPROBE);
    close(fd);
    return fd;
}

void programs() {
    refused("a program that may sleep", EINVAL,
            with_program(load_program(BPF_PROG_TYPE_KPROBE, BPF_F_SLEEPABLE)));
    refused("a program for a tracepoint", EINVAL,
            with_program(load_program(BPF_PROG_TYPE_TRACEPOINT)));
    refused("a program for a socket", EINVAL,
            with_program(load_program(BPF_PROG_TYPE_SOCKET_FILTER)));
    refused("a program for a raw tracepoint", EINVAL,
            with_program(load_program(BPF_PROG_TYPE_RAW_TRACEPOINT)));
    refused("a program for a perf event", EINVAL,
            with_program(load_program(BPF_PROG_TYPE_PERF_EVENT)));
    const int traced = libbpf_find_vmlinux_btf_id("vfs_write", BPF_TRACE_FENTRY);
    if (traced <= 0)
        die("vfs_write");
    for (const auto &[name, type] :
         {std::pair("fentry", BPF_TRACE_FENTRY), {"fexit", BPF_TRACE_FEXIT}})
        refused(std::string("a program for ") + name, EINVAL,
                with_program(
                    load_program(BPF_PROG_TYPE_TRACING, 0, type, static_cast<uint32_t>(traced))));
    // These programs are of type KPROBE, but have another context or another result. 6.1 has only
    // the first.
    const std::pair<const char *, uint32_t> attach_types[] = {
        {"many kprobes", BPF_TRACE_KPROBE_MULTI},
        {"many uprobes", 48},
        {"a session of kprobes", 56},
        {"a session of uprobes", 57},
    };
    for (const auto &[name, type] : attach_types)
        refused(std::string("a program for ") + name, EINVAL,
                with_program(load_program(BPF_PROG_TYPE_KPROBE, 0, type)));
    writes_registers();
    refused("a file descriptor that is closed", EBADF, with_program(closed_fd()));
    refused("a file descriptor that there never was", EBADF, with_program(-1));
    refused("a file that is no program", EINVAL, with_program(device()));
    refused("a map", EINVAL,
            with_program(bpf_map_create(BPF_MAP_TYPE_ARRAY, "map", 4, 4, 1, nullptr)));
}

void fields() {
    const uint32_t known = BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_BODY_ONLY | BTF_EXTRA_BEST_EFFORT |
                           BTF_EXTRA_INEXACT | BTF_EXTRA_NOTRACE | BTF_EXTRA_LINK | BTF_EXTRA_ALL;
    for (int bit = 0; bit < 32; bit++)
        if (!(known >> bit & 1))
            refused("flag " + std::to_string(bit), EINVAL,
                    with([&](auto &request) { request.flags = 1U << bit; }));
    for (int i = 0; i < 3; i++)
        refused("reserved word " + std::to_string(i), EINVAL,
                with([&](auto &request) { request.reserved[i] = 1; }));
    refused("only inlined instances, and only bodies", EINVAL, with([](auto &request) {
                request.flags = BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_BODY_ONLY;
            }));
    refused("a parameter that it does not have", EINVAL,
            with([](auto &request) { request.required = 1 << 2; }));
    refused("an object that there is not", ENOENT,
            with([](auto &request) { request.object = 0x7fffffff; }));
    refused("object 0", ENOENT, with([](auto &request) { request.object = 0; }));
    refused("a function that there is not", ENOENT,
            with([](auto &request) { request.func_id = 0x7fffffff; }));
    refused("a type that is no function", ENOENT, with([](auto &request) { request.func_id = 1; }));
    refused("function 0", ENOENT, with([](auto &request) { request.func_id = 0; }));
    refused("a function without such sites", ENOENT,
            with([](auto &request) { request.flags = BTF_EXTRA_BODY_ONLY; }));
}

void memory() {
    const std::multiset<std::string> before = probe_list();
    refused("a report to where there is no memory", EFAULT, [] {
        btf_extra_attach request = attach_to("shapes", "shape_eliminated");
        request.prog_fd = good_request().prog_fd;
        request.required = 1 << 1;
        request.left_out = 8;
        request.capacity = 1;
        return request;
    }());
    {
        Row row("refused: a request where there is no memory");
        row.equal(ioctl(device(), BTF_EXTRA_IOC_ATTACH, nullptr), -1, "ioctl");
        row.equal(errno, EFAULT, "errno");
    }
    Row row("refused: a request that cannot be written to");
    void *page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const btf_extra_attach request = good_request();
    std::memcpy(page, &request, sizeof(request));
    mprotect(page, 4096, PROT_READ);
    row.equal(ioctl(device(), BTF_EXTRA_IOC_ATTACH, page), -1, "ioctl");
    row.equal(errno, EFAULT, "errno");
    expect_probes(row, before);
}

// The device and the program were opened by a process that may do so.
void capability() {
    const btf_extra_attach request = good_request();
    const std::multiset<std::string> before = probe_list();
    device();
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0)
            _exit(1);
        btf_extra_attach mine = request;
        _exit(ioctl(device(), BTF_EXTRA_IOC_ATTACH, &mine) < 0 ? errno : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Row row("refused: without CAP_PERFMON");
    row.equal(WEXITSTATUS(status), EPERM, "errno");
    expect_probes(row, before);
}

// A process that may trace, and no more.
void notrace() {
    const btf_extra_attach request = good_request();
    device();
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
        __user_cap_data_struct data[2] = {};
        data[1].effective = data[1].permitted = 1U << (CAP_PERFMON - 32);
        if (syscall(SYS_capset, &header, data) != 0)
            _exit(3);
        btf_extra_attach mine = request;
        const int plain = ioctl(device(), BTF_EXTRA_IOC_ATTACH, &mine);
        mine.flags = BTF_EXTRA_NOTRACE;
        const int other = ioctl(device(), BTF_EXTRA_IOC_ATTACH, &mine);
        _exit(plain < 0 ? 2 : other < 0 ? errno : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Row row("refused: functions that ftrace may not trace, without CAP_SYS_ADMIN");
    row.equal(WEXITSTATUS(status), EPERM, "errno");
}

}  // namespace

void errors() {
    {
        Row row("the request that the others differ from is fine");
        const std::multiset<std::string> before = probe_list();
        btf_extra_attach request = good_request();
        {
            const Link link(request);
            row.equal(link.error, 0, "errno");
            row.equal(request.attached, kMany, "attached");
            row.equal(request.total, 0, "left out");
            row.equal(static_cast<int64_t>(probe_list().size() - before.size()), kMany, "probes");
            row.equal(static_cast<int64_t>(link.probes().size()), kMany,
                      "probes that are reported");
            const uint32_t calls = call_many();
            row.equal(static_cast<int64_t>(link.state().hits), calls, "hits");
        }
        expect_probes(row, before);
    }
    programs();
    fields();
    memory();
    capability();
    notrace();
}
