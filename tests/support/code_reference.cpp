// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/code_reference.h"

#include <elf.h>

#include <array>
#include <cstring>

namespace btf_extra::test {

namespace {

thread_local const Machine *loaded_from;

bool load(void *value, u64 address, u32 bytes) {
    const uint64_t number = loaded_from->load(address, bytes);
    std::memcpy(value, &number, bytes);
    return true;
}

}  // namespace

uint16_t machine_of(const ExprFormat &format) {
    return format.registers == 32 ? EM_AARCH64 : EM_X86_64;
}

std::optional<loc_expression> decoded(const ExpressionCode &code, const ExprFormat &format) {
    loc_expression expression;
    byte_view view = byte_view_of(code.data(), code.size(), 0);
    const auto fault = loc_expression_decode(&expression, loc_arch_of(machine_of(format)), &view);
    if (fault != BTF_FAULT_NONE || view.at != code.size())
        return std::nullopt;
    return expression;
}

std::optional<std::vector<uint8_t>> code_bytes(const ExpressionCode &code, uint64_t param_size,
                                               const ExprFormat &format, const Machine &machine) {
    const auto expression = decoded(code, format);
    if (!expression || expression->size != param_size)
        return std::nullopt;
    return expression_bytes(*expression, machine_of(format), machine);
}

std::optional<std::vector<uint8_t>> expression_bytes(const loc_expression &expression, uint16_t of,
                                                     const Machine &machine) {
    std::array<u64, 64> saved{};  // struct pt_regs, which is read as u64
    for (uint32_t number = 0; number < machine.registers.size(); ++number) {
        const loc_register *found = loc_arch_register(loc_arch_of(of), number);
        if (found != nullptr)
            saved.at(found->saved_at / 8) = machine.registers[number];
    }
    const loc_machine_state state = {.registers = saved.data(), .base = machine.object_base};
    u64 value[2];
    loaded_from = &machine;
    if (!loc_steps_run(expression.steps, expression.nr_steps, &state, load, value))
        return std::nullopt;
    const auto *bytes = reinterpret_cast<const uint8_t *>(value);
    return std::vector<uint8_t>(bytes, bytes + expression.size);
}

}  // namespace btf_extra::test
