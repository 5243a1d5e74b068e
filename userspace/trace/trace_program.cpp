// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/trace/trace_program.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <string_view>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <sys/mman.h>

extern "C" const unsigned char btf_extra_trace_program[], btf_extra_trace_program_end[];

namespace btf_extra {
namespace {

Error failure(std::string_view what, int error) {
    return Error{fmt::format("BPF program: {}: {}", what,
                             error == EPERM ? "needs root, or CAP_BPF and CAP_PERFMON"
                                            : std::strerror(error))};
}

// .rodata, .data, .bss; NULL: none.
bpf_map *internal_map(bpf_object *object, std::string_view suffix) {
    bpf_map *map;
    bpf_object__for_each_map(map, object) {
        if (std::string_view(bpf_map__name(map)).ends_with(suffix))
            return map;
    }
    return nullptr;
}

// Visits what a hash has for each processor.
template <class Key, class Value, class Visit> void for_each_entry(int map, const Visit &visit) {
    std::vector<Value> per_cpu(static_cast<size_t>(std::max(libbpf_num_possible_cpus(), 1)));
    Key key;
    const Key *last = nullptr;
    for (Key next; bpf_map_get_next_key(map, last, &next) == 0; last = &key) {
        key = next;
        if (bpf_map_lookup_elem(map, &key, per_cpu.data()) == 0)
            visit(key, std::span<const Value>(per_cpu));
    }
}

}  // namespace

TraceProgram::~TraceProgram() {
    ring_buffer__free(events_);
    if (totals_ != nullptr)
        munmap(const_cast<trace_totals *>(const_cast<const trace_totals *>(totals_)),
               sizeof(trace_totals));
    if (control_ != nullptr)
        munmap(const_cast<trace_control *>(control_), sizeof(trace_control));
    bpf_object__close(object_);
}

Result<std::unique_ptr<TraceProgram>> TraceProgram::load(const std::vector<trace_plan> &plans,
                                                         size_t nr_sites,
                                                         const trace_settings &settings) {
    // One line of this command reports the failure.
    libbpf_set_print([](libbpf_print_level, const char *, va_list) { return 0; });
    std::unique_ptr<TraceProgram> out(new TraceProgram);
    LIBBPF_OPTS(bpf_object_open_opts, options);
    options.object_name = "btf_extra_trace";
    out->object_ = bpf_object__open_mem(
        btf_extra_trace_program,
        static_cast<size_t>(btf_extra_trace_program_end - btf_extra_trace_program), &options);
    if (out->object_ == nullptr)
        return failure("open", errno);

    // It is all that there is in .rodata.
    if (int error = bpf_map__set_initial_value(internal_map(out->object_, ".rodata"), &settings,
                                               sizeof(settings));
        error != 0)
        return failure("open", -error);
    const auto sized_map = [&](const char *name, size_t entries) {
        bpf_map *map = bpf_object__find_map_by_name(out->object_, name);
        bpf_map__set_max_entries(map, static_cast<uint32_t>(std::max<size_t>(entries, 1)));
        return map;
    };
    bpf_map *calls = sized_map("calls", nr_sites);
    bpf_map *described = sized_map("plans", plans.size());
    const bool grouped = settings.summary == TRACE_BY_CALLER || settings.summary == TRACE_BY_VALUE;
    bpf_map *groups = sized_map("groups", grouped ? TRACE_GROUPS : 1);

    if (int error = bpf_object__load(out->object_); error != 0)
        return failure("load", -error);
    for (uint32_t cookie = 0; cookie < plans.size(); cookie++)
        if (bpf_map_update_elem(bpf_map__fd(described), &cookie, &plans[cookie], BPF_ANY) != 0)
            return failure("plans", errno);
    void *totals = mmap(nullptr, sizeof(trace_totals), PROT_READ, MAP_SHARED,
                        bpf_map__fd(internal_map(out->object_, ".bss")), 0);
    if (totals == MAP_FAILED)
        return failure("load", errno);
    out->totals_ = static_cast<const trace_totals *>(totals);
    void *control = mmap(nullptr, sizeof(trace_control), PROT_READ | PROT_WRITE, MAP_SHARED,
                         bpf_map__fd(internal_map(out->object_, ".data")), 0);
    if (control == MAP_FAILED)
        return failure("load", errno);
    out->control_ = static_cast<trace_control *>(control);
    out->fd_ = bpf_program__fd(bpf_object__find_program_by_name(out->object_, "trace_call"));
    out->look_at_code_ =
        bpf_program__fd(bpf_object__find_program_by_name(out->object_, "look_at_code"));
    out->look_at_process_ =
        bpf_program__fd(bpf_object__find_program_by_name(out->object_, "look_at_process"));
    out->calls_ = bpf_map__fd(calls);
    out->groups_ = bpf_map__fd(groups);
    out->events_ =
        ring_buffer__new(bpf_map__fd(bpf_object__find_map_by_name(out->object_, "events")),
                         on_event, out.get(), nullptr);
    if (out->events_ == nullptr)
        return failure("events", errno);
    return out;
}

Result<void> TraceProgram::begin(bool self) {
    trace_process process = {};
    LIBBPF_OPTS(bpf_test_run_opts, options);
    options.ctx_in = &process;  // the kernel writes to it as well
    options.ctx_size_in = sizeof(process);
    if (!self && bpf_prog_test_run_opts(look_at_process_, &options) != 0)
        return failure("look_at_process", errno);
    control_->own_tgid = process.tgid;
    control_->counting = 1;
    return {};
}

bool TraceProgram::unwinds_at(uint64_t site) const {
    trace_code code = {};
    code.address = site;
    LIBBPF_OPTS(bpf_test_run_opts, options);
    options.ctx_in = &code;  // the kernel writes to it as well
    options.ctx_size_in = sizeof(code);
    return bpf_prog_test_run_opts(look_at_code_, &options) == 0 && code.unwinds != 0;
}

int TraceProgram::on_event(void *self, void *data, size_t size) {
    const auto &visit = *static_cast<TraceProgram *>(self)->visit_;
    return visit({static_cast<const std::byte *>(data), size}) ? 0 : -ECANCELED;
}

Result<void> TraceProgram::wait(int milliseconds, const Visit &visit) {
    visit_ = &visit;
    int done = ring_buffer__poll(events_, milliseconds);
    // The program wakes no reader for a few events.
    if (done >= 0)
        done = ring_buffer__consume(events_);
    visit_ = nullptr;
    if (done < 0 && done != -EINTR && done != -ECANCELED)
        return failure("events", -done);
    return {};
}

TraceProgram::Counts TraceProgram::counts() const {
    Counts out = {{}, totals_->uncounted};
    for_each_entry<trace_site, trace_calls>(
        calls_, [&](const trace_site &site, std::span<const trace_calls> per_cpu) {
            trace_calls &sum = out.sites[{static_cast<uint32_t>(site.func), site.ip}];
            for (const trace_calls &each : per_cpu) {
                sum.calls += each.calls;
                sum.dropped += each.dropped;
                sum.filtered += each.filtered;
                sum.untold += each.untold;
            }
        });
    return out;
}

void TraceProgram::for_each_group(const VisitGroup &visit) const {
    for_each_entry<trace_group, uint64_t>(
        groups_, [&](const trace_group &group, std::span<const uint64_t> per_cpu) {
            visit(group, std::accumulate(per_cpu.begin(), per_cpu.end(), uint64_t{0}));
        });
}

}  // namespace btf_extra
