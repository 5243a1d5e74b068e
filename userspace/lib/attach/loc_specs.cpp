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
    for (uint32_t id : ids) {
        FileDescriptor map(bpf_map_get_fd_by_id(id));
        if (!map)
            return fail("a map of the program", errno);
        bpf_map_info of_map = {};
        size = sizeof(of_map);
        if (bpf_obj_get_info_by_fd(map.get(), &of_map, &size) != 0)
            return fail("information on a map of the program", errno);
        // Names of maps are cut after 15 bytes; this one has 13.
        if (std::string_view(of_map.name) != BTF_LOC_SPECS_MAP)
            continue;
        if (of_map.type != BPF_MAP_TYPE_HASH || of_map.key_size != sizeof(btf_loc_key) ||
            of_map.value_size != sizeof(btf_loc_spec))
            return Error{"the program was built with another version of btf_loc.bpf.h", EINVAL};
        return LocSpecs(std::move(map));
    }
    return Error{"without the module a program must take its arguments with bpf_loc_arg() or "
                 "BPF_KLOC() of btf_loc.bpf.h",
                 EINVAL};
}

LocSpecs::~LocSpecs() {
    for (const btf_loc_key &key : keys_)
        bpf_map_delete_elem(map_.get(), &key);
}

int LocSpecs::put(const btf_loc_key &key, const btf_loc_spec &spec, uint64_t flags) {
    if (bpf_map_update_elem(map_.get(), &key, &spec, flags) != 0)
        return errno;
    keys_.push_back(key);
    return 0;
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
        code = put({handle, BTF_LOC_SITE}, site, BPF_NOEXIST);
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
        if (param.loc == nullptr)
            continue;
        if (auto spec = loc_spec(param.loc, type, view.file().machine, text))
            if (int refused = put({handle, n}, *spec, BPF_ANY); refused != 0)
                return fail(refused);
    }
    protos_[record->loc_proto] = handle;
    return uint64_t{handle} << 32 | handle;
}

}  // namespace btf_extra
