// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/api/api_tables.h"

#include <cerrno>

#include <fmt/format.h>

#include "userspace/lib/api/api_error.h"
#include "userspace/lib/tables/unknown_func.h"

namespace btf_extra {

Result<std::unique_ptr<btf_extra_tables>> open_tables(const btf_extra_open_opts &opts) {
    auto out = std::make_unique<btf_extra_tables>();
    TablesChoice &choice = out->choice;
    choice.file = opts.file != nullptr ? opts.file : "";
    choice.elf.btf_base = opts.base_btf != nullptr ? opts.base_btf : "";
    choice.elf.vmlinux = opts.vmlinux != nullptr ? opts.vmlinux : "";
    choice.no_module = opts.no_module;
    out->tables = TRY(open_tables(choice));
    return out;
}

Result<const std::vector<const btf_extra_func *> *> find_funcs(btf_extra_tables &tables,
                                                               const char *text) {
    auto parsed = TRY(parse_func_text(text));
    auto found = TRY(tables.tables->find(parsed));
    if (found.empty())
        return unknown_func(*tables.tables, parsed, text);
    std::vector<const btf_extra_func *> answer;
    for (FoundFunc &func : found)
        answer.push_back(&tables.funcs.emplace_back(std::move(func)));
    return &tables.answers.emplace_back(std::move(answer));
}

}  // namespace btf_extra

using namespace btf_extra;

int btf_extra_open(btf_extra_tables **tables, const btf_extra_open_opts *opts) {
    return api_guard([&]() -> Result<void> {
        const auto known = TRY(api_opts(opts));
        auto opened = TRY(open_tables(known));
        *tables = opened.release();
        return {};
    });
}

void btf_extra_close(btf_extra_tables *tables) {
    delete tables;
}

bool btf_extra_uses_module(const btf_extra_tables *tables) {
    return tables->tables->source() == SiteTables::Source::kModule;
}

int btf_extra_find(btf_extra_tables *tables, const char *text, const btf_extra_func *const **funcs,
                   size_t *nr_funcs) {
    return api_guard([&]() -> Result<void> {
        const auto &found = *TRY(find_funcs(*tables, text));
        *funcs = found.data();
        *nr_funcs = found.size();
        return {};
    });
}
