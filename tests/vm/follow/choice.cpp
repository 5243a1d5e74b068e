// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Which programs the command follows, and at which calls: those whose function lacks an argument at
// some of them, those without a process, and those of modules that are loaded later.
#include <bit>
#include <memory>
#include <optional>

#include <sys/mount.h>
#include <sys/stat.h>

#include "tests/vm/follow/following.h"

using namespace guest;

namespace {

using KernelBtf = std::unique_ptr<btf, decltype(&btf__free)>;

constexpr int kWork = 3, kMoreWork = 50;

void work() {
    for (int i = 0; i < kWork; i++)
        do_work();
}

// A function of which some inlined sites lack one parameter, and others are called.
struct Partly {
    std::string name, param;
    uint32_t id, object;
    size_t nr_params, attached, lacking;
};

// Returns the parameter that all of these sites lack, if they lack that only.
std::optional<uint64_t> lacking_param(const std::vector<btf_extra_left_out> &left_out) {
    for (const btf_extra_left_out &each : left_out)
        if (each.reason != BTF_EXTRA_REASON_PARAMETER ||
            (each.site.flags & BTF_EXTRA_SITE_FREED) != 0 ||
            !std::has_single_bit(each.parameters) || each.parameters != left_out.front().parameters)
            return {};
    if (left_out.empty())
        return {};
    return std::countr_zero(left_out.front().parameters);
}

// The kernel's BTF has one function of that name, and this is it.
bool is_own_name(const List &list, const btf *kernel, const ListedFunc &func) {
    return std::ranges::count(list.funcs, func.name, &ListedFunc::name) == 1 &&
           btf__find_by_name_kind(kernel, func.name.c_str(), BTF_KIND_FUNC) ==
               static_cast<int>(func.id);
}

// A program of fentry and one of kloc, which has all of its parameters in registers.
bool can_be_compared(const btf *kernel, uint32_t func_id, Tool &tool) {
    const btf_type *proto = btf__type_by_id(kernel, btf__type_by_id(kernel, func_id)->type);
    return nr_in_registers(kernel, func_id) == btf_vlen(proto) && tool.loaded() &&
           tool.attach("any_all") >= 0;
}

// Asks the module, not the command.
std::optional<Partly> with_lacking(const List &list, const btf *kernel, const ListedFunc &func,
                                   uint32_t object, Tool &kloc) {
    const size_t nr_params = nr_in_registers(kernel, func.id);
    btf_extra_attach request = with_all(func.id, object, kloc.program("any_kprobe"), nr_params);
    request.flags = BTF_EXTRA_INLINE_ONLY;
    std::vector<btf_extra_left_out> left_out;
    if (const Link whole(request, &left_out); whole.error != EOPNOTSUPP)
        return {};
    const auto param = lacking_param(left_out);
    if (!param || !is_own_name(list, kernel, func))
        return {};
    request.flags |= BTF_EXTRA_BEST_EFFORT;
    const Link some(request);
    if (some.error != 0)
        return {};
    Tool tool({"any_all"}, func.name.c_str());
    if (!can_be_compared(kernel, func.id, tool))
        return {};
    // To load a program calls many functions, too.
    kloc.clear();
    work();
    if (kloc.state().by_kprobe.calls == 0 || some.state().missed != 0)
        return {};
    const btf_type *proto = btf__type_by_id(kernel, btf__type_by_id(kernel, func.id)->type);
    const char *name = btf__name_by_offset(kernel, btf_params(proto)[*param].name_off);
    return Partly{func.name, name, func.id, object, nr_params, request.attached, left_out.size()};
}

// Few functions qualify, so each one is tried, in an order that is the same in every run.
std::optional<Partly> find_partly(const btf *kernel) {
    const List list = list_sites();
    std::unordered_map<uint32_t, uint32_t> has;  // bit 0: an inlined site, bit 1: a body
    for (const ListedSite &site : list.sites)
        has[site.func_id] |= site.body ? 2 : 1;
    Tool kloc({"any_kprobe"});
    const uint32_t object = attach_to("vmlinux", "ksys_fallocate").object;
    Random any;
    std::vector<bool> tried(list.funcs.size());
    for (size_t nr_tried = 0; nr_tried < tried.size();) {
        const ListedFunc &func = list.draw_func(any);
        const size_t index = &func - list.funcs.data();
        if (tried[index])
            continue;
        tried[index] = true;
        nr_tried++;
        if (has[func.id] != 3 || func.id >= btf__type_cnt(kernel))
            continue;
        if (auto found = with_lacking(list, kernel, func, object, kloc))
            return found;
    }
    return {};
}

std::string sites_without(const Partly &partly) {
    return std::to_string(partly.lacking) + " without a location of " + partly.param;
}

// The calls that a kloc program sees, at the body and, if asked for, at the inlined sites that have
// all parameters, are those that the followed program sees.
void compare(Row &row, Tool &tool, const Partly &partly, bool at_inlined) {
    btf_extra_attach request = with_all(partly.id, partly.object, tool.program("any_kprobe"), 0);
    request.flags |= BTF_EXTRA_BODY_ONLY;
    const Link body(request);
    row.equal(body.error, 0, "errno at the body");
    request = with_all(partly.id, partly.object, tool.program("any_kprobe"), partly.nr_params);
    request.flags |= BTF_EXTRA_INLINE_ONLY;
    const std::optional<Link> inlined =
        at_inlined ? std::optional<Link>(std::in_place, request) : std::nullopt;
    tool.clear();
    work();
    // The scheduler decides when a function of its own is called.
    for (int i = 0; i < kMoreWork && inlined && inlined->state().hits == 0; i++)
        work();
    const follow_state state = tool.state();
    row.equal(static_cast<int64_t>(state.by_fentry.calls),
              static_cast<int64_t>(state.by_kprobe.calls), "calls");
    row.expect(!inlined || inlined->state().hits > 0, "no inlined call");
    for (size_t i = 0; i < partly.nr_params; i++)
        row.equal(static_cast<int64_t>(state.by_fentry.sums[i]),
                  static_cast<int64_t>(state.by_kprobe.sums[i]),
                  "sum of argument " + std::to_string(i));
}

// Takes long, so it is done once.
const std::optional<Partly> &a_partly() {
    static const std::optional<Partly> found = [] {
        const KernelBtf kernel(btf__load_vmlinux_btf(), btf__free);
        return kernel ? find_partly(kernel.get()) : std::nullopt;
    }();
    if (!found)
        die("no function lacks an argument at some sites");
    return found;
}

}  // namespace

