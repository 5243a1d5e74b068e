// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/loc_text.h"

#include <array>

#include <fmt/format.h>

#include "userspace/format/location.h"

namespace btf_extra {
namespace {

std::string hex(uint64_t value, bool is_signed) {
    if (is_signed && static_cast<int64_t>(value) < 0)
        return fmt::format("-{:#x}", 0 - value);
    return fmt::format("{:#x}", value);
}

// Returns " + 0x8" or " - 0x8". An offset wraps at 64 bits, so the shorter of both is also right.
std::string plus(uint64_t offset, std::string_view space) {
    bool minus = static_cast<int64_t>(offset) < 0;
    return fmt::format("{}{}{}{:#x}", space, minus ? '-' : '+', space, minus ? 0 - offset : offset);
}

std::string number_name(uint32_t number) {
    return number == LOC_FRAME_BASE ? "fbreg" : fmt::format("reg{}", number);
}

}  // namespace

std::string loc_text(const btf_type *param) {
    auto loc = decode_location(param);
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
    auto loc = decode_location(param);
    if (!loc)
        return "(invalid)";
    // If the value has the parameter's full size, the type decides how it is extended; if it is
    // smaller, SIGNED decides.
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
