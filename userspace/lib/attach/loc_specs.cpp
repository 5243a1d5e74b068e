// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/attach/loc_specs.h"

#include <atomic>
#include <cerrno>
#include <cstring>

#include <bpf/bpf.h>
#include <fmt/format.h>

namespace btf_extra {
namespace {

// Extends to the parameter's size first, and then according to its type.
uint64_t extended(const loc_location &loc, uint64_t value, btf_value type) {
    value = narrow_extend(value, loc.size, loc.is_signed);
    return type.size != 0 ? narrow_extend(value, type.size, type.is_signed) : value;
}

// Each entry has an id. An id that another process uses in a shared map is skipped.
std::atomic<uint32_t> next_handle = 1;

}  // namespace

std::optional<btf_loc_spec> loc_spec(const btf_type *param, btf_value type, uint16_t machine,
                                     uint64_t text) {
    loc_location loc;
    if (loc_location_read(&loc, param) != BTF_FAULT_NONE)
        return {};
    // A value of the parameter's full size is extended according to the type.
    if (type.size != 0 && loc.size >= type.size)
        loc.is_signed = type.is_signed;
    btf_loc_spec out = {};
    out.size = static_cast<uint8_t>(loc.size);
    out.is_signed = loc.is_signed;
    out.type_size = type.size == 0 || type.size > 8 ? 8 : static_cast<uint8_t>(type.size);
    out.type_is_signed = type.is_signed;
    out.value = loc.value;
    auto set_register = [&](int i) {
        const loc_register *found = loc_arch_register(loc_arch_of(machine), loc.registers[i]);
        out.reg[i] = found != nullptr ? found->saved_at : 0;
        return found != nullptr;
    };
    switch (loc.shape) {
    case LOC_SHAPE_ADDRESS:
        if (text == 0)
            return {};
        out.shape = BTF_LOC_VALUE;
        out.value = extended(loc, text + loc.value, type);
        return out;
    case LOC_SHAPE_CONSTANT:
        out.shape = BTF_LOC_VALUE;
        out.value = extended(loc, loc.value, type);
        return out;
    case LOC_SHAPE_PAIR:
        out.shape = BTF_LOC_PAIR;
        if (!set_register(1))
            return {};
        break;
    case LOC_SHAPE_REGISTER:
        out.shape = BTF_LOC_REGISTER;
        break;
    case LOC_SHAPE_MEMORY:
        out.shape = BTF_LOC_MEMORY;
        break;
    }
    if (!set_register(0))
        return {};
    return out;
}

std::optional<ComputedSpec> computed_spec(const loc_expression &expression, btf_value type,
                                          uint64_t text) {
    if (expression.has_address && text == 0)
        return {};
    ComputedSpec out = {};
    out.spec.shape = BTF_LOC_COMPUTED;
    out.spec.size = static_cast<uint8_t>(expression.size);
    out.spec.type_size = type.size == 0 || type.size > 8 ? 8 : static_cast<uint8_t>(type.size);
    out.spec.type_is_signed = type.is_signed;
    out.spec.is_signed = type.size != 0 && expression.size >= type.size && type.is_signed;
    out.steps.nr_steps = expression.nr_steps;
    for (uint32_t i = 0; i < expression.nr_steps; i++) {
        const loc_step &from = expression.steps[i];
        btf_loc_step &step = out.steps.steps[i];
        step.operand = from.operand;
        step.reg = static_cast<uint16_t>(from.saved_at);
        step.code = from.code;
        step.bits = from.bits;
        step.at = from.at;
        if (from.code == LOC_CODE_PIECE)
            out.steps.pieces = 1;
        if (from.code == LOC_CODE_ADDRESS) {
            step.code = LOC_CODE_NUMBER;
            step.operand += text;
        }
    }
    return out;
}

Result<LocSpecs> LocSpecs::of_program(int prog_fd) {
    auto fail = [](std::string_view what, int code) {
        return Error{fmt::format("{}: {}", what, std::strerror(code)), code};
    };
    std::vector<uint32_t> ids(64);  // the most maps that a program may have
    bpf_prog_info info = {};
    info.nr_map_ids = static_cast<uint32_t>(ids.size());
    info.map_ids = reinterpret_cast<uintptr_t>(ids.data());
    uint32_t size = sizeof(info);
    if (bpf_obj_get_info_by_fd(prog_fd, &info, &size) != 0)
        return fail("information on the program", errno);
    if (info.type != BPF_PROG_TYPE_KPROBE)
        return Error{"not a program of type kprobe", EINVAL};
    ids.resize(std::min<size_t>(info.nr_map_ids, ids.size()));
    FileDescriptor specs, steps;
    for (uint32_t id : ids) {
        FileDescriptor map(bpf_map_get_fd_by_id(id));
        if (!map)
            return fail("a map of the program", errno);
        bpf_map_info of_map = {};
        size = sizeof(of_map);
        if (bpf_obj_get_info_by_fd(map.get(), &of_map, &size) != 0)
            return fail("information on a map of the program", errno);
        // Names of maps are cut after 15 bytes; these have 13.
        const std::string_view name = of_map.name;
        if (name != BTF_LOC_SPECS_MAP && name != BTF_LOC_STEPS_MAP)
            continue;
        const bool is_specs = name == BTF_LOC_SPECS_MAP;
        if (of_map.type != BPF_MAP_TYPE_HASH || of_map.key_size != sizeof(btf_loc_key) ||
            of_map.value_size != (is_specs ? sizeof(btf_loc_spec) : sizeof(btf_loc_steps)))
            return Error{"the program was built with another version of btf_loc.bpf.h", EINVAL};
        (is_specs ? specs : steps) = std::move(map);
    }
    if (!specs)
        return Error{"without the module a program must take its arguments with bpf_loc_arg() or "
                     "BPF_KLOC() of btf_loc.bpf.h",
                     EINVAL};
    return LocSpecs(std::move(specs), std::move(steps));
}

LocSpecs::~LocSpecs() {
    for (const Map *map : {&specs_, &steps_})
        for (const btf_loc_key &key : map->keys)
            bpf_map_delete_elem(map->map.get(), &key);
}

void LocSpecs::leave() {
    specs_.keys.clear();
    steps_.keys.clear();
}

int LocSpecs::Map::put(const btf_loc_key &key, const void *value, uint64_t flags) {
    if (bpf_map_update_elem(map.get(), &key, value, flags) != 0)
        return errno;
    keys.push_back(key);
    return 0;
}

// The steps go first: a program that finds the spec requires them.
int LocSpecs::put_param(const btf_loc_key &key, const Parameter &param, btf_value type,
                        uint16_t machine, uint64_t text) {
    if (param.loc != nullptr) {
        const auto spec = loc_spec(param.loc, type, machine, text);
        return spec ? specs_.put(key, &*spec, BPF_ANY) : 0;
    }
    if (!param.expression || !steps_.map)
        return 0;
    const auto computed = computed_spec(*param.expression, type, text);
    if (!computed)
        return 0;
    const int refused = steps_.put(key, &computed->steps, BPF_ANY);
    return refused != 0 ? refused : specs_.put(key, &computed->spec, BPF_ANY);
}

Result<uint64_t> LocSpecs::add_site(const ObjectView &view, uint64_t text, uint32_t site_number,
                                    uint64_t address, uint64_t cookie) {
    auto fail = [](int code) {
        if (code == E2BIG)
            return Error{"the map is too small for all sites and locations: define a larger "
                         "BTF_LOC_MAX_SPECS before including btf_loc.bpf.h",
                         code};
        return Error{fmt::format("map {}: {}", BTF_LOC_SPECS_MAP, std::strerror(code)), code};
    };
    btf_loc_spec site = {};
    site.value = address;
    site.cookie = cookie;
    uint32_t handle;
    int code;
    do {
        handle = next_handle++;
        code = specs_.put({handle, BTF_LOC_SITE}, &site, BPF_NOEXIST);
    } while (code == EEXIST || handle == 0);
    if (code != 0)
        return fail(code);

    const loc_section *section;
    const loc_site *record = loc_index_site(&view.index(), site_number, &section);
    if (auto known = protos_.find(record->loc_proto); known != protos_.end())
        return uint64_t{handle} << 32 | known->second;
    uint32_t number = 0;
    for (const Parameter &param : view.parameters(site_number)) {
        const btf_value type = btf_type_value(&view.locations().blob(), param.type_id);
        const uint32_t n = number++;
        code = put_param({handle, n}, param, type, view.file().machine, text);
        if (code != 0)
            return fail(code);
    }
    protos_[record->loc_proto] = handle;
    return uint64_t{handle} << 32 | handle;
}

}  // namespace btf_extra
