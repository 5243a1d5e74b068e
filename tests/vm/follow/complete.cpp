// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A patched kernel runs the fentry programs of other tools at inlined calls without any follower.
#include <csignal>

#include <bpf/btf.h>
#include <sys/klog.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vm/follow/following.h"

using namespace guest;

std::string kernel_log() {
    constexpr int kReadAll = 3;
    std::string text(1 << 20, '\0');
    const int size = klogctl(kReadAll, text.data(), static_cast<int>(text.size()));
    text.resize(size < 0 ? 0 : static_cast<size_t>(size));
    return text;
}

namespace {

constexpr uint64_t kCookie = 0xc00c1e0000000077;

std::vector<uint64_t> inlined_sites(const std::string &function) {
    const List list = list_sites();
    std::vector<uint64_t> addresses;
    for (const ListedSite &site : list.sites)
        if (!site.body && list.func(site).name == function)
            addresses.push_back(site.address);
    return addresses;
}

void parameter() {
    Row row("complete: the module takes four values, and no other");
    for (const char *mode : {"all", "best-effort", "strict", "off"}) {
        row.expect(set_complete(mode), mode);
        row.expect(complete_mode() == mode, complete_mode() + ", not " + mode);
    }
    row.expect(!set_complete("some"), "it takes another one");
    row.expect(complete_mode() == "off", complete_mode());
}

void sees_each_call() {
    Row row("complete=all: a program sees each call until it is detached, and when it is attached "
            "again");
    const std::multiset<std::string> before = probe_list();
    const std::vector<uint64_t> sites = inlined_sites("ksys_fallocate");
    Tool tool({"fallocate_all"});
    for (uint64_t cookie : {kCookie, kCookie + 1}) {
        {
            const Completing all("all");
            row.expect(tool.attach("fallocate_all", cookie) >= 0, "not attached");
        }
        row.equal(static_cast<int64_t>(probe_list().size() - before.size()),
                  static_cast<int64_t>(sites.size()), "probes");
        call_and_compare(row, tool, cookie, sites);
        tool.detach();
        expect_probes(row, before);
        row.equal(static_cast<int64_t>(calls_seen(tool)), 0, "calls when it is detached");
    }
    row.equal(static_cast<int64_t>(tool.stats("fallocate_all").misses), 0, "misses");
}

// The verifier's log of a program that reads nothing.
std::string verifier_log(const Tool &tool, const char *function) {
    btf *kernel = btf__load_vmlinux_btf();
    const int id = btf__find_by_name_kind(kernel, function, BTF_KIND_FUNC);
    btf__free(kernel);
    std::vector<char> log(1 << 16);
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.expected_attach_type = BPF_TRACE_FENTRY;
    options.attach_btf_id = static_cast<uint32_t>(id);
    options.log_level = 1;
    options.log_buf = log.data();
    options.log_size = static_cast<uint32_t>(log.size());
    const bpf_program *model = tool.find("any_none");
    const int program =
        bpf_prog_load(BPF_PROG_TYPE_TRACING, "any_none", "GPL", bpf_program__insns(model),
                      bpf_program__insn_cnt(model), &options);
    if (program < 0)
        return std::string("not loaded: ") + log.data();
    close(program);
    return log.data();
}

void verifier_says() {
    Row row("complete: the verifier's log says whether a program will see inlined calls");
    Tool tool({"any_none"}, "ksys_fallocate");
    if (!tool.loaded())
        die("/follow.bpf.o");
    const std::string also =
        "ksys_fallocate: also inlined at " + std::to_string(nr_inlined("ksys_fallocate"));
    const std::pair<const char *, const char *> cases[] = {
        {"all", "fentry runs there, too"},
        {"best-effort", "fentry runs there, too"},
        {"strict", "fentry runs there, too"},
        {"off", "fentry will miss"}};
    for (const auto &[mode, text] : cases) {
        const Completing completing(mode);
        const std::string log = verifier_log(tool, "ksys_fallocate");
        const size_t at = log.find(also);
        row.expect(at != std::string::npos && log.find(text, at) != std::string::npos,
                   std::string(mode) + ": " + log);
    }
}

void followed_once() {
    Row row("complete=all: a program runs once at a call, and follow says nothing of it");
    const std::multiset<std::string> before = probe_list();
    const Completing all("all");
    {
        Tool tool({"fallocate_all"});
        btf_extra_attach request =
            to_follow("vmlinux", "ksys_fallocate", tool.attach("fallocate_all"));
        {
            const Link link(request);
            row.equal(link.error, EEXIST, "errno of the link");
        }
        Following following("", kReady);
        row.equal(static_cast<int64_t>(calls_seen(tool)), kCalls, "calls");
        row.equal(following.end(SIGTERM), 0, "exit code");
        const std::string output = following.output();
        row.expect(output.find("ksys_fallocate") == std::string::npos, output);
        row.equal(static_cast<int64_t>(calls_seen(tool)), kCalls, "calls after follow");
    }
    Tool tool({"fallocate_all"});
    btf_extra_attach request =
        to_follow_program("vmlinux", "ksys_fallocate", tool.program("fallocate_all"));
    {
        const Link link(request);
        row.equal(link.error, 0, "errno of the program");
        row.expect(tool.attach("fallocate_all") >= 0, "not attached");
        row.equal(static_cast<int64_t>(calls_seen(tool)), kCalls,
                  "calls of a program that was at its inlined calls first");
    }
    tool.detach();
    expect_probes(row, before);
}

void other_kinds() {
    Row row("complete=strict: programs of another kind are attached as ever");
    const std::multiset<std::string> before = probe_list();
    for (const char *name : {"at_exit", "modifies", "sleeps"}) {
        Tool tool({name});
        // Not every kernel has all of them.
        if (!tool.loaded() || tool.attach(name) < 0)
            continue;
        tool.detach();
        const Completing strict("strict");
        row.expect(tool.attach(name) >= 0, std::string(name) + ": " + std::strerror(errno));
        expect_probes(row, before);
    }
}

void in_module() {
    Row row("complete=all: a function of a module, and the module goes when it is detached");
    const std::multiset<std::string> before = probe_list();
    {
        const Completing all("all");
        Tool tool({"any_all"}, "shape_both");
        row.expect(tool.loaded() && tool.attach("any_all") >= 0, "not attached");
        tool.clear();
        const ShapeCalls called = call_both();
        const uint64_t calls = tool.state().by_fentry.calls;
        if (on_distilled_base("/shapes.ko")) {
            // The ids of the tables are others than those of the kernel's BTF of the module.
            row.expect(calls > 0 && calls < called.calls, "it sees " + std::to_string(calls));
        } else {
            row.equal(static_cast<int64_t>(calls), static_cast<int64_t>(called.calls), "calls");
            row.equal(static_cast<int64_t>(tool.state().by_fentry.sums[0]),
                      static_cast<int64_t>(called.values), "sum of the values");
        }
        row.expect(unload("shapes") != 0, "it went while its program is attached");
    }
    for (int i = 0; i < 50 && unload("shapes") != 0; i++)
        usleep(100000);
    row.equal(std::system("insmod /shapes.ko"), 0, "insmod");
    expect_probes(row, before);
}

void killed_tool() {
    Row row("complete=all: a tool that is killed leaves nothing");
    const std::multiset<std::string> before = probe_list();
    const Completing all("all");
    int ends[2];
    if (pipe(ends) != 0)
        die("pipe");
    const pid_t child = fork();
    if (child == 0) {
        Tool tool({"fallocate_all", "path_put_all"});
        const bool attached = tool.attach("fallocate_all") >= 0 && tool.attach("path_put_all") >= 0;
        if (write(ends[1], attached ? "1" : "0", 1) == 1)
            pause();
        _exit(1);
    }
    char attached = 0;
    row.expect(child > 0 && read(ends[0], &attached, 1) == 1 && attached == '1', "not attached");
    row.expect(probe_list().size() > before.size(), "no probe");
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
    for (int i = 0; i < 100 && probe_list() != before; i++)
        usleep(50000);
    expect_probes(row, before);
}

}  // namespace

