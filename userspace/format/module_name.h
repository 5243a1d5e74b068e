// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads what the file of a kernel module tells beside its sections: the name that it has when it is
// loaded, where it is installed, and whether it is signed.
#ifndef BTF_EXTRA_MODULE_NAME_H
#define BTF_EXTRA_MODULE_NAME_H

#include <string>
#include <string_view>

namespace btf_extra {

// A file "x-y.ko", "x-y.ko.debug" or "x-y.ko.xz" is module "x_y", as in /proc/modules. Empty: it is
// no module.
std::string module_name(const std::string &path);

// Returns the file of a module below a folder "/lib/modules/RELEASE": of several the one that
// depmod prefers. "": there is none.
std::string find_module_file(const std::string &folder, std::string_view name);

// The kernel's scripts/sign-file puts this at the very end of a module that it signs.
inline constexpr std::string_view kModuleSignature = "~Module signature appended~\n";

}  // namespace btf_extra

#endif
