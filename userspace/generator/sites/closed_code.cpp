// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/closed_code.h"

#include <algorithm>

namespace btf_extra::generator {
namespace {

// They have bodies because pv_ops points to them.
constexpr std::string_view kNotrace[] = {"native_write_msr", "native_write_msr_safe"};

// TRACE_EVENT() makes these, in every unit with CREATE_TRACE_POINTS. Those with do_ came with 6.13.
constexpr std::string_view kTraceEvent[] = {
    "trace_event_raw_event_", "do_trace_event_raw_event_", "perf_trace_", "do_perf_trace_",
    "trace_raw_output_",      "trace_event_get_offsets_",  "__bpf_trace_"};

// The compiler calls these from code of any kind, that of tracers and noinstr code included.
constexpr std::string_view kSanitizers[] = {"lib/ubsan.c"};

}  // namespace

bool closed_by_name(std::string_view function) {
    return std::ranges::find(kNotrace, function) != std::end(kNotrace) ||
           std::ranges::any_of(
               kTraceEvent, [&](std::string_view prefix) { return function.starts_with(prefix); });
}

// Makefiles take the calls out of all of lib/. Elsewhere they name single files, because tracers
// run that code (kernel/trace/, irq_work.c, clocks), or because it runs before a trap can be taken
// (head64.c, entry/common.c). kernel/kcsan/ and mm/kasan/ are the code of sanitizers.
bool open_by_path(std::string_view unit) {
    return unit.starts_with("lib/") &&
           std::ranges::find(kSanitizers, unit) == std::end(kSanitizers);
}

}  // namespace btf_extra::generator
