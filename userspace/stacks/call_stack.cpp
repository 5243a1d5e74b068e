// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/stacks/call_stack.h"

#include <algorithm>

#include <fmt/format.h>

#include "userspace/stacks/chain_text.h"
#include "userspace/text/stack_text.h"

namespace btf_extra {
namespace {

// Takes away what is inlined in the callee and begins at its site, too.
Symbolizer::Named from_callee(Symbolizer::Named place, std::string_view callee) {
    if (!place.chain)
        return place;
    auto &frames = place.chain->frames;
    const auto found = std::ranges::find(frames, callee, &ChainFrame::name);
    if (found != frames.end())
        frames.erase(frames.begin(), found);
    return place;
}

}  // namespace

template <class Visit>
void CallStackText::for_each(std::string_view callee, const CallStack &stack,
                             const Visit &visit) const {
    bool was_interrupt_entry = false;
    for (size_t i = 0; i < stack.size(); i++) {
        const Symbolizer::Named &place = find_(stack[i], i != 0 && !was_interrupt_entry);
        was_interrupt_entry = is_interrupt_entry(place.function());
        if (i == 0)
            visit(from_callee(place, callee));
        else
            visit(place);
    }
}

void CallStackText::append_text(std::string &out, std::string_view callee,
                                const CallStack &stack) const {
    constexpr std::string_view kIndent = "    ";
    for_each(callee, stack,
             [&](const Symbolizer::Named &place) { out += place_text(place, kIndent); });
    if (stack.empty())
        out += fmt::format("{}?\n", kIndent);
}

CallStack CallStackText::completed(CallStack stack, uint64_t link, bool body) const {
    if (link == 0 || stack.empty())
        return stack;
    if (!body) {
        // A function that has called another one has a frame, and the link leads into it.
        const std::string function = find_(stack[0], false).function();
        if ((stack.size() > 1 && stack[1] == link) || find_(link, true).function() == function)
            return stack;
    }
    stack.insert(stack.begin() + 1, link);
    return stack;
}

std::string CallStackText::caller(std::string_view callee, bool inlined,
                                  const CallStack &stack) const {
    if (stack.empty())
        return "";
    if (inlined) {
        const Symbolizer::Named place = from_callee(find_(stack[0], false), callee);
        const bool known =
            place.chain && place.chain->frames.size() > 1 && place.chain->frames[0].name == callee;
        return known ? std::string(place.chain->frames[1].name) : "";
    }
    if (stack.size() < 2 || stack[1] == 0)
        return "";
    const Symbolizer::Named &place = find_(stack[1], true);
    return place.chain && !place.chain->frames.empty() ? std::string(place.chain->frames[0].name)
                                                       : place.function();
}

void CallStackText::append_json(std::string &out, std::string_view callee,
                                const CallStack &stack) const {
    if (stack.empty()) {
        out += "null";
        return;
    }
    char before = '[';
    for_each(callee, stack, [&](const Symbolizer::Named &place) {
        out += before;
        out += place_json(place);
        before = ',';
    });
    out += ']';
}

}  // namespace btf_extra