void complete() {
    if (!can_complete()) {
        std::printf("# this kernel has no hook for links\n");
        return;
    }
    parameter();
    sees_each_call();
    verifier_says();
    followed_once();
    other_kinds();
    in_module();
    killed_tool();
    partly_completed();
}

// Must be called before this process opens the device, which would keep the module.
void module_of_completed_goes() {
    if (!can_complete())
        return;
    Row row("complete=all: btf_extra goes while a program is completed, and comes again");
    set_complete("all");
    const std::multiset<std::string> before = probe_list();
    Tool tool({"fallocate_all"});
    row.expect(tool.attach("fallocate_all") >= 0, "not attached");
    row.equal(static_cast<int64_t>(calls_seen(tool)), kCalls, "calls");
    row.equal(unload("btf_extra_vmlinux"), 0, "errno of unloading the tables");
    row.equal(static_cast<int64_t>(calls_seen(tool)), kCalls, "calls without the tables");
    row.equal(unload("btf_extra"), 0, "errno of unloading btf_extra");
    row.equal(static_cast<int64_t>(calls_seen(tool)), 0, "calls without btf_extra");
    expect_probes(row, before);
    row.equal(std::system("insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko"), 0, "insmod");
    row.equal(static_cast<int64_t>(calls_seen(tool)), 0, "calls of a link that is older");
    tool.detach();
    row.expect(tool.attach("fallocate_all") >= 0, "not attached again");
    row.equal(static_cast<int64_t>(calls_seen(tool)), kCalls, "calls of a new link");
    tool.detach();
    expect_probes(row, before);
    set_complete("off");
}
