// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/dwarf_evaluator.h"

#include <algorithm>

namespace btf_extra::test {

namespace {

// A typed stack entry. If it is not defined, the standard gives it no value.
struct Value {
    uint64_t bits = 0;  // the low size bytes; the others are 0
    uint32_t size = 8;
    bool is_signed = false;
    bool generic = true;
    bool defined = true;

    uint64_t extended() const { return is_signed ? sign_extended(bits, size) : bits; }
    bool same_type(const Value &o) const {
        return generic == o.generic && size == o.size && is_signed == o.is_signed;
    }
    Value with(uint64_t result) const {
        Value v = *this;
        v.bits = low_bytes(result, size);
        return v;
    }
};

struct Malformed {};

// Runs one expression on one machine. Throws Malformed. At the end only the top of the stack
// matters, as in gdb and libdw.
class Run {
  public:
    Run(std::span<const DwarfOperation> operations, size_t size, const LocationPlace &place,
        const Machine &machine, bool at_entry, uint32_t depth)
        : operations_(operations), size_(size), site_(place), machine_(machine),
          registers_(at_entry ? machine.at_entry : machine.registers), at_entry_(at_entry),
          depth_(depth) {
        if (depth > 4)
            throw Malformed();
    }

    ParamBytes param(uint64_t size) {
        execute();
        if (!composite_) {
            take(size);
        } else if (place_ != kNone || !stack_.empty()) {
            throw Malformed();  // something follows the last piece
        }
        bytes_.resize(std::max<uint64_t>(size, bytes_.size()));
        bytes_.resize(size);
        return bytes_;
    }

    // Runs it as an operand: of DW_OP_entry_value, or as a frame base.
    Value value() {
        execute();
        if (composite_)
            throw Malformed();
        if (place_ == kRegister)
            return register_value(reg_);
        if (place_ != kNone)
            throw Malformed();
        return top();
    }

  private:
    enum Place { kNone, kRegister, kValue, kBytes };

    void push(Value value) { stack_.push_back(value); }
    void push(uint64_t bits) { push(Value{.bits = bits}); }
    Value top() const {
        if (stack_.empty())
            throw Malformed();
        return stack_.back();
    }
    Value pop() {
        const Value value = top();
        stack_.pop_back();
        return value;
    }
    Value peek(uint64_t index) const {
        if (index >= stack_.size())
            throw Malformed();
        return stack_[stack_.size() - 1 - index];
    }

    Value register_value(uint64_t number) const {
        if (number >= std::min<uint64_t>(registers_.size(), site_.registers))
            return {.defined = false};
        return {.bits = registers_[number]};
    }
    void push_sum(Value base, uint64_t offset) {
        base.defined &= base.size == 8;
        base.bits += offset;
        push(base);
    }
    // The value gets the type of an operand.
    static Value typed(uint64_t bits, const OperandType &type) {
        if (type.kind == OperandType::kGeneric)
            return {.bits = bits};
        if (type.kind == OperandType::kOther)
            return {.defined = false};
        if (type.bits != 0)
            bits &= (uint64_t{1} << type.bits) - 1;
        return {.bits = low_bytes(bits, type.bytes),
                .size = type.bytes,
                .is_signed = type.is_signed,
                .generic = false};
    }
    Value load(const Value &address, uint64_t bytes) {
        if (bytes < 1 || bytes > 8 || !address.defined || address.size != 8)
            return {.defined = false};
        return {.bits = machine_.load(address.bits, static_cast<uint32_t>(bytes))};
    }
    uint64_t run_time(uint64_t link_address) {
        const LinkedAddress known = site_.linked_address(link_address);
        switch (known.kind) {
        case LinkedAddress::kMoves:
            return machine_.object_base + known.relative;
        case LinkedAddress::kFixed:
            return link_address;
        case LinkedAddress::kElsewhere:
            break;
        }
        return link_address + machine_.elsewhere_slide;
    }
    Value cfa() {
        const std::optional<CfaRule> rule = site_.cfa();
        if (!rule || rule->reg >= site_.registers)
            return {.defined = false};
        return {.bits = machine_.registers[rule->reg] + static_cast<uint64_t>(rule->offset)};
    }
    Value frame_base() {
        if (site_.frame_base.empty())
            return {.defined = false};
        return inner_value(site_.frame_base, false);
    }
    // Jumps do not leave such an expression, and none of them is so long that its length matters.
    Value inner_value(std::span<const DwarfOperation> operations, bool at_entry) {
        try {
            return Run(operations, SIZE_MAX, site_, machine_, at_entry, depth_ + 1).value();
        } catch (const Malformed &) {
            return {.defined = false};
        }
    }

