// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/attach/open_descriptors.h"

#include <memory>
#include <ranges>
#include <vector>

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include "userspace/format/hex_number.h"

namespace btf_extra {
namespace {

using Folder = std::unique_ptr<DIR, int (*)(DIR *)>;

Folder open_folder(const std::string &path) {
    return Folder(opendir(path.c_str()), closedir);
}

// Returns the names in a folder that are numbers, which those of processes and descriptors are.
std::vector<uint32_t> numbers_in(const Folder &folder) {
    std::vector<uint32_t> out;
    for (const dirent *each = nullptr; folder && (each = readdir(folder.get())) != nullptr;)
        if (const auto number = parse_number(each->d_name))
            out.push_back(static_cast<uint32_t>(*number));
    return out;
}

bool has_name(const Folder &folder, uint32_t fd, std::string_view name) {
    char target[64];
    const ssize_t size =
        readlinkat(dirfd(folder.get()), std::to_string(fd).c_str(), target, sizeof(target));
    return size > 0 &&
           std::string_view(target, static_cast<size_t>(size)).find(name) != std::string_view::npos;
}

}  // namespace

void visit_descriptors(std::string_view name,
                       const std::function<bool(const OpenDescriptor &)> &visit) {
    const auto self = static_cast<uint32_t>(getpid());
    for (const uint32_t pid : numbers_in(open_folder("/proc"))) {
        const Folder folder =
            pid != self ? open_folder(fmt::format("/proc/{}/fd", pid)) : Folder(nullptr, closedir);
        const std::vector<uint32_t> fds = numbers_in(folder);
        for (const uint32_t fd : std::views::reverse(fds))
            if (has_name(folder, fd, name) && !visit({pid, fd}))
                return;
    }
}

}  // namespace btf_extra
