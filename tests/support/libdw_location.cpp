// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/libdw_location.h"

#include <algorithm>
#include <string_view>

#include <dwarf.h>

#include "userspace/format/core_api.h"

namespace btf_extra::test {

namespace {

constexpr uint64_t kRegisters = 17;  // registers of x86-64 in the wire format: rax..r15, rip

std::optional<uint64_t> register_of(const Dwarf_Op &op) {
    if (op.atom >= DW_OP_reg0 && op.atom <= DW_OP_reg31)
        return op.atom - DW_OP_reg0;
    if (op.atom == DW_OP_regx)
        return op.number;
    return std::nullopt;
}

std::optional<uint64_t> constant_of(const Dwarf_Op &op) {
    if (op.atom >= DW_OP_lit0 && op.atom <= DW_OP_lit31)
        return op.atom - DW_OP_lit0;
    switch (op.atom) {
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return op.number;
    default:
        return std::nullopt;
    }
}

// Returns register + offset, if one operation says that.
std::optional<CfaRule> based(const Dwarf_Op &op, const LocationPlace &place) {
    if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31)
        return CfaRule{uint64_t{op.atom} - DW_OP_breg0, static_cast<int64_t>(op.number)};
    if (op.atom == DW_OP_bregx)
        return CfaRule{op.number, static_cast<int64_t>(op.number2)};
    if (op.atom == DW_OP_call_frame_cfa)
        return place.cfa();
    if (op.atom == DW_OP_fbreg && place.frame_base_is_cfa) {
        std::optional<CfaRule> cfa = place.cfa();
        if (cfa)
            cfa->offset += static_cast<int64_t>(op.number);
        return cfa;
    }
    return std::nullopt;
}

bool is_entry_value(const Dwarf_Op &op) {
    return op.atom == DW_OP_entry_value || op.atom == DW_OP_GNU_entry_value;
}

// Returns the register that DW_OP_entry_value names.
std::optional<uint64_t> entry_register(const LocationOps &location, const Dwarf_Op &op) {
    Dwarf_Attribute inner;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (dwarf_getlocation_attr(location.attribute, &op, &inner) != 0 ||
        dwarf_getlocation(&inner, &ops, &count) != 0 || count != 1)
        return std::nullopt;
    return register_of(ops[0]);
}

PlainLocation in_register(uint64_t reg, uint64_t size) {
    return {static_cast<uint32_t>(size), LOC_REG, {static_cast<uint32_t>(reg)}};
}

// An offset of two words is signed if and only if SIGNED is set.
std::optional<PlainLocation> at_register(CfaRule base, uint64_t size, uint32_t flags) {
    if (base.reg >= kRegisters)
        return std::nullopt;
    PlainLocation plain = in_register(base.reg, size);
    plain.flags |= flags;
    if (base.offset == 0)
        return plain;
    plain.flags |= LOC_OFFSET;
    const auto offset = static_cast<uint64_t>(base.offset);
    plain.values.push_back(static_cast<uint32_t>(offset));
    if (base.offset < 0 && base.offset >= INT32_MIN)
        plain.flags |= LOC_SIGNED;
    else if (offset > UINT32_MAX)
        plain.values.push_back(static_cast<uint32_t>(offset >> 32));
    return plain;
}

// A number of one or two words. It is a value, not an address constant.
PlainLocation number(uint64_t value, uint64_t size, uint32_t flags) {
    PlainLocation plain{static_cast<uint32_t>(size), flags, {static_cast<uint32_t>(value)}};
    if (size < 4)
        plain.values[0] = static_cast<uint32_t>(low_bytes(value, static_cast<uint32_t>(size)));
    else if (size > 4)
        plain.values.push_back(static_cast<uint32_t>(low_bytes(value, size) >> 32));
    return plain;
}

std::optional<PlainLocation> plain_address(uint64_t link, uint64_t size,
                                           const LocationPlace &place) {
    const LinkedAddress address = place.linked_address(link);
    if (size > 8 || address.kind == LinkedAddress::kElsewhere)
        return std::nullopt;
    if (address.kind == LinkedAddress::kFixed)
        return number(link, size, LOC_CONST);
    if (size != 8)  // a part of an address: adding the object's base to it would be wrong
        return std::nullopt;
    return number(address.relative, size, LOC_CONST | LOC_ADDR);
}

// ---- values on concrete machines, by DWARF 5, 2.5 and 2.6 ----

struct Undefined {};

// A stack entry: a number of a type, in the low `bytes` bytes.
struct Entry {
    uint64_t bits = 0;
    uint32_t bytes = 8;
    bool is_signed = false;
    bool generic = true;

