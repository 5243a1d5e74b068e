// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The modules with stubs that are loaded: what is in them, and how they come and go.
#ifndef BTF_EXTRA_LOADED_MODULES_H
#define BTF_EXTRA_LOADED_MODULES_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "userspace/format/btf_image.h"
#include "userspace/phantoms/phantom.h"
#include "userspace/phantoms/stub_state.h"

namespace btf_extra::phantoms {

// "inlined", "inlined_2", ...: number counts from 0.
std::string module_name_of(size_t number);

struct LoadedModule {
    std::string name;
    std::vector<Phantom> phantoms;  // in the order of the table
    uint64_t users;                 // that hold it
};

// The kernel lists them in these files.
struct LoadedPaths {
    std::string sys_kernel = "/sys/kernel";
    std::string sys_module = "/sys/module";
};

// Returns them in order of number. It is an error if btf_extra is not loaded.
Result<std::vector<LoadedModule>> loaded_modules(const LoadedPaths &paths = {});

// Returns the names of the FUNCs in the BTF of all other modules. Theirs need not be symbols:
// btf_extra_vmlinux has FUNCs of functions that are only inlined. libbpf takes the first module
// that has a name, and 6.1 then takes the symbol of that name, whatever module has it.
std::vector<std::string> funcs_of_modules(const LoadedPaths &paths = {});

Result<StubState> read_stub_state(const std::string &stub, const LoadedPaths &paths = {});
Result<void> arm_stub(const std::string &stub, const LoadedPaths &paths = {});

// A change of one module. before and after: the bytes to load; empty: no module.
struct ModuleChange {
    std::string name;
    std::vector<std::byte> before, after;
};

// Loads and unloads modules.
struct ModuleLoader {
    std::function<Result<void>(const std::vector<std::byte> &bytes)> load;
    std::function<Result<void>(const std::string &name)> unload;
};
ModuleLoader kernel_loader(bool is_signed);

// Makes all changes, or none: if one fails, those before it are undone.
Result<void> change_modules(const std::vector<ModuleChange> &changes, const ModuleLoader &loader);

}  // namespace btf_extra::phantoms

#endif
