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

    // Appends what takes the place of lines: each with one before it for each inlined function, or
    // a folded stack with more frames. All but the last one of a text end with a newline.
    void filter(std::string_view lines, std::string &out);

  private:
    // A profile has the same frame many times, so its text is read and looked up once.
    struct Frame {
        std::string_view text;
        std::string_view filled[2];  // by whether it is a return address; empty: not looked up yet
        StackFormat format;
        bool is_instruction, enters_interrupt;
    };
    // The key is a hash of their texts. Frames and texts are in kept_.
    using Frames = std::unordered_map<uint64_t, Frame *>;

    struct Line {
        std::string_view text;
        uint64_t hash;
        Frame *frame;  // that has this hash; NULL: none
    };

    void forget();
    static Line look_up(const Frames &frames, std::string_view text);
    template <class Parse> Frame *find(Frames &frames, const Line &line, Parse parse);
    std::string_view keep(std::string_view text);
    void filter_line(const Line &line, std::string &out);
    void filter_other(std::string_view line, std::string &out);
    void filter_folded(std::string_view line, size_t count, std::string &out);
    std::string fill_line(std::string_view line, bool return_address);
    std::string fill_folded(std::string_view text, bool return_address);

    Symbolizer &symbolizer_;
    Frames lines_, folded_;
    std::pmr::monotonic_buffer_resource kept_;
    uint32_t forgotten_ = 0;  // how many times all frames were
    // The stack that the lines before are of.
    bool in_stack_ = false;
    bool was_interrupt_entry_ = false;
    bool is_filled_ = false;  // the next frame: its inlined functions stand before it
};

}  // namespace btf_extra

#endif
