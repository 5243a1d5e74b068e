// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The debug information of a kernel, where packages and builds put it.
#ifndef BTF_EXTRA_DEBUG_INFO_H
#define BTF_EXTRA_DEBUG_INFO_H

#include <string>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/host/host.h"

namespace btf_extra::host {

struct DebugInfo {
    std::string vmlinux;                      // has DWARF
    std::vector<std::string> module_folders;  // with modules that have it, at any depth
    std::string build_id = {};                // of vmlinux, if it is installed
};

// Returns the build-id of the kernel that runs, or of /boot/vmlinuz-RELEASE if that is an ELF file:
// elfutils 0.188 does not open a bzImage. "": it is not known.
std::string kernel_build_id(const Host &host, const std::string &release);

// Looks for a vmlinux of that release. If its build-id is known, that of the file must be the same.
// The error has the code ENOENT if there is none, and ESTALE if it is of another build.
Result<DebugInfo> find_debug_info(const Host &host, const std::string &release);

}  // namespace btf_extra::host

#endif
