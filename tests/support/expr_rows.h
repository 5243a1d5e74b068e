// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Named rows of location expressions under one assertion body.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <span>
#include <string>

#include "tests/support/expr_bytes.h"
#include "tests/support/expr_context.h"
#include "tests/support/machine.h"
#include "userspace/format/core_api.h"
#include "userspace/generator/locations/location_expr.h"

namespace btf_extra::generator {

void PrintTo(const Location &location, std::ostream *out);

}  // namespace btf_extra::generator

namespace btf_extra::test {

struct Row {
    const char *name;
    Expr expression;
    uint64_t size;
    Location expected;
    std::string computed = "";  // the text of its expression; empty: it has none
};

constexpr ExprFormat kX86{};
constexpr ExprFormat kArm64{.registers = 32, .saved = 32};

Location at(uint32_t size, uint32_t flags, std::initializer_list<uint32_t> values);

// The flags of the wire format, in the combinations that occur.
constexpr uint32_t kPlain = LOC_REG;
constexpr uint32_t kSum = LOC_REG | LOC_OFFSET;
constexpr uint32_t kMemory = LOC_REG | LOC_DEREF;
constexpr uint32_t kMemorySum = LOC_REG | LOC_DEREF | LOC_OFFSET;
constexpr uint32_t kConst = LOC_CONST;

const Location kNoLocationHere = Location::missing(MissingReason::kNoLocationHere);
const Location kArithmetic = Location::missing(MissingReason::kArithmetic);
const Location kImplicit = Location::missing(MissingReason::kImplicitPointer);
const Location kEntry = Location::missing(MissingReason::kEntryValue);
const Location kStatic = Location::missing(MissingReason::kStaticMemory);
const Location kPieces = Location::missing(MissingReason::kPieces);
const Location kParameter = Location::missing(MissingReason::kParameterReference);
const Location kSize = Location::missing(MissingReason::kSize);
// Rows that accept any reason expect this.
const Location kRefused = Location::missing(MissingReason{0xff});

std::string hex(std::span<const uint8_t> bytes);

// Returns the text of an expression that locate() has made. The decoder refuses none.
std::string computed_text(const ExpressionCode &code, const ExprFormat &format);

// Returns "" if the record, or the code, gives the expression's bytes on every machine. A code may
// also give no value, but not on all machines: that is kNeverAvailable.
inline constexpr char kNeverAvailable[] = "the value is available on no machine";
std::string difference(const Location &location, const Expr &expression, uint64_t size,
                       const ExprFormat &format, TestContext &context,
                       std::span<const Machine> machines);

// Checks the expected record of each row, or the text of its code, and that these and the
// expression give the same bytes on 80 machines.
void check(std::span<const Row> rows, TestContext &context, const ExprFormat &format = kX86);
void check(std::span<const Row> rows);

}  // namespace btf_extra::test
