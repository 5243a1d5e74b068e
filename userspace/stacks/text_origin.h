// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Decides whether the stacks of a text are of the kernel that the tables describe, and counts those
// that are not.
#ifndef BTF_EXTRA_TEXT_ORIGIN_H
#define BTF_EXTRA_TEXT_ORIGIN_H

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "userspace/text/kernel_name.h"

namespace btf_extra {

class TextOrigin {
  public:
    explicit TextOrigin(KernelName tables) : tables_(std::move(tables)) {}

    // The text names the kernel that the stacks after this line are of.
    void name(const KernelName &kernel, uint64_t line);

    // Counts a frame. conflict: its contradiction with the tables, or "". is_weighed: the text
    // contains more about the frame than a symbol and an offset. Returns true if the text turns out
    // to be of another kernel since it was named, or since it began.
    bool count(bool is_weighed, std::string_view conflict, uint64_t line);

    // Returns true if no frame is to be looked up, because the text is of another kernel.
    bool is_other() const { return is_other_; }
    // Makes it so until the text names a kernel. reason: reason() when that turned out.
    void set_other(std::string reason);
    const std::string &reason() const { return reason_; }

    // Returns how many frames contradict the tables, and what the first one says; "": none does.
    std::string warning(std::string_view tables) const;

  private:
    KernelName tables_;
    bool is_other_ = false;
    std::set<std::string, std::less<>> conflicts_;  // since the kernel was named, some of them
    std::string reason_;              // "line 3: release 6.1.0-18-amd64": the first since then
    uint64_t frames_ = 0, left_ = 0;  // all, and those that stay as they are
    std::string first_;               // the reason of the first one of these
};

}  // namespace btf_extra

#endif
