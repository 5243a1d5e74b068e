// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/trace/trace_plan.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "userspace/text/c_type.h"

namespace btf_extra {
namespace {

constexpr size_t kTextBytes = TRACE_VALUE_WORDS * sizeof(uint64_t);

struct TaskWord {
    std::string_view name;
    trace_source source;
};
constexpr TaskWord kTaskWords[] = {
    {"comm", TRACE_COMM}, {"pid", TRACE_PID}, {"tgid", TRACE_TGID}, {"cpu", TRACE_CPU}};

// An error names the option.
template <class T> Result<T> named(std::string_view option, Result<T> parsed) {
    if (!parsed)
        return Error{fmt::format("{}: {}", option, parsed.error().message)};
    return parsed;
}

std::string_view text_of(const uint64_t *words) {
    const auto *text = reinterpret_cast<const char *>(words);
    return {text, strnlen(text, kTextBytes)};
}

class Planner {
  public:
    Planner(const btf_blob &blob, uint32_t func_id, const std::vector<std::string> &params,
            const FindVariable &find_variable)
        : blob_(blob), known_(func_params(blob, func_id)), params_(params),
          find_variable_(find_variable) {}

    Result<TracePlan> plan(const TraceQuery &query) {
        trace_plan &plan = out_.plan;
        plan.nr_args = static_cast<uint8_t>(std::min<size_t>(params_.size(), TRACE_EVENT_ARGS));
        for (const FilterStep &step : query.filter)
            TRY(add_step(step));
        plan.nr_filter = plan.nr_values;
        for (const Operand &each : query.shown) {
            const auto found = TRY(add_value(each, true));
            out_.shown.push_back({each.text, {}});
            if (!is_text(found.value))
                out_.shown.back().format = found.type_id != 0
                                               ? ValueFormat(*found.blob, found.type_id)
                                               : ValueFormat::number();
        }
        return std::move(out_);
    }

  private:
    static bool is_text(const trace_value &value) {
        return value.source == TRACE_COMM || value.is_text != 0;
    }

    Result<MemberPath> find(const Operand &path, bool as_text) const {
        if (!path.object.empty())
            return find_global(path, as_text);
        const auto param = std::ranges::find(params_, path.name);
        if (param != params_.end())
            return find_param(static_cast<size_t>(param - params_.begin()), path, as_text);
        const auto *word = std::ranges::find(kTaskWords, path.name, &TaskWord::name);
        if (word == std::end(kTaskWords))
            return find_global(path, as_text);
        if (!path.accesses.empty())
            return Error{fmt::format("{}: {} has no members", path.text, path.name)};
        MemberPath out = {};
        out.value.source = static_cast<uint8_t>(word->source);
        out.value.bits = word->source == TRACE_COMM ? 0 : 32;
        out.value.mask = ~uint64_t{0};
        return out;
    }

    Result<MemberPath> find_global(const Operand &path, bool as_text) const {
        const auto variable = find_variable_(path.object, path.name);
        if (!variable && variable.error().code == ENOENT && path.object.empty())
            return Error{fmt::format("{}: neither a parameter nor a variable of the kernel is "
                                     "called {}",
                                     path.text, path.name)};
        if (!variable)
            return variable.error();
        return find_in_variable(*variable, path, as_text, false);
    }

    // An error says if a variable of the kernel could be meant.
    Result<MemberPath> find_param(size_t number, const Operand &path, bool as_text) const {
        if (number >= known_.count || number >= BTF_EXTRA_ARGS_MAX)
            return Error{fmt::format("{}: the type of {} is not known", path.text, path.name)};
        auto found = find_member(blob_, static_cast<uint8_t>(number), known_.params[number].type,
                                 path, as_text);
        if (!found && find_variable_("", path.name))
            return Error{fmt::format("{}; {} is the parameter, and vmlinux:{} the variable",
                                     found.error().message, path.name, path.name)};
        return found;
    }

    Result<MemberPath> add_value(const Operand &path, bool as_text) {
        MemberPath found = TRY(find(path, as_text));
        trace_plan &plan = out_.plan;
        if (plan.nr_values == TRACE_VALUES)
            return Error{fmt::format("{}: more than {} values", path.text, TRACE_VALUES)};
        if (path.mask != ~uint64_t{0}) {
            found.value.mask = path.mask;
            found.value.is_signed = 0;
        }
        plan.values[plan.nr_values++] = found.value;
        return found;
    }

    Result<void> add_test(trace_test test) {
        if (out_.plan.nr_tests == TRACE_TESTS)
            return Error{fmt::format("the filter has more than {} tests", TRACE_TESTS)};
        out_.plan.tests[out_.plan.nr_tests++] = test;
        return {};
    }

    Result<void> add_code(trace_test_code code) {
        trace_test test = {};
        test.code = code;
        return add_test(test);
    }

    uint8_t last_value() const { return static_cast<uint8_t>(out_.plan.nr_values - 1); }

    Result<void> add_step(const FilterStep &step) {
        switch (step.code) {
        case FilterStep::kAnd:
            return add_code(TRACE_AND);
        case FilterStep::kOr:
            return add_code(TRACE_OR);
        case FilterStep::kNot:
            return add_code(TRACE_NOT);
        case FilterStep::kEqual:
        case FilterStep::kNotEqual:
            TRY(add_comparison(step, TRACE_EQUAL));
            return step.code == FilterStep::kEqual ? Result<void>() : add_code(TRACE_NOT);
        case FilterStep::kLess:
        case FilterStep::kGreaterEqual:
            TRY(add_comparison(step, TRACE_LESS));
            return step.code == FilterStep::kLess ? Result<void>() : add_code(TRACE_NOT);
        case FilterStep::kGreater:
        case FilterStep::kLessEqual:
            // The same with the sides exchanged.
            TRY(add_comparison(step, TRACE_LESS, true));
            return step.code == FilterStep::kGreater ? Result<void>() : add_code(TRACE_NOT);
        case FilterStep::kNotZero:
            return add_comparison(step, TRACE_NOT_ZERO);
        }
        return {};
    }

