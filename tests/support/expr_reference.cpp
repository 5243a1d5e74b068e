// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/expr_reference.h"

namespace btf_extra::test {

namespace {

struct Malformed {};

// Reads the operations of an expression, by DWARF 5, 7.7.1. Throws Malformed.
class Decoder {
  public:
    Decoder(std::span<const uint8_t> code, TestContext &context) : code_(code), context_(context) {}

    std::vector<DwarfOperation> operations() {
        std::vector<DwarfOperation> out;
        while (at_ < code_.size()) {
            DwarfOperation operation{.op = Op::kNop, .offset = at_};
            operation.op = static_cast<Op>(operand(1));
            read_operands(operation);
            out.push_back(std::move(operation));
        }
        return out;
    }

  private:
    uint64_t operand(uint32_t bytes) {
        if (bytes > code_.size() - at_)
            throw Malformed();
        uint64_t value = 0;
        for (uint32_t i = 0; i < bytes; i++)
            value |= uint64_t{code_[at_++]} << (8 * i);
        return value;
    }
    uint64_t leb(bool is_signed) {
        uint64_t value = 0;
        for (uint32_t shift = 0;; shift += 7) {
            const uint64_t byte = operand(1);
            if (shift < 64)
                value |= (byte & 0x7f) << shift;
            if (byte & 0x80)
                continue;
            if (is_signed && (byte & 0x40) && shift + 7 < 64)
                value |= ~uint64_t{0} << (shift + 7);
            return value;
        }
    }
    uint64_t uleb() { return leb(false); }
    uint64_t sleb() { return leb(true); }
    std::span<const uint8_t> block(uint64_t size) {
        if (size > code_.size() - at_)
            throw Malformed();
        const auto result = code_.subspan(at_, size);
        at_ += size;
        return result;
    }

    OperandType type() {
        const uint64_t offset = uleb();
        if (offset == 0)
            return {};
        const auto base = context_.base_type(offset);
        if (!base || !base->is_integer || base->size < 1 || base->size > 8)
            return {.kind = OperandType::kOther};
        // The only type with fewer bits in the rows is unsigned.
        return {.kind = OperandType::kInteger,
                .bytes = base->size,
                .is_signed = base->is_signed,
                .bits = base->bits};
    }

    // One that is malformed has no value, but does not spoil what is around it.
    std::vector<DwarfOperation> inner_operations(std::span<const uint8_t> code) {
        try {
            return Decoder(code, context_).operations();
        } catch (const Malformed &) {
            return {{.op = kNotCovered}};
        }
    }

    void read_operands(DwarfOperation &operation) {
        const auto code = static_cast<uint8_t>(operation.op);
        if (code >= 0x70 && code <= 0x8f) {
            operation.number = sleb();
            return;
        }
        switch (operation.op) {
        case Op::kAddr:
        case Op::kConst8u:
        case Op::kConst8s:
            operation.number = operand(8);
            break;
        case Op::kConst1u:
        case Op::kPick:
        case Op::kDerefSize:
            operation.number = operand(1);
            break;
        case Op::kConst1s:
            operation.number = sign_extended(operand(1), 1);
            break;
        case Op::kConst2u:
            operation.number = operand(2);
            break;
        case Op::kConst2s:
        case Op::kSkip:
        case Op::kBra:
            operation.number = sign_extended(operand(2), 2);
            break;
        case Op::kConst4u:
        case Op::kGnuParameterRef:
            operation.number = operand(4);
            break;
        case Op::kConst4s:
            operation.number = sign_extended(operand(4), 4);
            break;
        case Op::kAddrx:
        case Op::kGnuAddrIndex:
        case Op::kConstx:
        case Op::kGnuConstIndex:
        case Op::kConstu:
        case Op::kRegx:
        case Op::kPlusUconst:
        case Op::kPiece:
            operation.number = uleb();
            break;
        case Op::kConsts:
        case Op::kFbreg:
            operation.number = sleb();
            break;
        case Op::kBregx:
            operation.number = uleb();
            operation.second = sleb();
            break;
        case Op::kImplicitValue: {
            const auto bytes = block(uleb());
            operation.bytes.assign(bytes.begin(), bytes.end());
            break;
        }
        case Op::kEntryValue:
        case Op::kGnuEntryValue:
            operation.inner = inner_operations(block(uleb()));
            break;
        case Op::kConstType:
        case Op::kGnuConstType: {
            operation.type = type();
            const auto bytes = block(operand(1));
            operation.bytes.assign(bytes.begin(), bytes.end());
            break;
        }
        case Op::kRegvalType:
        case Op::kGnuRegvalType:
            operation.number = uleb();
            operation.type = type();
            break;
        case Op::kDerefType:
        case Op::kGnuDerefType:
            operation.number = operand(1);
            operation.type = type();
            break;
        case Op::kConvert:
        case Op::kGnuConvert:
        case Op::kReinterpret:
        case Op::kGnuReinterpret:
            operation.type = type();
            break;
        default:  // no operand, or nothing that the evaluator takes
            break;
        }
    }

    std::span<const uint8_t> code_;
    TestContext &context_;
    size_t at_ = 0;
};

LocationPlace place_of(TestContext &context) {
    LocationPlace place;
    place.cfa = [&]() -> std::optional<CfaRule> {
        if (!context.cfa)
            return {};
        return CfaRule{context.cfa->reg, context.cfa->offset};
    };
    try {
        place.frame_base = Decoder(context.frame_base_bytes, context).operations();
    } catch (const Malformed &) {
        // It has no value.
    }
    place.at_function_entry = context.at_entry;
    place.linked_address = [&](uint64_t link) -> LinkedAddress {
        const AddressConstant known = context.address_constant(link);
        return {.kind = known.kind == AddressConstant::kMoves   ? LinkedAddress::kMoves
                        : known.kind == AddressConstant::kFixed ? LinkedAddress::kFixed
                                                                : LinkedAddress::kElsewhere,
                .relative = known.value};
    };
    place.indexed_address = [&](uint64_t index) { return context.indexed_address(index); };
    return place;
}

}  // namespace

ParamBytes expression_bytes(std::span<const uint8_t> expression, uint64_t param_size,
                            TestContext &context, const Machine &machine) {
    try {
        return evaluate(Decoder(expression, context).operations(), expression.size(), param_size,
                        place_of(context), machine);
    } catch (const Malformed &) {
        return ParamBytes(param_size);
    }
}

}  // namespace btf_extra::test
