// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/loc_text.h"

#include <array>
#include <optional>

#include <fmt/format.h>

namespace btf_extra {
namespace {

// A LOC_PARAM taken apart. Only combinations that the format has come out of decode().
struct Location {
    uint32_t size;
    bool is_signed;
    bool deref;
    enum { kConstant, kAddress, kRegister, kPair, kRegisterOffset } shape;
    std::array<uint32_t, 2> registers;
    uint64_t value;  // of a constant or address, as its words have it; the offset, sign-extended
};

uint64_t words(const uint32_t *values, uint32_t count) {
    return count == 2 ? values[0] | uint64_t{values[1]} << 32 : values[0];
}

uint64_t sign_extend(uint64_t value, uint32_t size) {
    if (size == 0 || size >= 8)
        return value;
    unsigned shift = 64 - size * 8;
    return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}

uint64_t zero_extend(uint64_t value, uint32_t size) {
    return size >= 8 ? value : value & ((uint64_t{1} << size * 8) - 1);
}

std::optional<Location> decode(const btf_type *param) {
    uint32_t flags = loc_param_flags(param);
    uint32_t vlen = loc_vlen(param);
    const uint32_t *values = loc_param_values(param);
    Location loc = {.size = param->size,
                    .is_signed = (flags & LOC_SIGNED) != 0,
                    .deref = (flags & LOC_DEREF) != 0,
                    .shape = Location::kConstant,
                    .registers = {},
                    .value = 0};
    switch (flags & ~LOC_SIGNED) {
    case LOC_CONST:
    case LOC_CONST | LOC_ADDR:
        if (vlen != 1 && vlen != 2)
            return {};
        loc.shape = flags & LOC_ADDR ? Location::kAddress : Location::kConstant;
        loc.value = words(values, vlen);
        if (loc.is_signed)
            loc.value = sign_extend(loc.value, vlen == 1 && loc.size > 4 ? 4 : loc.size);
        return loc;
    case LOC_REG:
    case LOC_REG | LOC_DEREF:
        if (loc.is_signed || vlen < 1 || vlen > (loc.deref ? 1 : 2))
            return {};
        loc.shape = vlen == 2 ? Location::kPair : Location::kRegister;
        loc.registers = {values[0], vlen == 2 ? values[1] : 0};
        return loc;
    case LOC_REG | LOC_OFFSET:
    case LOC_REG | LOC_DEREF | LOC_OFFSET:
        if (vlen != 2 && vlen != 3)
            return {};
        loc.shape = Location::kRegisterOffset;
        loc.registers = {values[0], 0};
        loc.value = words(values + 1, vlen - 1);
        if (vlen == 2 && loc.is_signed)
            loc.value = sign_extend(loc.value, 4);
        return loc;
    default:
        return {};
    }
}

std::string hex(uint64_t value, bool is_signed) {
    if (is_signed && static_cast<int64_t>(value) < 0)
        return fmt::format("-{:#x}", 0 - value);
    return fmt::format("{:#x}", value);
}

// " + 0x8", " - 0x8": an offset wraps at 64 bits, so the shorter of both is as true.
std::string plus(uint64_t offset, std::string_view space) {
    bool minus = static_cast<int64_t>(offset) < 0;
    return fmt::format("{}{}{}{:#x}", space, minus ? '-' : '+', space, minus ? 0 - offset : offset);
}

std::string number_name(uint32_t number) {
    return number == LOC_FRAME_BASE ? "fbreg" : fmt::format("reg{}", number);
}

}  // namespace

std::string loc_text(const btf_type *param) {
    auto loc = decode(param);
    if (!loc)
        return "(invalid)";
    std::string text;
    switch (loc->shape) {
    case Location::kConstant:
        return hex(loc->value, loc->is_signed);
    case Location::kAddress:
        return hex(loc->value, loc->is_signed) + " (addr)";
    case Location::kPair:
        return number_name(loc->registers[0]) + ", " + number_name(loc->registers[1]);
    case Location::kRegister:
        text = number_name(loc->registers[0]);
        break;
    case Location::kRegisterOffset:
        text = number_name(loc->registers[0]) + plus(loc->value, " ");
        break;
    }
    return loc->deref ? "*(" + text + ")" : text;
}

std::string register_name(uint16_t machine, uint32_t number) {
    static constexpr std::array<std::string_view, 16> kX86 = {
        "%rax", "%rdx", "%rcx", "%rbx", "%rsi", "%rdi", "%rbp", "%rsp",
        "%r8",  "%r9",  "%r10", "%r11", "%r12", "%r13", "%r14", "%r15"};
    if (machine == LOC_MACHINE_X86_64 && number < kX86.size())
        return std::string(kX86[number]);
    if (machine == LOC_MACHINE_AARCH64 && number < 31)
        return fmt::format("x{}", number);
    if (machine == LOC_MACHINE_AARCH64 && number == 31)
        return "sp";
    return number_name(number);
}

std::string loc_text_for_people(const btf_type *param, uint16_t machine, ValueType type,
                                const AddressName &address_name) {
    auto loc = decode(param);
    if (!loc)
        return "(invalid)";
    // At the parameter's full size its type decides how the value extends, below it SIGNED does.
    bool narrow = loc->size < type.size;
    bool is_signed = type.size == 0 || narrow ? loc->is_signed : type.is_signed;
    std::string text;
    switch (loc->shape) {
    case Location::kConstant:
        return hex(is_signed ? sign_extend(loc->value, loc->size)
                             : zero_extend(loc->value, loc->size),
                   is_signed);
    case Location::kAddress:
        return "&" + address_name(loc->value);
    case Location::kPair:
        return register_name(machine, loc->registers[0]) + ":" +
               register_name(machine, loc->registers[1]);
    case Location::kRegister:
        text = register_name(machine, loc->registers[0]);
        break;
    case Location::kRegisterOffset:
        text = register_name(machine, loc->registers[0]);
        if (loc->value != 0)
            text += plus(loc->value, "");
        break;
    }
    if (loc->deref)
        text = "*(" + text + ")";
    if (loc->size != 8 || narrow)
        text += fmt::format(":{}{}", is_signed ? 's' : 'u', loc->size * 8);
    return text;
}

}  // namespace btf_extra
