// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A followed program sees at inlined calls the arguments that its function was called with.
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/vm/follow/follow_tests.h"

using namespace guest;

namespace {

constexpr uint32_t kCalls = 100;
constexpr uint64_t kCookie = 0xc00c1e0000000043;

uint32_t link_id(int fd) {
    bpf_link_info info = {};
    uint32_t size = sizeof(info);
    if (bpf_obj_get_info_by_fd(fd, &info, &size) != 0)
        die("bpf_link_info");
    return info.id;
}

bool has_line(int fd, const std::string &wanted) {
    std::ifstream file("/proc/self/fdinfo/" + std::to_string(fd));
    for (std::string line; std::getline(file, line);)
        if (line == wanted)
            return true;
    return false;
}

std::vector<uint64_t> sites_of(const Link &link) {
    std::vector<uint64_t> addresses;
    for (const btf_extra_probe &probe : link.probes())
        addresses.push_back(probe.site.address);
    return addresses;
}

// The stack goes on at the site, which is in the system call.
bool goes_on_at(const seen &seen, const std::vector<uint64_t> &sites) {
    return std::ranges::any_of(seen.frames, [&](uint64_t frame) {
        return std::ranges::find(sites, frame) != sites.end();
    });
}

}  // namespace

void call_and_compare(Row &row, Tool &tool, uint64_t cookie, const std::vector<uint64_t> &sites) {
    const uint64_t function = symbol_address("ksys_fallocate");
    tool.clear();
    for (uint32_t i = 0; i < kCalls; i++) {
        call_fallocate(i);
        const seen &seen = tool.state().by_fentry;
        row.equal(seen.calls, i + 1, "calls");
        row.equal(seen.args[0], 999, "fd");
        row.equal(seen.args[1], i & 3, "mode");
        row.equal(seen.args[2], kOffset + i, "offset");
        row.equal(seen.args[3], kLength - i, "len");
        row.equal(seen.args[4], kOffset + i, "the third argument by number");
        row.equal(seen.count, 4, "number of arguments");
        row.equal(seen.ip, function, "address of the function");
        row.equal(seen.cookie, cookie, "cookie");
        row.expect(goes_on_at(seen, sites), "the stack ends before the site");
    }
}

namespace {

void by_link() {
    Tool tool({"fallocate_all"});
    const int link_fd = tool.attach("fallocate_all", kCookie);
    {
        Row row("not followed, a program at a function that is inlined sees no call");
        row.expect(link_fd >= 0, "not attached");
        for (uint32_t i = 0; i < kCalls; i++)
            call_fallocate(i);
        row.equal(tool.state().by_fentry.calls, 0, "calls");
    }
    Row row("followed, it sees each call: arguments, cookie, address, stack");
    btf_extra_attach request = to_follow("vmlinux", "ksys_fallocate", link_fd);
    const Link link(request);
    row.equal(link.error, 0, "errno");
    row.equal(request.total, 0, "left out");
    row.expect(request.attached > 0, "no site");
    call_and_compare(row, tool, kCookie, sites_of(link));
    const btf_extra_link state = link.state();
    row.equal(state.hits, kCalls, "hits");
    row.equal(state.missed, 0, "missed");
    row.equal(state.cookie, kCookie, "cookie of the link");
    row.equal(state.link_id, link_id(link_fd), "id of the BPF link");
    row.expect(has_line(link.fd, "link_id:\t" + std::to_string(state.link_id)), "fdinfo");
    row.equal(tool.stats("fallocate_all").misses, 0, "misses");
}

void by_program() {
    Row row("a program that is followed before it is attached misses no call");
    Tool tool({"fallocate_all"});
    btf_extra_attach request =
        to_follow_program("vmlinux", "ksys_fallocate", tool.program("fallocate_all"));
    request.cookie = kCookie + 1;
    const Link link(request);
    row.equal(link.error, 0, "errno");
    call_and_compare(row, tool, kCookie + 1, sites_of(link));
    row.expect(tool.attach("fallocate_all", kCookie + 1) >= 0, "cannot be attached any more");
    call_and_compare(row, tool, kCookie + 1, sites_of(link));
    row.equal(link.state().link_id, 0, "id of the BPF link");
}

void ends() {
    Row row("the BPF link is not held: it ends, and the program at the sites ends later");
    const std::multiset<std::string> before = probe_list();
    Tool tool({"fallocate_all"});
    {
        btf_extra_attach request =
            to_follow("vmlinux", "ksys_fallocate", tool.attach("fallocate_all"));
        const Link link(request);
        const uint32_t id = link.state().link_id;
        tool.detach();
        const int again = bpf_link_get_fd_by_id(id);
        row.expect(again < 0, "the BPF link is there");
        call_fallocate(0);
        row.equal(tool.state().by_fentry.calls, 1, "calls");
    }
    call_fallocate(0);
    row.equal(tool.state().by_fentry.calls, 1, "calls afterwards");
    expect_probes(row, before);
}

void counted() {
    Row row("the kernel's statistics count the runs at inlined calls");
    const int enabled = bpf_enable_stats(BPF_STATS_RUN_TIME);
    Tool tool({"fallocate_all"});
    btf_extra_attach request = to_follow("vmlinux", "ksys_fallocate", tool.attach("fallocate_all"));
    const Link link(request);
    row.expect(enabled >= 0, "no statistics");
    for (uint32_t i = 0; i < kCalls; i++)
        call_fallocate(i);
    row.equal(tool.stats("fallocate_all").runs, static_cast<int64_t>(link.state().hits), "runs");
    row.expect(link.state().hits >= kCalls, "hits");
    close(enabled);
}

// Many sites, and a pointer that the verifier lets the program follow.
void pointers() {
    Row row("a pointer at many sites is what a kloc program sees there");
    Tool tool({"path_put_all", "path_put_kprobe"});
    btf_extra_attach request = to_follow("vmlinux", "path_put", tool.attach("path_put_all"));
    request.flags |= BTF_EXTRA_BEST_EFFORT;
    const Link link(request);
    row.equal(link.error, 0, "errno");
    btf_extra_attach kprobe =
        to_follow_program("vmlinux", "path_put", tool.program("path_put_kprobe"));
    kprobe.flags |= BTF_EXTRA_BEST_EFFORT;
    kprobe.required = 1;
    const Link compared(kprobe);
    row.equal(compared.error, 0, "errno of the kloc program");
    tool.clear();
    const uint64_t before = link.state().hits;
    for (int i = 0; i < 20; i++)
        do_work();
    const follow_state state = tool.state();
    std::printf("# path_put: %u of %u sites, %llu calls, %llu hits, %llu missed\n",
                request.attached, request.attached + request.total, state.by_kprobe.calls,
                link.state().hits - before, link.state().missed);
    row.equal(request.attached, kprobe.attached, "sites");
    row.expect(state.by_kprobe.calls > 20, "calls");
    // Only the trampoline sees the body.
    row.expect(state.by_fentry.calls >= state.by_kprobe.calls, "calls are missed");
    row.equal(link.state().missed, 0, "missed");
    tool.detach();
    tool.clear();
    for (int i = 0; i < 20; i++)
        do_work();
    const follow_state inlined = tool.state();
    row.equal(inlined.by_fentry.calls, inlined.by_kprobe.calls, "calls at inlined sites");
    row.equal(inlined.by_fentry.sums[0], inlined.by_kprobe.sums[0], "sum of the pointers");
    row.equal(inlined.by_fentry.sums[1], inlined.by_kprobe.sums[1], "sum of what they lead to");
}

}  // namespace

void values() {
    by_link();
    by_program();
    ends();
    counted();
    pointers();
}