    // The place of a simple location description becomes the next size bytes of the parameter.
    void take(uint64_t size) {
        size = std::min<uint64_t>(size, 32);  // more than any parameter has
        const auto number = [&](const Value &value) {
            for (uint64_t i = 0; i < size; i++) {
                const bool known = value.defined && i < 8;
                bytes_.push_back(
                    known ? std::optional(static_cast<uint8_t>(value.extended() >> (8 * i)))
                          : std::nullopt);
            }
        };
        switch (place_) {
        case kRegister:
            number(register_value(reg_));
            break;
        case kValue:
            number(pop());
            break;
        case kBytes:
            for (uint64_t i = 0; i < size; i++)
                bytes_.push_back(i < literal_.size() ? std::optional(literal_[i]) : std::nullopt);
            break;
        case kNone: {
            if (stack_.empty()) {  // the piece was optimized out
                bytes_.resize(bytes_.size() + size);
                break;
            }
            const Value address = pop();
            for (uint64_t i = 0; i < size; i++) {
                const Value byte = load(address.with(address.bits + i), 1);
                bytes_.push_back(byte.defined ? std::optional(static_cast<uint8_t>(byte.bits))
                                              : std::nullopt);
            }
            break;
        }
        }
        place_ = kNone;
    }

    void binary(Op op) {
        const Value b = pop();
        const Value a = pop();
        const bool shift = op == Op::kShl || op == Op::kShr || op == Op::kShra;
        if (!a.defined || !b.defined || (!shift && !a.same_type(b))) {
            push(Value{.defined = false});
            return;
        }
        const auto sa = static_cast<int64_t>(sign_extended(a.bits, a.size));
        const auto sb = static_cast<int64_t>(sign_extended(b.bits, b.size));
        const bool as_signed = a.generic || a.is_signed;
        switch (op) {
        case Op::kAnd:
            return push(a.with(a.bits & b.bits));
        case Op::kOr:
            return push(a.with(a.bits | b.bits));
        case Op::kXor:
            return push(a.with(a.bits ^ b.bits));
        case Op::kPlus:
            return push(a.with(a.bits + b.bits));
        case Op::kMinus:
            return push(a.with(a.bits - b.bits));
        case Op::kMul:
            return push(a.with(a.bits * b.bits));
        case Op::kShl:
        case Op::kShr:
        case Op::kShra:
            // The standard does not define a shift that is at least as wide as the type.
            if (b.bits >= uint64_t{8} * a.size)
                return push(Value{.defined = false});
            if (op == Op::kShl)
                return push(a.with(a.bits << b.bits));
            if (op == Op::kShr)
                return push(a.with(a.bits >> b.bits));
            return push(a.with(static_cast<uint64_t>(sa >> b.bits)));
        case Op::kDiv:
            if (b.bits == 0 || (sb == -1 && sa == INT64_MIN))
                return push(Value{.defined = false});
            return push(a.with(as_signed ? static_cast<uint64_t>(sa / sb) : a.bits / b.bits));
        case Op::kMod:  // the standard does not define it for negative numbers
            if (b.bits == 0 || sa < 0 || sb < 0)
                return push(Value{.defined = false});
            return push(a.with(a.bits % b.bits));
        default:
            break;
        }
        const bool less = as_signed ? sa < sb : a.bits < b.bits;
        const bool equal = a.bits == b.bits;
        switch (op) {
        case Op::kEq:
            return push(uint64_t{equal});
        case Op::kNe:
            return push(uint64_t{!equal});
        case Op::kLt:
            return push(uint64_t{less});
        case Op::kLe:
            return push(uint64_t{less || equal});
        case Op::kGt:
            return push(uint64_t{!less && !equal});
        case Op::kGe:
            return push(uint64_t{!less});
        default:
            throw Malformed();
        }
    }

