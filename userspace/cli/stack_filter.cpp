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

// Most frames have their texts in these bytes, too.
void prefetch(const void *frame) {
    constexpr size_t kCacheLine = 64, kBytes = 192;
    for (size_t i = 0; i < kBytes; i += kCacheLine)
        __builtin_prefetch(static_cast<const char *>(frame) + i);
}

}  // namespace

StackFilter::Line StackFilter::look_up(const Frames &frames, std::string_view text) {
    const uint64_t hash = std::hash<std::string_view>()(text);
    const auto known = frames.find(hash);
    return {text, hash, known != frames.end() ? known->second : nullptr};
}

// Returns nullptr if the text is no frame. Such texts are not kept: there may be no end of them.
template <class Parse>
StackFilter::Frame *StackFilter::find(Frames &frames, const Line &line, Parse parse) {
    if (line.frame && line.frame->text == line.text)
        return line.frame;
    const std::optional<StackFrame> frame = parse(line.text);
    if (!frame)
        return nullptr;
    Frame *&known = frames[line.hash];
    if (known && known->text == line.text)
        return known;
    // A frame and its texts stand together, and are in the cache together.
    known = std::pmr::polymorphic_allocator<>(&kept_).new_object<Frame>();
    *known = {.text = keep(line.text),
              .filled = {},
              .format = frame->format,
              .is_instruction = frame->is_instruction,
              .enters_interrupt = is_interrupt_entry(frame->symbol)};
    return known;
}

std::string_view StackFilter::keep(std::string_view text) {
    char *kept = static_cast<char *>(kept_.allocate(text.size(), 1));
    std::ranges::copy(text, kept);
    return {kept, text.size()};
}

void StackFilter::forget() {
    lines_.clear();
    folded_.clear();
    kept_.release();
    forgotten_++;
}

void StackFilter::filter(std::string_view lines, std::string &out) {
    // Frames are scattered in memory. Those of several lines are fetched at the same time.
    constexpr size_t kAtOnce = 16;
    Line next[kAtOnce];
    while (!lines.empty()) {
        if (symbolizer_.refresh() || lines_.size() + folded_.size() > kMaxFrames)
            forget();
        const uint32_t forgotten = forgotten_;
        size_t nr = 0;
        bool ended = true;
        for (; nr < kAtOnce && !lines.empty(); nr++) {
            const size_t end = lines.find('\n');
            ended = end != lines.npos;
            next[nr] = look_up(lines_, lines.substr(0, end));
            lines.remove_prefix(ended ? end + 1 : lines.size());
            if (next[nr].frame)
                prefetch(next[nr].frame);
        }
        for (size_t i = 0; i < nr; i++) {
            if (forgotten != forgotten_)
                next[i].frame = nullptr;
            filter_line(next[i], out);
            if (i + 1 < nr || ended)
                out += '\n';
        }
    }
}

void StackFilter::filter_line(const Line &line, std::string &out) {
    Frame *frame = find(lines_, line, find_stack_frame);
    if (!frame) {
        filter_other(line.text, out);
        return;
    }
    // The kernel prints return addresses, but for what was trapped. Samples begin where they were
    // taken.
    const bool is_first = !in_stack_ && frame->format != StackFormat::kTrace;
    const bool is_instruction = frame->is_instruction || is_first || was_interrupt_entry_;
    in_stack_ = true;
    was_interrupt_entry_ = frame->enters_interrupt;
    if (std::exchange(is_filled_, false)) {
        out += line.text;
        return;
    }
    std::string_view &filled = frame->filled[is_instruction ? 0 : 1];
    if (filled.empty())
        filled = keep(fill_line(line.text, !is_instruction));
    out += filled;
}

// This takes lines that are no frames.
void StackFilter::filter_other(std::string_view line, std::string &out) {
    // perf script does so where there is debug information.
    is_filled_ = is_inlined_function(line);
    if (is_filled_) {
        out += line;
        return;
    }
    // perf script -F +srcline has lines between the frames of a stack.
    if (!is_indented(line)) {
        in_stack_ = false;
        was_interrupt_entry_ = false;
    }
    if (const auto offset = kernel_offset(line)) {
        symbolizer_.set_kaslr(*offset);
        forget();
    }
    if (const auto count = folded_count(line))
        filter_folded(line, *count, out);
    else
        out += line;
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

void StackFilter::filter_folded(std::string_view line, size_t count, std::string &out) {
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
        Frame *frame = find(folded_, look_up(folded_, frames[i]), parse_folded_frame);
        const bool was_filled = std::exchange(is_filled, frames[i].ends_with(kInlinedMark));
        if (frame && !was_filled) {
            std::string_view &filled = frame->filled[is_instruction ? 0 : 1];
            if (filled.empty())
                filled = keep(fill_folded(frames[i], !is_instruction));
            frames[i] = filled;
        }
        is_instruction = frame && frame->enters_interrupt;
    }
    for (size_t i = 0; i < frames.size(); i++) {
        out += i == 0 ? "" : ";";
        out += frames[i];
    }
    out += line.substr(count);
}

}  // namespace btf_extra
