// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/stacks/text_origin.h"

#include <utility>

#include <fmt/format.h>

namespace btf_extra {
namespace {

// Most functions of two builds of one source have the same size, and not always the same code: of
// Debian's 6.1.192 generic and cloud 99 %. So this many contradictions are enough to show that a
// text is of another build.
constexpr size_t kMinConflicts = 5;

}  // namespace

void TextOrigin::name(const KernelName &kernel, uint64_t line) {
    const std::string difference = kernel.difference(tables_);
    is_other_ = !difference.empty();
    reason_ = is_other_ ? fmt::format("line {}: {}", line, difference) : std::string();
    conflicts_.clear();
}

void TextOrigin::set_other(std::string reason) {
    is_other_ = true;
    reason_ = std::move(reason);
}

bool TextOrigin::count(bool is_weighed, std::string_view conflict, uint64_t line) {
    frames_++;
    if (!conflict.empty() && reason_.empty())
        reason_ = fmt::format("line {}: {}", line, conflict);
    if (is_other_ || !conflict.empty()) {
        left_++;
        if (first_.empty())
            first_ = reason_;
    }
    if (is_other_ || !is_weighed || conflict.empty())
        return false;
    conflicts_.emplace(conflict);
    return conflicts_.size() >= kMinConflicts;
}

std::string TextOrigin::warning(std::string_view tables) const {
    if (left_ == 0)
        return "";
    return fmt::format(
        "{}: {} of {} stack frames are of another kernel and are copied unchanged ({}); "
        "use the tables of that kernel",
        tables, left_, frames_, first_);
}

}  // namespace btf_extra
