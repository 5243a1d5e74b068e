// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The meaning of a decoded DWARF expression on a concrete machine, by DWARF 5, 2.5 and 2.6. It
// shares nothing with the code under test. The rows of expressions decode bytes for it
// (expr_reference.h), and the oracle has libdw decode (libdw_location.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tests/support/expr_bytes.h"
#include "tests/support/machine.h"

namespace btf_extra::test {

// The type that an operation gives its result.
struct OperandType {
    // kOther: it is no integer of 1 to 8 bytes, and its values are undefined.
    enum Kind : uint8_t { kGeneric, kInteger, kOther } kind = kGeneric;
    uint32_t bytes = 8;
    bool is_signed = false;
    uint32_t bits = 0;  // of an unsigned type that has fewer than its bytes; 0: all
};

// Stands for an operation that has no meaning here: a pointer to another object, a part of a byte,
// a call.
constexpr Op kNotCovered = Op::kCall4;

struct DwarfOperation {
    Op op;
    size_t offset = 0;                // of the operation in the expression
    uint64_t number = 0, second = 0;  // the operands in their order; signed ones are extended
    OperandType type = {};
    std::vector<uint8_t> bytes = {};         // of an implicit value, or a typed constant
    std::vector<DwarfOperation> inner = {};  // of an entry value
};

// The run-time address of a link-time address.
struct LinkedAddress {
    enum Kind : uint8_t { kMoves, kFixed, kElsewhere } kind = kElsewhere;
    uint64_t relative = 0;  // kMoves: distance to the base of the object
};

struct CfaRule {
    uint64_t reg = 0;
    int64_t offset = 0;
};

// The site where an expression is evaluated.
struct LocationPlace {
    std::function<std::optional<CfaRule>()> cfa;
    std::vector<DwarfOperation> frame_base = {};  // empty: there is none
    bool at_function_entry = false;
    std::function<LinkedAddress(uint64_t)> linked_address;
    std::function<std::optional<uint64_t>(uint64_t)> indexed_address = {};  // of .debug_addr
    uint64_t registers = 32;  // those with a higher number are undefined
};

// The bytes of a parameter. A byte is nullopt if the expression does not define it.
using ParamBytes = std::vector<std::optional<uint8_t>>;

// size: the length of the expression in bytes, to which a jump may go. All bytes are undefined if
// the expression is malformed or not covered here (floating point).
ParamBytes evaluate(std::span<const DwarfOperation> operations, size_t size, uint64_t param_size,
                    const LocationPlace &place, const Machine &machine);

}  // namespace btf_extra::test
