// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/locations/location_expr.h"

#include "userspace/generator/locations/constant_location.h"
#include "userspace/generator/locations/expr_evaluator.h"
#include "userspace/generator/locations/loc_param.h"
#include "userspace/generator/locations/symbolic_value.h"

namespace btf_extra::generator {

namespace {

Location lower(const ExprPlace &place, uint32_t size, const ExprFormat &format,
               ExprContext &context) {
    switch (place.kind) {
    case ExprPlace::kNone:
        return Location::missing(MissingReason::kNoLocationHere);
    case ExprPlace::kRegister:
        if (place.reg >= format.registers)
            return Location::missing(MissingReason::kArithmetic);
        if (size > 8)
            return Location::missing(MissingReason::kPieces);
        return {.param = loc_param::in_register(place.reg, 0, size, loc_param::kFull)};
    case ExprPlace::kMemory:
        return place.value.as_memory(size, format.registers);
    case ExprPlace::kValue:
        return place.value.as_value(size, format.registers, context);
    case ExprPlace::kBytes:
        return constant(place.bytes, size);
    case ExprPlace::kMissing:
        return Location::missing(place.reason);
    }
    return Location::missing(MissingReason::kArithmetic);
}

// Locates a value that is in several places. The format can express two whole registers, and one
// piece that is all of the value.
Location lower_pieces(const std::vector<ExprPiece> &pieces, uint32_t size, const ExprFormat &format,
                      ExprContext &context) {
    for (const ExprPiece &piece : pieces)
        if (piece.place.kind == ExprPlace::kMissing)
            return Location::missing(piece.place.reason);
    const ExprPiece &first = pieces.front();
    if (pieces.size() == 1 && first.whole && first.size >= size &&
        first.place.kind != ExprPlace::kNone)
        return lower(first.place, size, format, context);
    if (pieces.size() == 2 && first.whole && pieces[1].whole && size > 8 && first.size == 8 &&
        pieces[1].size == size - 8 && first.place.kind == ExprPlace::kRegister &&
        pieces[1].place.kind == ExprPlace::kRegister && first.place.reg < format.registers &&
        pieces[1].place.reg < format.registers)
        return {.param = loc_param::register_pair(first.place.reg, pieces[1].place.reg, size)};
    return Location::missing(MissingReason::kPieces);
}

}  // namespace

Location locate(std::span<const uint8_t> expression, uint64_t param_size, const ExprFormat &format,
                ExprContext &context) {
    if (expression.empty())
        return Location::missing(MissingReason::kNoLocationHere);
    if (param_size == 0 || param_size > 16)
        return Location::missing(MissingReason::kSize);
    const auto size = static_cast<uint32_t>(param_size);
    const ExprResult found = evaluate(expression, format, context);
    if (found.pieces.empty())
        return lower(found.place, size, format, context);
    if (found.place.kind != ExprPlace::kNone)  // something after the last piece
        return Location::missing(MissingReason::kArithmetic);
    return lower_pieces(found.pieces, size, format, context);
}

}  // namespace btf_extra::generator
