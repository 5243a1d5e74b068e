// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/phantoms/loaded_modules.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "userspace/format/file_descriptor.h"
#include "userspace/format/temporary_file.h"

namespace btf_extra::phantoms {
namespace {

namespace fs = std::filesystem;

// A kernel has fewer functions.
constexpr size_t kMaxModules = 100;

std::string folder_of(const LoadedPaths &paths) {
    return paths.sys_kernel + "/btf_extra/inlined/";
}

// The FUNCs of a module's BTF by name.
std::map<std::string, uint32_t, std::less<>> funcs_of(const btf_blob &blob) {
    std::map<std::string, uint32_t, std::less<>> out;
    for (uint32_t i = 0; i < blob.nr_types; i++) {
        const btf_type *type = btf_blob_record(&blob, i);
        const char *name =
            loc_kind(type) == BTF_KIND_FUNC ? btf_blob_string(&blob, type->name_off) : nullptr;
        if (name != nullptr)
            out.emplace(name, blob.first_id + i);
    }
    return out;
}

Result<LoadedModule> read_module(const std::string &name, const std::string &table,
                                 std::shared_ptr<const BtfImage> vmlinux,
                                 const LoadedPaths &paths) {
    struct Levels {
        std::shared_ptr<const BtfImage> vmlinux;
        std::unique_ptr<BtfImage> own;
    };
    auto levels = std::make_shared<Levels>(Levels{std::move(vmlinux), nullptr});
    levels->own = TRY(open_base_btf(paths.sys_kernel + "/btf/" + name, levels->vmlinux.get()));
    const btf_blob &blob = levels->own->blob();
    const auto funcs = funcs_of(blob);
    LoadedModule out = {name, {}, 0};
    const auto bytes = TRY(read_whole_file(table));
    for (Stub &stub : TRY(read_phantom_table(table, bytes))) {
        const auto func = funcs.find(stub.name);
        if (func == funcs.end())
            return Error{fmt::format("{}: no function {}", levels->own->place(), stub.name)};
        out.phantoms.push_back({std::move(stub), {levels, &blob, func->second, 0}});
    }
    std::ifstream(paths.sys_module + "/" + name + "/refcnt") >> out.users;
    return out;
}

Result<void> load_bytes(const std::vector<std::byte> &bytes, bool is_signed) {
    const FileDescriptor file(memfd_create("inlined.ko", MFD_CLOEXEC));
    if (!file || !write_all(file.get(), bytes))
        return Error{fmt::format("inlined.ko: {}", std::strerror(errno)), errno};
    if (syscall(SYS_finit_module, file.get(), "", 0) == 0)
        return {};
    const int error = errno;
    std::string why = std::strerror(error);
    if (error == EKEYREJECTED || error == ENOKEY || error == EBADMSG ||
        (error == EPERM && geteuid() == 0 && !is_signed))
        why += is_signed ? ": the kernel does not know the key of --sign"
                         : ": the kernel accepts only signed modules: --sign KEY CERT";
    else if (error == EPERM && geteuid() == 0)
        why += ": the kernel is locked down, or does not know the key of --sign";
    else if (error == EPERM)
        why += ": needs CAP_SYS_MODULE";
    else
        why += "; see the kernel's log";
    return Error{"loading the module: " + why, error};
}

Result<void> unload(const std::string &name) {
    if (syscall(SYS_delete_module, name.c_str(), O_NONBLOCK) == 0)
        return {};
    const int error = errno;
    return Error{fmt::format("{}: unloading: {}", name,
                             error == EWOULDBLOCK ? "it is in use" : std::strerror(error)),
                 error};
}

Result<void> change(const std::string &name, const std::vector<std::byte> &before,
                    const std::vector<std::byte> &after, const ModuleLoader &loader) {
    if (!before.empty() && !after.empty()) {
        // The kernel checks the signature before it finds that the name is taken. So the old module
        // stays if the new one would be refused.
        const auto tried = loader.load(after);
        if (tried || tried.error().code != EEXIST)
            return tried;
    }
    if (!before.empty())
        TRY(loader.unload(name));
    if (after.empty())
        return {};
    auto loaded = loader.load(after);
    if (loaded || before.empty())
        return loaded;
    if (const auto back = loader.load(before); !back)
        return Error{fmt::format("{}; and the old module could not be loaded again: {}",
                                 loaded.error().message, back.error().message)};
    return loaded;
}

}  // namespace

std::string module_name_of(size_t number) {
    return number == 0 ? "inlined" : fmt::format("inlined_{}", number + 1);
}

Result<std::vector<LoadedModule>> loaded_modules(const LoadedPaths &paths) {
    const std::string folder = folder_of(paths);
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return Error{folder + ": missing: btf_extra is not loaded", ENOENT};
    std::shared_ptr<const BtfImage> vmlinux;
    std::vector<LoadedModule> out;
    for (size_t number = 0; number < kMaxModules; number++) {
        const std::string name = module_name_of(number), table = folder + "." + name;
        if (!fs::exists(table, error))
            continue;
        if (!vmlinux)
            vmlinux = TRY(open_base_btf(paths.sys_kernel + "/btf/vmlinux"));
        auto module = TRY(read_module(name, table, vmlinux, paths));
        out.push_back(std::move(module));
    }
    return out;
}

std::vector<std::string> funcs_of_modules(const LoadedPaths &paths) {
    std::vector<std::string> out;
    const auto vmlinux = open_base_btf(paths.sys_kernel + "/btf/vmlinux");
    std::error_code error;
    for (const fs::directory_entry &entry :
         fs::directory_iterator(paths.sys_kernel + "/btf", error)) {
        const std::string name = entry.path().filename();
        if (!vmlinux || name == "vmlinux" || fs::exists(folder_of(paths) + "." + name, error))
            continue;
        // A module that has gone meanwhile, or cannot be read, has no name that libbpf would find.
        const auto image = open_base_btf(entry.path(), vmlinux->get());
        if (image)
            for (const auto &[func, id] : funcs_of((*image)->blob()))
                out.push_back(func);
    }
    return out;
}

Result<StubState> read_stub_state(const std::string &stub, const LoadedPaths &paths) {
    const std::string path = folder_of(paths) + stub;
    const auto bytes = TRY(read_whole_file(path));
    return parse_stub_state(path, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

Result<void> arm_stub(const std::string &stub, const LoadedPaths &paths) {
    const std::string path = folder_of(paths) + stub;
    const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file || write(file.get(), "arm", 3) != 3)
        return Error{fmt::format("{}: arm: {}", path, std::strerror(errno)), errno};
    return {};
}

ModuleLoader kernel_loader(bool is_signed) {
    return {
        [is_signed](const std::vector<std::byte> &bytes) { return load_bytes(bytes, is_signed); },
        unload};
}

Result<void> change_modules(const std::vector<ModuleChange> &changes, const ModuleLoader &loader) {
    for (size_t i = 0; i < changes.size(); i++) {
        const auto done = change(changes[i].name, changes[i].before, changes[i].after, loader);
        if (done)
            continue;
        for (size_t n = i; n-- > 0;)
            if (const auto back =
                    change(changes[n].name, changes[n].after, changes[n].before, loader);
                !back)
                return Error{fmt::format("{}; and {}", done.error().message, back.error().message),
                             done.error().code};
        return done;
    }
    return {};
}

}  // namespace btf_extra::phantoms
