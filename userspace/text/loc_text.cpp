// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/loc_text.h"

#include <fmt/format.h>

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
    loc_location loc;
    if (loc_location_read(&loc, param) != BTF_FAULT_NONE)
        return "(invalid)";
    std::string text = number_name(loc.registers[0]);
    if (loc.has_offset)
        text += plus(loc.value, " ");
    switch (loc.shape) {
    case LOC_SHAPE_CONSTANT:
        return hex(loc.value, loc.is_signed);
    case LOC_SHAPE_ADDRESS:
        return hex(loc.value, loc.is_signed) + " (addr)";
    case LOC_SHAPE_PAIR:
        return text + ", " + number_name(loc.registers[1]);
    case LOC_SHAPE_REGISTER:
        return text;
    case LOC_SHAPE_MEMORY:
        return "*(" + text + ")";
    }
    return "(invalid)";
}

std::string register_name(uint16_t machine, uint32_t number) {
    const loc_register *found = loc_arch_register(loc_arch_of(machine), number);
    return found != nullptr ? found->name : number_name(number);
}

std::string loc_text_for_people(const btf_type *param, uint16_t machine, btf_value type,
                                const AddressName &address_name) {
    loc_location loc;
    if (loc_location_read(&loc, param) != BTF_FAULT_NONE)
        return "(invalid)";
    // If the value has the parameter's full size, the type decides how it is extended; if it is
    // smaller, SIGNED decides.
    const bool narrow = loc.size < type.size;
    const bool is_signed = type.size == 0 || narrow ? loc.is_signed : type.is_signed;
    std::string text = register_name(machine, loc.registers[0]);
    if (loc.has_offset && loc.value != 0)
        text += plus(loc.value, "");
    switch (loc.shape) {
    case LOC_SHAPE_CONSTANT:
        return hex(narrow_extend(loc.value, loc.size, is_signed), is_signed);
    case LOC_SHAPE_ADDRESS:
        return "&" + address_name(loc.value);
    case LOC_SHAPE_PAIR:
        return text + ":" + register_name(machine, loc.registers[1]);
    case LOC_SHAPE_REGISTER:
        break;
    case LOC_SHAPE_MEMORY:
        text = "*(" + text + ")";
        break;
    }
    if (loc.size != 8 || narrow)
        text += fmt::format(":{}{}", is_signed ? 's' : 'u', loc.size * 8);
    return text;
}

}  // namespace btf_extra
