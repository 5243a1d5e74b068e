// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// One line on a terminal that says what is done, how far it is, and how long it has taken.
#ifndef BTF_EXTRA_PROGRESS_LINE_H
#define BTF_EXTRA_PROGRESS_LINE_H

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "userspace/host/progress.h"

namespace btf_extra {

// Returns "WHAT: 3 of 10, 5 s". total 0: it is not known how much there is.
std::string progress_text(const host::Progress &progress, std::chrono::seconds time);

// Writes to stderr, or nothing if that is no terminal. One thread at a time may call it.
class ProgressLine {
  public:
    ProgressLine();
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine &) = delete;
    ProgressLine &operator=(const ProgressLine &) = delete;

    // The line goes away when all is done.
    void show(const host::Progress &progress);
    // Takes the line away, for others who write to the terminal.
    void clear();

  private:
    using Clock = std::chrono::steady_clock;
    bool terminal_, shown_ = false;
    std::string what_;
    Clock::time_point begin_, last_;
};

}  // namespace btf_extra

#endif
