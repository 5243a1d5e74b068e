// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/trace/trace_output.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace btf_extra {
namespace {

constexpr size_t kLines = 256 * 1024;  // bytes, written at once
constexpr std::chrono::seconds kBetweenWarnings(1);

}  // namespace

TraceOutput::TraceOutput(const TraceText &text, const OutputOptions &options)
    : text_(text), options_(options), started_(Clock::now()), told_(started_ - kBetweenWarnings) {
    lines_.reserve(kLines + 4096);
}

int TraceOutput::milliseconds_left() const {
    constexpr int kForever = std::numeric_limits<int>::max();
    if (!options_.seconds)
        return kForever;
    const std::chrono::duration<double, std::milli> passed = Clock::now() - started_;
    const double left = std::ceil(*options_.seconds * 1000 - passed.count());
    return static_cast<int>(std::clamp(left, 0.0, static_cast<double>(kForever)));
}

bool TraceOutput::append(std::span<const std::byte> event) {
    if (failed_ != 0 || enough())
        return false;
    if (options_.json ? text_.append_json(lines_, event) : text_.append_text(lines_, event))
        shown_++;
    if (lines_.size() >= kLines)
        write();
    return failed_ == 0 && !enough();
}

void TraceOutput::write() {
    if (std::fwrite(lines_.data(), 1, lines_.size(), stdout) != lines_.size() ||
        std::fflush(stdout) != 0)
        failed_ = errno;
    lines_.clear();
}

void TraceOutput::tell_dropped(uint64_t dropped) {
    const auto now = Clock::now();
    if (dropped == dropped_ || now - told_ < kBetweenWarnings)
        return;
    fmt::print(stderr, "btf-extra: {} events dropped: the buffer was full\n", dropped - dropped_);
    dropped_ = dropped;
    told_ = now;
}

Result<void> TraceOutput::take(TraceProgram &program, int milliseconds) {
    auto waited = program.wait(milliseconds,
                               [this](std::span<const std::byte> event) { return append(event); });
    if (!lines_.empty())
        write();
    if (failed_ != 0) {
        std::clearerr(stdout);  // told of once
        return Error{fmt::format("stdout: {}", std::strerror(failed_))};
    }
    tell_dropped(program.dropped());
    return waited;
}

}  // namespace btf_extra
