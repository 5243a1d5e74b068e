// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/audit/argument_check.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "userspace/text/c_type.h"
#include "userspace/text/loc_text.h"

namespace btf_extra::audit {
namespace {

constexpr uint32_t kSlotBytes = 8;

using Places = std::array<arg_place, ARG_SLOTS_PARAMS>;

// Returns the parameter that is passed in the argument register of that number, from 0.
std::optional<uint32_t> param_in_register(std::span<const arg_place> places, uint32_t number) {
    for (uint32_t i = 0; i < places.size(); i++)
        if (number >= places[i].first_register &&
            number < uint32_t{places[i].first_register} + places[i].nr_registers)
            return i;
    return {};
}

std::optional<uint32_t> param_in_slot(std::span<const arg_place> places, uint32_t slot) {
    for (uint32_t i = 0; i < places.size(); i++)
        if (slot >= places[i].first_slot &&
            slot < uint32_t{places[i].first_slot} + places[i].nr_slots)
            return i;
    return {};
}

// Returns the number of the argument register that pt_regs has at an offset.
std::optional<uint32_t> register_saved_at(const loc_arch &arch, uint32_t offset) {
    for (uint32_t i = 0; i < arch.nr_arguments; i++)
        if (const loc_register *found = loc_arch_register(&arch, arch.arguments[i]);
            found != nullptr && found->saved_at == offset / kSlotBytes * kSlotBytes)
            return i;
    return {};
}

// Returns the numbers of the parameters that the program reads.
std::set<uint32_t> params_read(const AttachPoint &point, const FuncSurvey &func,
                               std::span<const arg_place> places, const loc_arch &arch) {
    std::set<uint32_t> out;
    const auto add = [&out](std::optional<uint32_t> param) {
        if (param)
            out.insert(*param);
    };
    for (const std::string &name : point.reads.names)
        for (uint32_t i = 0; i < func.params.size(); i++)
            if (func.params[i].name == name)
                out.insert(i);
    if (is_by_btf(point.kind)) {
        out.insert(point.reads.arguments.begin(), point.reads.arguments.end());
        for (const auto &[offset, size] : point.reads.bytes)
            for (uint32_t slot = offset / kSlotBytes; slot * kSlotBytes < offset + size; slot++)
                add(param_in_slot(places, slot));
        return out;
    }
    // A kretprobe sees the registers of the return.
    if (sees_return(point.kind))
        return {};
    for (const uint32_t number : point.reads.arguments)
        add(param_in_register(places, number));
    for (const auto &[offset, size] : point.reads.bytes)
        for (uint32_t at = offset; at < offset + size; at += kSlotBytes)
            if (const auto number = register_saved_at(arch, at))
                add(param_in_register(places, *number));
    return out;
}

std::string names_of(const loc_arch &arch, std::span<const uint32_t> registers) {
    std::string out;
    for (const uint32_t number : registers)
        out += (out.empty() ? "" : ":") + register_name(arch.machine, number);
    return out;
}

std::string found_text(const loc_arch &arch, const loc_location &found) {
    const std::string name = names_of(arch, {found.registers, 1});
    const auto offset = static_cast<int64_t>(found.value);
    switch (found.shape) {
    case LOC_SHAPE_PAIR:
        return "in " + names_of(arch, {found.registers, 2});
    case LOC_SHAPE_MEMORY:
        return offset != 0 ? fmt::format("in memory at {}{:+}", name, offset)
                           : "in memory at " + name;
    default:
        return offset != 0 ? fmt::format("{}{:+}", name, offset) : "in " + name;
    }
}

std::string fault_text(const loc_arch &arch, const abi_fault &fault) {
    switch (fault.code) {
    case ABI_FAULT_IN_MEMORY:
        return "not in a register";
    case ABI_FAULT_OPTIMIZED_OUT:
        return "optimized out";
    case ABI_FAULT_CONSTANT:
        return "a constant and not passed";
    default:
        break;
    }
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < fault.place.nr_registers; i++)
        expected.push_back(arch.arguments[fault.place.first_register + i]);
    return fmt::format("{}, not in {}", found_text(arch, fault.found), names_of(arch, expected));
}

}  // namespace

ArgumentFaults argument_faults(const AttachPoint &point, const FuncSurvey &func,
                               const SurveyedBody &body, std::string_view symbol,
                               const loc_arch *arch) {
    ArgumentFaults out;
    const ObjectView &view = *func.object->view;
    const btf_blob &blob = view.locations().blob();
    Places places = {};
    if (arch == nullptr)
        return out;
    int count = arg_places_in_slots(arch, &blob, func.id, places.data(), places.size());
    if (count < 0)
        count = arg_places(arch, &blob, func.id, places.data(), places.size());
    if (count < 0 || static_cast<size_t>(count) > places.size())
        return out;
    const std::span<const arg_place> known(places.data(), static_cast<size_t>(count));
    const std::set<uint32_t> read = params_read(point, func, known, *arch);
    const abi_promise promise =
        view.is_true_signature(func.id)
            ? ABI_EXACT
            : abi_promise_of_symbol(std::string(func.name).c_str(), std::string(symbol).c_str());
    abi_fault fault = {};
    for (uint32_t first = 0;
         !abi_check_from(arch, &blob, func.id, body.site.loc_proto, promise, first, &fault) &&
         abi_fault_of_parameter(&fault);
         first = fault.param + 1) {
        const std::string_view name =
            fault.param < func.params.size() ? func.params[fault.param].name : "";
        std::string line =
            fmt::format("parameter {} is {}",
                        name.empty() ? std::to_string(fault.param + 1) : std::string(name),
                        fault_text(*arch, fault));
        if (!point.reads.known)
            out.others.push_back(line + "; it is not known whether the program reads it");
        else if (read.contains(fault.param))
            out.read.push_back(std::move(line));
    }
    return out;
}

}  // namespace btf_extra::audit
