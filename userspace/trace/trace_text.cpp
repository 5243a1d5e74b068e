// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/trace/trace_text.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace btf_extra {
namespace {

constexpr uint64_t kMicrosecond = 1000, kSecond = 1'000'000'000;

struct Decoded {
    trace_event head;
    std::span<const std::byte> args, shown;
    CallStack stack;

    // Nothing: the parameter has no location there.
    bool arg(size_t param, uint64_t (&value)[2]) const {
        if (param >= TRACE_EVENT_ARGS || (head.present >> param & 1) == 0 ||
            (param + 1) * sizeof(value) > args.size())
            return false;
        std::memcpy(value, args.data() + param * sizeof(value), sizeof(value));
        return true;
    }

    // Nothing: a value on the path is missing.
    bool shown_value(size_t number, uint64_t (&words)[TRACE_VALUE_WORDS]) const {
        if ((head.shown >> number & 1) == 0 || (number + 1) * sizeof(words) > shown.size())
            return false;
        std::memcpy(words, shown.data() + number * sizeof(words), sizeof(words));
        return true;
    }

    // A thread's name is any bytes.
    std::string comm() const {
        std::string out(head.comm, strnlen(head.comm, sizeof(head.comm)));
        std::ranges::replace_if(
            out, [](char c) { return c < ' ' || c > '~'; }, '?');
        return out;
    }
};

std::optional<Decoded> decode(std::span<const std::byte> event,
                              const std::vector<TracedFunc> &funcs) {
    Decoded out;
    if (event.size() < sizeof(out.head))
        return {};
    std::memcpy(&out.head, event.data(), sizeof(out.head));
    if (out.head.func >= funcs.size())
        return {};
    event = event.subspan(sizeof(out.head));
    const size_t nr_args = std::min<size_t>(funcs[out.head.func].params.size(), TRACE_EVENT_ARGS);
    out.args = event.first(std::min(nr_args * 2 * sizeof(uint64_t), event.size()));
    event = event.subspan(out.args.size());
    const size_t nr_shown = funcs[out.head.func].shown.size();
    out.shown =
        event.first(std::min(nr_shown * TRACE_VALUE_WORDS * sizeof(uint64_t), event.size()));
    event = event.subspan(out.shown.size());
    if (out.head.nr_frames > event.size() / sizeof(uint64_t))
        return {};
    if (out.head.nr_frames != 0) {
        out.stack.resize(out.head.nr_frames);
        std::memcpy(out.stack.data(), event.data(), out.stack.size() * sizeof(uint64_t));
        // A kprobe names the byte after its breakpoint.
        out.stack.front() = out.head.ip;
    }
    return out;
}

void append_quoted(std::string &out, std::string_view text) {
    out += '"';
    for (char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    out += '"';
}

}  // namespace

const TracedSite &TraceText::site(uint32_t func, uint64_t ip) const {
    static const TracedSite kUnknown = {"", "?"};
    auto found = sites_.find({func, ip});
    return found != sites_.end() ? found->second : kUnknown;
}

CallStack TraceText::stack_of(const trace_event &event, CallStack stack) const {
    const TracedSite &place = site(event.func, event.ip);
    return place.unwinds ? stacks_->completed(std::move(stack), event.link, place.is_body())
                         : CallStack();
}

bool TraceText::append_text(std::string &out, std::span<const std::byte> bytes) const {
    const auto event = decode(bytes, funcs_);
    if (!event)
        return false;
    const trace_event &head = event->head;
    const TracedFunc &func = funcs_[head.func];
    const TracedSite &place = site(head.func, head.ip);
    auto to = std::back_inserter(out);
    fmt::format_to(to, "{:5}.{:06} [{:03}] {}-{} {} ", head.time / kSecond,
                   head.time % kSecond / kMicrosecond, head.cpu, event->comm(), head.pid,
                   func.name);
    if (place.symbol.empty())
        fmt::format_to(to, "{:#x}", head.ip);
    else
        out += place.symbol;
    out += ' ';
    out += place.kind;
    for (size_t i = 0; i < func.params.size(); i++) {
        out += ' ';
        out += func.params[i].name;
        out += '=';
        if (uint64_t value[2]; event->arg(i, value))
            func.params[i].format.append_text(out, value);
        else
            out += '?';
    }
    for (size_t i = 0; i < func.shown.size(); i++) {
        out += ' ';
        out += func.shown[i].text;
        out += '=';
        if (uint64_t words[TRACE_VALUE_WORDS]; event->shown_value(i, words))
            func.shown[i].append_text(out, words);
        else
            out += '?';
    }
    out += '\n';
    if (stacks_)
        stacks_->append_text(out, func.name, stack_of(head, event->stack));
    return true;
}

bool TraceText::append_json(std::string &out, std::span<const std::byte> bytes) const {
    const auto event = decode(bytes, funcs_);
    if (!event)
        return false;
    const trace_event &head = event->head;
    const TracedFunc &func = funcs_[head.func];
    const TracedSite &place = site(head.func, head.ip);
    auto to = std::back_inserter(out);
    fmt::format_to(to, R"({{"time":{}.{:09},"cpu":{},"comm":)", head.time / kSecond,
                   head.time % kSecond, head.cpu);
    append_quoted(out, event->comm());
    fmt::format_to(to, R"(,"pid":{},"tgid":{},"object":"{}","function":"{}","address":"{:#x}",)",
                   head.pid, head.tgid, func.object, func.name, head.ip);
    out += R"("symbol":)";
    if (place.symbol.empty())
        out += "null";
    else
        append_quoted(out, place.symbol);
    fmt::format_to(to, R"(,"site":"{}","args":{{)", place.kind);
    for (size_t i = 0; i < func.params.size(); i++) {
        if (i != 0)
            out += ',';
        append_quoted(out, func.params[i].name);
        out += ':';
        if (uint64_t value[2]; event->arg(i, value))
            func.params[i].format.append_json(out, value);
        else
            out += "null";
    }
    out += '}';
    if (!func.shown.empty()) {
        out += R"(,"show":)";
        char before = '{';
        for (size_t i = 0; i < func.shown.size(); i++) {
            out += before;
            append_quoted(out, func.shown[i].text);
            out += ':';
            if (uint64_t words[TRACE_VALUE_WORDS]; event->shown_value(i, words))
                func.shown[i].append_json(out, words);
            else
                out += "null";
            before = ',';
        }
        out += '}';
    }
    if (stacks_) {
        out += R"(,"stack":)";
        stacks_->append_json(out, func.name, stack_of(head, event->stack));
    }
    out += "}\n";
    return true;
}

}  // namespace btf_extra
