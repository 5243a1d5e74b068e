// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/func_choice.h"

#include <cerrno>
#include <cstdio>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace btf_extra {
namespace {

Error choice_needed(const std::string &text, const std::vector<FoundFunc> &found) {
    std::fflush(stdout);
    for (const FoundFunc &each : found) {
        const DescribedFunc func(each);
        fmt::print(stderr, "  {}:{}{}{}  #{}  {}\n", each.object->name, func.name,
                   func.file ? "@" : "", func.file.value_or(""), each.id, func.prototype);
    }
    return Error{fmt::format("{} stands for {} functions: choose one by its object:, @file or #id",
                             text, found.size())};
}

}  // namespace

Result<std::vector<FoundFunc>> find_some(SiteTables &tables, const std::string &text) {
    auto parsed = TRY(parse_func_text(text));
    auto found = tables.find(parsed);
    if (found && found->empty())
        return Error{fmt::format("{}: no function {}", tables.name(), text), ENOENT};
    return found;
}

Result<std::vector<DescribedFunc>> choose_funcs(SiteTables &tables,
                                                const std::vector<std::string> &texts) {
    std::vector<DescribedFunc> out;
    std::set<std::pair<uint32_t, uint32_t>> known;  // object and function
    for (const std::string &text : texts) {
        auto found = TRY(find_some(tables, text));
        const bool is_name = !parse_func_text(text)->is_glob();
        if (is_name && found.size() > 1)
            return choice_needed(text, found);
        for (FoundFunc &func : found) {
            if (known.insert({func.object->id, func.id}).second)
                out.emplace_back(std::move(func));
            else if (is_name)
                return Error{fmt::format("{}: asked for twice", text)};
        }
    }
    return out;
}

}  // namespace btf_extra
