// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Puts inlined functions into the stack traces of a text. All else in it stays as it is.
#ifndef BTF_EXTRA_STACK_FILTER_H
#define BTF_EXTRA_STACK_FILTER_H

#include <string>
#include <string_view>

#include "userspace/cli/symbolizer.h"

namespace btf_extra {

class StackFilter {
  public:
    explicit StackFilter(Symbolizer &symbolizer) : symbolizer_(symbolizer) {}

    // Returns what takes the place of a line: the line with one before it for each inlined
    // function, or a folded stack with more frames. Lines are without their newline, which is
    // between those that are returned.
    std::string filter(std::string_view line);

  private:
    std::string filter_folded(std::string_view line, size_t count);

    Symbolizer &symbolizer_;
    // The stack that the lines before are of.
    bool in_stack_ = false;
    bool was_interrupt_entry_ = false;
};

}  // namespace btf_extra

#endif
