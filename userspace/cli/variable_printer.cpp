// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/variable_printer.h"

#include <fmt/format.h>

#include "userspace/text/c_type.h"
#include "userspace/text/json_text.h"

namespace btf_extra {
namespace {

std::string declaration(const FoundVariable &variable, const std::string &name) {
    return c_declaration(variable.object->view->types().blob(), variable.type_id, name);
}

std::string where(const FoundVariable &variable) {
    return variable.address ? fmt::format("{:#x}", *variable.address) : variable.place;
}

// "vmlinux:jiffies_64  0xffffffff82a05940  global u64 jiffies_64  kernel/time/timer.c"
std::string line_of(const FoundVariable &variable) {
    std::string out = fmt::format("{}:{}", variable.object->name, variable.name);
    for (const std::string &part :
         {where(variable),
          variable.reason ? fmt::format("left out: {}", text(*variable.reason))
                          : fmt::format("{} {}", variable.global ? "global" : "static",
                                        declaration(variable, variable.name)),
          variable.file.value_or("")})
        if (!part.empty())
            out += "  " + part;
    return out;
}

ordered_json json_of(const FoundVariable &variable) {
    ordered_json out = {{"object", variable.object->name},
                        {"name", variable.name},
                        {"type", nullptr},
                        {"linkage", nullptr},
                        {"left_out", nullptr},
                        {"file", or_null(variable.file)},
                        {"address", nullptr},
                        {"place", nullptr}};
    if (variable.reason) {
        out["left_out"] = text(*variable.reason);
    } else {
        out["type"] = declaration(variable, "");
        out["linkage"] = variable.global ? "global" : "static";
    }
    if (variable.address)
        out["address"] = fmt::format("{:#x}", *variable.address);
    if (!variable.place.empty())
        out["place"] = variable.place;
    return out;
}

}  // namespace

Result<void> print_variables(SiteTables &tables, const std::vector<std::string> &texts, bool json) {
    ordered_json list = ordered_json::array();
    Result<void> done;
    for (const std::string &text : texts) {
        const auto found = find_variables(tables, text);
        if (!found && done)
            done = found.error();
        if (!found)
            continue;
        for (const FoundVariable &variable : *found)
            if (json)
                list.push_back(json_of(variable));
            else
                fmt::print("{}\n", line_of(variable));
    }
    if (json)
        print_object({{"variables", std::move(list)}});
    return done;
}

}  // namespace btf_extra