    uint64_t extended() const { return is_signed ? sign_extended(bits, bytes) : bits; }
    Entry with(uint64_t result) const {
        Entry e = *this;
        e.bits = low_bytes(result, bytes);
        return e;
    }
};

// Runs one expression on one machine. Throws Undefined.
class Execution {
  public:
    Execution(const LocationOps &location, const LocationPlace &place, const Machine &machine)
        : location_(location), place_(place), machine_(machine) {}

    ParamValue value(uint64_t size) {
        ParamValue result{};
        uint64_t filled = 0;
        bool pieces = false;
        size_t at = 0;
        for (size_t steps = 0; at < location_.ops.size(); steps++) {
            const Dwarf_Op &op = location_.ops[at];
            if (op.atom == DW_OP_piece) {
                take(op.number, size, filled, result);
                pieces = true;
                at++;
            } else {
                at = step(at);
            }
            if (steps > 1000)
                throw Undefined();
        }
        if (!pieces)
            take(size, size, filled, result);
        if (filled < size)
            throw Undefined();
        return result;
    }

  private:
    void push(uint64_t bits) { stack_.push_back({.bits = bits}); }
    Entry pop() {
        if (stack_.empty())
            throw Undefined();
        const Entry entry = stack_.back();
        stack_.pop_back();
        return entry;
    }
    uint64_t pop_address() {
        const Entry entry = pop();
        if (entry.bytes != 8)
            throw Undefined();
        return entry.bits;
    }
    uint64_t reg(uint64_t reg) const {
        if (reg >= kRegisters)
            throw Undefined();
        return machine_.registers[reg];
    }
    uint64_t linked(uint64_t link) const {
        const LinkedAddress address = place_.linked_address(link);
        if (address.kind == LinkedAddress::kMoves)
            return machine_.object_base + address.relative;
        return address.kind == LinkedAddress::kFixed ? link : link + machine_.elsewhere_slide;
    }
    Entry typed(const Dwarf_Op &op, uint64_t bits) {
        Dwarf_Die type;
        Dwarf_Attribute encoding_attribute;
        Dwarf_Word encoding = 0;
        if (dwarf_getlocation_die(location_.attribute, &op, &type) != 0)
            return {.bits = bits};  // type 0 is the generic type
        const int bytes = dwarf_bytesize(&type);
        if (bytes < 1 || bytes > 8 ||
            dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &encoding_attribute), &encoding))
            throw Undefined();
        Entry entry{.bits = 0, .bytes = static_cast<uint32_t>(bytes), .generic = false};
        switch (encoding) {
        case DW_ATE_signed:
        case DW_ATE_signed_char:
            entry.is_signed = true;
            break;
        case DW_ATE_unsigned:
        case DW_ATE_unsigned_char:
        case DW_ATE_boolean:
            break;
        default:
            throw Undefined();
        }
        const char *name = dwarf_diename(&type);
        if (name && std::string_view(name) == "DW_ATE_unsigned_1")
            bits &= 1;
        return entry.with(bits);
    }

    // The location that was just described becomes the next bytes of the parameter.
    void take(uint64_t bytes, uint64_t size, uint64_t &filled, ParamValue &result) {
        const bool value = is_value_ || in_register_;
        if (!value && stack_.empty())
            throw Undefined();  // the piece is empty: it was optimized out
        const Entry entry = in_register_ ? Entry{.bits = reg(*in_register_)} : pop();
        for (uint64_t i = 0; i < bytes && filled < size; i++, filled++) {
            if (!value)
                result[filled] = machine_.byte_at(entry.bits + i);
            else if (i < 8)
                result[filled] = static_cast<uint8_t>(entry.extended() >> (8 * i));
            else
                throw Undefined();
        }
        in_register_.reset();
        is_value_ = false;
        stack_.clear();
    }

    void binary(const Dwarf_Op &op) {
        const Entry b = pop();
        const Entry a = pop();
        const bool shift = op.atom == DW_OP_shl || op.atom == DW_OP_shr || op.atom == DW_OP_shra;
        if (!shift && (a.bytes != b.bytes || a.is_signed != b.is_signed || a.generic != b.generic))
            throw Undefined();
        const bool as_signed = a.generic || a.is_signed;
        const auto sa = static_cast<int64_t>(sign_extended(a.bits, a.bytes));
        const auto sb = static_cast<int64_t>(sign_extended(b.bits, b.bytes));
        const auto ordered = [&](bool less, bool equal, bool greater) {
            const bool is_less = as_signed ? sa < sb : a.bits < b.bits;
            const bool is_equal = a.bits == b.bits;
            push(is_equal ? equal : is_less ? less : greater);
        };
        uint64_t result = 0;
        switch (op.atom) {
        case DW_OP_plus:
            result = a.bits + b.bits;
            break;
        case DW_OP_minus:
            result = a.bits - b.bits;
            break;
        case DW_OP_mul:
            result = a.bits * b.bits;
            break;
        case DW_OP_and:
            result = a.bits & b.bits;
            break;
        case DW_OP_or:
            result = a.bits | b.bits;
            break;
        case DW_OP_xor:
            result = a.bits ^ b.bits;
            break;
        case DW_OP_div:
            if (b.bits == 0 || (sa == INT64_MIN && sb == -1))
                throw Undefined();
            result = as_signed ? static_cast<uint64_t>(sa / sb) : a.bits / b.bits;
            break;
        case DW_OP_mod:
            if (b.bits == 0)
                throw Undefined();
            result = a.bits % b.bits;
            break;
        case DW_OP_shl:
        case DW_OP_shr:
        case DW_OP_shra:
            if (b.bits >= uint64_t{8} * a.bytes)
                throw Undefined();
            result = op.atom == DW_OP_shl   ? a.bits << b.bits
                     : op.atom == DW_OP_shr ? a.bits >> b.bits
                                            : static_cast<uint64_t>(sa >> b.bits);
            break;
        case DW_OP_eq:
            return ordered(false, true, false);
        case DW_OP_ne:
            return ordered(true, false, true);
        case DW_OP_lt:
            return ordered(true, false, false);
        case DW_OP_le:
            return ordered(true, true, false);
        case DW_OP_gt:
            return ordered(false, false, true);
        case DW_OP_ge:
            return ordered(false, true, true);
        default:  // pointers to other objects, parameter references, bit pieces and calls have no
                  // value here
            throw Undefined();
        }
        stack_.push_back(a.with(result));
    }

    size_t target(const Dwarf_Op &op) const {
        const uint64_t offset = op.offset + 3 + op.number;
        for (size_t i = 0; i < location_.ops.size(); i++)
            if (location_.ops[i].offset == offset)
                return i;
        throw Undefined();  // a jump to the end is undefined, too: no compiler writes it
    }

    // Runs an operation and returns the number of the next one.
    size_t step(size_t at) {
        const Dwarf_Op &op = location_.ops[at];
        if (in_register_ || is_value_)
            throw Undefined();  // only a piece may follow
        if ((in_register_ = register_of(op)))
            return at + 1;
        if (const auto constant = constant_of(op)) {
            push(*constant);
            return at + 1;
        }
        if (const auto base = based(op, place_)) {
            push(reg(base->reg) + static_cast<uint64_t>(base->offset));
            return at + 1;
        }
        switch (op.atom) {
        case DW_OP_addr:
            push(linked(op.number));
            break;
        case DW_OP_stack_value:
            is_value_ = true;
            break;
        case DW_OP_nop:
        case DW_OP_GNU_uninit:
            break;
        case DW_OP_dup:
            stack_.push_back(peek(0));
            break;
        case DW_OP_over:
            stack_.push_back(peek(1));
            break;
        case DW_OP_pick:
            stack_.push_back(peek(op.number));
            break;
        case DW_OP_drop:
            pop();
            break;
        case DW_OP_swap:
            peek(1);
            std::swap(stack_[stack_.size() - 1], stack_[stack_.size() - 2]);
            break;
        case DW_OP_rot:
            peek(2);
            std::rotate(stack_.end() - 3, stack_.end() - 1, stack_.end());
            break;
        case DW_OP_deref:
            push(machine_.load(pop_address(), 8));
            break;
        case DW_OP_deref_size:
            if (op.number < 1 || op.number > 8)
                throw Undefined();
            push(machine_.load(pop_address(), static_cast<uint32_t>(op.number)));
            break;
        case DW_OP_deref_type:
        case DW_OP_GNU_deref_type: {
            if (op.number < 1 || op.number > 8)
                throw Undefined();
            const uint64_t bits = machine_.load(pop_address(), static_cast<uint32_t>(op.number));
            stack_.push_back(typed(op, bits));
            break;
        }
        case DW_OP_regval_type:
        case DW_OP_GNU_regval_type:
            stack_.push_back(typed(op, reg(op.number)));
            break;
        case DW_OP_convert:
        case DW_OP_GNU_convert:
            stack_.push_back(typed(op, pop().extended()));
            break;
        case DW_OP_plus_uconst: {
            const Entry a = pop();
            stack_.push_back(a.with(a.bits + op.number));
            break;
        }
        case DW_OP_neg: {
            const Entry a = pop();
            stack_.push_back(a.with(0 - a.bits));
            break;
        }
        case DW_OP_not: {
            const Entry a = pop();
            stack_.push_back(a.with(~a.bits));
            break;
        }
        case DW_OP_abs: {
            const Entry a = pop();
            const bool negative =
                (a.generic || a.is_signed) && sign_extended(a.bits, a.bytes) >> 63;
            stack_.push_back(negative ? a.with(0 - a.bits) : a);
            break;
        }
        case DW_OP_skip:
            return target(op);
        case DW_OP_bra:
            if (pop().bits)
                return target(op);
            break;
        case DW_OP_entry_value:
        case DW_OP_GNU_entry_value: {
            const auto inner = entry_register(location_, op);
            if (!inner || *inner >= kRegisters)
                throw Undefined();
            push(place_.at_function_entry ? reg(*inner) : machine_.at_entry[*inner]);
            break;
        }
        default:
            binary(op);
        }
        return at + 1;
    }

    const Entry &peek(uint64_t depth) const {
        if (depth >= stack_.size())
            throw Undefined();
        return stack_[stack_.size() - 1 - depth];
    }

    const LocationOps &location_;
    const LocationPlace &place_;
    const Machine &machine_;
    std::vector<Entry> stack_;
    std::optional<uint64_t> in_register_;
    bool is_value_ = false;
};

}  // namespace

