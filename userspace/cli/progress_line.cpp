// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/progress_line.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace btf_extra {

std::string progress_text(const host::Progress &progress, std::chrono::seconds time) {
    const auto amount = [&](uint64_t number) {
        return progress.bytes ? fmt::format("{:.1f}", static_cast<double>(number) / 1e6)
                              : fmt::format("{}", number);
    };
    return fmt::format("{}: {}{}{}, {} s", progress.what, amount(progress.done),
                       progress.total != 0 ? " of " + amount(progress.total) : "",
                       progress.bytes ? " MB" : "", time.count());
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(const host::Progress &progress) {
    if (!terminal_)
        return;
    if (progress.done == progress.total)
        return clear();
    const auto now = Clock::now();
    if (progress.what != what_) {
        what_ = progress.what;
        begin_ = now;
    } else if (now - last_ < std::chrono::milliseconds(100)) {
        return;
    }
    last_ = now;
    shown_ = true;
    fmt::print(
        stderr, "\r\033[K{}",
        progress_text(progress, std::chrono::duration_cast<std::chrono::seconds>(now - begin_)));
    std::fflush(stderr);
}

void ProgressLine::clear() {
    if (shown_)
        fmt::print(stderr, "\r\033[K");
    shown_ = false;
}

}  // namespace btf_extra
