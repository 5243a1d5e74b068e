// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/stack_filter.h"

#include <vector>

#include <fmt/format.h>

#include "userspace/cli/chain_text.h"

namespace btf_extra {
namespace {

// Tools read "(inlined)" at the end of a line of perf script. People want to know the call as well.
void append_inlined(std::string &out, std::string_view line, const StackFrame &frame,
                    const ChainFrame &inlined) {
    out += line.substr(0, frame.name_begin);
    out += frame.format == StackFormat::kPerf ? inlined_text(inlined)
                                              : inlined_text_with_call(inlined);
    out += '\n';
}

}  // namespace

std::string StackFilter::filter(std::string_view line) {
    if (const auto offset = kernel_offset(line))
        symbolizer_.set_kaslr(*offset);
    if (const auto count = folded_count(line))
        return filter_folded(line, *count);
    const auto frame = find_stack_frame(line);
    if (!frame) {
        in_stack_ = false;
        was_interrupt_entry_ = false;
        return std::string(line);
    }
    // The kernel prints return addresses, but for what was trapped. Samples begin where they were
    // taken.
    const bool is_first = !in_stack_ && frame->format != StackFormat::kTrace;
    const bool is_instruction = frame->is_instruction || is_first || was_interrupt_entry_;
    in_stack_ = true;
    was_interrupt_entry_ = is_interrupt_entry(frame->symbol);
    std::string out;
    const std::vector<ChainFrame> &chain = symbolizer_.find(*frame, !is_instruction);
    for (size_t i = 0; i + 1 < chain.size(); i++)
        append_inlined(out, line, *frame, chain[i]);
    out += line;
    return out;
}

// The outermost function comes first there, and tools mark what is inlined by "_[i]".
std::string StackFilter::filter_folded(std::string_view line, size_t count) {
    std::string out;
    bool was_interrupt_entry = false;
    std::string_view rest = line.substr(0, count);
    std::vector<std::string_view> texts;
    for (size_t end = 0; end != rest.npos;) {
        end = rest.find(';');
        texts.push_back(rest.substr(0, end));
        rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
    std::vector<std::string> frames(texts.size());
    for (size_t i = texts.size(); i-- > 0;) {
        frames[i] = texts[i];
        const auto frame = parse_folded_frame(texts[i]);
        if (!frame) {
            was_interrupt_entry = false;
            continue;
        }
        const bool is_instruction = i + 1 == texts.size() || was_interrupt_entry;
        was_interrupt_entry = is_interrupt_entry(frame->symbol);
        const std::vector<ChainFrame> &chain = symbolizer_.find(*frame, !is_instruction);
        for (size_t n = chain.empty() ? 0 : chain.size() - 1; n-- > 0;)
            frames[i] += fmt::format(";{}_[i]", chain[n].name);
    }
    for (size_t i = 0; i < frames.size(); i++)
        out += (i == 0 ? "" : ";") + frames[i];
    out += line.substr(count);
    return out;
}

}  // namespace btf_extra
