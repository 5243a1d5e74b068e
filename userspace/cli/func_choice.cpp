// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/func_choice.h"

#include <cerrno>
#include <cstdio>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "userspace/lib/tables/unknown_func.h"

namespace btf_extra {
namespace {

Error choice_needed(const std::string &text, const std::vector<FoundFunc> &found) {
    std::fflush(stdout);
    for (const FoundFunc &each : found)
        fmt::print(stderr, "  {}:{}  {}\n", each.object->name,
                   each.object->view->func_label(each.id), DescribedFunc(each).prototype);
    return Error{fmt::format("{} matches {} functions: choose one of these", text, found.size())};
}

// A function of a header is inlined in the kernel and in its modules. Returns false if these only
// share a name: an object has two of them, or prototypes differ, or files, as far as these are
// known.
bool is_one_function(const std::vector<FoundFunc> &found) {
    std::set<uint32_t> objects;
    std::set<std::string> prototypes, files;
    for (const FoundFunc &each : found) {
        const DescribedFunc func(each);
        objects.insert(each.object->id);
        prototypes.insert(func.prototype);
        if (func.file)
            files.insert(*func.file);
    }
    return objects.size() == found.size() && prototypes.size() == 1 && files.size() <= 1;
}

}  // namespace

Result<std::vector<FoundFunc>> find_some(SiteTables &tables, const std::string &text) {
    std::vector<FoundFunc> out;
    TRY(visit_some(tables, text, [&](const FoundFunc &found) { out.push_back(found); }));
    return out;
}

Result<void> visit_some(SiteTables &tables, const std::string &text, const FoundVisitor &visit) {
    const auto parsed = TRY(parse_func_text(text));
    bool any = false;
    TRY(tables.visit(parsed, [&](const FoundFunc &found) {
        any = true;
        visit(found);
    }));
    if (!any)
        return unknown_func(tables, parsed, text);
    return {};
}

Result<std::vector<DescribedFunc>> choose_funcs(SiteTables &tables,
                                                const std::vector<std::string> &texts) {
    std::vector<DescribedFunc> out;
    std::set<std::pair<uint32_t, uint32_t>> known;  // object and function
    for (const std::string &text : texts) {
        auto found = TRY(find_some(tables, text));
        const bool is_name = !parse_func_text(text)->is_glob();
        if (is_name && !is_one_function(found))
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
