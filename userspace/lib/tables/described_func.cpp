// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/described_func.h"

#include <fmt/format.h>

#include "userspace/text/c_type.h"

namespace btf_extra {

DescribedFunc::DescribedFunc(FoundFunc func) : found(std::move(func)) {
    const btf_blob &blob = view().locations().blob();
    name = view().func_name(found.id);
    file = view().func_file(found.id);
    prototype = c_prototype(blob, found.id);
    const FuncParams known = func_params(blob, found.id);
    for (uint32_t i = 0; i < known.count; i++) {
        const char *param = btf_blob_string(&blob, known.params[i].name_off);
        params.emplace_back(param != nullptr ? param : "");
    }
}

std::string DescribedFunc::text() const {
    const std::string label = view().func_label(found.id);
    const bool is_name = !label.starts_with('#');
    return found.object->name + ":" + (is_name ? label : fmt::format("{} ({})", name, label));
}

}  // namespace btf_extra
