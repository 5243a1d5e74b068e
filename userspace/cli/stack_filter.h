// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Puts inlined functions into the stack traces of a text. All else in it stays as it is.
#ifndef BTF_EXTRA_STACK_FILTER_H
#define BTF_EXTRA_STACK_FILTER_H

#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>

#include "userspace/cli/symbolizer.h"

namespace btf_extra {

class StackFilter {
  public:
    explicit StackFilter(Symbolizer &symbolizer) : symbolizer_(symbolizer) {}

    // Returns what takes the place of a line: the line with one before it for each inlined
    // function, or a folded stack with more frames. Lines are without their newline, which is
    // between those that are returned. The answer counts until the next call.
    std::string_view filter(std::string_view line);

  private:
    // A profile has the same frame many times, so its text is read and looked up once.
    struct Frame {
        StackFormat format;
        bool is_instruction, enters_interrupt;
        std::string_view filled[2];  // by whether it is a return address; empty: not looked up yet
    };
    // Their texts are in texts_.
    using Frames = std::unordered_map<std::string_view, Frame>;

    void forget();
    template <class Parse> Frame *find(Frames &frames, std::string_view text, Parse parse);
    std::string_view keep(std::string_view text);
    std::string_view filter_folded(std::string_view line, size_t count);
    std::string fill_line(std::string_view line, bool return_address);
    std::string fill_folded(std::string_view text, bool return_address);

    Symbolizer &symbolizer_;
    Frames lines_, folded_;
    std::pmr::monotonic_buffer_resource texts_;
    std::string stack_;  // the answer for a folded one
    // The stack that the lines before are of.
    bool in_stack_ = false;
    bool was_interrupt_entry_ = false;
    bool is_filled_ = false;  // the next frame: its inlined functions stand before it
};

}  // namespace btf_extra

#endif
