// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/installed_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/utsname.h>

namespace btf_extra {

Result<std::string> installed_file() {
    utsname system = {};
    uname(&system);
    std::string paths;
    for (const char *folder : {"/lib/firmware/updates", "/lib/firmware"}) {
        const std::string path =
            fmt::format("{}/btf_extra/{}/vmlinux.btf_extra", folder, system.release);
        if (std::error_code ignored; std::filesystem::exists(path, ignored))
            return path;
        paths += (paths.empty() ? "" : " nor ") + path;
    }
    return Error{fmt::format("neither {} exists", paths), ENOENT};
}

}  // namespace btf_extra
