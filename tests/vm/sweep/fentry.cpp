// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/vm/sweep/fentry.h"

#include <string_view>

using namespace guest;

namespace {

constexpr int16_t kSlot = 8;  // bytes of the context

const bpf_program *find(const bpf_object *object, const char *name) {
    const bpf_program *program = bpf_object__find_program_by_name(object, name);
    if (program == nullptr)
        die(name);
    return program;
}

// Returns the name of the struct that a pointer points to, otherwise "".
std::string_view pointed_struct(const btf *kernel, uint32_t id) {
    for (bool behind = false;;) {
        const btf_type *type = btf__type_by_id(kernel, id);
        if (type == nullptr)
            return "";
        if (btf_is_ptr(type) && !behind)
            behind = true;
        else if (btf_is_struct(type) && behind)
            return btf__name_by_offset(kernel, type->name_off);
        else if (!btf_is_mod(type) && !btf_is_typedef(type))
            return "";
        id = type->type;
    }
}

// Returns a helper that takes such a pointer and reads the object, or 0.
int32_t helper_for(std::string_view name) {
    return name == "file"   ? BPF_FUNC_sock_from_file
           : name == "sock" ? BPF_FUNC_skc_to_tcp6_sock
                            : 0;
}

}  // namespace

FentryPrograms::FentryPrograms(const bpf_object *object)
    : model_(find(object, "count_with_args")), kernel_(btf__load_vmlinux_btf(), btf__free) {
    if (!kernel_)
        die("BTF of vmlinux");
    std::ifstream file("/proc/kallsyms");
    for (std::string line; std::getline(file, line);) {
        constexpr size_t kName = 19;
        if (line.find('\t') == std::string::npos)
            symbols_[line.substr(kName)].insert(std::stoull(line, nullptr, 16));
    }
}

void FentryPrograms::leave_attachable(List &list) {
    std::set<uint32_t> inlined;
    for (const ListedSite &site : list.sites) {
        if (site.body)
            bodies_[site.func_id] = site.address;
        else
            inlined.insert(site.func_id);
    }
    std::erase_if(list.funcs, [&](const ListedFunc &func) {
        return !inlined.contains(func.id) || !bodies_.contains(func.id) ||
               func.id >= btf__type_cnt(kernel_.get());
    });
}

std::vector<bpf_insn> FentryPrograms::calls_of_helpers(uint32_t func_id) const {
    constexpr uint8_t kMove = BPF_ALU64 | BPF_MOV | BPF_X;
    constexpr int32_t kFirstError = -4095;
    const btf_type *proto =
        btf__type_by_id(kernel_.get(), btf__type_by_id(kernel_.get(), func_id)->type);
    std::vector<bpf_insn> insns = {{kMove, BPF_REG_6, BPF_REG_1, 0, 0}};
    int16_t at = 0;
    for (uint32_t i = 0; i < btf_vlen(proto); i++) {
        const uint32_t type = btf_params(proto)[i].type;
        const int32_t helper = helper_for(pointed_struct(kernel_.get(), type));
        if (helper != 0)
            insns.insert(insns.end(), {{BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_1, BPF_REG_6, at, 0},
                                       {BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_1, 0, 2, 0},
                                       {BPF_JMP | BPF_JGE | BPF_K, BPF_REG_1, 0, 1, kFirstError},
                                       {BPF_JMP | BPF_CALL, 0, 0, 0, helper}});
        at = static_cast<int16_t>(at +
                                  (btf__resolve_size(kernel_.get(), type) > kSlot ? 2 : 1) * kSlot);
    }
    insns.push_back({kMove, BPF_REG_1, BPF_REG_6, 0, 0});
    return insns;
}

int FentryPrograms::load(uint32_t func_id) const {
    return model_.load(func_id, calls_of_helpers(func_id));
}

bool FentryPrograms::is_ambiguous(const ListedFunc &func) const {
    const auto symbol = symbols_.find(func.name);
    return symbol == symbols_.end() || symbol->second != std::set{bodies_.at(func.id)};
}
