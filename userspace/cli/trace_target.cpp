// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/trace_target.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <span>

#include <fmt/format.h>

#include "userspace/cli/func_choice.h"
#include "userspace/lib/api/api_func.h"
#include "userspace/lib/tables/kallsyms.h"
#include "userspace/text/c_type.h"

namespace btf_extra {
namespace {

constexpr uint64_t kNotKnown = UINT64_MAX;

Error last_error() {
    return Error{btf_extra_last_error()};
}

const char *kind_of(const btf_extra_site &site) {
    return site.site_class == BTF_EXTRA_CLASS_BODY ? "body" : "inlined";
}

std::string param_name(const btf_extra_func *func, uint32_t param) {
    const std::string name = btf_extra_func_param(func, param);
    return name.empty() ? fmt::format("arg{}", param) : name;
}

TracedFunc traced(const btf_extra_func *func) {
    TracedFunc out = {btf_extra_func_object(func), btf_extra_func_name(func), {}};
    const btf_blob &blob = func->found.object->view->locations().blob();
    const FuncParams known = func_params(blob, btf_extra_func_id(func));
    for (uint32_t i = 0; i < btf_extra_func_nr_params(func); i++)
        out.params.push_back(
            {param_name(func, i), ValueFormat(blob, i < known.count ? known.params[i].type : 0)});
    return out;
}

NamedFunc named(const btf_extra_func *func) {
    const char *file = btf_extra_func_file(func);
    return {btf_extra_func_object(func), btf_extra_func_name(func), file != nullptr ? file : "",
            btf_extra_func_prototype(func), btf_extra_func_id(func)};
}

void add_known(uint64_t &sum, uint64_t count) {
    sum = sum == kNotKnown || count == kNotKnown ? kNotKnown : sum + count;
}

std::string count_text(uint64_t count) {
    return count == kNotKnown ? "?" : fmt::format("{}", count);
}

}  // namespace

uint32_t TargetOptions::flags() const {
    return (inline_only ? BTF_EXTRA_INLINE_ONLY : 0) | (body_only ? BTF_EXTRA_BODY_ONLY : 0) |
           (best_effort ? BTF_EXTRA_BEST_EFFORT : 0) | (inexact ? BTF_EXTRA_INEXACT : 0) |
           (notrace ? BTF_EXTRA_NOTRACE : 0);
}

TraceTarget::TraceTarget() = default;
TraceTarget::~TraceTarget() = default;

Result<std::unique_ptr<TraceTarget>> TraceTarget::find(const std::vector<std::string> &texts,
                                                       const TargetOptions &options) {
    std::unique_ptr<TraceTarget> out(new TraceTarget);
    out->options_ = options;
    btf_extra_open_opts open = {};
    open.sz = sizeof(open);
    open.file = options.file.empty() ? nullptr : options.file.c_str();
    open.no_module = options.no_module;
    btf_extra_tables *tables = nullptr;
    if (btf_extra_open(&tables, &open) != 0)
        return last_error();
    out->tables_.reset(tables);
    for (const std::string &text : texts)
        if (auto added = out->add(text); !added)
            return added.error();
    if (out->funcs_.size() > TRACE_EVENT_FUNCS)
        return Error{fmt::format("at most {} functions at once", TRACE_EVENT_FUNCS)};
    std::vector<TracedFunc> traces;
    for (const Func &func : out->funcs_)
        traces.push_back(traced(func.func));
    out->text_ = std::make_unique<TraceText>(std::move(traces));
    // Without them places are addresses.
    if (auto symbols = Kallsyms::load())
        out->symbols_ = std::make_unique<Kallsyms>(std::move(*symbols));
    return out;
}

Result<void> TraceTarget::add(const std::string &text) {
    const btf_extra_func *const *found;
    size_t count;
    const int error = btf_extra_find(tables_.get(), text.c_str(), &found, &count);
    if (error != 0)
        return last_error();
    if (count > 1) {
        std::vector<NamedFunc> names;
        for (const btf_extra_func *func : std::span(found, count))
            names.push_back(named(func));
        return choice_needed(text, names);
    }
    const auto same = [&](const Func &each) {
        return btf_extra_func_id(each.func) == btf_extra_func_id(found[0]) &&
               std::string_view(btf_extra_func_object(each.func)) ==
                   btf_extra_func_object(found[0]);
    };
    if (std::ranges::any_of(funcs_, same))
        return Error{fmt::format("{}: asked for twice", text)};
    Func func = {};
    func.func = found[0];
    if (auto required = require(func); !required)
        return required.error();
    funcs_.push_back(std::move(func));
    return {};
}

Result<void> TraceTarget::require(Func &func) {
    for (const std::string &name : options_.required) {
        const uint32_t count = std::min(btf_extra_func_nr_params(func.func), 64u);
        uint32_t param = 0;
        while (param < count && param_name(func.func, param) != name)
            param++;
        if (param == count)
            return Error{
                fmt::format("{} has no parameter {}", btf_extra_func_prototype(func.func), name)};
        func.required |= uint64_t{1} << param;
    }
    return {};
}

std::vector<uint32_t> TraceTarget::nr_params() const {
    std::vector<uint32_t> out;
    for (const Func &func : funcs_)
        out.push_back(btf_extra_func_nr_params(func.func));
    return out;
}

size_t TraceTarget::nr_sites() const {
    size_t out = 0;
    for (const Func &func : funcs_) {
        size_t count = 0;
        btf_extra_func_sites(func.func, &count);
        out += count;
    }
    return out;
}

std::string TraceTarget::place(uint64_t address) const {
    const auto text = symbols_ != nullptr && address != 0 ? symbols_->text(address) : std::nullopt;
    return text.value_or(address != 0 ? fmt::format("{:#x}", address) : "address not known");
}

void TraceTarget::report(const Func &func, const btf_extra_report &report) const {
    for (const btf_extra_left_out &each : std::span(report.left_out, report.nr_left_out)) {
        std::string params;
        for (uint32_t i = 0; i < btf_extra_func_nr_params(func.func) && i < 64; i++)
            if (each.parameters >> i & 1)
                params += (params.empty() ? ": " : ", ") + param_name(func.func, i);
        fmt::print(stderr, "btf-extra: {}: left out: {} {}: {}{}\n", btf_extra_func_name(func.func),
                   place(each.site.address), kind_of(each.site), btf_extra_reason_text(&each),
                   params);
    }
}

Result<void> TraceTarget::attach(int program) {
    if (!btf_extra_uses_module(tables_.get()))
        fmt::print(stderr, "btf-extra: {}: perf kprobes are used\n",
                   options_.no_module ? "without the module" : "btf_extra is not loaded");
    size_t sites = 0;
    for (uint32_t cookie = 0; cookie < funcs_.size(); cookie++) {
        Func &func = funcs_[cookie];
        btf_extra_attach_opts opts = {};
        opts.sz = sizeof(opts);
        opts.flags = options_.flags();
        opts.required = func.required;
        opts.cookie = cookie;
        opts.max_sites = options_.max_sites;
        opts.no_module = options_.no_module;
        btf_extra_kloc *kloc = nullptr;
        btf_extra_report *told = nullptr;
        const int error = btf_extra_attach(&kloc, tables_.get(), func.func, program, &opts, &told);
        const Error why = last_error();
        if (told != nullptr)
            report(func, *told);
        btf_extra_report_free(told);
        if (error == -EOPNOTSUPP && !options_.best_effort)
            return Error{why.message + "; --best-effort traces the others"};
        if (error != 0)
            return why;
        func.kloc.reset(kloc);
        note_sites(func, cookie);
        for (const Site &site : func.sites)
            sites += site.at_once;
    }
    fmt::print(stderr, "btf-extra: {} function{}, {} site{}\n", funcs_.size(),
               funcs_.size() == 1 ? "" : "s", sites, sites == 1 ? "" : "s");
    return {};
}

void TraceTarget::note_sites(Func &func, uint32_t cookie) {
    const btf_extra_probe *probes;
    size_t count;
    if (btf_extra_kloc_probes(func.kloc.get(), &probes, &count) != 0)
        return;
    for (const btf_extra_probe &probe : std::span(probes, count)) {
        const uint64_t address = probe.site.address;
        func.sites.push_back({address, {place(address), kind_of(probe.site)}, 0, 1});
    }
    std::ranges::stable_sort(func.sites, {}, &Site::address);
    for (size_t i = func.sites.size(); i-- > 1;)
        if (func.sites[i].address == func.sites[i - 1].address) {
            func.sites[i - 1].at_once += func.sites[i].at_once;
            func.sites.erase(func.sites.begin() + static_cast<ptrdiff_t>(i));
        }
    for (const Site &site : func.sites)
        text_->add_site(cookie, site.address, site.text);
}

void TraceTarget::detach() {
    for (Func &func : funcs_) {
        const btf_extra_probe *probes;
        size_t count;
        if (btf_extra_kloc_probes(func.kloc.get(), &probes, &count) == 0)
            for (const btf_extra_probe &probe : std::span(probes, count)) {
                auto site =
                    std::ranges::lower_bound(func.sites, probe.site.address, {}, &Site::address);
                if (site != func.sites.end() && site->address == probe.site.address)
                    add_known(site->missed, probe.missed);
            }
        btf_extra_counts counts = {};
        func.missed =
            btf_extra_kloc_counts(func.kloc.get(), &counts) == 0 ? counts.missed : kNotKnown;
    }
    for (Func &func : funcs_)
        func.kloc.reset();
}

void TraceTarget::print_summary(const TraceProgram::Counts &counts, uint64_t shown) const {
    std::fflush(stdout);
    uint64_t all = 0, dropped = 0;
    for (uint32_t cookie = 0; cookie < funcs_.size(); cookie++) {
        const Func &func = funcs_[cookie];
        uint64_t calls = 0;
        size_t silent = 0;
        fmt::print(stderr, "{}\n{:>12} {:>8}  site\n", btf_extra_func_prototype(func.func), "calls",
                   "missed");
        for (const Site &site : func.sites) {
            const auto found = counts.sites.find({cookie, site.address});
            const trace_calls here = found != counts.sites.end() ? found->second : trace_calls{};
            calls += here.calls;
            dropped += here.dropped;
            if (here.calls == 0 && (site.missed == 0 || site.missed == kNotKnown)) {
                silent += site.at_once;
                continue;
            }
            fmt::print(stderr, "{:>12} {:>8}  {} {}{}\n", here.calls, count_text(site.missed),
                       site.text.symbol, site.text.kind,
                       site.at_once > 1 ? fmt::format(", {} at once", site.at_once) : "");
        }
        all += calls;
        fmt::print(stderr, "{:>12} {:>8}  in all; {} site{} without a call\n", calls,
                   count_text(func.missed), silent, silent == 1 ? "" : "s");
    }
    if (dropped != 0)
        fmt::print(stderr, "btf-extra: {} events dropped in all: no room for them\n", dropped);
    if (counts.uncounted != 0)
        fmt::print(stderr, "btf-extra: {} calls are in none of these counts\n", counts.uncounted);
    if (all > shown + dropped)
        fmt::print(stderr, "btf-extra: {} of {} calls shown\n", shown, all);
}

}  // namespace btf_extra
