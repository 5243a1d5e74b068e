// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/trace/trace_expression.h"

#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace btf_extra {
namespace {

// Deeper ones are a mistake.
constexpr int kMaxDepth = 32;

bool begins_name(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool continues_name(char c) {
    return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Result<std::vector<FilterStep>> filter() {
        TRY(parse_or(0));
        if (!ended())
            return unexpected("&& or ||");
        return std::move(steps_);
    }

    Result<std::vector<Operand>> paths() {
        std::vector<Operand> out;
        do {
            auto operand = TRY(path());
            out.push_back(std::move(operand));
        } while (take(","));
        if (!ended())
            return unexpected("->, . or [");
        return out;
    }

  private:
    void skip_spaces() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
            at_++;
    }
    bool ended() {
        skip_spaces();
        return at_ == text_.size();
    }
    char next() {
        skip_spaces();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(std::string_view token) {
        skip_spaces();
        if (!text_.substr(at_).starts_with(token))
            return false;
        at_ += token.size();
        return true;
    }
    Error unexpected(std::string_view wanted) {
        return ended() ? Error{fmt::format("'{}': {} is missing at the end", text_, wanted)}
                       : Error{fmt::format("'{}': expected {} before '{}'", text_, wanted,
                                           text_.substr(at_))};
    }

    Result<void> parse_or(int depth) {
        TRY(parse_and(depth));
        while (take("||")) {
            TRY(parse_and(depth));
            steps_.push_back({FilterStep::kOr, {}, {}});
        }
        return {};
    }

    Result<void> parse_and(int depth) {
        TRY(parse_not(depth));
        while (take("&&")) {
            TRY(parse_not(depth));
            steps_.push_back({FilterStep::kAnd, {}, {}});
        }
        return {};
    }

    Result<void> parse_not(int depth) {
        if (depth == kMaxDepth)
            return Error{fmt::format("'{}': too many parentheses", text_)};
        if (take("!")) {
            TRY(parse_not(depth + 1));
            steps_.push_back({FilterStep::kNot, {}, {}});
            return {};
        }
        // "(flags & 4) == 4" begins like a filter in parentheses.
        const size_t begin = at_;
        if (auto masked = masked_operand())
            return compare(std::move(*masked));
        at_ = begin;
        if (!take("("))
            return test();
        TRY(parse_or(depth + 1));
        return take(")") ? Result<void>() : unexpected(")");
    }

    Result<void> test() {
        Operand left = TRY(operand());
        if (!take_mask())
            return compare(std::move(left));
        left.mask = TRY(number()).number;
        if (comparison())
            return Error{fmt::format("'{}': write ({} & {:#x}) with parentheses", text_, left.text,
                                     left.mask)};
        return compare(std::move(left));
    }

    // Reads the rest of a comparison: the operator and its right side.
    Result<void> compare(Operand left) {
        if (left.kind != Operand::kPath)
            return Error{fmt::format("'{}': the left side must be a value of the call", text_)};
        FilterStep step = {FilterStep::kNotZero, std::move(left), {}};
        if (const auto code = comparison()) {
            step.code = *code;
            step.right = TRY(operand());
        }
        steps_.push_back(std::move(step));
        return {};
    }

    std::optional<FilterStep::Code> comparison() {
        static constexpr std::pair<std::string_view, FilterStep::Code> kCodes[] = {
            {"==", FilterStep::kEqual},     {"!=", FilterStep::kNotEqual},
            {"<=", FilterStep::kLessEqual}, {">=", FilterStep::kGreaterEqual},
            {"<", FilterStep::kLess},       {">", FilterStep::kGreater}};
        for (const auto &[token, code] : kCodes)
            if (take(token))
                return code;
        return {};
    }

    bool take_mask() {
        skip_spaces();
        return !text_.substr(at_).starts_with("&&") && take("&");
    }

    Result<Operand> masked_operand() {
        if (!take("("))
            return unexpected("(");
        Operand out = TRY(path());
        if (!take_mask())
            return unexpected("&");
        out.mask = TRY(number()).number;
        if (!take(")"))
            return unexpected(")");
        return out;
    }

    Result<Operand> operand() {
        const char c = next();
        if (c == '"')
            return quoted();
        if (c == '\'' || c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0)
            return number();
        return path();
    }

    Result<Operand> quoted() {
        take("\"");
        Operand out;
        out.kind = Operand::kText;
        const size_t end = text_.find('"', at_);
        if (end == text_.npos)
            return Error{fmt::format("'{}': unterminated text", text_)};
        out.text = text_.substr(at_, end - at_);
        at_ = end + 1;
        return out;
    }

    Result<Operand> number() {
        skip_spaces();
        const size_t begin = at_;
        Operand out;
        out.kind = Operand::kNumber;
        if (take("'")) {
            if (at_ + 1 >= text_.size() || text_[at_ + 1] != '\'')
                return unexpected("one character and '");
            out.number = static_cast<unsigned char>(text_[at_]);
            at_ += 2;
        } else {
            out.negative = take("-");
            const int base = text_.substr(at_).starts_with("0x") ? 16 : 10;
            if (base == 16)
                at_ += 2;
            const char *first = text_.data() + at_, *last = text_.data() + text_.size();
            const auto [end, error] = std::from_chars(first, last, out.number, base);
            if (end == first)
                return unexpected("a number");
            at_ += static_cast<size_t>(end - first);
            const uint64_t limit = out.negative ? uint64_t{1} << 63 : ~uint64_t{0};
            if (error != std::errc() || out.number > limit)
                return Error{fmt::format("'{}': {} has more than 64 bits", text_,
                                         text_.substr(begin, at_ - begin))};
            if (at_ < text_.size() && continues_name(text_[at_]))
                return unexpected("the end of a number");
            if (out.negative)
                out.number = 0 - out.number;
        }
        out.text = text_.substr(begin, at_ - begin);
        return out;
    }

    Result<std::string> name() {
        skip_spaces();
        const size_t begin = at_;
        if (!begins_name(next()))
            return unexpected("a name");
        while (at_ < text_.size() && continues_name(text_[at_]))
            at_++;
        return std::string(text_.substr(begin, at_ - begin));
    }

    Result<Operand> path() {
        skip_spaces();
        const size_t begin = at_;
        size_t stars = 0;
        while (take("*"))
            stars++;
        Operand out;
        out.name = TRY(name());
        if (take(":")) {
            out.object = std::move(out.name);
            out.name = TRY(name());
        }
        for (;;) {
            if (take("->")) {
                auto member = TRY(name());
                out.accesses.push_back({Access::kArrow, std::move(member)});
            } else if (take(".")) {
                auto member = TRY(name());
                out.accesses.push_back({Access::kDot, std::move(member)});
            } else if (take("[")) {
                const auto index = TRY(number());
                out.accesses.push_back({Access::kIndex, "", index.number});
                if (!take("]"))
                    return unexpected("]");
            } else {
                break;
            }
        }
        out.accesses.insert(out.accesses.end(), stars, {Access::kIndex, "", 0});
        out.text = text_.substr(begin, at_ - begin);
        while (std::isspace(static_cast<unsigned char>(out.text.back())) != 0)
            out.text.pop_back();
        return out;
    }

    std::string_view text_;
    size_t at_ = 0;
    std::vector<FilterStep> steps_;
};

}  // namespace

Result<std::vector<FilterStep>> parse_filter(std::string_view text) {
    return Parser(text).filter();
}

Result<std::vector<Operand>> parse_paths(std::string_view text) {
    return Parser(text).paths();
}

}  // namespace btf_extra
