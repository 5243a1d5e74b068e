// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The program calls a kfunc of another module. foreign.ko must stay as long as the program.
#include <memory>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/utsname.h>

#include "tests/vm/attach/attach_tests.h"

using namespace guest;

namespace {

struct Closer {
    void operator()(bpf_object *object) const { bpf_object__close(object); }
};
using Object = std::unique_ptr<bpf_object, Closer>;

// Before 6.12 kprobe programs may not call kfuncs of modules.
bool since_6_12() {
    utsname name = {};
    int major = 0, minor = 0;
    if (uname(&name) != 0 || std::sscanf(name.release, "%d.%d", &major, &minor) != 2)
        die("uname");
    return major > 6 || (major == 6 && minor >= 12);
}

uint64_t sum_of(const Object &object) {
    const int zero = 0;
    uint64_t sum = 0;
    if (bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(object.get(), ".bss"), &zero, &sum))
        die(".bss");
    return sum;
}

bool removed() {
    // A program that was just closed may hold the module for a moment.
    for (int turn = 0; turn < 50; turn++) {
        if (std::system("rmmod foreign 2>/dev/null") == 0)
            return true;
        usleep(100000);
    }
    return false;
}

}  // namespace

void foreign() {
    if (!since_6_12()) {
        std::printf("# kprobe programs call no kfunc of a module in this kernel\n");
        return;
    }
    Row row("a foreign module's program: it runs, and its module stays as long as it");
    const std::multiset<std::string> before = probe_list();
    row.equal(std::system("insmod /foreign.ko"), 0, "insmod");
    Object object(bpf_object__open_file("/foreign.bpf.o", nullptr));
    if (!object || bpf_object__load(object.get()) != 0)
        die("/foreign.bpf.o");
    btf_extra_attach request = good_request();
    request.prog_fd = static_cast<uint32_t>(
        bpf_program__fd(bpf_object__find_program_by_name(object.get(), "call_foreign")));
    uint64_t calls = 0;
    {
        const Link link(request);
        row.equal(link.error, 0, "errno");
        calls += call_many();
        row.expect(std::system("rmmod foreign 2>/dev/null") != 0, "its module went");
        calls += call_many();
        row.equal(static_cast<int64_t>(link.state().hits), static_cast<int64_t>(calls), "hits");
        row.equal(static_cast<int64_t>(sum_of(object)), static_cast<int64_t>(3 * calls), "sum");
        // The link still holds the program when nothing else does.
        object.reset();
        row.expect(std::system("rmmod foreign 2>/dev/null") != 0, "its module went");
        calls += call_many();
        row.equal(static_cast<int64_t>(link.state().hits), static_cast<int64_t>(calls), "hits");
    }
    expect_probes(row, before);
    row.expect(removed(), "its module does not go when the program is gone");
}
