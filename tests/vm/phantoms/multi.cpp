// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// fentry.multi, which kernels have from 7 on: one link for the stubs of several functions.
#include <bpf/bpf.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "tests/vm/phantoms/phantom_tests.h"

using namespace guest;

namespace {

constexpr auto kFentryMulti = static_cast<bpf_attach_type>(59);

bool has_it() {
    utsname running = {};
    uname(&running);
    return std::atoi(running.release) >= 7;
}

int to_link(int program, const std::vector<uint32_t> &ids) {
    struct {
        uint32_t program, target, attach_type, flags;
        uint64_t ids, cookies;
        uint32_t count, zero;
    } request = {static_cast<uint32_t>(program),    0, kFentryMulti, 0, pointer(ids.data()), 0,
                 static_cast<uint32_t>(ids.size()), 0};
    return static_cast<int>(
        syscall(SYS_bpf, BPF_LINK_CREATE, &request, sizeof(request) - sizeof(request.zero)));
}

int choose_inlined(bpf_program *, bpf_prog_load_opts *options, long) {
    options->expected_attach_type = kFentryMulti;
    options->attach_btf_obj_fd = static_cast<uint32_t>(btf_of("inlined"));
    options->attach_btf_id = 0;
    return 0;
}

}  // namespace

void multi() {
    if (!has_it())
        return;
    Row row("fentry.multi: one link sees the calls of several stubs");
    LIBBPF_OPTS(libbpf_prog_handler_opts, handler);
    handler.prog_prepare_load_fn = choose_inlined;
    if (libbpf_register_prog_handler("multi", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, &handler) <
        0)
        die("libbpf_register_prog_handler");
    bpf_object *object = bpf_object__open_file("/phantoms.bpf.o", nullptr);
    bpf_program *each, *both = nullptr;
    bpf_object__for_each_program(each, object) {
        const bool is_it = std::string(bpf_program__name(each)) == "enter_any";
        bpf_program__set_autoload(each, is_it);
        if (is_it)
            both = each;
    }
    row.equal(bpf_object__load(object), 0, "it does not load");
    const auto *seen = memory_of<const volatile AtStub::Seen>(object, ".bss");
    const int link =
        to_link(bpf_program__fd(both), {id_of("shape_register"), id_of("site_called")});
    row.expect(link >= 0, std::strerror(errno));
    for (const char *stub : {"shape_register", "site_called"})
        row.expect(wait_for_state(stub, "armed")["state"] == "armed", stub + std::string(": idle"));
    const auto calls = static_cast<int64_t>(call_shape(SHAPE_register, 30));
    row.equal(static_cast<int64_t>(seen->hits), calls, "hits of the first");
    const auto sum = static_cast<int64_t>(seen->sum);
    std::ofstream("/sys/module/phantom_sites/parameters/calls") << 20 << std::flush;
    row.equal(static_cast<int64_t>(seen->hits), calls + 20, "hits of both");
    row.equal(static_cast<int64_t>(seen->sum) - sum, 20 * 21 / 2, "sum of arguments");
    close(link);
    bpf_object__close(object);
    row.expect(wait_for_state("shape_register", "idle")["state"] == "idle", "not idle");
}
