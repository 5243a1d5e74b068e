// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/probe_text.h"

#include <bit>

#include <fmt/format.h>

#include "userspace/format/location.h"
#include "userspace/text/c_type.h"
#include "userspace/text/loc_text.h"

namespace btf_extra {
namespace {

constexpr char kNoSum[] = "a register plus an offset is no expression";
constexpr char kNoAddress[] = "an address is no expression";
constexpr char kNoSize[] = "no type has its size";

// Of what is there, which may be narrower than the parameter.
struct Shown {
    uint32_t size;
    decltype(ProbeValue::form) form;
};

Shown shown(const Location &loc, const ProbeValue &value) {
    if (loc.size < value.size)
        return {loc.size, loc.is_signed ? ProbeValue::kSigned : ProbeValue::kUnsigned};
    return {loc.size, value.form};
}

bool has_type(uint32_t size) {
    return size <= 8 && std::has_single_bit(size);
}

// pt_regs has no r before the old names, and no % in bpftrace: di, r8, x0.
std::string register_of(uint16_t machine, uint32_t number) {
    std::string name = register_name(machine, number);
    if (name.starts_with('%'))
        name.erase(0, 1);
    if (machine == LOC_MACHINE_X86_64 && number < 8)
        name.erase(0, 1);
    return name;
}

std::string signed_hex(uint64_t value) {
    const bool minus = static_cast<int64_t>(value) < 0;
    return fmt::format("{}{:#x}", minus ? "-" : "", minus ? 0 - value : value);
}

std::string offset_text(uint64_t offset) {
    const bool minus = static_cast<int64_t>(offset) < 0;
    return fmt::format("{}{}", minus ? '-' : '+', minus ? 0 - offset : offset);
}

bool is_sum(const Location &loc) {
    return loc.shape == Location::kRegisterOffset && !loc.deref && loc.value != 0;
}

std::string constant(const Location &loc, Shown as) {
    const uint64_t value = as.form == ProbeValue::kSigned ? sign_extend(loc.value, loc.size)
                                                          : zero_extend(loc.value, loc.size);
    return as.form == ProbeValue::kSigned ? signed_hex(value) : fmt::format("{:#x}", value);
}

}  // namespace

ProbeValue probe_value(const btf_blob &blob, uint32_t type_id) {
    const ValueType type = value_type(blob, type_id);
    if (type.size == 0)
        return {};
    for (int depth = 0; depth < 64; depth++) {
        const btf_type *record = btf_blob_type(&blob, type_id);
        switch (record != nullptr ? loc_kind(record) : 0u) {
        case BTF_KIND_TYPEDEF:
        case BTF_KIND_CONST:
        case BTF_KIND_VOLATILE:
        case BTF_KIND_RESTRICT:
        case BTF_KIND_TYPE_TAG:
            type_id = record->type;
            continue;
        case BTF_KIND_INT:
        case BTF_KIND_ENUM:
        case BTF_KIND_ENUM64:
            return {type.size, type.is_signed ? ProbeValue::kSigned : ProbeValue::kUnsigned};
        default:
            return {type.size, ProbeValue::kHex};
        }
    }
    return {type.size, ProbeValue::kHex};
}

ProbeArg kprobe_arg(const std::string &name, const btf_type *param, uint16_t machine,
                    ProbeValue value) {
    const auto loc = decode_location(param);
    if (!loc)
        return {"", "its location is not valid"};
    const Shown as = shown(*loc, value);
    auto typed = [&](const std::string &expression, uint32_t size, char letter) {
        return fmt::format("{}={}:{}{}", name, expression, letter, size * 8);
    };
    const char letter = as.form == ProbeValue::kSigned     ? 's'
                        : as.form == ProbeValue::kUnsigned ? 'u'
                                                           : 'x';
    if (loc->shape == Location::kAddress)
        return {"", kNoAddress};
    if (is_sum(*loc))
        return {"", kNoSum};
    if (loc->shape == Location::kPair) {
        if (!has_type(loc->size - 8))
            return {"", kNoSize};
        return {fmt::format("{0}_lo=%{1}:x64 {0}_hi=%{2}:x{3}", name,
                            register_of(machine, loc->registers[0]),
                            register_of(machine, loc->registers[1]), (loc->size - 8) * 8)};
    }
    if (loc->deref) {
        const std::string memory = fmt::format("{}(%{})", offset_text(loc->value),
                                               register_of(machine, loc->registers[0]));
        if (!has_type(loc->size))
            return {fmt::format("{}={}:x8[{}]", name, memory, loc->size)};
        return {typed(memory, as.size, letter)};
    }
    if (!has_type(loc->size))
        return {"", kNoSize};
    if (loc->shape == Location::kConstant)
        return {typed("\\" + constant(*loc, as), as.size, letter)};
    return {typed("%" + register_of(machine, loc->registers[0]), as.size, letter)};
}

BpftraceArg bpftrace_arg(const std::string &name, const btf_type *param, uint16_t machine,
                         ProbeValue value, const std::string &text) {
    const auto loc = decode_location(param);
    if (!loc)
        return {"", {}, "its location is not valid"};
    const Shown as = shown(*loc, value);
    auto reg = [&](size_t i) {
        return fmt::format("reg(\"{}\")", register_of(machine, loc->registers[i]));
    };
    const std::string sum =
        loc->value == 0 ? reg(0) : fmt::format("({}{})", reg(0), offset_text(loc->value));
    const std::string type =
        fmt::format("{}int{}", as.form == ProbeValue::kSigned ? "" : "u", as.size * 8);
    const std::string length = as.size == 8 ? "l" : "";
    auto one = [&](std::string expression) -> BpftraceArg {
        const std::string conversion = as.form == ProbeValue::kSigned     ? length + "d"
                                       : as.form == ProbeValue::kUnsigned ? length + "u"
                                                                          : length + "x";
        return {fmt::format("{}={}%{}", name, as.form == ProbeValue::kHex ? "0x" : "", conversion),
                {std::move(expression)},
                nullptr};
    };
    if (loc->shape == Location::kPair)
        return {name + "={0x%lx 0x%lx}", {reg(0), reg(1)}, nullptr};
    if (loc->deref && loc->size == 16)
        return {name + "={0x%lx 0x%lx}",
                {fmt::format("*(uint64 *){}", sum),
                 fmt::format("*(uint64 *)({}{})", reg(0), offset_text(loc->value + 8))},
                nullptr};
    if (!has_type(loc->size))
        return {"", {}, kNoSize};
    if (loc->shape == Location::kAddress)
        return one(fmt::format("kaddr(\"{}\"){}", text, offset_text(loc->value)));
    if (loc->shape == Location::kConstant)
        // bpftrace takes no constants from 2^63 on.
        return one(as.form == ProbeValue::kSigned || (loc->size == 8 && loc->value >> 63 != 0)
                       ? fmt::format("{}", static_cast<int64_t>(sign_extend(loc->value, loc->size)))
                       : constant(*loc, as));
    if (loc->deref)
        return one(fmt::format("*({} *){}", type, sum));
    return one(as.size == 8 ? sum : fmt::format("({}){}", type, sum));
}

}  // namespace btf_extra
