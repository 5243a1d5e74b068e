// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/trace/trace_target.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <initializer_list>

#include <fmt/format.h>

#include "userspace/code/running_code.h"
#include "userspace/lib/attach/left_out_text.h"
#include "userspace/lib/probing/probe_place.h"
#include "userspace/lib/tables/variables.h"
#include "userspace/text/c_type.h"

namespace btf_extra {
namespace {

constexpr uint64_t kNotKnown = UINT64_MAX;

const char *kind_of(const btf_extra_site &site) {
    return site.site_class == BTF_EXTRA_CLASS_BODY ? "body" : "inlined";
}

TracedFunc traced(const DescribedFunc &func) {
    TracedFunc out = {func.found.object->name, func.name, {}};
    const btf_blob &blob = func.view().locations().blob();
    const FuncParams known = func_params(blob, func.found.id);
    for (size_t i = 0; i < func.params.size(); i++)
        out.params.push_back(
            {param_name(func, i), ValueFormat(blob, i < known.count ? known.params[i].type : 0)});
    return out;
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
           (all_or_none || all ? 0 : BTF_EXTRA_BEST_EFFORT) | (all ? BTF_EXTRA_ALL : 0) |
           (inexact ? BTF_EXTRA_INEXACT : 0) | (notrace ? BTF_EXTRA_NOTRACE : 0);
}

TraceTarget::TraceTarget() = default;
TraceTarget::~TraceTarget() = default;

Result<std::unique_ptr<TraceTarget>> TraceTarget::make(std::unique_ptr<SiteTables> tables,
                                                       std::vector<DescribedFunc> funcs,
                                                       const TargetOptions &options) {
    std::unique_ptr<TraceTarget> out(new TraceTarget);
    out->options_ = options;
    out->tables_ = std::move(tables);
    if (funcs.size() > TRACE_EVENT_FUNCS)
        return Error{
            fmt::format("at most {} functions at once, not {}", TRACE_EVENT_FUNCS, funcs.size())};
    std::vector<TracedFunc> traces;
    std::vector<SharedObject> of_variables;  // their types are used until the plans are made
    const FindVariable find_variable = [&](const std::string &object,
                                           const std::string &name) -> Result<TypedVariable> {
        const FoundVariable found = TRY(find_typed_variable(*out->tables_, object, name));
        of_variables.push_back(found.object);
        return TypedVariable{&found.object->view->types().blob(), found.type_id, *found.address};
    };
    for (DescribedFunc &func : funcs) {
        traces.push_back(traced(func));
        auto plan = make_plan(func.view().locations().blob(), func.found.id, func.params,
                              options.query, find_variable);
        if (!plan)
            return Error{fmt::format("{}: {}", func.prototype, plan.error().message)};
        traces.back().shown = std::move(plan->shown);
        out->funcs_.push_back({std::move(func), plan->plan, 0, nullptr, {}, {}, 0, "", true});
        TRY(out->require(out->funcs_.back()));
    }
    out->text_ = std::make_unique<TraceText>(std::move(traces));
    if (options.stacks || options.query.summary == TRACE_BY_CALLER) {
        auto symbolizer = TRY(Symbolizer::open(options.tables));
        out->symbolizer_ = std::move(symbolizer);
        out->stacks_.emplace(
            [&symbolizer = *out->symbolizer_](uint64_t address,
                                              bool return_address) -> const Symbolizer::Named & {
                return symbolizer.find(address, return_address);
            });
        if (options.stacks)
            out->text_->show_stacks(*out->stacks_);
    }
    return out;
}

Result<void> TraceTarget::require(Func &func) {
    for (const std::string &name : options_.required) {
        const size_t count = std::min<size_t>(func.func.params.size(), 64);
        size_t param = 0;
        while (param < count && param_name(func.func, param) != name)
            param++;
        if (param == count)
            return Error{fmt::format("{} has no parameter {}", func.func.prototype, name)};
        func.required |= uint64_t{1} << param;
    }
    return {};
}

std::vector<trace_plan> TraceTarget::plans() const {
    std::vector<trace_plan> out;
    for (const Func &func : funcs_)
        out.push_back(func.plan);
    return out;
}

trace_settings TraceTarget::settings() const {
    trace_settings out = {};
    out.stacks = options_.stacks;
    out.summary = options_.query.summary;
    return out;
}

size_t TraceTarget::nr_sites() const {
    size_t out = 0;
    for (const Func &func : funcs_) {
        out += func.func.found.sites.size();
    }
    return out;
}

void TraceTarget::print_left_out(const Func &func, const AttachOutcome &outcome) const {
    for (const btf_extra_left_out &each : outcome.left_out) {
        std::string reason = btf_extra_reason_text(&each);
        const char *before = ": ";
        for (size_t i = 0; i < std::min<size_t>(func.func.params.size(), 64); i++)
            if ((each.parameters >> i & 1) != 0) {
                reason += before + param_name(func.func, i);
                before = ", ";
            }
        fmt::print(stderr, "btf-extra: {}: left out: {} {}: {}\n", func.func.name,
                   site_place(*tables_, each.site), kind_of(each.site), reason);
    }
}

void TraceTarget::describe(Func &func, const AttachOutcome &outcome) const {
    if (options_.verbose)
        print_left_out(func, outcome);
    const size_t sites = sites_with_text(outcome);
    const std::string counts = left_out_counts(*tables_, func.func, outcome.left_out);
    func.whole = counts.empty();
    func.summary = func.whole
                       ? fmt::format("{}: {} site{}", func.func.name, sites, sites == 1 ? "" : "s")
                       : fmt::format("{}: {} of {} sites; {}", func.func.name, outcome.attached,
                                     sites, counts);
}

void TraceTarget::look_at_code(Func &func, const TraceProgram &program) {
    const RunningCode code;
    for (const btf_extra_site &site : func.func.found.sites) {
        const auto distance = probe_distance(
            site, loc_arch_running(), [&](size_t size) { return code.read(site.address, size); });
        if (!distance || !program.unwinds_at(site.address + *distance))
            func.blurred.insert(site.address);
    }
}

Result<void> TraceTarget::attach(Func &func, uint32_t cookie, const TraceProgram &program) {
    btf_extra_attach_opts opts = {};
    opts.flags = options_.flags();
    opts.required = func.required;
    opts.cookie = cookie;
    opts.max_sites = options_.max_sites;
    if (symbolizer_ && tables_->source() != SiteTables::Source::kModule)
        look_at_code(func, program);
    auto outcome = TRY(btf_extra::attach(*tables_, func.func, program.fd(), opts));
    describe(func, outcome);
    if (outcome.kloc) {
        func.kloc = std::move(outcome.kloc);
        return {};
    }
    Error error = left_out_error(*tables_, func.func, outcome, opts.flags);
    error.message += advice(outcome);
    return error;
}

// Returns what helps when a function cannot be traced; "": nothing does.
std::string TraceTarget::advice(const AttachOutcome &outcome) const {
    const auto any = [&](std::initializer_list<uint32_t> reasons) {
        return std::ranges::any_of(outcome.left_out, [&](const btf_extra_left_out &each) {
            return std::ranges::count(reasons, each.reason) != 0;
        });
    };
    if (!takes_others() && outcome.left_out.size() < outcome.wanted)
        return fmt::format("; without {} the other {} are traced",
                           options_.all ? "--all" : "--all-or-none",
                           outcome.wanted - outcome.left_out.size());
    if (any({BTF_EXTRA_REASON_LOOP_HEAD, BTF_EXTRA_REASON_NO_ENTRY}))
        return "; --inexact traces such sites";
    // perf refuses these functions, whatever the flags.
    if (any({BTF_EXTRA_REASON_NOTRACE}) && tables_->source() == SiteTables::Source::kModule)
        return "; --notrace tries these";
    return "";
}

// Some of several functions may have no site that can be traced.
bool TraceTarget::may_go_without(const Error &error) const {
    return takes_others() && funcs_.size() > 1 &&
           (error.code == ENOENT || error.code == EOPNOTSUPP);
}

Result<void> TraceTarget::attach(const TraceProgram &program) {
    if (tables_->source() != SiteTables::Source::kModule)
        fmt::print(stderr, "btf-extra: {}: perf kprobes are used\n",
                   options_.tables.no_module || !options_.tables.file.empty()
                       ? "without the module"
                       : "btf_extra is not loaded");
    bool any = false;
    Result<void> last;  // of those that are left out
    for (uint32_t cookie = 0; cookie < funcs_.size(); cookie++) {
        Func &func = funcs_[cookie];
        auto attached = attach(func, cookie, program);
        if (!attached && !may_go_without(attached.error()))
            return attached.error();
        if (!attached) {
            fmt::print(stderr, "btf-extra: left out: {}\n", attached.error().message);
            last = attached;
            continue;
        }
        note_sites(func, cookie);
        any = true;
    }
    return any ? Result<void>() : last;
}

void TraceTarget::print_attached() const {
    size_t sites = 0, traced = 0;
    for (const Func &func : funcs_) {
        if (!func.kloc)
            continue;
        traced++;
        for (const Site &site : func.sites)
            sites += site.at_once;
        if (!func.whole || funcs_.size() == 1)
            fmt::print(stderr, "btf-extra: {}\n", func.summary);
    }
    if (funcs_.size() > 1)
        fmt::print(stderr, "btf-extra: {} function{}, {} site{}\n", traced, traced == 1 ? "" : "s",
                   sites, sites == 1 ? "" : "s");
}

void TraceTarget::note_sites(Func &func, uint32_t cookie) {
    const auto probes = func.kloc->probes();
    if (!probes)
        return;
    for (const btf_extra_probe &probe : *probes) {
        const uint64_t address = probe.site.address;
        func.sites.push_back({address,
                              {site_place(*tables_, probe.site), kind_of(probe.site),
                               !func.blurred.contains(address)},
                              0,
                              1});
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
        if (!func.kloc)
            continue;
        if (const auto probes = func.kloc->probes())
            for (const btf_extra_probe &probe : *probes) {
                auto site =
                    std::ranges::lower_bound(func.sites, probe.site.address, {}, &Site::address);
                if (site != func.sites.end() && site->address == probe.site.address)
                    add_known(site->missed, probe.missed);
            }
        const auto counts = func.kloc->counts();
        func.missed = counts ? counts->missed : kNotKnown;
    }
    for (Func &func : funcs_)
        func.kloc.reset();
}

void TraceTarget::print_sites(const TraceProgram::Counts &counts) const {
    for (uint32_t cookie = 0; cookie < funcs_.size(); cookie++) {
        const Func &func = funcs_[cookie];
        if (func.sites.empty())
            continue;
        uint64_t calls = 0;
        size_t silent = 0;
        fmt::print(stderr, "{}\n{:>12} {:>8}  site\n", func.func.prototype, "calls", "missed");
        for (const Site &site : func.sites) {
            const auto found = counts.sites.find({cookie, site.address});
            const uint64_t here = found != counts.sites.end() ? found->second.calls : 0;
            calls += here;
            if (here == 0 && (site.missed == 0 || site.missed == kNotKnown)) {
                silent += site.at_once;
                continue;
            }
            fmt::print(stderr, "{:>12} {:>8}  {} {}{}\n", here, count_text(site.missed),
                       site.text.symbol, site.text.kind,
                       site.at_once > 1 ? fmt::format(", {} at once", site.at_once) : "");
        }
        fmt::print(stderr, "{:>12} {:>8}  in all; {} site{} without a call\n", calls,
                   count_text(func.missed), silent, silent == 1 ? "" : "s");
    }
}

void TraceTarget::print_counts(const TraceProgram &program, uint64_t shown) const {
    const TraceProgram::Counts counts = program.counts();
    std::fflush(stdout);
    const bool each_call = options_.query.summary == TRACE_EACH_CALL;
    if (each_call)
        print_sites(counts);
    trace_calls all = {};
    for (const auto &[site, calls] : counts.sites) {
        all.calls += calls.calls;
        all.dropped += calls.dropped;
        all.filtered += calls.filtered;
        all.untold += calls.untold;
    }
    if (all.filtered != 0 || all.untold != 0)
        fmt::print(stderr, "btf-extra: {} of {} calls pass the filter{}\n", all.calls,
                   all.calls + all.filtered + all.untold,
                   all.untold != 0
                       ? fmt::format("; for {} a value that it needs is missing", all.untold)
                       : "");
    if (all.dropped != 0)
        fmt::print(stderr, "btf-extra: {} events dropped in total: the buffer was full\n",
                   all.dropped);
    if (counts.uncounted != 0)
        fmt::print(stderr, "btf-extra: {} calls are not counted above\n", counts.uncounted);
    if (program.own() != 0)
        fmt::print(
            stderr,
            "btf-extra: {} calls in the threads of this command left out; --self traces them\n",
            program.own());
    if (each_call && all.calls > shown + all.dropped)
        fmt::print(stderr, "btf-extra: {} of {} calls shown\n", shown, all.calls);
}

TraceSummary TraceTarget::summary(const TraceProgram &program) const {
    TraceSummary out(options_.query);
    if (options_.query.summary == TRACE_BY_SITE)
        for (const auto &[site, calls] : program.counts().sites)
            out.add_site(text_->func(site.first), text_->site(site.first, site.second),
                         calls.calls);
    program.for_each_group([&](const trace_group &group, uint64_t calls) {
        const TracedFunc &func = text_->func(group.func);
        const std::vector<uint64_t> words(std::begin(group.words), std::end(group.words));
        if (options_.query.summary == TRACE_BY_VALUE)
            return out.add_value(func, group.present != 0 ? words.data() : nullptr, calls);
        const TracedSite &site = text_->site(group.func, group.words[0]);
        CallStack stack = {words[0], words[1]};
        if (!site.unwinds)
            stack.pop_back();
        stack = stacks_->completed(std::move(stack), words[2], site.is_body());
        out.add_caller(func, stacks_->caller(func.name, !site.is_body(), stack), calls);
    });
    return out;
}

}  // namespace btf_extra
