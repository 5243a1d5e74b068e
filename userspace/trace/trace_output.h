// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Lines on stdout, as events come, until there are enough or the time is over.
#ifndef BTF_EXTRA_TRACE_OUTPUT_H
#define BTF_EXTRA_TRACE_OUTPUT_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "userspace/format/result.h"
#include "userspace/trace/trace_program.h"
#include "userspace/trace/trace_text.h"

namespace btf_extra {

struct OutputOptions {
    std::optional<uint64_t> count;
    std::optional<double> seconds;
    bool json = false;
};

class TraceOutput {
  public:
    // Time counts from here on. The text outlives the output.
    TraceOutput(const TraceText &text, const OutputOptions &options);

    // Waits for events that long and prints them; reports dropped events on stderr.
    Result<void> take(TraceProgram &program, int milliseconds);

    uint64_t shown() const { return shown_; }
    bool enough() const { return options_.count && shown_ >= *options_.count; }
    bool done() const { return enough() || milliseconds_left() == 0; }
    int milliseconds_left() const;

  private:
    using Clock = std::chrono::steady_clock;

    bool append(std::span<const std::byte> event);
    void write();
    void tell_dropped(uint64_t dropped);

    const TraceText &text_;
    OutputOptions options_;
    Clock::time_point started_, told_;
    std::string lines_;
    uint64_t shown_ = 0;
    uint64_t dropped_ = 0;  // that were told of
    int failed_ = 0;        // errno
};

}  // namespace btf_extra

#endif
