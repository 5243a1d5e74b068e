// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/module_name.h"

#include <algorithm>
#include <string_view>

namespace btf_extra {

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

}  // namespace btf_extra
