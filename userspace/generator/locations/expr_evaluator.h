// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Executes a DWARF location expression on symbols: registers have no values here, but what the
// expression computes from them has a form. That is a SymbolicValue or a PostfixValue.
#ifndef BTF_EXTRA_EXPR_EVALUATOR_H
#define BTF_EXTRA_EXPR_EVALUATOR_H

#include <cstdint>
#include <span>
#include <vector>

#include "userspace/generator/locations/expr_context.h"
#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// The result of an expression, or of a piece of one.
template <class Value> struct ExprPlace {
    enum Kind : uint8_t { kNone, kRegister, kMemory, kValue, kBytes, kMissing } kind = kNone;
    uint32_t reg = 0;
    Value value;                     // address or value
    std::span<const uint8_t> bytes;  // DW_OP_implicit_value
    MissingReason reason{};
};

template <class Value> struct ExprPiece {
    ExprPlace<Value> place;
    uint64_t size = 0;  // bytes
    bool whole = true;  // not a bit piece
};

template <class Value> struct ExprResult {
    std::vector<ExprPiece<Value>> pieces;
    ExprPlace<Value> place;  // after the last piece, if there are pieces
};

// The place is kMissing, and there are no pieces, if the expression as a whole has no location. The
// bytes of a result are those of the expression.
template <class Value>
ExprResult<Value> evaluate(std::span<const uint8_t> expression, const ExprFormat &format,
                           ExprContext &context);

}  // namespace btf_extra::generator

#endif