std::optional<PlainLocation> plain_constant(uint64_t value, uint64_t size) {
    if (size > 8)
        return std::nullopt;
    return number(value, size, LOC_CONST);
}

std::optional<PlainLocation> plain_location(const LocationOps &location, uint64_t size,
                                            const LocationPlace &place) {
    std::span<Dwarf_Op> ops = location.ops;
    if (ops.size() == 4 && ops[1].atom == DW_OP_piece && ops[3].atom == DW_OP_piece) {
        const auto low = register_of(ops[0]), high = register_of(ops[2]);
        if (!low || !high || *low >= kRegisters || *high >= kRegisters || ops[1].number != 8 ||
            size <= 8 || ops[3].number != size - 8)
            return std::nullopt;
        PlainLocation pair = in_register(*low, size);
        pair.values.push_back(static_cast<uint32_t>(*high));
        return pair;
    }
    if (!ops.empty() && ops.back().atom == DW_OP_piece && ops.back().number == size)
        ops = ops.first(ops.size() - 1);
    if (ops.size() == 1) {
        if (const auto reg = register_of(ops[0]))
            return *reg < kRegisters && size <= 8 ? std::optional(in_register(*reg, size))
                                                  : std::nullopt;
        if (const auto base = based(ops[0], place))
            return at_register(*base, size, LOC_DEREF);
        Dwarf_Block block;
        if (ops[0].atom == DW_OP_implicit_value && size <= 8 &&
            dwarf_getlocation_implicit_value(location.attribute, &ops[0], &block) == 0 &&
            block.length == size) {
            uint64_t value = 0;
            std::copy_n(block.data, size, reinterpret_cast<uint8_t *>(&value));
            return number(value, size, LOC_CONST);
        }
    }
    if (ops.size() != 2 || ops[1].atom != DW_OP_stack_value || size > 8)
        return std::nullopt;
    if (const auto constant = constant_of(ops[0]))
        return number(*constant, size, LOC_CONST);
    if (const auto base = based(ops[0], place))
        return at_register(*base, size, 0);
    if (ops[0].atom == DW_OP_addr)
        return plain_address(ops[0].number, size, place);
    if (is_entry_value(ops[0]) && place.at_function_entry)
        if (const auto reg = entry_register(location, ops[0]); reg && *reg < kRegisters)
            return in_register(*reg, size);
    return std::nullopt;
}

std::vector<std::optional<ParamValue>> location_values(const LocationOps &location, uint64_t size,
                                                       const LocationPlace &place,
                                                       std::span<const Machine> machines) {
    std::vector<std::optional<ParamValue>> values;
    bool any = false;
    for (const Machine &machine : machines) {
        try {
            values.emplace_back(Execution(location, place, machine).value(size));
            any = true;
        } catch (const Undefined &) {
            values.emplace_back();
        }
    }
    if (!any)
        values.clear();
    return values;
}

}  // namespace btf_extra::test
