// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/vm/intree/types.h"

#include <sstream>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/vm/guest_sites.h"

using guest::die;

namespace {

// Opens the kernel's BTF of that module.
int open_btf(const std::string &module) {
    uint32_t id = 0;
    while (bpf_btf_get_next_id(id, &id) == 0) {
        const int fd = bpf_btf_get_fd_by_id(id);
        char name[64] = "";
        bpf_btf_info info = {};
        info.name = guest::pointer(name);
        info.name_len = sizeof(name);
        uint32_t size = sizeof(info);
        if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &size) == 0 && info.kernel_btf &&
            module == name)
            return fd;
        close(fd);
    }
    die("no BTF of " + module);
}

}  // namespace

Types::Types(const std::string &object) {
    base_.reset(btf__load_vmlinux_btf());
    if (!base_)
        die("BTF of vmlinux");
    uint32_t id = 1;
    if (object != "vmlinux") {
        fd_ = open_btf(object);
        own_.reset(btf__load_module_btf(object.c_str(), base_.get()));
        if (!own_)
            die("BTF of " + object);
        id = btf__type_cnt(base_.get());
    }
    for (; id < btf__type_cnt(types()); id++) {
        const btf_type *type = btf__type_by_id(types(), id);
        const std::string name = btf__name_by_offset(types(), type->name_off);
        if (btf_is_func(type))
            funcs_.emplace(name, id);
        else if (btf_is_decl_tag(type) && name.starts_with("file:"))
            files_[type->type] = name.substr(5);
    }
}

Types::~Types() {
    if (fd_ > 0)
        close(fd_);
}

std::vector<Func> Types::named(const std::string &name) const {
    std::vector<Func> funcs;
    for (auto [at, end] = funcs_.equal_range(name); at != end; ++at) {
        const auto file = files_.find(at->second);
        funcs.push_back({fd_, at->second, name, file != files_.end() ? file->second : ""});
    }
    return funcs;
}

Func Types::only(const std::string &name, const std::string &file) const {
    Func found;
    for (const Func &func : named(name)) {
        if (!func.file.ends_with(file))
            continue;
        if (found.id != 0)
            return {};
        found = func;
    }
    return found;
}

Func Types::func(uint32_t id) const {
    const btf_type *type = btf__type_by_id(types(), id);
    if (type == nullptr || !btf_is_func(type))
        return {};
    const auto file = files_.find(id);
    return {fd_, id, btf__name_by_offset(types(), type->name_off),
            file != files_.end() ? file->second : ""};
}

unsigned Types::parameters(const Func &func) const {
    return btf_vlen(btf__type_by_id(types(), btf__type_by_id(types(), func.id)->type));
}

std::vector<std::string> Types::names(const std::string &begin) const {
    std::vector<std::string> names;
    for (auto at = funcs_.lower_bound(begin); at != funcs_.end() && at->first.starts_with(begin);
         ++at)
        names.push_back(at->first);
    return names;
}

namespace {

// The addresses of functions, by object ("" for vmlinux) and name.
using Symbols = std::map<std::pair<std::string, std::string>, std::vector<uint64_t>>;

Symbols read_symbols() {
    Symbols all;
    std::ifstream list("/proc/kallsyms");
    for (std::string line; std::getline(list, line);) {
        std::istringstream words(line);
        std::string address, type, symbol, module;
        words >> address >> type >> symbol >> module;
        if (type.find_first_of("tTwW") == 0)
            all[{module, symbol}].push_back(std::stoull(address, nullptr, 16));
    }
    return all;
}

}  // namespace

std::vector<uint64_t> symbols(const std::string &name, const std::string &module) {
    // The modules that tests ask for stay loaded, so the symbols are read once.
    static const Symbols all = read_symbols();
    const auto found = all.find({module.empty() ? "" : "[" + module + "]", name});
    return found != all.end() ? found->second : std::vector<uint64_t>();
}

std::vector<std::string> shared_symbols(const std::string &module) {
    std::vector<std::string> names;
    for (const auto &[key, addresses] : read_symbols())
        if (key.first == (module.empty() ? "" : "[" + module + "]") && addresses.size() > 1)
            names.push_back(key.second);
    return names;
}
