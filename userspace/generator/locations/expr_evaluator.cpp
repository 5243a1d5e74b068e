// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/locations/expr_evaluator.h"

#include <dwarf.h>

#include "userspace/format/byte_reader.h"
#include "userspace/generator/locations/postfix_value.h"
#include "userspace/generator/locations/symbolic_value.h"

namespace btf_extra::generator {

namespace {

constexpr uint32_t kMaxStack = 64;
constexpr uint32_t kMaxDepth = 4;  // of expressions inside expressions

template <class Value> class Evaluator {
  public:
    using Place = ExprPlace<Value>;
    using Piece = ExprPiece<Value>;

    Evaluator(const ExprFormat &format, ExprContext &context, uint32_t depth)
        : format_(format), context_(context), depth_(depth) {}

    // Runs to the end. The result is in pieces(), or in place() if there are none.
    void run(std::span<const uint8_t> expression) {
        reader_ = ByteReader(expression);
        while (!reader_.at_end() && !stopped_)
            step(reader_.u8());
        if (reader_.failed())
            stop(MissingReason::kArithmetic);
    }

    bool stopped() const { return stopped_; }
    const std::vector<Piece> &pieces() const { return pieces_; }

    Place place() const {
        if (stopped_)
            return {.kind = Place::kMissing, .value = {}, .bytes = {}, .reason = reason_};
        if (place_.kind != Place::kNone || stack_.empty())
            return place_;
        return {.kind = Place::kMemory, .value = stack_.back(), .bytes = {}};
    }

  private:
    // Ends the run: the expression as a whole has no location.
    void stop(MissingReason reason) {
        if (!stopped_)
            reason_ = reason;
        stopped_ = true;
    }

    void push(const Value &value) {
        if (stack_.size() >= kMaxStack)
            stop(MissingReason::kArithmetic);
        else
            stack_.push_back(value);
    }

    Value pop() {
        if (stack_.empty()) {
            stop(MissingReason::kArithmetic);
            return Value::unknown(MissingReason::kArithmetic);
        }
        const Value value = stack_.back();
        stack_.pop_back();
        return value;
    }

    Value peek(uint64_t depth) {
        if (depth >= stack_.size()) {
            stop(MissingReason::kArithmetic);
            return Value::unknown(MissingReason::kArithmetic);
        }
        return stack_[stack_.size() - 1 - depth];
    }

    // Gives a result the type of its operands, and the range of that type.
    static Value typed(Value result, const Value &operand) {
        if (!operand.type_generic)
            result = result.truncated(operand.type_bits, operand.type_signed);
        result.type_bits = operand.type_bits;
        result.type_signed = operand.type_signed;
        result.type_generic = operand.type_generic;
        return result;
    }

    static bool same_type(const Value &left, const Value &right) {
        return left.type_generic == right.type_generic && left.type_bits == right.type_bits &&
               left.type_signed == right.type_signed;
    }

    static Value mismatch(const Value &left, const Value &right) {
        return Value::unknown(left.is_unknown()    ? left.reason()
                              : right.is_unknown() ? right.reason()
                                                   : MissingReason::kArithmetic);
    }

    // DWARF divides the generic type as signed.
    static Value divided(const Value &left, const Value &right) {
        const bool is_signed = left.type_generic || left.type_signed || left.type_bits < 64;
        return is_signed ? left.divided(right) : mismatch(left, right);
    }

    template <class Operation> void unary(Operation operation) {
        const Value operand = pop();
        push(typed(operation(operand), operand));
    }

    template <class Operation> void binary(Operation operation) {
        const Value right = pop();
        const Value left = pop();
        if (same_type(left, right))
            push(typed(operation(left, right), left));
        else
            push(mismatch(left, right));
    }

    // DWARF compares the generic type as signed.
    void compare(Comparison how, bool exchanged) {
        const Value top = pop();
        const Value second = pop();
        const Value &left = exchanged ? top : second;
        const Value &right = exchanged ? second : top;
        if (same_type(left, right))
            push(left.compared(how, right, left.type_generic || left.type_signed));
        else
            push(mismatch(left, right));
    }

    // GCC writes a minimum or a maximum as a branch over a swap, before a drop. Others are not
    // followed.
    void select() {
        if (reader_.u16() != 1 || reader_.u8() != DW_OP_swap || reader_.u8() != DW_OP_drop)
            return stop(MissingReason::kArithmetic);
        const Value condition = pop();
        const Value top = pop();
        const Value second = pop();
        if (same_type(top, second))
            push(typed(Value::selected(condition, second, top), top));
        else
            push(mismatch(top, second));
    }

    void load(uint32_t bytes) { push(pop().load(bytes)); }

    // Shift counts may have a type of their own.
    template <class Operation> void shift(Operation operation) {
        const Value count = pop();
        const Value value = pop();
        if (value.type_generic || value.type_bits == 64)
            push(typed(operation(value, count), value));
        else
            push(Value::unknown(value.is_unknown() ? value.reason() : MissingReason::kArithmetic));
    }

    uint64_t reference() {
        return reader_.section_offset(format_.version <= 2 ? format_.address_size
                                                           : format_.offset_size);
    }

    // Converts to the type at an offset in the unit; 0 is the generic type. false: it cannot.
    bool convert(Value &value, uint64_t type_offset, bool reinterpret) {
        if (type_offset == 0) {
            if (reinterpret && value.type_bits != 64)
                return false;
            value.type_bits = 64;
            value.type_signed = false;
            value.type_generic = true;
            return true;
        }
        const std::optional<BaseType> type = context_.base_type(type_offset);
        if (!type || !type->is_integer || type->size == 0 || type->size > 8 ||
            (reinterpret && value.type_bits != type->width()))
            return false;
        value = value.truncated(type->width(), type->is_signed);
        value.type_bits = type->width();
        value.type_signed = type->is_signed;
        value.type_generic = false;
        return true;
    }

    void push_typed(Value value, uint64_t type_offset) {
        if (!convert(value, type_offset, false))
            value = Value::unknown(MissingReason::kArithmetic);
        push(value);
    }

    Value register_value(uint64_t reg, int64_t offset) {
        if (reg >= format_.registers)
            return Value::unknown(MissingReason::kArithmetic);
        return Value::of_register(static_cast<uint32_t>(reg), static_cast<uint64_t>(offset));
    }

    Value cfa() {
        const std::optional<RegisterOffset> cfa = context_.call_frame_cfa();
        return cfa ? register_value(cfa->reg, cfa->offset)
                   : Value::unknown(MissingReason::kArithmetic);
    }

    Value frame_base() {
        const std::span<const uint8_t> expression = context_.frame_base();
        if (expression.empty() || depth_ + 1 >= kMaxDepth)
            return Value::unknown(MissingReason::kArithmetic);
        Evaluator inner(format_, context_, depth_ + 1);
        inner.run(expression);
        const Place place = inner.place();
        if (!inner.pieces().empty())
            return Value::unknown(MissingReason::kPieces);
        if (place.kind == Place::kMemory || place.kind == Place::kValue)
            return place.value;
        // A register as the frame base stands for its contents.
        if (place.kind == Place::kRegister)
            return register_value(place.reg, 0);
        return Value::unknown(place.kind == Place::kMissing ? place.reason
                                                            : MissingReason::kArithmetic);
    }

    void entry_value(std::span<const uint8_t> block) {
        if (!context_.at_function_entry() || depth_ + 1 >= kMaxDepth) {
            push(Value::unknown(MissingReason::kEntryValue));
            return;
        }
        Evaluator inner(format_, context_, depth_ + 1);
        inner.run(block);
        const Place place = inner.place();
        if (inner.pieces().empty() && place.kind == Place::kRegister)
            push(register_value(place.reg, 0));
        else if (inner.pieces().empty() && place.kind == Place::kMemory)
            push(place.value);  // the value on its stack
        else
            push(Value::unknown(MissingReason::kEntryValue));
    }

    void set_place(Place place) {
        // Only a piece may follow a register or an implicit location. Nothing may precede a single
        // one.
        const bool alone = place.kind == Place::kRegister || place.kind == Place::kBytes;
        if (place_.kind != Place::kNone || (alone && !stack_.empty()))
            stop(MissingReason::kArithmetic);
        place_ = std::move(place);
    }

    void finish_piece(uint64_t size, bool whole) {
        Place place = this->place();
        pieces_.push_back({.place = std::move(place), .size = size, .whole = whole});
        place_ = {};
        stack_.clear();
    }

    void step(uint8_t op);
    void step_operator(uint8_t op);
    void step_stack(uint8_t op);
    void step_typed(uint8_t op);
    void step_place(uint8_t op);

    const ExprFormat &format_;
    ExprContext &context_;
    uint32_t depth_;
    ByteReader reader_;
    std::vector<Value> stack_;
    std::vector<Piece> pieces_;
    Place place_;
    bool stopped_ = false;
    MissingReason reason_{};
};

template <class Value> void Evaluator<Value>::step(uint8_t op) {
    // Only pieces may follow a place.
    if (place_.kind != Place::kNone && op != DW_OP_piece && op != DW_OP_bit_piece &&
        op != DW_OP_nop)
        return stop(MissingReason::kArithmetic);
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
        return push(Value::constant(op - DW_OP_lit0));
    if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
        return push(register_value(op - DW_OP_breg0, reader_.sleb()));
    if (op >= DW_OP_reg0 && op <= DW_OP_reg31)
        return set_place({.kind = Place::kRegister,
                          .reg = static_cast<uint32_t>(op - DW_OP_reg0),
                          .value = {},
                          .bytes = {}});
    switch (op) {
    case DW_OP_addr:
        return push(Value::address(reader_.unsigned_of(format_.address_size), context_));
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index: {
        const std::optional<uint64_t> address = context_.indexed_address(reader_.uleb());
        return push(address ? Value::address(*address, context_)
                            : Value::unknown(MissingReason::kArithmetic));
    }
    case DW_OP_constx:
    case DW_OP_GNU_const_index: {
        const std::optional<uint64_t> number = context_.indexed_address(reader_.uleb());
        return push(number ? Value::constant(*number) : Value::unknown(MissingReason::kArithmetic));
    }
    case DW_OP_const1u:
        return push(Value::constant(reader_.u8()));
    case DW_OP_const1s:
        return push(Value::constant(static_cast<uint64_t>(static_cast<int8_t>(reader_.u8()))));
    case DW_OP_const2u:
        return push(Value::constant(reader_.u16()));
    case DW_OP_const2s:
        return push(Value::constant(static_cast<uint64_t>(static_cast<int16_t>(reader_.u16()))));
    case DW_OP_const4u:
        return push(Value::constant(reader_.u32()));
    case DW_OP_const4s:
        return push(Value::constant(static_cast<uint64_t>(static_cast<int32_t>(reader_.u32()))));
    case DW_OP_const8u:
    case DW_OP_const8s:
        return push(Value::constant(reader_.u64()));
    case DW_OP_constu:
        return push(Value::constant(reader_.uleb()));
    case DW_OP_consts:
        return push(Value::constant(static_cast<uint64_t>(reader_.sleb())));
    case DW_OP_bregx: {
        const uint64_t reg = reader_.uleb();
        return push(register_value(reg, reader_.sleb()));
    }
    case DW_OP_fbreg: {
        const int64_t offset = reader_.sleb();
        return push(frame_base().plus(Value::constant(static_cast<uint64_t>(offset))));
    }
    case DW_OP_call_frame_cfa:
        return push(cfa());
    default:
        return step_operator(op);
    }
}

template <class Value> void Evaluator<Value>::step_operator(uint8_t op) {
    switch (op) {
    case DW_OP_plus:
        return binary([](const Value &a, const Value &b) { return a.plus(b); });
    case DW_OP_plus_uconst: {
        const Value addend = Value::constant(reader_.uleb());
        return unary([&](const Value &a) { return a.plus(addend); });
    }
    case DW_OP_minus:
        return binary([](const Value &a, const Value &b) { return a.minus(b); });
    case DW_OP_mul:
        return binary([](const Value &a, const Value &b) { return a.times(b); });
    case DW_OP_div:
        return binary([](const Value &a, const Value &b) { return divided(a, b); });
    case DW_OP_and:
        return binary([](const Value &a, const Value &b) { return a.bit_and(b); });
    case DW_OP_or:
        return binary([](const Value &a, const Value &b) { return a.bit_or(b); });
    case DW_OP_xor:
        return binary([](const Value &a, const Value &b) { return a.bit_xor(b); });
    case DW_OP_neg:
        return unary([](const Value &a) { return a.negated(); });
    case DW_OP_not:
        return unary([](const Value &a) { return a.complement(); });
    case DW_OP_shl:
        return shift([](const Value &a, const Value &n) { return a.shift_left(n); });
    case DW_OP_shr:
        return shift([](const Value &a, const Value &n) { return a.shift_right(n, false); });
    case DW_OP_shra:
        return shift([](const Value &a, const Value &n) { return a.shift_right(n, true); });
    case DW_OP_eq:
        return compare(Comparison::kEqual, false);
    case DW_OP_ne:
        return compare(Comparison::kNotEqual, false);
    case DW_OP_lt:
        return compare(Comparison::kLess, false);
    case DW_OP_le:
        return compare(Comparison::kLessEqual, false);
    case DW_OP_gt:
        return compare(Comparison::kLess, true);
    case DW_OP_ge:
        return compare(Comparison::kLessEqual, true);
    case DW_OP_deref:
        return load(8);
    case DW_OP_deref_size: {
        const uint8_t size = reader_.u8();
        if (size == 0 || size > 8)
            return stop(MissingReason::kArithmetic);
        return load(size);
    }
    case DW_OP_bra:
        return select();
    case DW_OP_nop:
        return;
    case DW_OP_dup:
    case DW_OP_drop:
    case DW_OP_over:
    case DW_OP_pick:
    case DW_OP_swap:
    case DW_OP_rot:
        return step_stack(op);
    case DW_OP_const_type:
    case DW_OP_GNU_const_type:
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type:
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type:
    case DW_OP_convert:
    case DW_OP_GNU_convert:
    case DW_OP_reinterpret:
    case DW_OP_GNU_reinterpret:
        return step_typed(op);
    default:
        return step_place(op);
    }
}

template <class Value> void Evaluator<Value>::step_stack(uint8_t op) {
    switch (op) {
    case DW_OP_dup:
        return push(peek(0));
    case DW_OP_drop:
        pop();
        return;
    case DW_OP_over:
        return push(peek(1));
    case DW_OP_pick:
        return push(peek(reader_.u8()));
    case DW_OP_swap: {
        const Value top = pop();
        const Value second = pop();
        push(top);
        return push(second);
    }
    default: {  // DW_OP_rot
        const Value top = pop();
        const Value second = pop();
        const Value third = pop();
        push(top);
        push(third);
        return push(second);
    }
    }
}

template <class Value> void Evaluator<Value>::step_typed(uint8_t op) {
    switch (op) {
    case DW_OP_const_type:
    case DW_OP_GNU_const_type: {
        const uint64_t type = reader_.uleb();
        const uint8_t size = reader_.u8();
        const std::optional<BaseType> base = context_.base_type(type);
        if (!base || base->size != size || size > 8) {
            reader_.skip(size);
            return push(Value::unknown(MissingReason::kArithmetic));
        }
        return push_typed(Value::constant(reader_.unsigned_of(size)), type);
    }
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type: {
        const uint64_t reg = reader_.uleb();
        return push_typed(register_value(reg, 0), reader_.uleb());
    }
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type: {
        const uint8_t size = reader_.u8();
        const uint64_t type = reader_.uleb();
        const Value address = pop();
        const std::optional<BaseType> base = context_.base_type(type);
        if (!base || base->size != size || size == 0 || size > 8)
            return push(Value::unknown(MissingReason::kArithmetic));
        return push_typed(address.load(size), type);
    }
    default: {  // DW_OP_convert, DW_OP_reinterpret
        const bool reinterpret = op == DW_OP_reinterpret || op == DW_OP_GNU_reinterpret;
        const uint64_t type = reader_.uleb();
        Value value = pop();
        if (!value.is_unknown() && !convert(value, type, reinterpret))
            value = Value::unknown(MissingReason::kArithmetic);
        return push(value);
    }
    }
}

template <class Value> void Evaluator<Value>::step_place(uint8_t op) {
    switch (op) {
    case DW_OP_regx: {
        const uint64_t reg = reader_.uleb();
        return set_place({.kind = Place::kRegister,
                          .reg = reg > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(reg),
                          .value = {},
                          .bytes = {}});
    }
    case DW_OP_stack_value: {
        const Value value = pop();
        return set_place({.kind = Place::kValue, .value = value, .bytes = {}});
    }
    case DW_OP_implicit_value: {
        const uint64_t size = reader_.uleb();
        return set_place({.kind = Place::kBytes, .value = {}, .bytes = reader_.bytes(size)});
    }
    case DW_OP_implicit_pointer:
    case DW_OP_GNU_implicit_pointer:
        reference();
        reader_.sleb();
        return set_place({.kind = Place::kMissing,
                          .value = {},
                          .bytes = {},
                          .reason = MissingReason::kImplicitPointer});
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value: {
        const uint64_t size = reader_.uleb();
        return entry_value(reader_.bytes(size));
    }
    case DW_OP_GNU_parameter_ref:
        reader_.u32();
        return push(Value::unknown(MissingReason::kParameterReference));
    case DW_OP_piece:
        return finish_piece(reader_.uleb(), true);
    case DW_OP_bit_piece:
        reader_.uleb();
        reader_.uleb();
        return finish_piece(0, false);
    case DW_OP_GNU_uninit:
        return;
    default:  // jumps, remainders, calls, thread-local and object addresses
        return stop(MissingReason::kArithmetic);
    }
}

}  // namespace

template <class Value>
ExprResult<Value> evaluate(std::span<const uint8_t> expression, const ExprFormat &format,
                           ExprContext &context) {
    Evaluator<Value> evaluator(format, context, 0);
    evaluator.run(expression);
    if (evaluator.stopped())
        return {.pieces = {}, .place = evaluator.place()};
    return {.pieces = evaluator.pieces(), .place = evaluator.place()};
}

template ExprResult<SymbolicValue> evaluate(std::span<const uint8_t>, const ExprFormat &,
                                            ExprContext &);
template ExprResult<PostfixValue> evaluate(std::span<const uint8_t>, const ExprFormat &,
                                           ExprContext &);

}  // namespace btf_extra::generator
