// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/func_text.h"

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

namespace btf_extra {

bool FuncText::is_glob() const {
    const func_text text = core();
    return !name.empty() && func_text_literal(&text) != text.name_size;
}

func_text FuncText::core() const {
    func_text out = {};
    out.object = object.empty() ? nullptr : object.c_str();
    out.object_size = static_cast<uint32_t>(object.size());
    out.name = id ? nullptr : name.c_str();
    out.name_size = static_cast<uint32_t>(name.size());
    out.file = file.empty() ? nullptr : file.c_str();
    out.id = id.value_or(0);
    out.glob = true;
    return out;
}

Result<FuncText> parse_func_text(const std::string &text) {
    func_text parsed;
    if (const char *reason = func_text_parse(text.c_str(), &parsed))
        return Error{fmt::format("'{}': {}", text, reason), EINVAL};
    FuncText out;
    if (parsed.object != nullptr)
        out.object.assign(parsed.object, parsed.object_size);
    if (parsed.file != nullptr)
        out.file = std::filesystem::path(parsed.file).lexically_normal().string();
    if (parsed.name != nullptr)
        out.name.assign(parsed.name, parsed.name_size);
    else
        out.id = parsed.id;
    return out;
}

}  // namespace btf_extra
