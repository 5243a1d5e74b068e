// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The BPF program of `btf-extra trace`, loaded: its events and its counts.
#ifndef BTF_EXTRA_TRACE_PROGRAM_H
#define BTF_EXTRA_TRACE_PROGRAM_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "userspace/bpf/trace_event.h"
#include "userspace/format/result.h"

struct bpf_object;
struct ring_buffer;

namespace btf_extra {

class TraceProgram {
  public:
    // Gets an event; false: no more of them.
    using Visit = std::function<bool(std::span<const std::byte>)>;

    // plans: by cookie. nr_sites: of all functions.
    static Result<std::unique_ptr<TraceProgram>>
    load(const std::vector<trace_plan> &plans, size_t nr_sites, const trace_settings &settings);
    ~TraceProgram();
    TraceProgram(const TraceProgram &) = delete;
    TraceProgram &operator=(const TraceProgram &) = delete;

    int fd() const { return fd_; }

    // Calls count from begin() to end(), those of all functions from and to the same moment. self:
    // also calls in the threads of this process.
    Result<void> begin(bool self);
    void end() { control_->counting = 0; }

    // Returns true if the stack will be right at a perf kprobe, which does not exist yet.
    bool unwinds_at(uint64_t site) const;

    // Waits until there are many events, or that long, and visits all that there are. True also
    // when a signal came between.
    Result<void> wait(int milliseconds, const Visit &visit);

    // Returns how many events had no room up to now.
    uint64_t dropped() const { return totals_->dropped; }

    struct Counts {
        // The key is cookie and address.
        std::map<std::pair<uint32_t, uint64_t>, trace_calls> sites;
        uint64_t uncounted;  // calls that are in none of them
    };
    Counts counts() const;

    // Calls in the threads of this process, which count nowhere.
    uint64_t own() const { return totals_->own; }

    // Calls that are in no group, because there are too many.
    uint64_t ungrouped() const { return totals_->ungrouped; }
    // Visits each group with its calls.
    using VisitGroup = std::function<void(const trace_group &, uint64_t calls)>;
    void for_each_group(const VisitGroup &visit) const;

  private:
    TraceProgram() = default;
    static int on_event(void *self, void *data, size_t size);

    bpf_object *object_ = nullptr;
    ring_buffer *events_ = nullptr;
    const volatile trace_totals *totals_ = nullptr;
    volatile trace_control *control_ = nullptr;
    int fd_ = -1;
    int look_at_code_ = -1, look_at_process_ = -1;
    int calls_ = -1, groups_ = -1;
    const Visit *visit_ = nullptr;  // during wait()
};

}  // namespace btf_extra

#endif