    Result<void> add_comparison(const FilterStep &step, trace_test_code code,
                                bool exchanged = false) {
        const bool with_text = step.right.kind == Operand::kText;
        const MemberPath left = TRY(add_value(step.left, with_text));
        trace_test test = {};
        test.code = code;
        test.left = last_value();
        test.right = TRACE_CONSTANT;
        if (is_text(left.value) || with_text)
            return add_text_test(step, left, test);
        TRY(check_number(step.left, left));
        if (code == TRACE_NOT_ZERO)
            return add_test(test);
        if (step.right.kind == Operand::kNumber) {
            test.constant = step.right.number;
            test.is_signed = step.right.negative;
        } else if (!constant_of(step.right, left, test)) {
            const MemberPath right = TRY(add_value(step.right, false));
            if (is_text(right.value))
                return Error{fmt::format("{}: a text is compared with a number", step.right.text)};
            TRY(check_number(step.right, right));
            test.right = last_value();
        }
        if (exchanged)
            std::swap(test.left, test.right);
        return add_test(test);
    }

    Result<void> check_number(const Operand &path, const MemberPath &found) const {
        const btf_type *type = found.type_id != 0 ? btf_type_strip(&blob_, found.type_id) : nullptr;
        if (found.value.bits > 64 || (type != nullptr && (loc_kind(type) == BTF_KIND_STRUCT ||
                                                          loc_kind(type) == BTF_KIND_UNION ||
                                                          loc_kind(type) == BTF_KIND_FLOAT)))
            return Error{fmt::format("{}: '{}' is not a number", path.text,
                                     c_declaration(blob_, found.type_id, ""))};
        return {};
    }

    Result<void> add_text_test(const FilterStep &step, const MemberPath &left, trace_test test) {
        if (!is_text(left.value))
            return Error{fmt::format("{}: '{}' is compared with a text", step.left.text,
                                     left.type_id != 0 ? c_declaration(blob_, left.type_id, "")
                                                       : "a number")};
        if (step.right.kind != Operand::kText || test.code != TRACE_EQUAL)
            return Error{
                fmt::format("{}: a text is compared by == or != with a text", step.left.text)};
        // One that is cut has a character more, so that it is equal to none.
        if (step.right.text.size() > kTextBytes - 2)
            return Error{
                fmt::format("\"{}\": longer than {} characters", step.right.text, kTextBytes - 2)};
        if (nr_texts_ == TRACE_TEXTS)
            return Error{fmt::format("the filter has more than {} texts", TRACE_TEXTS)};
        std::memcpy(out_.plan.texts[nr_texts_], step.right.text.data(), step.right.text.size());
        test.code = TRACE_EQUAL_TEXT;
        test.right = static_cast<uint8_t>(nr_texts_++);
        return add_test(test);
    }

    // true, false, NULL, or an enumerator of the type on the left; false: it is none.
    bool constant_of(const Operand &operand, const MemberPath &left, trace_test &test) const {
        if (!operand.accesses.empty() || std::ranges::find(params_, operand.name) != params_.end())
            return false;
        if (operand.name == "true" || operand.name == "false" || operand.name == "NULL") {
            test.constant = operand.name == "true" ? 1 : 0;
            return true;
        }
        if (left.type_id == 0)
            return false;
        const auto value = ValueFormat(*left.blob, left.type_id).value_of(operand.name);
        if (!value)
            return false;
        test.constant = *value;
        test.is_signed = left.value.is_signed;
        return true;
    }

    const btf_blob &blob_;
    const FuncParams known_;
    const std::vector<std::string> &params_;
    const FindVariable &find_variable_;
    TracePlan out_ = {};
    size_t nr_texts_ = 0;
};

}  // namespace

Result<TraceQuery> TraceQuery::parse(const std::string &filter, const std::string &show,
                                     const std::string &summary) {
    TraceQuery out;
    if (!filter.empty())
        out.filter = TRY(named("--filter", parse_filter(filter)));
    if (!show.empty())
        out.shown = TRY(named("--show", parse_paths(show)));
    if (summary == "site") {
        out.summary = TRACE_BY_SITE;
    } else if (summary == "caller") {
        out.summary = TRACE_BY_CALLER;
    } else if (!summary.empty()) {
        out.summary = TRACE_BY_VALUE;
        out.shown = TRY(named("--summary", parse_paths(summary)));
        if (out.shown.size() > 1)
            return Error{"--summary: one value, site, or caller"};
    }
    return out;
}

void ShownValue::append_text(std::string &out, const uint64_t *words) const {
    if (format)
        return format->append_text(out, {words[0], words[1]});
    out += '"';
    for (char c : text_of(words))
        out += c < ' ' || c > '~' ? '?' : c;
    out += '"';
}

void ShownValue::append_json(std::string &out, const uint64_t *words) const {
    if (format)
        format->append_json(out, {words[0], words[1]});
    else
        out += nlohmann::json(text_of(words))
                   .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<TracePlan> make_plan(const btf_blob &blob, uint32_t func_id,
                            const std::vector<std::string> &params, const TraceQuery &query,
                            const FindVariable &find_variable) {
    return Planner(blob, func_id, params, find_variable).plan(query);
}

}  // namespace btf_extra
