// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/expression_text.h"

#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace btf_extra {
namespace {

struct Names {
    std::function<std::string(uint32_t)> reg;
    std::function<std::string(uint64_t)> address;
};

// A part of the text. Parentheses are needed around it if an operator joins its operands.
struct Term {
    enum Kind { kNumber, kOperand, kSum, kBinary } kind = kOperand;
    std::string text;

    std::string operand() const { return kind <= kOperand ? text : "(" + text + ")"; }
    // The left side of a sum.
    std::string summand() const { return kind == kSum ? text : operand(); }
};

std::string number_text(uint64_t number) {
    return static_cast<int64_t>(number) < 0 ? fmt::format("-{:#x}", 0 - number)
                                            : fmt::format("{:#x}", number);
}

const char *operator_text(uint32_t code) {
    static constexpr const char *kTexts[] = {"+",  "-",  "*",  "&", "|",  "^", "<<", ">>",
                                             ">>", "==", "!=", "<", "<=", "<", "<="};
    return kTexts[code - LOC_CODE_ADD];
}

// Its operands are signed.
bool is_signed_operator(uint32_t code) {
    return code == LOC_CODE_SHIFT_RIGHT_SIGNED || code == LOC_CODE_LESS_SIGNED ||
           code == LOC_CODE_LESS_EQUAL_SIGNED;
}

Term binary(uint32_t code, const Term &left, const Term &right) {
    if (code == LOC_CODE_ADD_IF_NEGATIVE)
        return {Term::kBinary,
                fmt::format("(s64){0} < 0 ? {0} + {1} : {0}", left.operand(), right.operand())};
    const bool sum = code == LOC_CODE_ADD || code == LOC_CODE_SUBTRACT;
    const bool is_shift = code == LOC_CODE_SHIFT_RIGHT_SIGNED;
    const auto cast = [&](const Term &side) {
        return is_signed_operator(code) && side.kind != Term::kNumber ? "(s64)" : "";
    };
    std::string text = cast(left) + (sum ? left.summand() : left.operand());
    if (sum && right.kind == Term::kNumber && right.text[0] == '-')
        return {Term::kSum, text + " - " + right.text.substr(1)};
    return {sum ? Term::kSum : Term::kBinary,
            fmt::format("{} {} {}{}", text, operator_text(code), is_shift ? "" : cast(right),
                        right.operand())};
}

// Returns true if two steps divide by a power of 2.
bool is_division(const loc_step &add, const loc_step &shift) {
    return add.code == LOC_CODE_ADD_IF_NEGATIVE + LOC_CODE_WITH &&
           shift.code == LOC_CODE_SHIFT_RIGHT_SIGNED + LOC_CODE_WITH && shift.operand < 63 &&
           add.operand == (uint64_t{1} << shift.operand) - 1;
}

Term divided(const Term &left, uint64_t divisor) {
    return {Term::kBinary, fmt::format("(s64){} / {:#x}", left.operand(), divisor)};
}

Term extended(const loc_step &step, const Term &operand) {
    const bool is_signed = step.code == LOC_CODE_SIGN_EXTEND;
    if (!is_signed && step.bits != 8 && step.bits != 16 && step.bits != 32)
        return {Term::kBinary,
                fmt::format("{} & {:#x}", operand.operand(), (uint64_t{1} << step.bits) - 1)};
    return {Term::kOperand,
            fmt::format("({}{}){}", is_signed ? 's' : 'u', step.bits, operand.operand())};
}

std::string text_of(const loc_expression &expression, const Names &names) {
    std::vector<Term> stack;
    std::vector<std::string> pieces;
    const auto pop = [&] {
        Term top = std::move(stack.back());
        stack.pop_back();
        return top;
    };
    for (uint32_t i = 0; i < expression.nr_steps; i++) {
        const loc_step &step = expression.steps[i];
        const uint32_t code = step.code;
        if (code == LOC_CODE_REGISTER) {
            stack.push_back({Term::kOperand, names.reg(step.number)});
        } else if (code == LOC_CODE_NUMBER) {
            stack.push_back({Term::kNumber, number_text(step.operand)});
        } else if (code == LOC_CODE_ADDRESS) {
            stack.push_back({Term::kOperand, names.address(step.operand)});
        } else if (code == LOC_CODE_LOAD || code == LOC_CODE_LOAD_SIGNED) {
            Term address = pop();
            if (step.operand != 0)
                address = binary(LOC_CODE_ADD, address, {Term::kNumber, number_text(step.operand)});
            stack.push_back(
                {Term::kOperand, fmt::format("*({}{} *){}", code == LOC_CODE_LOAD ? 'u' : 's',
                                             step.bits, address.operand())});
        } else if (code == LOC_CODE_ZERO_EXTEND || code == LOC_CODE_SIGN_EXTEND) {
            stack.push_back(extended(step, pop()));
        } else if (code == LOC_CODE_NEGATE || code == LOC_CODE_COMPLEMENT) {
            stack.push_back(
                {Term::kOperand, (code == LOC_CODE_NEGATE ? "-" : "~") + pop().operand()});
        } else if (i + 1 < expression.nr_steps && is_division(step, expression.steps[i + 1])) {
            i++;
            stack.push_back(divided(pop(), step.operand + 1));
        } else if (code == LOC_CODE_FITS) {
            stack.push_back({Term::kOperand, fmt::format("fits({}, {})", pop().text, step.bits)});
        } else if (code == LOC_CODE_SELECT) {
            const Term condition = pop();
            const Term otherwise = pop();
            stack.push_back({Term::kBinary, fmt::format("{} ? {} : {}", condition.operand(),
                                                        pop().operand(), otherwise.operand())});
        } else if (code == LOC_CODE_PIECE) {
            pieces.push_back(fmt::format("{}:u{}", pop().operand(), step.bits));
        } else {
            const bool is_number = code >= LOC_CODE_ADD + LOC_CODE_WITH;
            const Term right = is_number ? Term{Term::kNumber, number_text(step.operand)} : pop();
            stack.push_back(binary(is_number ? code - LOC_CODE_WITH : code, pop(), right));
        }
    }
    return pieces.empty() ? stack.back().text : fmt::format("{{{}}}", fmt::join(pieces, ", "));
}

}  // namespace

std::string expression_text(const loc_expression &expression) {
    return text_of(
        expression,
        {.reg = [](uint32_t number) { return fmt::format("reg{}", number); },
         .address = [](uint64_t relative) { return fmt::format("(base + {:#x})", relative); }});
}

std::string expression_text_for_people(const loc_expression &expression, uint16_t machine,
                                       const AddressName &address_name) {
    return text_of(expression,
                   {.reg = [&](uint32_t number) { return register_name(machine, number); },
                    .address = [&](uint64_t relative) { return "&" + address_name(relative); }});
}

}  // namespace btf_extra
