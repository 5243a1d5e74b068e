// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Puts inlined functions into the stack traces of a text. All else in it stays as it is, and so do
// frames of another kernel than that of the tables.
#ifndef BTF_EXTRA_STACK_FILTER_H
#define BTF_EXTRA_STACK_FILTER_H

#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "userspace/lib/tables/symbolizer.h"
#include "userspace/stacks/text_origin.h"

namespace btf_extra {

class StackFilter {
  public:
    explicit StackFilter(Symbolizer &symbolizer)
        : symbolizer_(symbolizer), state_{.origin = TextOrigin(symbolizer.kernel())} {}

    // Appends the replacement of lines: each with one before it for each inlined function, or a
    // folded stack with more frames. All but the last one of a text end with a newline.
    void filter(std::string_view lines, std::string &out);

    // Returns one line about the frames that are of another kernel; "": there were none.
    std::string warning() const { return state_.origin.warning(symbolizer_.name()); }

  private:
    enum AddressKind { kInstruction, kReturnAddress, kEither };

    // A profile has the same frame many times, so its text is read and looked up once.
    struct Frame {
        std::string_view text;
        // By AddressKind.
        std::string_view filled[3];  // empty: not looked up yet
        std::string_view conflict[3];
        bool is_weighed[3];
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

    // The state that is known from the lines before.
    struct State {
        TextOrigin origin;
        uint64_t line = 0;  // number of the line, from 1 on
        // The stack that the lines before are of.
        bool in_stack = false;
        bool was_interrupt_entry = false;
        bool is_filled = false;  // the next frame: its inlined functions stand before it
    };

    void forget();
    static Line look_up(const Frames &frames, std::string_view text);
    template <class Parse> Frame *find(Frames &frames, const Line &line, Parse parse);
    std::string_view keep(std::string_view text);
    void filter_batch(std::string_view &lines, std::string &out);
    void begin_again(std::string_view &lines, std::string &out);
    void filter_line(const Line &line, std::string &out);
    void filter_other(std::string_view line, std::string &out);
    void filter_folded(std::string_view line, size_t count, std::string &out);
    Symbolizer::InText look_up(const StackFrame &frame, AddressKind kind) const;
    // Returns the replacement of a frame.
    template <class Parse, class Fill>
    std::string_view fill(Frame &frame, AddressKind kind, Parse parse, Fill fill);
    static std::string fill_line(std::string_view line, const StackFrame &frame,
                                 const std::vector<ChainFrame> &chain);
    static std::string fill_folded(std::string_view text, const StackFrame &frame,
                                   const std::vector<ChainFrame> &chain);

    Symbolizer &symbolizer_;
    Frames lines_, folded_;
    std::pmr::monotonic_buffer_resource kept_;
    uint32_t forgotten_ = 0;  // how many times all frames were
    State state_;
    // The place where the text named its kernel, or where the filtered piece begins.
    struct Begin {
        std::string_view lines;
        size_t out_size = 0;
        State state;
    };
    std::optional<Begin> begin_;
    bool turned_out_other_ = false;  // since begin_
    bool is_named_ = false;          // the line names a kernel
};

}  // namespace btf_extra

#endif
