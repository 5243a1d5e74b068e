// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra.ko loaded, on a kernel that can let allocations fail. Makes the
// first allocation of a system call fail, then the second, and so on until the call needs no more.
// Each attempt must work or say that there is no memory, and leave nothing.
//
//   faults_guest calls             attaching and asking; vmlinux's tables and shapes.ko are loaded
//   faults_guest load FILE NAME [STRIDE]
//                                  loading that module; STRIDE: each STRIDE-th allocation fails
#include <functional>

#include <bpf/btf.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/vm/completing.h"
#include "tests/vm/guest_attach.h"

using namespace guest;

namespace {

void write_file(const std::string &name, const std::string &text) {
    std::ofstream file(name);
    if (!(file << text << std::flush))
        die(name);
}

// Allocations that may sleep fail too, those of pages as well, and nothing is printed of it.
void set_up() {
    for (const std::string kind : {"failslab", "fail_page_alloc"}) {
        const std::string folder = "/sys/kernel/debug/" + kind + "/";
        write_file(folder + "ignore-gfp-wait", "N");
        write_file(folder + "verbose", "0");
    }
    write_file("/sys/kernel/debug/fail_page_alloc/min-order", "0");
    // A page fault must not be what fails.
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        die("mlockall");
}

// Lets the nth allocation of this thread fail, from 1 on, while it exists.
class Failure {
  public:
    explicit Failure(unsigned n) : fd_(open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC)) {
        set(n);
    }
    ~Failure() { close(fd_); }
    Failure(const Failure &) = delete;
    Failure &operator=(const Failure &) = delete;

    // Returns whether the allocation has come. From then on none fails.
    bool end() {
        char left = 'x';
        const ssize_t size = pread(fd_, &left, 1, 0);
        set(0);
        if (size != 1)
            die("fail-nth");
        return left == '0';
    }

  private:
    void set(unsigned n) {
        const std::string text = std::to_string(n);
        if (pwrite(fd_, text.data(), text.size(), 0) < 0)
            die("fail-nth");
    }

    int fd_;
};

// act() makes one system call and returns what that does. end() gets that and errno, takes the
// effect back, and returns 0 or the error.
struct Call {
    std::string name;
    std::function<long()> act;
    std::function<int(long, int, Row &)> end;
};

void try_all(const Call &call, unsigned stride = 1) {
    Row row("allocations fail: " + call.name);
    const std::multiset<std::string> before = probe_list();
    unsigned failed = 0, survived = 0;
    for (unsigned n = 1;; n += stride) {
        Failure failure(n);
        const long result = call.act();
        const int code = errno;
        const bool hit = failure.end();
        const int error = call.end(result, code, row);
        row.expect(error == 0 || (hit && error == ENOMEM),
                   std::to_string(n) + ": " + std::strerror(error));
        expect_probes(row, before);
        if (!hit)
            break;
        failed++;
        survived += error == 0;
    }
    std::printf("# %u failed, %u of them without an effect\n", failed, survived);
    row.expect(failed > 0, "no allocation");
    row.expect(survived < failed, "no failure had an effect");
}

void attaching() {
    const btf_extra_attach many = attach_to("shapes", "shape_both");
    const int program = load_program(BPF_PROG_TYPE_KPROBE);
    std::vector<btf_extra_left_out> left_out(256);
    btf_extra_attach request;
    const auto act = [&] {
        request = many;
        request.prog_fd = static_cast<uint32_t>(program);
        request.left_out = pointer(left_out.data());
        request.capacity = static_cast<uint32_t>(left_out.size());
        return ioctl(device(), BTF_EXTRA_IOC_ATTACH, &request);
    };
    // If the kernel had no memory for a probe, the report says so.
    const auto end = [&](long fd, int error, Row &row) {
        if (fd >= 0)
            return close(static_cast<int>(fd));
        if (error != EOPNOTSUPP)
            return error;
        row.expect(request.count > 0, "left out without a site");
        for (uint32_t i = 0; i < request.count; i++)
            row.equal(left_out[i].error, -ENOMEM, "error of a site");
        return ENOMEM;
    };
    try_all({"attaching", act, end});
}

void asking() {
    btf_extra_attach request = attach_to("shapes", "shape_both");
    request.prog_fd = static_cast<uint32_t>(load_program(BPF_PROG_TYPE_KPROBE));
    const Link link(request);
    const auto plain = [](long result, int error, Row &) { return result < 0 ? error : 0; };
    std::vector<btf_extra_site> sites(256);
    btf_extra_lookup lookup;
    try_all({"a look-up by name",
             [&] {
                 lookup = of_name("shape_both");
                 lookup.sites = pointer(sites.data());
                 lookup.capacity = static_cast<uint32_t>(sites.size());
                 return ioctl(device(), BTF_EXTRA_IOC_LOOKUP, &lookup);
             },
             plain});
}

// A patched kernel attaches a program to the inlined calls of its function as well. If it cannot,
// the link is not created.
void completing() {
    if (!can_complete())
        return;
    const Completing strict("strict");
    btf *kernel = btf__load_vmlinux_btf();
    const int id = btf__find_by_name_kind(kernel, "ksys_fallocate", BTF_KIND_FUNC);
    btf__free(kernel);
    const int program =
        load_program(BPF_PROG_TYPE_TRACING, 0, BPF_TRACE_FENTRY, static_cast<uint32_t>(id));
    const auto act = [&] {
        bpf_attr request = {};
        request.link_create.prog_fd = static_cast<uint32_t>(program);
        request.link_create.attach_type = BPF_TRACE_FENTRY;
        return syscall(SYS_bpf, BPF_LINK_CREATE, &request, sizeof(request));
    };
    // If the kernel had no memory for a probe, the program would miss calls.
    const auto end = [](long fd, int error, Row &) {
        if (fd >= 0)
            return close(static_cast<int>(fd));
        return error == EOPNOTSUPP ? ENOMEM : error;
    };
    try_all({"attaching a program that the kernel completes", act, end});
    close(program);
}

int end_load(const char *name, long result, int error) {
    if (result != 0)
        return error;
    if (syscall(SYS_delete_module, name, O_NONBLOCK) != 0)
        die(std::string("delete ") + name);
    return 0;
}

void loading(const char *file, const char *name, unsigned stride) {
    const int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        die(file);
    try_all({std::string("loading ") + name, [=] { return syscall(SYS_finit_module, fd, "", 0); },
             [=](long result, int error, Row &) { return end_load(name, result, error); }},
            stride);
    close(fd);
}

}  // namespace

int main(int argc, char **argv) {
    set_up();
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "calls") {
        attaching();
        asking();
        completing();
    } else if (what == "load" && argc > 3) {
        loading(argv[2], argv[3], argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 1);
    } else {
        die("usage: faults_guest calls | load FILE NAME [STRIDE]");
    }
    return Row::failed != 0;
}