    // A jump counts from the next operation on; its own has 3 bytes.
    void jump(const DwarfOperation &from) {
        const uint64_t target = from.offset + 3 + from.number;
        at_ = static_cast<size_t>(std::ranges::find(operations_, target, &DwarfOperation::offset) -
                                  operations_.begin());
        if (at_ == operations_.size() && target != size_)
            throw Malformed();
    }

    void in_register(uint64_t number) {
        if (!stack_.empty())
            throw Malformed();
        reg_ = number;
        place_ = kRegister;
    }

    void execute() {
        for (uint32_t steps = 0; at_ < operations_.size(); steps++) {
            if (steps > 1000)
                throw Malformed();
            const DwarfOperation &operation = operations_[at_++];
            // A location description is the only one, or a piece follows it.
            if (place_ != kNone && operation.op != Op::kPiece && operation.op != Op::kNop)
                throw Malformed();
            step(operation);
        }
    }

    void step(const DwarfOperation &operation) {
        const Op op = operation.op;
        const auto code = static_cast<uint8_t>(op);
        if (code >= 0x30 && code <= 0x4f)
            return push(code - uint64_t{0x30});
        if (code >= 0x50 && code <= 0x6f)
            return in_register(code - uint64_t{0x50});
        if (code >= 0x70 && code <= 0x8f)
            return push_sum(register_value(code - uint64_t{0x70}), operation.number);
        switch (op) {
        case Op::kAddr:
            return push(run_time(operation.number));
        case Op::kAddrx:
        case Op::kGnuAddrIndex:
        case Op::kConstx:
        case Op::kGnuConstIndex: {
            const auto entry =
                site_.indexed_address ? site_.indexed_address(operation.number) : std::nullopt;
            if (!entry)
                return push(Value{.defined = false});
            const bool moves = op == Op::kAddrx || op == Op::kGnuAddrIndex;
            return push(moves ? run_time(*entry) : *entry);
        }
        case Op::kConst1u:
        case Op::kConst1s:
        case Op::kConst2u:
        case Op::kConst2s:
        case Op::kConst4u:
        case Op::kConst4s:
        case Op::kConst8u:
        case Op::kConst8s:
        case Op::kConstu:
        case Op::kConsts:
            return push(operation.number);
        case Op::kRegx:
            return in_register(operation.number);
        case Op::kBregx:
            return push_sum(register_value(operation.number), operation.second);
        case Op::kFbreg:
            // The frame base of the current frame is used. Its value at the entry is not modelled.
            return push_sum(at_entry_ ? Value{.defined = false} : frame_base(), operation.number);
        case Op::kCallFrameCfa:
            return push(cfa());  // it is the same in the whole function
        case Op::kDup:
            return push(top());
        case Op::kDrop:
            pop();
            return;
        case Op::kOver:
            return push(peek(1));
        case Op::kPick:
            return push(peek(operation.number));
        case Op::kSwap: {
            const Value b = pop();
            const Value a = pop();
            push(b);
            return push(a);
        }
        case Op::kRot: {
            const Value c = pop();
            const Value b = pop();
            const Value a = pop();
            push(c);
            push(a);
            return push(b);
        }
        case Op::kDeref:
            return push(load(pop(), 8));
        case Op::kDerefSize:
            return push(load(pop(), operation.number));
        case Op::kAbs: {
            const Value a = pop();
            const uint64_t sign = sign_extended(a.bits, a.size) >> 63;
            return push((a.generic || a.is_signed) && sign ? a.with(0 - a.bits) : a);
        }
        case Op::kNeg: {
            const Value a = pop();
            return push(a.with(0 - a.bits));
        }
        case Op::kNot: {
            const Value a = pop();
            return push(a.with(~a.bits));
        }
        case Op::kPlusUconst: {
            const Value a = pop();
            return push(a.with(a.bits + operation.number));
        }
        case Op::kSkip:
            return jump(operation);
        case Op::kBra: {
            const Value condition = pop();
            if (!condition.defined)
                throw Malformed();
            if (condition.bits)
                jump(operation);
            return;
        }
        case Op::kNop:
        case Op::kGnuUninit:
            return;
        case Op::kPiece: {
            take(operation.number);
            stack_.clear();
            composite_ = true;
            return;
        }
        case Op::kStackValue:
            top();
            place_ = kValue;
            return;
        case Op::kImplicitValue:
            if (!stack_.empty())
                throw Malformed();
            literal_ = operation.bytes;
            place_ = kBytes;
            return;
        case Op::kEntryValue:
        case Op::kGnuEntryValue:
            return push(inner_value(operation.inner, at_entry_ || !site_.at_function_entry));
        case Op::kConstType:
        case Op::kGnuConstType: {
            uint64_t bits = 0;
            for (size_t i = 0; i < operation.bytes.size() && i < 8; i++)
                bits |= uint64_t{operation.bytes[i]} << (8 * i);
            Value value = typed(bits, operation.type);
            if (value.generic || value.size != operation.bytes.size())
                value.defined = false;
            return push(value);
        }
        case Op::kRegvalType:
        case Op::kGnuRegvalType: {
            const Value from = register_value(operation.number);
            Value value = typed(from.bits, operation.type);
            value.defined &= from.defined;
            return push(value);
        }
        case Op::kDerefType:
        case Op::kGnuDerefType: {
            const Value loaded = load(pop(), operation.number);
            Value value = typed(loaded.bits, operation.type);
            if (value.generic || value.size != operation.number || !loaded.defined)
                value.defined = false;
            return push(value);
        }
        case Op::kConvert:
        case Op::kGnuConvert: {
            const Value from = pop();
            Value value = typed(from.extended(), operation.type);
            if (!from.defined)
                value.defined = false;
            return push(value);
        }
        case Op::kReinterpret:
        case Op::kGnuReinterpret: {
            const Value from = pop();
            Value value = typed(from.bits, operation.type);
            if (!from.defined || value.size != from.size)
                value.defined = false;
            return push(value);
        }
        case Op::kAnd:
        case Op::kDiv:
        case Op::kMinus:
        case Op::kMod:
        case Op::kMul:
        case Op::kOr:
        case Op::kPlus:
        case Op::kShl:
        case Op::kShr:
        case Op::kShra:
        case Op::kXor:
        case Op::kEq:
        case Op::kGe:
        case Op::kGt:
        case Op::kLe:
        case Op::kLt:
        case Op::kNe:
            return binary(op);
        case Op::kGnuParameterRef:
            return push(Value{.defined = false});
        default:  // pointers to other objects, TLS, calls and bit pieces have no value here
            throw Malformed();
        }
    }

    std::span<const DwarfOperation> operations_;
    size_t size_;
    const LocationPlace &site_;
    const Machine &machine_;
    const std::array<uint64_t, 32> &registers_;
    bool at_entry_;
    uint32_t depth_;
    size_t at_ = 0;
    std::vector<Value> stack_;
    Place place_ = kNone;
    uint64_t reg_ = 0;
    std::vector<uint8_t> literal_;
    bool composite_ = false;
    ParamBytes bytes_;
};

}  // namespace

ParamBytes evaluate(std::span<const DwarfOperation> operations, size_t size, uint64_t param_size,
                    const LocationPlace &place, const Machine &machine) {
    try {
        return Run(operations, size, place, machine, false, 0).param(param_size);
    } catch (const Malformed &) {
        return ParamBytes(param_size);
    }
}

}  // namespace btf_extra::test
