// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/probe_text.h"

#include <bit>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "userspace/text/loc_text.h"

namespace btf_extra {
namespace {

constexpr char kNotValid[] = "its location is not valid";
constexpr char kNoSum[] = "a register plus an offset cannot be expressed";
constexpr char kNoAddress[] = "an address cannot be expressed";
constexpr char kNoArithmetic[] = "arithmetic cannot be expressed";
constexpr char kNoSize[] = "no type has its size";

// The value that is there may be narrower than the parameter.
struct Shown {
    uint32_t size;
    decltype(ProbeValue::form) form;
};

Shown shown(const loc_location &loc, const ProbeValue &value) {
    if (loc.size < value.size)
        return {loc.size, loc.is_signed ? ProbeValue::kSigned : ProbeValue::kUnsigned};
    return {loc.size, value.form};
}

bool has_type(uint32_t size) {
    return size <= 8 && std::has_single_bit(size);
}

std::string register_of(uint16_t machine, uint32_t number) {
    const loc_register *found = loc_arch_register(loc_arch_of(machine), number);
    return found != nullptr ? found->probe_name : register_name(machine, number);
}

std::string signed_hex(uint64_t value) {
    const bool minus = static_cast<int64_t>(value) < 0;
    return fmt::format("{}{:#x}", minus ? "-" : "", minus ? 0 - value : value);
}

std::string offset_text(uint64_t offset) {
    const bool minus = static_cast<int64_t>(offset) < 0;
    return fmt::format("{}{}", minus ? '-' : '+', minus ? 0 - offset : offset);
}

std::string constant(const loc_location &loc, Shown as) {
    const bool is_signed = as.form == ProbeValue::kSigned;
    const uint64_t value = narrow_extend(loc.value, loc.size, is_signed);
    return is_signed ? signed_hex(value) : fmt::format("{:#x}", value);
}

// Memory to which pointers lead from a register.
struct FollowedPointers {
    uint32_t reg;
    std::vector<uint64_t> offsets;  // of each pointer, and of the value
    Shown as;
};

std::optional<FollowedPointers> followed_pointers(const loc_expression &expression,
                                                  const ProbeValue &value) {
    const std::span steps(expression.steps, expression.nr_steps);
    if (steps.size() < 2 || steps[0].code != LOC_CODE_REGISTER)
        return std::nullopt;
    FollowedPointers out{.reg = steps[0].number, .offsets = {}, .as = {}};
    for (const loc_step &step : steps.subspan(1)) {
        const bool is_signed = step.code == LOC_CODE_LOAD_SIGNED;
        const bool is_last = &step == &steps.back();
        if ((!is_signed && step.code != LOC_CODE_LOAD) || (!is_last && step.bits != 64))
            return std::nullopt;
        out.offsets.push_back(step.operand);
        const uint32_t size = step.bits / 8;
        out.as = {size, size < value.size
                            ? (is_signed ? ProbeValue::kSigned : ProbeValue::kUnsigned)
                            : value.form};
    }
    return out.as.size <= expression.size ? std::optional(std::move(out)) : std::nullopt;
}

char letter_of(Shown as) {
    return as.form == ProbeValue::kSigned ? 's' : as.form == ProbeValue::kUnsigned ? 'u' : 'x';
}

// Returns the argument of a value that is read with a conversion of printf().
BpftraceArg printed(const std::string &name, Shown as, std::string expression) {
    const std::string length = as.size == 8 ? "l" : "";
    const char conversion = as.form == ProbeValue::kSigned     ? 'd'
                            : as.form == ProbeValue::kUnsigned ? 'u'
                                                               : 'x';
    return {fmt::format("{}={}%{}{}", name, as.form == ProbeValue::kHex ? "0x" : "", length,
                        conversion),
            {std::move(expression)},
            nullptr};
}

std::string bpftrace_type(Shown as) {
    return fmt::format("{}int{}", as.form == ProbeValue::kSigned ? "" : "u", as.size * 8);
}

}  // namespace

ProbeValue probe_value(const btf_blob &blob, uint32_t type_id) {
    const btf_value value = btf_type_value(&blob, type_id);
    if (value.size == 0)
        return {};
    switch (loc_kind(btf_type_strip(&blob, type_id))) {
    case BTF_KIND_INT:
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64:
        return {value.size, value.is_signed ? ProbeValue::kSigned : ProbeValue::kUnsigned};
    default:
        return {value.size, ProbeValue::kHex};
    }
}

ProbeArg kprobe_arg(const std::string &name, const btf_type *param, uint16_t machine,
                    ProbeValue value) {
    loc_location loc;
    if (loc_location_read(&loc, param) != BTF_FAULT_NONE)
        return {{}, kNotValid};
    const Shown as = shown(loc, value);
    const auto reg = [&](size_t i) { return "%" + register_of(machine, loc.registers[i]); };
    const auto typed = [&](const std::string &place) -> ProbeArg {
        return {{{name, place, fmt::format("{}{}", letter_of(as), as.size * 8)}}};
    };
    switch (loc.shape) {
    case LOC_SHAPE_ADDRESS:
        return {{}, kNoAddress};
    case LOC_SHAPE_CONSTANT:
        if (!has_type(loc.size))
            return {{}, kNoSize};
        return typed("\\" + constant(loc, as));
    case LOC_SHAPE_REGISTER:
        if (loc.value != 0)
            return {{}, kNoSum};
        if (!has_type(loc.size))
            return {{}, kNoSize};
        return typed(reg(0));
    case LOC_SHAPE_PAIR:
        if (!has_type(loc.size - 8))
            return {{}, kNoSize};
        return {{{name + "_lo", reg(0), "x64"},
                 {name + "_hi", reg(1), fmt::format("x{}", (loc.size - 8) * 8)}}};
    case LOC_SHAPE_MEMORY:
        break;
    }
    const std::string memory = fmt::format("{}({})", offset_text(loc.value), reg(0));
    if (!has_type(loc.size))
        return {{{name, memory, fmt::format("x8[{}]", loc.size)}}};
    return typed(memory);
}

ProbeArg kprobe_arg(const std::string &name, const loc_expression &expression, uint16_t machine,
                    ProbeValue value) {
    const auto pointers = followed_pointers(expression, value);
    if (!pointers)
        return {{}, kNoArithmetic};
    std::string place = "%" + register_of(machine, pointers->reg);
    for (const uint64_t offset : pointers->offsets)
        place = fmt::format("{}({})", offset_text(offset), place);
    const Shown as = pointers->as;
    return {{{name, place, fmt::format("{}{}", letter_of(as), as.size * 8)}}};
}

BpftraceArg bpftrace_arg(const std::string &name, const btf_type *param, uint16_t machine,
                         ProbeValue value, const std::string &text) {
    loc_location loc;
    if (loc_location_read(&loc, param) != BTF_FAULT_NONE)
        return {"", {}, kNotValid};
    const Shown as = shown(loc, value);
    auto reg = [&](size_t i) {
        return fmt::format("reg(\"{}\")", register_of(machine, loc.registers[i]));
    };
    const std::string sum =
        loc.value == 0 ? reg(0) : fmt::format("({}{})", reg(0), offset_text(loc.value));
    const std::string type = bpftrace_type(as);
    auto one = [&](std::string expression) { return printed(name, as, std::move(expression)); };
    if (loc.shape == LOC_SHAPE_PAIR)
        return {name + "={0x%lx 0x%lx}", {reg(0), reg(1)}, nullptr};
    if (loc.shape == LOC_SHAPE_MEMORY && loc.size == 16)
        return {name + "={0x%lx 0x%lx}",
                {fmt::format("*(uint64 *){}", sum),
                 fmt::format("*(uint64 *)({}{})", reg(0), offset_text(loc.value + 8))},
                nullptr};
    if (!has_type(loc.size))
        return {"", {}, kNoSize};
    if (loc.shape == LOC_SHAPE_ADDRESS)
        return one(fmt::format("kaddr(\"{}\"){}", text, offset_text(loc.value)));
    if (loc.shape == LOC_SHAPE_CONSTANT)
        // bpftrace takes no constants from 2^63 on.
        return one(
            as.form == ProbeValue::kSigned || (loc.size == 8 && loc.value >> 63 != 0)
                ? fmt::format("{}", static_cast<int64_t>(narrow_extend(loc.value, loc.size, true)))
                : constant(loc, as));
    if (loc.shape == LOC_SHAPE_MEMORY)
        return one(fmt::format("*({} *){}", type, sum));
    return one(as.size == 8 ? sum : fmt::format("({}){}", type, sum));
}

BpftraceArg bpftrace_arg(const std::string &name, const loc_expression &expression,
                         uint16_t machine, ProbeValue value, const std::string &) {
    const auto pointers = followed_pointers(expression, value);
    if (!pointers)
        return {"", {}, kNoArithmetic};
    std::string place = fmt::format("reg(\"{}\")", register_of(machine, pointers->reg));
    for (const uint64_t &offset : pointers->offsets) {
        const bool is_last = &offset == &pointers->offsets.back();
        place = fmt::format("*({} *)({}{})", is_last ? bpftrace_type(pointers->as) : "uint64",
                            place, offset_text(offset));
    }
    return printed(name, pointers->as, std::move(place));
}

}  // namespace btf_extra
