// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/func_choice.h"

#include <cstdio>

#include <fmt/format.h>

#include "userspace/lib/tables/site_query.h"
#include "userspace/text/c_type.h"
#include "userspace/text/func_text.h"

namespace btf_extra {
namespace {

bool is(const FuncText &text, const ObjectView &view, uint32_t id) {
    if (text.id)
        return *text.id == id;
    if (text.file.empty())
        return true;
    const auto file = view.func_file(id);
    return file && file_matches(*file, text.file);
}

}  // namespace

Error choice_needed(const std::string &text, const std::vector<NamedFunc> &funcs) {
    std::fflush(stdout);
    for (const NamedFunc &func : funcs)
        fmt::print(stderr, "  {}:{}{}{}  #{}  {}\n", func.object, func.name,
                   func.file.empty() ? "" : "@", func.file, func.id, func.prototype);
    return Error{fmt::format("{} stands for {} functions: choose one by its object:, @file or #id",
                             text, funcs.size())};
}

Result<FuncChoice> choose_func(const Tables &tables, const std::string &asked) {
    auto parsed = parse_func_text(asked);
    if (!parsed)
        return parsed.error();
    const FuncText &text = *parsed;
    std::vector<FuncChoice> found;
    for (const Table &table : tables.tables) {
        if (!text.object.empty() && text.object != table.object)
            continue;
        const loc_index &index = table.view->index();
        const loc_range range =
            text.id ? loc_range{0, index.nr_funcs} : loc_index_by_name(&index, text.name.c_str());
        for (uint32_t i = range.first; i < range.end; i++)
            if (is(text, *table.view, index.funcs[i]))
                found.push_back({&table, index.funcs[i]});
    }
    if (found.empty())
        return Error{fmt::format("{}: no function {}", tables.name, asked)};
    if (found.size() == 1)
        return found[0];
    std::vector<NamedFunc> names;
    for (const FuncChoice &each : found) {
        const ObjectView &view = *each.table->view;
        names.push_back({each.table->object, std::string(view.func_name(each.id)),
                         view.func_file(each.id).value_or(""),
                         c_prototype(view.locations().blob(), each.id), each.id});
    }
    return choice_needed(asked, names);
}

}  // namespace btf_extra
