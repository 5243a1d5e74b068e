// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <cerrno>
#include <memory>

#include <bpf/libbpf.h>
#include <fmt/format.h>

#include "userspace/lib/api/api_error.h"
#include "userspace/lib/api/api_tables.h"
#include "userspace/lib/attach/left_out_text.h"
#include "userspace/lib/attach/link_target.h"

using namespace btf_extra;

namespace {

struct FreeReport {
    void operator()(btf_extra_report *report) const { btf_extra_report_free(report); }
};
using Report = std::unique_ptr<btf_extra_report, FreeReport>;

Report make_report(const AttachOutcome &outcome) {
    Report out(new btf_extra_report{});
    out->attached = outcome.attached;
    out->nr_left_out = outcome.left_out.size();
    out->left_out = new btf_extra_left_out[outcome.left_out.size()];
    std::ranges::copy(outcome.left_out, out->left_out);
    return out;
}

// Gives the caller the outcome of an attach with such flags.
Result<void> give(btf_extra_kloc **kloc, const btf_extra_tables &tables, const DescribedFunc &func,
                  AttachOutcome outcome, uint32_t flags, btf_extra_report **report) {
    Report told = report != nullptr ? make_report(outcome) : nullptr;
    if (report != nullptr)
        *report = told.release();
    if (!outcome.kloc)
        return left_out_error(*tables.tables, func, outcome, flags);
    *kloc = outcome.kloc.release();
    return {};
}

Result<void> attach_func(btf_extra_kloc **kloc, const btf_extra_tables &tables,
                         const btf_extra_func &func, int prog_fd, const btf_extra_attach_opts *opts,
                         btf_extra_report **report) {
    const auto known = TRY(api_opts(opts));
    auto outcome = TRY(attach(*tables.tables, func, prog_fd, known));
    return give(kloc, tables, func, std::move(outcome), known.flags, report);
}

Result<void> attach_link(btf_extra_kloc **kloc, btf_extra_tables &tables, int link_fd,
                         const btf_extra_attach_opts &opts, btf_extra_report **report) {
    const auto target = TRY(link_target(link_fd));
    const auto text = TRY(target_text(*tables.tables, target));
    const auto &found = *TRY(find_funcs(tables, text.c_str()));
    const std::vector<const DescribedFunc *> funcs(found.begin(), found.end());
    auto own = TRY(attach_to_own(*tables.tables, text, funcs, link_fd, opts));
    return give(kloc, tables, *own.func, std::move(own.outcome), opts.flags, report);
}

}  // namespace

void btf_extra_report_free(btf_extra_report *report) {
    if (report != nullptr)
        delete[] report->left_out;
    delete report;
}

const char *btf_extra_reason_text(const btf_extra_left_out *left_out) {
    switch (left_out->reason) {
    case BTF_EXTRA_REASON_NO_TEXT:
        return (left_out->site.flags & BTF_EXTRA_SITE_FREED) != 0 ? "its text has been freed"
                                                                  : "its address is not known";
    case BTF_EXTRA_REASON_LOOP_HEAD:
        return "loop head: a probe would be hit once per iteration";
    case BTF_EXTRA_REASON_NO_ENTRY:
        return "no known entry: a probe may be hit without a call";
    case BTF_EXTRA_REASON_PARAMETER:
        return "a required parameter has no location";
    case BTF_EXTRA_REASON_NOTRACE:
        return "in a function that ftrace cannot trace";
    case BTF_EXTRA_REASON_KPROBE:
        return "the kernel refuses a kprobe";
    default:
        return "for an unknown reason";
    }
}

int btf_extra_attach(btf_extra_kloc **kloc, btf_extra_tables *tables, const btf_extra_func *func,
                     int prog_fd, const btf_extra_attach_opts *opts, btf_extra_report **report) {
    return api_guard([&] { return attach_func(kloc, *tables, *func, prog_fd, opts, report); });
}

int btf_extra_attach_kloc(btf_extra_kloc **kloc, const bpf_program *prog, const char *text,
                          const btf_extra_attach_opts *opts, btf_extra_report **report) {
    return api_guard([&]() -> Result<void> {
        btf_extra_open_opts open = {};
        const auto known = TRY(api_opts(opts));
        open.no_module = known.no_module;
        const int prog_fd = bpf_program__fd(prog);
        if (prog_fd < 0)
            return Error{"the program is not loaded", EINVAL};
        const auto tables = TRY(open_tables(open));
        const auto &funcs = *TRY(find_funcs(*tables, text));
        if (funcs.size() > 1) {
            std::string all;
            for (const btf_extra_func *func : funcs)
                all += (all.empty() ? "" : ", ") + func->text();
            return Error{fmt::format("'{}': {} functions: {}", text, funcs.size(), all), ENOTUNIQ};
        }
        return attach_func(kloc, *tables, *funcs.front(), prog_fd, opts, report);
    });
}

int btf_extra_attach_link(btf_extra_kloc **kloc, btf_extra_tables *tables, int link_fd,
                          const btf_extra_attach_opts *opts, btf_extra_report **report) {
    return api_guard([&]() -> Result<void> {
        auto known = TRY(api_opts(opts));
        known.flags |= BTF_EXTRA_LINK | BTF_EXTRA_INLINE_ONLY;
        return attach_link(kloc, *tables, link_fd, known, report);
    });
}

int btf_extra_kloc_probes(const btf_extra_kloc *kloc, const btf_extra_probe **probes,
                          size_t *nr_probes) {
    return api_guard([&]() -> Result<void> {
        kloc->read_probes = TRY(kloc->probes());
        *probes = kloc->read_probes.data();
        *nr_probes = kloc->read_probes.size();
        return {};
    });
}

int btf_extra_kloc_counts(const btf_extra_kloc *kloc, btf_extra_counts *counts) {
    return api_guard([&]() -> Result<void> {
        *counts = TRY(kloc->counts());
        return {};
    });
}

void btf_extra_detach(btf_extra_kloc *kloc) {
    delete kloc;
}
