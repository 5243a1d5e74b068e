// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/expr_rows.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/support/code_reference.h"
#include "tests/support/expr_reference.h"
#include "tests/support/record_reference.h"
#include "userspace/text/expression_text.h"

namespace btf_extra::generator {

void PrintTo(const Location &location, std::ostream *out) {
    if (location == test::kRefused) {
        *out << "not available, for any reason";
        return;
    }
    if (!location.available()) {
        *out << "not available: " << text(location.reason);
        return;
    }
    static constexpr std::pair<uint32_t, const char *> kNames[] = {
        {LOC_SIGNED, "SIGNED "}, {LOC_CONST, "CONST "}, {LOC_ADDR, "ADDR "},
        {LOC_REG, "REG "},       {LOC_DEREF, "DEREF "}, {LOC_OFFSET, "OFFSET "}};
    for (const auto &[flag, name] : kNames) {
        if (location.param.flags & flag)
            *out << name;
    }
    *out << "size " << location.param.size << " {" << std::hex;
    for (uint32_t i = 0; i < location.param.vlen && i < location.param.values.size(); i++)
        *out << (i ? ", 0x" : "0x") << location.param.values[i];
    *out << "}" << std::dec;
}

}  // namespace btf_extra::generator

namespace btf_extra::test {

Location at(uint32_t size, uint32_t flags, std::initializer_list<uint32_t> values) {
    Location location;
    location.param.size = size;
    location.param.flags = flags;
    for (const uint32_t value : values)
        location.param.values[location.param.vlen++] = value;
    return location;
}

std::string hex(std::span<const uint8_t> bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string result;
    for (const uint8_t byte : bytes) {
        result += kDigits[byte >> 4];
        result += kDigits[byte & 15];
        result += ' ';
    }
    return result;
}

std::string computed_text(const ExpressionCode &code, const ExprFormat &format) {
    if (code.empty())
        return {};
    const auto expression = decoded(code, format);
    return expression ? expression_text_for_people(
                            *expression, machine_of(format),
                            [](uint64_t relative) { return "base+" + std::to_string(relative); })
                      : "(invalid)";
}

std::string difference(const Location &location, const Expr &expression, uint64_t size,
                       const ExprFormat &format, TestContext &context,
                       std::span<const Machine> machines) {
    if (!location.available() && !decoded(location.code, format))
        return "no valid code";
    bool available = false;
    for (const Machine &machine : machines) {
        const auto record = location.available()
                                ? record_bytes(location.param, size, format.registers, machine)
                                : code_bytes(location.code, size, format, machine);
        if (!record && location.available())
            return "no accepted combination";
        if (!record)
            continue;  // a check fails
        available = true;
        std::vector<uint8_t> defined;
        for (const auto byte : expression_bytes(expression.bytes, size, context, machine)) {
            if (!byte)
                return "the expression defines no value";
            defined.push_back(*byte);
        }
        if (defined != *record)
            return "on machine " + std::to_string(&machine - machines.data()) +
                   " the expression gives " + hex(defined) + "and the result " + hex(*record);
    }
    return available ? "" : kNeverAvailable;
}

void check(std::span<const Row> rows, TestContext &context, const ExprFormat &format) {
    static const std::vector<Machine> machines = machine_states(80);
    for (const Row &row : rows) {
        SCOPED_TRACE(std::string(row.name) + ": " + hex(row.expression.bytes) + "as " +
                     std::to_string(row.size) + " bytes");
        const Location found = locate(row.expression.bytes, row.size, format, context);
        if (row.expected != kRefused || found.available()) {
            EXPECT_EQ(found, (Location{row.expected.param, row.expected.reason, found.code}));
        }
        EXPECT_EQ(computed_text(found.code, format), row.computed);
        if (found.available() || !found.code.empty()) {
            EXPECT_EQ(difference(found, row.expression, row.size, format, context, machines), "");
        }
    }
}

void check(std::span<const Row> rows) {
    TestContext context;
    check(rows, context);
}

}  // namespace btf_extra::test
