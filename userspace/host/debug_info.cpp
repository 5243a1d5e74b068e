// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/host/debug_info.h"

#include <cerrno>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "userspace/format/elf_image.h"

namespace btf_extra::host {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> vmlinux_paths(const Host &host, const std::string &release,
                                       const std::string &build_id) {
    std::vector<std::string> paths = {
        "/usr/lib/debug/boot/vmlinux-" + release,
        "/usr/lib/debug/lib/modules/" + release + "/vmlinux",
        "/usr/lib/debug/usr/lib/modules/" + release + "/vmlinux",
        "/usr/lib/debug/vmlinux-" + release,
        "/lib/modules/" + release + "/build/vmlinux",
        "/lib/modules/" + release + "/vmlinux",
        "/boot/vmlinux-" + release,
    };
    if (build_id.size() > 2)
        paths.push_back(fmt::format("/usr/lib/debug/.build-id/{}/{}.debug", build_id.substr(0, 2),
                                    build_id.substr(2)));
    for (std::string &path : paths)
        path = host.path(path);
    return paths;
}

bool has_dwarf(const ElfImage &elf) {
    const ElfSection *section = elf.find(".debug_info");
    return section != nullptr && section->type != SHT_NOBITS;
}

std::vector<std::string> module_folders(const Host &host, const std::string &release) {
    std::vector<std::string> folders;
    for (const char *under : {"/usr/lib/debug/lib/modules/", "/usr/lib/debug/usr/lib/modules/"}) {
        const std::string folder = host.path(under + release);
        std::error_code failed;
        // Some packages have one name for the other folder.
        if (fs::is_directory(folder, failed) &&
            (folders.empty() || !fs::equivalent(folder, folders[0], failed)))
            folders.push_back(folder);
    }
    return folders;
}

}  // namespace

std::string kernel_build_id(const Host &host, const std::string &release) {
    if (release == host.release)
        return running_build_id(host);
    const auto image = ElfImage::open(host.path("/boot/vmlinuz-" + release));
    return image ? build_id_text(image->build_id_note()) : "";
}

Result<DebugInfo> find_debug_info(const Host &host, const std::string &release) {
    const std::string build_id = kernel_build_id(host, release);
    std::optional<Error> stale;
    for (const std::string &path : vmlinux_paths(host, release, build_id)) {
        const auto elf = ElfImage::open(path);
        if (!elf || !has_dwarf(*elf))
            continue;
        const std::string found = build_id_text(elf->build_id_note());
        if (build_id.empty() || found == build_id)
            return DebugInfo{path, module_folders(host, release), found};
        if (!stale)
            stale = Error{fmt::format("{}: of another build: build-id {}, but that of {} is {}",
                                      path, found.empty() ? "none" : found, release, build_id),
                          ESTALE};
    }
    return stale.value_or(
        Error{fmt::format("no debug information of {} is installed", release), ENOENT});
}

}  // namespace btf_extra::host
