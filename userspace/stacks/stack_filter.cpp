// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/stacks/stack_filter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "userspace/stacks/chain_text.h"

namespace btf_extra {
namespace {

constexpr size_t kMaxFrames = 1 << 20;  // that are kept
constexpr std::string_view kInlinedMark = "_[i]";

bool is_indented(std::string_view line) {
    return line.starts_with(' ') || line.starts_with('\t');
}

// Most frames have their texts in these bytes, too.
void prefetch(const void *frame) {
    constexpr size_t kCacheLine = 64, kBytes = 256;
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
              .conflict = {},
              .is_weighed = {},
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
    begin_ = {lines, out.size(), state_};
    while (!lines.empty()) {
        if (symbolizer_.refresh() || lines_.size() + folded_.size() > kMaxFrames)
            forget();
        filter_batch(lines, out);
    }
}

// Frames are scattered in memory. Those of several lines are fetched at the same time.
void StackFilter::filter_batch(std::string_view &lines, std::string &out) {
    constexpr size_t kAtOnce = 16;
    Line next[kAtOnce];
    const uint32_t forgotten = forgotten_;
    const char *const all_end = lines.data() + lines.size();
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
        state_.line++;
        filter_line(next[i], out);
        if (turned_out_other_) {
            begin_again(lines, out);
            return;
        }
        const bool has_end = i + 1 < nr || ended;
        if (has_end)
            out += '\n';
        if (std::exchange(is_named_, false)) {
            const char *const line_end = next[i].text.data() + next[i].text.size();
            const char *const after = line_end + (has_end ? 1 : 0);
            begin_ = {{after, static_cast<size_t>(all_end - after)}, out.size(), state_};
        }
    }
}

// Goes back to the start of the text that belongs to another kernel.
void StackFilter::begin_again(std::string_view &lines, std::string &out) {
    turned_out_other_ = false;
    std::string reason = state_.origin.reason();
    lines = begin_->lines;
    out.resize(begin_->out_size);
    state_ = begin_->state;
    state_.origin.set_other(std::move(reason));
}

void StackFilter::filter_line(const Line &line, std::string &out) {
    Frame *frame = find(lines_, line, find_stack_frame);
    if (!frame) {
        filter_other(line.text, out);
        return;
    }
    // The kernel and crash print return addresses, except for trapped code. Samples begin where
    // they were taken. tracefs may begin with the registers of a probe.
    const bool is_first = !state_.in_stack && frame->format != StackFormat::kTrace;
    AddressKind kind = kReturnAddress;
    if (frame->is_instruction || state_.was_interrupt_entry)
        kind = kInstruction;
    else if (is_first)
        kind = frame->format == StackFormat::kArrow ? kEither : kInstruction;
    state_.in_stack = true;
    state_.was_interrupt_entry = frame->enters_interrupt;
    if (std::exchange(state_.is_filled, false))
        out += line.text;
    else
        out += fill(*frame, kind, find_stack_frame, fill_line);
}

// This accepts lines that are not frames.
void StackFilter::filter_other(std::string_view line, std::string &out) {
    // perf script does so if debug information is installed.
    state_.is_filled = is_inlined_function(line);
    if (state_.is_filled) {
        out += line;
        return;
    }
    // perf script -F +srcline has lines between the frames of a stack.
    if (!is_indented(line) || line.find("<stack trace") != line.npos) {
        state_.in_stack = false;
        state_.was_interrupt_entry = false;
    }
    if (const auto offset = kernel_offset(line)) {
        symbolizer_.set_kaslr(*offset);
        forget();
    }
    if (const auto kernel = find_kernel_name(line)) {
        state_.origin.name(*kernel, state_.line);
        is_named_ = true;
    }
    if (const auto count = folded_count(line))
        filter_folded(line, *count, out);
    else
        out += line;
}

Symbolizer::InText StackFilter::look_up(const StackFrame &frame, AddressKind kind) const {
    Symbolizer::InText found = symbolizer_.find(frame, kind != kInstruction);
    const auto names = [](const ChainFrame &each) { return each.name; };
    if (kind == kEither &&
        !std::ranges::equal(found.frames, symbolizer_.find(frame, false).frames, {}, names, names))
        found.frames.clear();
    return found;
}

template <class Parse, class Fill>
std::string_view StackFilter::fill(Frame &frame, AddressKind kind, Parse parse, Fill fill) {
    if (state_.origin.is_other()) {
        state_.origin.count(false, "", state_.line);
        return frame.text;
    }
    std::string_view &filled = frame.filled[kind];
    if (filled.empty()) {
        const std::optional<StackFrame> parsed = parse(frame.text);
        const Symbolizer::InText found = look_up(*parsed, kind);
        frame.conflict[kind] = keep(found.conflict);
        frame.is_weighed[kind] = found.is_weighed;
        filled = keep(fill(frame.text, *parsed, found.frames));
    }
    turned_out_other_ |=
        state_.origin.count(frame.is_weighed[kind], frame.conflict[kind], state_.line);
    return filled;
}

// Tools read "(inlined)" at the end of a line of perf script. For people the call is printed as
// well.
std::string StackFilter::fill_line(std::string_view line, const StackFrame &frame,
                                   const std::vector<ChainFrame> &chain) {
    std::string out;
    for (size_t i = 0; i + 1 < chain.size(); i++) {
        out += line.substr(0, frame.name_begin);
        out += frame.format == StackFormat::kPerf ? inlined_text(chain[i])
                                                  : inlined_text_with_call(chain[i]);
        out += '\n';
    }
    out += line;
    return out;
}

// The outermost function comes first there, and tools mark what is inlined by "_[i]".
std::string StackFilter::fill_folded(std::string_view text, const StackFrame &,
                                     const std::vector<ChainFrame> &chain) {
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
        if (frame && !was_filled)
            frames[i] = fill(*frame, is_instruction ? kInstruction : kReturnAddress,
                             parse_folded_frame, fill_folded);
        is_instruction = frame && frame->enters_interrupt;
    }
    for (size_t i = 0; i < frames.size(); i++) {
        out += i == 0 ? "" : ";";
        out += frames[i];
    }
    out += line.substr(count);
}

}  // namespace btf_extra
