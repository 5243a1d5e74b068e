// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The same through the library.
#include "tests/vm/follow/follow_tests.h"
#include "userspace/lib/btf_extra.h"

using namespace guest;

void library() {
    constexpr uint32_t kCalls = 100;
    constexpr uint64_t kCookie = 43;
    Row row("btf_extra_attach_link() finds the function by the BPF link");
    btf_extra_tables *tables = nullptr;
    if (btf_extra_open(&tables, nullptr) != 0)
        die(btf_extra_last_error());
    Tool tool({"fallocate_all", "by_event"});
    const int link_fd = tool.attach("fallocate_all", kCookie);
    btf_extra_kloc *kloc = nullptr, *second = nullptr;
    btf_extra_report *report = nullptr;
    row.equal(btf_extra_attach_link(&kloc, tables, link_fd, nullptr, &report), 0,
              btf_extra_last_error());
    for (uint32_t i = 0; i < kCalls; i++)
        call_fallocate(i);
    row.equal(tool.state().by_fentry.calls, kCalls, "calls");
    row.equal(tool.state().by_fentry.cookie, kCookie, "cookie");
    row.expect(report != nullptr && report->attached > 0 && report->nr_left_out == 0, "report");
    btf_extra_report_free(report);
    row.equal(btf_extra_attach_link(&second, tables, link_fd, nullptr, nullptr), -EEXIST,
              "a second time");
    row.equal(btf_extra_attach_link(&second, tables, tool.attach("by_event"), nullptr, nullptr),
              -EINVAL, "a link of a kprobe");
    btf_extra_attach_opts opts = {};
    opts.sz = sizeof(opts);
    opts.cookie = 1;
    btf_extra_detach(kloc);
    row.equal(btf_extra_attach_link(&second, tables, link_fd, &opts, nullptr), -EINVAL,
              "a cookie of its own");
    row.equal(
        btf_extra_attach_link(&second, tables, tool.program("fallocate_all"), nullptr, nullptr),
        -EINVAL, "a program");
    btf_extra_close(tables);
}
