// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/phantoms/stub_names.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace btf_extra::phantoms {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string identifier(std::string_view text) {
    std::string out(text);
    for (char &c : out)
        if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z'))
            c = '_';
    return out.empty() || is_digit(out[0]) ? "_" + out : out;
}

// The last parts of a path, without the suffix: "hashtab", "bpf_hashtab". Less if it has less.
std::string end_of(const std::filesystem::path &file, size_t parts) {
    std::string out = file.stem();
    std::filesystem::path rest = file.parent_path();
    for (size_t i = 1; i < parts && rest.has_filename(); i++, rest = rest.parent_path())
        out = rest.filename().string() + "_" + out;
    return out;
}

std::string name_with(const NamedFunc &func, size_t parts, bool has_body) {
    std::string out = identifier(func.name);
    if (parts != 0)
        out += "__" + identifier("_" + end_of(func.file, parts)).substr(1);
    return out + (has_body ? "__inlined" : "");
}

size_t parts_of(const NamedFunc &func) {
    const std::filesystem::path path(func.file);
    return static_cast<size_t>(std::distance(path.begin(), path.end()));
}

}  // namespace

void StubNames::add_stub(const std::string &name) {
    taken_.erase(name);
    stubs_.insert(name);
}

std::vector<std::string> StubNames::name(const std::vector<NamedFunc> &namesakes,
                                         const std::vector<bool> &asked) {
    std::vector<std::string> out;
    for (const NamedFunc &func : namesakes) {
        const bool has_body = func.has_body || taken_.contains(identifier(func.name));
        const auto tells = [&](size_t parts) {
            const std::string name = name_with(func, parts, has_body);
            return free(name) && std::ranges::none_of(namesakes, [&](const NamedFunc &other) {
                       return other.file != func.file && name_with(other, parts, has_body) == name;
                   });
        };
        size_t parts = namesakes.size() > 1;
        while (!tells(parts) && parts < parts_of(func))
            parts++;
        // Macros make several of one name in one file.
        std::string name = name_with(func, parts, has_body);
        for (int number = 2; !free(name) || std::ranges::count(out, name) != 0; number++)
            name = fmt::format("{}_{}", name_with(func, parts, has_body), number);
        out.push_back(std::move(name));
    }
    for (size_t i = 0; i < out.size(); i++)
        if (asked[i])
            stubs_.insert(out[i]);
    return out;
}

}  // namespace btf_extra::phantoms
