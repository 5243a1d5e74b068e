// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/stack_filter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "userspace/cli/chain_text.h"

namespace btf_extra {
namespace {

constexpr size_t kMaxFrames = 1 << 20;  // that are kept
constexpr std::string_view kInlinedMark = "_[i]";

bool is_indented(std::string_view line) {
    return line.starts_with(' ') || line.starts_with('\t');
}

}  // namespace

// Returns nullptr if the text is no frame. Such texts are not kept: there may be no end of them.
template <class Parse>
StackFilter::Frame *StackFilter::find(Frames &frames, std::string_view text, Parse parse) {
    const auto known = frames.find(text);
    if (known != frames.end())
        return &known->second;
    const std::optional<StackFrame> frame = parse(text);
    if (!frame)
        return nullptr;
    const Frame fresh = {.format = frame->format,
                         .is_instruction = frame->is_instruction,
                         .enters_interrupt = is_interrupt_entry(frame->symbol),
                         .filled = {}};
    return &frames.emplace(keep(text), fresh).first->second;
}

std::string_view StackFilter::keep(std::string_view text) {
    char *kept = static_cast<char *>(texts_.allocate(text.size(), 1));
    std::ranges::copy(text, kept);
    return {kept, text.size()};
}

void StackFilter::forget() {
    lines_.clear();
    folded_.clear();
    texts_.release();
}

std::string_view StackFilter::filter(std::string_view line) {
    if (symbolizer_.refresh() || lines_.size() + folded_.size() > kMaxFrames)
        forget();
    Frame *frame = find(lines_, line, find_stack_frame);
    if (!frame) {
        // As perf script does where there is debug information.
        is_filled_ = is_inlined_function(line);
        if (is_filled_)
            return line;
        // perf script -F +srcline has lines between the frames of a stack.
        if (!is_indented(line)) {
            in_stack_ = false;
            was_interrupt_entry_ = false;
        }
        if (const auto offset = kernel_offset(line)) {
            symbolizer_.set_kaslr(*offset);
            forget();
        }
        const auto count = folded_count(line);
        return count ? filter_folded(line, *count) : line;
    }
    // The kernel prints return addresses, but for what was trapped. Samples begin where they were
    // taken.
    const bool is_first = !in_stack_ && frame->format != StackFormat::kTrace;
    const bool is_instruction = frame->is_instruction || is_first || was_interrupt_entry_;
    in_stack_ = true;
    was_interrupt_entry_ = frame->enters_interrupt;
    if (std::exchange(is_filled_, false))
        return line;
    std::string_view &filled = frame->filled[is_instruction ? 0 : 1];
    if (filled.empty())
        filled = keep(fill_line(line, !is_instruction));
    return filled;
}

// Tools read "(inlined)" at the end of a line of perf script. People want to know the call as well.
std::string StackFilter::fill_line(std::string_view line, bool return_address) {
    const auto frame = find_stack_frame(line);
    const std::vector<ChainFrame> chain = symbolizer_.find(*frame, return_address);
    std::string out;
    for (size_t i = 0; i + 1 < chain.size(); i++) {
        out += line.substr(0, frame->name_begin);
        out += frame->format == StackFormat::kPerf ? inlined_text(chain[i])
                                                   : inlined_text_with_call(chain[i]);
        out += '\n';
    }
    out += line;
    return out;
}

// The outermost function comes first there, and tools mark what is inlined by "_[i]".
std::string StackFilter::fill_folded(std::string_view text, bool return_address) {
    const auto frame = parse_folded_frame(text);
    const std::vector<ChainFrame> chain = symbolizer_.find(*frame, return_address);
    std::string out(text);
    for (size_t i = chain.empty() ? 0 : chain.size() - 1; i-- > 0;)
        out += fmt::format(";{}{}", chain[i].name, kInlinedMark);
    return out;
}

std::string_view StackFilter::filter_folded(std::string_view line, size_t count) {
    std::vector<std::string_view> frames;
    std::string_view rest = line.substr(0, count);
    for (size_t end = 0; end != rest.npos;) {
        end = rest.find(';');
        frames.push_back(rest.substr(0, end));
        rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
    // The innermost one is where the sample was taken.
    bool is_instruction = true;
    bool is_filled = false;
    for (size_t i = frames.size(); i-- > 0;) {
        Frame *frame = find(folded_, frames[i], parse_folded_frame);
        const bool was_filled = std::exchange(is_filled, frames[i].ends_with(kInlinedMark));
        if (frame && !was_filled) {
            std::string_view &filled = frame->filled[is_instruction ? 0 : 1];
            if (filled.empty())
                filled = keep(fill_folded(frames[i], !is_instruction));
            frames[i] = filled;
        }
        is_instruction = frame && frame->enters_interrupt;
    }
    stack_.clear();
    for (size_t i = 0; i < frames.size(); i++) {
        stack_ += i == 0 ? "" : ";";
        stack_ += frames[i];
    }
    stack_ += line.substr(count);
    return stack_;
}

}  // namespace btf_extra
