// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/func_text.h"

#include <cerrno>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

namespace btf_extra {
namespace {

std::optional<uint32_t> parse_id(std::string_view text) {
    uint32_t id = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), id);
    if (error != std::errc{} || end != text.end() || id == 0)
        return {};
    return id;
}

}  // namespace

Result<FuncText> parse_func_text(std::string_view text) {
    auto fail = [&](std::string_view reason) {
        return Error{fmt::format("'{}': {}", text, reason), EINVAL};
    };
    FuncText out;
    std::string_view rest = text;
    const size_t at = rest.find('@');
    if (at != rest.npos) {
        if (at + 1 == rest.size())
            return fail("no source file after '@'");
        out.file = std::filesystem::path(rest.substr(at + 1)).lexically_normal().string();
        rest = rest.substr(0, at);
    }
    const size_t colon = rest.find(':');
    if (colon != rest.npos) {
        if (colon == 0)
            return fail("no object before ':'");
        out.object = rest.substr(0, colon);
        rest = rest.substr(colon + 1);
    }
    if (rest.empty())
        return fail("no name of a function");
    if (!rest.starts_with('#')) {
        out.name = rest;
        return out;
    }
    if (at != text.npos)
        return fail("a BTF id needs no source file");
    out.id = parse_id(rest.substr(1));
    if (!out.id)
        return fail("no BTF id after '#'");
    return out;
}

}  // namespace btf_extra
