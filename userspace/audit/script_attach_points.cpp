// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads as much of bpftrace's language as it takes to find probes and the arguments that they read.
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>

#include <fmt/format.h>

#include "userspace/audit/attach_points.h"
#include "userspace/format/hex_number.h"

namespace btf_extra::audit {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Replaces comments and the contents of strings by spaces, and keeps the lines.
std::string without_comments(std::string_view script) {
    std::string out(script);
    enum class In { kCode, kLine, kBlock, kString } in = In::kCode;
    for (size_t i = 0; i < out.size(); i++) {
        const char c = out[i], next = i + 1 < out.size() ? out[i + 1] : '\0';
        switch (in) {
        case In::kCode:
            if (c == '/' && next == '/')
                in = In::kLine;
            else if (c == '/' && next == '*')
                in = In::kBlock;
            else if (c == '"')
                in = In::kString;
            if (in == In::kLine || in == In::kBlock) {
                out[i] = ' ';
                out[++i] = ' ';
            }
            break;
        case In::kLine:
            if (c == '\n')
                in = In::kCode;
            else
                out[i] = ' ';
            break;
        case In::kBlock:
            if (c == '*' && next == '/') {
                out[i] = ' ';
                out[++i] = ' ';
                in = In::kCode;
            } else if (c != '\n') {
                out[i] = ' ';
            }
            break;
        case In::kString:
            if (c == '\\' && next != '\0' && next != '\n')
                out[i++] = ' ';
            else if (c == '"')
                in = In::kCode;
            if (in == In::kString && out[i] != '\n')
                out[i] = ' ';
            break;
        }
    }
    return out;
}

// Returns the arguments in a predicate or a block: arg0, args.name, args->name.
ContextReads arguments_in(std::string_view code) {
    ContextReads out;
    out.known = true;
    for (size_t i = 0; i < code.size();) {
        if (!is_word(code[i]) || (i != 0 && (code[i - 1] == '$' || code[i - 1] == '@'))) {
            i++;
            continue;
        }
        const size_t begin = i;
        while (i < code.size() && is_word(code[i]))
            i++;
        const std::string_view word = code.substr(begin, i - begin);
        // The member of something else.
        if (begin != 0 && (code[begin - 1] == '.' || code.substr(0, begin).ends_with("->")))
            continue;
        if (word == "reg") {
            out.known = false;
        } else if (word == "args") {
            std::string_view rest = code.substr(i);
            const size_t skip = rest.starts_with('.') ? 1 : rest.starts_with("->") ? 2 : 0;
            size_t size = 0;
            while (skip + size < rest.size() && is_word(rest[skip + size]))
                size++;
            if (skip == 0 || size == 0)
                out.known = false;
            else
                out.names.emplace(rest.substr(skip, size));
        } else if (word.starts_with("arg") && word.size() == 4 && word[3] >= '0' &&
                   word[3] <= '9') {
            out.arguments.insert(static_cast<uint32_t>(word[3] - '0'));
        }
    }
    return out;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpaces = " \t\r\n";
    const size_t begin = text.find_first_not_of(kSpaces);
    return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// Returns true if the text before a block is no probe.
bool is_declaration(std::string_view text) {
    constexpr std::array<std::string_view, 7> kWords = {"config", "struct", "union",  "enum",
                                                        "fn",     "macro",  "subprog"};
    const std::string_view word(text.begin(), std::ranges::find_if_not(text, is_word));
    return std::ranges::count(kWords, word) != 0;
}

class Script {
  public:
    Script(std::string_view code, const std::string &name) : code_(code), name_(name) {}

    Result<AttachPoints> read() {
        while (at_ < code_.size()) {
            const char c = code_[at_];
            if (c == '#' && trimmed(code_.substr(begin_, at_ - begin_)).empty()) {
                at_ = std::min(code_.find('\n', at_), code_.size());
                begin_ = at_;
            } else if (c == ';') {
                begin_ = ++at_;
            } else if (c == '{' || is_predicate()) {
                TRY(clause());
            } else {
                at_++;
            }
        }
        if (!trimmed(code_.substr(begin_)).empty())
            return error("a probe without a block");
        return std::move(out_);
    }

  private:
    // A '/' after a space begins a predicate; others are in paths of probes.
    bool is_predicate() const {
        return code_[at_] == '/' && at_ != 0 &&
               std::isspace(static_cast<unsigned char>(code_[at_ - 1]));
    }

    Error error(std::string_view what) const {
        const auto line = 1 + std::ranges::count(code_.substr(0, begin_), '\n');
        return Error{fmt::format("{}:{}: {}", name_, line, what), EINVAL};
    }

    // Reads the rest of "probe, probe /predicate/ { block }".
    Result<void> clause() {
        const std::string_view heads = trimmed(code_.substr(begin_, at_ - begin_));
        begin_ += code_.substr(begin_).find_first_not_of(" \t\r\n");
        const size_t body = at_;
        if (code_[at_] == '/') {
            at_ = code_.find('{', at_);
            if (at_ == code_.npos)
                return error("a probe without a block");
        }
        size_t depth = 0;
        do {
            if (at_ == code_.size())
                return error("a block without its end");
            depth += code_[at_] == '{';
            depth -= code_[at_] == '}';
            at_++;
        } while (depth != 0);
        if (!is_declaration(heads))
            TRY(add(heads, arguments_in(code_.substr(body, at_ - body))));
        begin_ = at_;
        return {};
    }

    Result<void> add(std::string_view heads, const ContextReads &reads) {
        for (size_t from = 0; from <= heads.size();) {
            const size_t comma = std::min(heads.find(',', from), heads.size());
            const std::string_view head = trimmed(heads.substr(from, comma - from));
            from = comma + 1;
            auto point = parse_bpftrace_probe(head);
            if (!point)
                return error(point.error().message);
            if (!*point) {
                out_.others += !head.empty();
                continue;
            }
            (*point)->reads = reads;
            (*point)->origin = name_;
            out_.points.push_back(std::move(**point));
        }
        return {};
    }

    const std::string_view code_;
    const std::string &name_;
    size_t at_ = 0, begin_ = 0;  // begin_: of the text that may be heads
    AttachPoints out_;
};

}  // namespace

Result<AttachPoints> script_attach_points(std::string_view script, const std::string &name) {
    const std::string code = without_comments(script);
    return Script(code, name).read();
}

}  // namespace btf_extra::audit
