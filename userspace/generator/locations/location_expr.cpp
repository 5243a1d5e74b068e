// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/locations/location_expr.h"

#include "userspace/generator/locations/constant_location.h"
#include "userspace/generator/locations/expr_evaluator.h"
#include "userspace/generator/locations/loc_param.h"
#include "userspace/generator/locations/postfix_place.h"
#include "userspace/generator/locations/symbolic_value.h"

namespace btf_extra::generator {

namespace {

using Place = ExprPlace<SymbolicValue>;
using Piece = ExprPiece<SymbolicValue>;

Location lower(const Place &place, uint32_t size, const ExprFormat &format, ExprContext &context) {
    switch (place.kind) {
    case Place::kNone:
        return Location::missing(MissingReason::kNoLocationHere);
    case Place::kRegister:
        if (place.reg >= format.registers)
            return Location::missing(MissingReason::kArithmetic);
        if (size > 8)
            return Location::missing(MissingReason::kPieces);
        return {.param = loc_param::in_register(place.reg, 0, size, loc_param::kFull)};
    case Place::kMemory:
        return place.value.as_memory(size, format.registers);
    case Place::kValue:
        return place.value.as_value(size, format.registers, context);
    case Place::kBytes:
        return constant(place.bytes, size);
    case Place::kMissing:
        return Location::missing(place.reason);
    }
    return Location::missing(MissingReason::kArithmetic);
}

// Locates a value that is in several places. The format can express two whole registers, and one
// piece that is all of the value.
Location lower_pieces(const std::vector<Piece> &pieces, uint32_t size, const ExprFormat &format,
                      ExprContext &context) {
    for (const Piece &piece : pieces)
        if (piece.place.kind == Place::kMissing)
            return Location::missing(piece.place.reason);
    const Piece &first = pieces.front();
    if (pieces.size() == 1 && first.whole && first.size >= size && first.place.kind != Place::kNone)
        return lower(first.place, size, format, context);
    if (pieces.size() == 2 && first.whole && pieces[1].whole && size > 8 && first.size == 8 &&
        pieces[1].size == size - 8 && first.place.kind == Place::kRegister &&
        pieces[1].place.kind == Place::kRegister && first.place.reg < format.registers &&
        pieces[1].place.reg < format.registers)
        return {.param = loc_param::register_pair(first.place.reg, pieces[1].place.reg, size)};
    return Location::missing(MissingReason::kPieces);
}

// Locates a parameter by a LOC_PARAM.
Location locate_by_record(std::span<const uint8_t> expression, uint32_t size,
                          const ExprFormat &format, ExprContext &context) {
    const ExprResult<SymbolicValue> found = evaluate<SymbolicValue>(expression, format, context);
    if (found.pieces.empty())
        return lower(found.place, size, format, context);
    if (found.place.kind != Place::kNone)  // something after the last piece
        return Location::missing(MissingReason::kArithmetic);
    return lower_pieces(found.pieces, size, format, context);
}

// Returns the code of a parameter that no record locates.
ExpressionCode compute(std::span<const uint8_t> expression, uint32_t size, const ExprFormat &format,
                       ExprContext &context) {
    ExprFormat of_saved = format;
    of_saved.registers = format.saved;
    return code_of(evaluate<PostfixValue>(expression, of_saved, context), size, of_saved);
}

bool may_be_computed(MissingReason reason) {
    return reason == MissingReason::kArithmetic || reason == MissingReason::kPieces ||
           reason == MissingReason::kStaticMemory;
}

}  // namespace

Location locate(std::span<const uint8_t> expression, uint64_t param_size, const ExprFormat &format,
                ExprContext &context) {
    if (expression.empty())
        return Location::missing(MissingReason::kNoLocationHere);
    if (param_size == 0 || param_size > 16)
        return Location::missing(MissingReason::kSize);
    const auto size = static_cast<uint32_t>(param_size);
    Location found = locate_by_record(expression, size, format, context);
    if (!found.available() && may_be_computed(found.reason))
        found.code = compute(expression, size, format, context);
    return found;
}

}  // namespace btf_extra::generator
