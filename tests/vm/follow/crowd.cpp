// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Many functions, chosen at random: calls and arguments that a followed program sees are those that
// a kloc program sees at the same sites and at the body.
#include <memory>

#include <bpf/btf.h>

#include "tests/vm/fentry_model.h"
#include "tests/vm/follow/follow_tests.h"

using namespace guest;

size_t nr_in_registers(const btf *kernel, uint32_t func_id) {
    const btf_type *proto = btf__type_by_id(kernel, btf__type_by_id(kernel, func_id)->type);
    const size_t nr = btf_vlen(proto);
    for (size_t i = 0; i < nr; i++)
        if (btf__resolve_size(kernel, btf_params(proto)[i].type) > 8)
            return 0;
    return std::min<size_t>(nr, 5);
}

btf_extra_attach with_all(uint32_t func_id, uint32_t object, int prog_fd, size_t nr_params) {
    btf_extra_attach request = {};
    request.prog_fd = static_cast<uint32_t>(prog_fd);
    request.flags = BTF_EXTRA_BEST_EFFORT;
    request.object = object;
    request.func_id = func_id;
    request.required = (uint64_t{1} << nr_params) - 1;
    return request;
}

namespace {

constexpr size_t kFunctions = 100;
constexpr size_t kLoads = 3;

struct Totals {
    size_t tried = 0, not_loaded = 0, not_attached = 0, no_site = 0, followed = 0, called = 0;
    uint64_t alone = 0, seen = 0, sites = 0, left_out = 0;
};

class Fd {
  public:
    explicit Fd(int fd) : fd_(fd) {}
    Fd(const Fd &) = delete;
    Fd &operator=(const Fd &) = delete;
    ~Fd() {
        if (fd_ >= 0)
            close(fd_);
    }
    int get() const { return fd_; }

  private:
    int fd_;
};

uint64_t calls_in(Tool &tool) {
    tool.clear();
    for (size_t i = 0; i < kLoads; i++)
        do_work();
    return tool.state().by_fentry.calls;
}

void one(Row &row, Tool &tool, const FentryModel &model, const btf *kernel, const ListedFunc &func,
         uint32_t btf_id, uint32_t object, Totals &totals) {
    const Fd program(model.load(btf_id));
    totals.not_loaded += program.get() < 0;
    if (program.get() < 0)
        return;
    const Fd link_fd(bpf_link_create(program.get(), 0, BPF_TRACE_FENTRY, nullptr));
    totals.not_attached += link_fd.get() < 0;
    if (link_fd.get() < 0)
        return;
    const uint64_t alone = calls_in(tool);
    btf_extra_attach request = {};
    request.prog_fd = static_cast<uint32_t>(link_fd.get());
    request.flags =
        BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_LINK | BTF_EXTRA_BEST_EFFORT | BTF_EXTRA_INEXACT;
    request.object = object;
    request.func_id = func.id;
    const Link link(request);
    row.expect(link.error == 0 || has_no_site(link), func.name + ": " + std::strerror(link.error));
    totals.no_site += has_no_site(link);
    if (link.error != 0)
        return;
    for (const btf_extra_probe &probe : link.probes())
        row.expect((probe.site.flags & (BTF_EXTRA_SITE_LOOP_HEAD | BTF_EXTRA_SITE_NO_ENTRY)) == 0,
                   func.name + ": a site that is not exact takes part");
    const size_t nr_params =
        btf_vlen(btf__type_by_id(kernel, btf__type_by_id(kernel, btf_id)->type));
    btf_extra_attach all = with_all(func.id, object, tool.program("any_kprobe"), nr_params);
    all.flags |= BTF_EXTRA_INLINE_ONLY;
    const Link inlined(all);
    row.equal(inlined.error, 0, func.name + ": errno of the kloc program");
    row.equal(request.attached, all.attached, func.name + ": sites");
    all = with_all(func.id, object, tool.program("any_kprobe"), 0);
    all.flags |= BTF_EXTRA_BODY_ONLY;
    const Link body(all);
    const uint64_t calls = calls_in(tool);
    const follow_state state = tool.state();
    const uint64_t missed = link.state().missed + inlined.state().missed + body.state().missed;
    row.expect(missed != 0 || body.error != 0 || calls == state.by_kprobe.calls,
               func.name + ": " + std::to_string(calls) + " calls, a kloc program has " +
                   std::to_string(state.by_kprobe.calls));
    for (size_t i = 0; missed == 0 && body.error == 0 && i < nr_in_registers(kernel, btf_id); i++)
        row.equal(static_cast<int64_t>(state.by_fentry.sums[i]),
                  static_cast<int64_t>(state.by_kprobe.sums[i]),
                  func.name + ": sum of argument " + std::to_string(i));
    if (missed != 0)
        std::printf("# %s: %lu missed\n", func.name.c_str(), missed);
    totals.followed++;
    totals.called += calls != 0;
    totals.alone += alone;
    totals.seen += calls;
    totals.sites += request.attached;
    totals.left_out += request.total;
}

}  // namespace

void crowd() {
    Row row("100 functions by chance: a followed program sees what a kloc program sees");
    const List list = list_sites();
    std::unordered_map<uint32_t, uint32_t> has;  // bit 0: an inlined site, bit 1: a body
    for (const ListedSite &site : list.sites)
        has[site.func_id] |= site.body ? 2 : 1;
    const std::unique_ptr<btf, decltype(&btf__free)> kernel(btf__load_vmlinux_btf(), btf__free);
    if (!kernel)
        die("BTF of vmlinux");
    const uint32_t object = attach_to("vmlinux", "ksys_fallocate").object;
    Tool tool({"any_all", "any_kprobe"}, "ksys_fallocate");
    if (!tool.loaded())
        die("/follow.bpf.o");
    const FentryModel model(tool.find("any_all"));
    std::set<uint32_t> drawn;
    Totals totals;
    Random any;
    while (totals.followed < kFunctions && totals.tried < 5 * kFunctions) {
        const ListedFunc &func = list.draw_func(any);
        // An id of the kernel's own BTF: its name is only that of this function.
        if (has[func.id] != 3 || func.id >= btf__type_cnt(kernel.get()) ||
            !drawn.insert(func.id).second)
            continue;
        totals.tried++;
        one(row, tool, model, kernel.get(), func, func.id, object, totals);
    }
    std::printf("# %zu functions: %zu not loaded, %zu not attached by the kernel, %zu without a "
                "site; %zu followed at %lu sites, %lu left out\n"
                "# %zu were called: %lu calls followed, %lu alone\n",
                totals.tried, totals.not_loaded, totals.not_attached, totals.no_site,
                totals.followed, totals.sites, totals.left_out, totals.called, totals.seen,
                totals.alone);
    row.equal(static_cast<int64_t>(totals.followed), kFunctions, "followed");
    row.expect(totals.called > 0, "none is called");
}
