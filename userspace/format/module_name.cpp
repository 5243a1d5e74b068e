// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/module_name.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace btf_extra {

namespace fs = std::filesystem;

std::string module_name(const std::string &path) {
    std::string name = path.substr(path.rfind('/') + 1);
    for (const std::string_view suffix : {".debug", ".xz", ".gz", ".zst"})
        if (name.ends_with(suffix))
            name.resize(name.size() - suffix.size());
    if (!name.ends_with(".ko") || name.size() == 3)
        return "";
    name.resize(name.size() - 3);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::string find_module_file(const std::string &folder, std::string_view name) {
    for (const char *part : {"updates", "extra", "kernel"}) {
        std::string found;
        std::error_code failed;
        for (fs::recursive_directory_iterator at(fs::path(folder) / part, failed), end;
             !failed && at != end; at.increment(failed)) {
            const std::string path = at->path();
            if (module_name(path) == name && (found.empty() || path < found))
                found = path;
        }
        if (!found.empty())
            return found;
    }
    return "";
}

}  // namespace btf_extra