void partly_followed() {
    const auto &partly = a_partly();
    const std::string count = std::to_string(partly->attached);
    const size_t sites = partly->attached + partly->lacking;
    std::printf("# %s: %zu sites, %s\n", partly->name.c_str(), sites,
                sites_without(*partly).c_str());
    Tool tool({"any_all", "any_kprobe"}, partly->name.c_str());
    {
        Row row("follow: a program that reads an argument which some calls lack is not followed");
        const std::multiset<std::string> before = probe_list();
        row.expect(tool.attach("any_all") >= 0, "not attached");
        Following following("vmlinux:" + partly->name, kReady);
        row.expect(following.prints(own("fentry", partly->name) +
                                    ": not followed: " + sites_without(*partly) +
                                    "; --best-effort follows the other " + count + "\n"),
                   "its line");
        compare(row, tool, *partly, false);
        row.equal(following.end(SIGTERM), 0, "exit code");
        expect_probes(row, before);
    }
    Row row("follow --best-effort: it is followed at the other calls");
    Following following("--best-effort vmlinux:" + partly->name, kReady);
    row.expect(following.prints(own("fentry", partly->name) + ": " + count + " of " +
                                std::to_string(sites) + " inlined calls as well; " +
                                sites_without(*partly) + "\n"),
               "its line");
    compare(row, tool, *partly, true);
    row.equal(following.end(SIGTERM), 0, "exit code");
}

void partly_completed() {
    const auto &partly = a_partly();
    const std::string sites = std::to_string(partly->attached + partly->lacking);
    const std::string line =
        partly->name + ": fentry of follow_guest[" + std::to_string(getpid()) + "] misses ";
    const std::string reason = " of " + sites +
                               " inlined calls: " + std::to_string(partly->lacking) +
                               " without an argument that it reads";
    const std::string hint = "; complete=best-effort runs it at the others\n";
    const std::multiset<std::string> before = probe_list();
    Tool tool({"any_all", "any_kprobe"}, partly->name.c_str());
    {
        Row row("complete=strict: attaching a program that would miss calls fails");
        const Completing strict("strict");
        const int link_fd = tool.attach("any_all");
        row.expect(link_fd < 0 && errno == EOPNOTSUPP,
                   link_fd < 0 ? std::strerror(errno) : "attached");
        expect_probes(row, before);
        row.expect(kernel_log().find(line + sites + reason + hint) != std::string::npos,
                   "dmesg does not say why");
    }
    {
        Row row("complete=all: a program that would miss calls is attached to the body");
        const Completing all("all");
        row.expect(tool.attach("any_all") >= 0, "not attached");
        expect_probes(row, before);
        compare(row, tool, *partly, false);
        tool.detach();
    }
    {
        Row row("complete=best-effort: it runs at the other inlined calls");
        const Completing best_effort("best-effort");
        row.expect(tool.attach("any_all") >= 0, "not attached");
        compare(row, tool, *partly, true);
        row.expect(kernel_log().find(line + std::to_string(partly->lacking) + reason + "\n") !=
                       std::string::npos,
                   "dmesg does not say what is missed");
        tool.detach();
        expect_probes(row, before);
    }
    Row row("complete=strict: a program that reads no argument is attached, and sees each call");
    const Completing strict("strict");
    Tool reads_nothing({"any_none", "any_kprobe"}, partly->name.c_str());
    row.expect(reads_nothing.attach("any_none") >= 0, "not attached");
    btf_extra_attach request =
        with_all(partly->id, partly->object, reads_nothing.program("any_kprobe"), 0);
    const Link all_calls(request);
    row.equal(all_calls.error, 0, "errno of the kloc program");
    reads_nothing.clear();
    work();
    row.equal(static_cast<int64_t>(reads_nothing.state().by_other.calls),
              static_cast<int64_t>(reads_nothing.state().by_kprobe.calls), "calls");
    row.expect(reads_nothing.state().by_kprobe.calls > 0, "no call");
}

void pinned() {
    Row row("follow: a pinned BPF link is followed until it is unpinned");
    const std::multiset<std::string> before = probe_list();
    const std::string folder = "/tmp/pins", pin = folder + "/link";
    if (mkdir(folder.c_str(), 0700) != 0 || mount("bpf", folder.c_str(), "bpf", 0, nullptr) != 0)
        die("the file system of BPF");
    Tool tool({"fallocate_all"});
    const int link_fd = tool.attach("fallocate_all");
    bpf_link_info info = {};
    uint32_t size = sizeof(info);
    if (bpf_obj_pin(link_fd, pin.c_str()) != 0 ||
        bpf_obj_get_info_by_fd(link_fd, &info, &size) != 0)
        die(pin);
    tool.detach();
    Following following("", kReady);
    const std::string line = "ksys_fallocate: fentry of BPF link " + std::to_string(info.id);
    const std::string sites = std::to_string(nr_inlined("ksys_fallocate"));
    row.expect(following.prints(line + ": " + sites + " of " + sites + " inlined calls as well\n"),
               "its line");
    row.equal(static_cast<int64_t>(calls_seen(tool)), kCalls, "calls");
    unlink(pin.c_str());
    row.expect(following.prints(ended(line, kCalls)), "its end");
    row.equal(following.end(SIGTERM), 0, "exit code");
    expect_probes(row, before);
    umount(folder.c_str());
    rmdir(folder.c_str());
}

namespace {

void unload_shapes() {
    for (int i = 0; i < 100 && unload("shapes") != 0; i++)
        usleep(100000);
    if (access("/sys/module/shapes", F_OK) == 0)
        die("rmmod shapes");
}

void load_shapes() {
    if (std::system("insmod /shapes.ko") != 0)
        die("insmod shapes");
}

// Others are not. times: how often this was called.
void shapes_are_followed(Row &row, const Following &following, int times) {
    const std::string line = own("fentry", "shape_both");
    Tool tool({"any_all"}, "shape_both"), other({"fallocate_all"});
    row.expect(tool.loaded() && other.attach("fallocate_all") >= 0 && tool.attach("any_all") >= 0,
               "not attached");
    if (on_distilled_base("/shapes.ko")) {
        row.expect(following.prints(line + ": not followed: ", times), "not reported");
    } else {
        row.expect(following.prints(line + ": 1 of 1 inlined calls as well\n", times),
                   "not followed");
        tool.clear();
        const ShapeCalls called = call_both();
        row.equal(static_cast<int64_t>(tool.state().by_fentry.calls),
                  static_cast<int64_t>(called.calls), "calls");
        row.equal(static_cast<int64_t>(tool.state().by_fentry.sums[0]),
                  static_cast<int64_t>(called.values), "sum of the first argument");
    }
    row.equal(static_cast<int64_t>(calls_seen(other)), 0, "calls of another function");
}

}  // namespace

void later_module() {
    {
        Row row("follow FUNC: a name without a function is an error, unless it has a module");
        Following following("no_such_function", "");
        row.equal(following.wait(), 1, "exit code");
        const std::string output = following.output();
        row.expect(output.starts_with("btf-extra: running kernel: no function no_such_function") &&
                       output.ends_with("write MODULE:no_such_function\n"),
                   output);
    }
    Row row("follow MODULE:FUNC: a module that is loaded later, and once more");
    const std::multiset<std::string> before = probe_list();
    unload_shapes();
    Following following("shapes:shape_both", kReady);
    row.expect(following.prints("are followed when shapes is loaded\n"), "not announced");
    const std::string line = own("fentry", "shape_both");
    for (int times = 1; times <= 2; times++) {
        load_shapes();
        shapes_are_followed(row, following, times);
        unload_shapes();
    }
    row.equal(following.end(SIGTERM), 0, "exit code");
    load_shapes();
    expect_probes(row, before);
}
