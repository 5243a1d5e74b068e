// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tables of the C API.
#ifndef BTF_EXTRA_API_TABLES_H
#define BTF_EXTRA_API_TABLES_H

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "userspace/lib/api/api_func.h"
#include "userspace/lib/btf_extra.h"
#include "userspace/lib/tables/site_tables.h"
#include "userspace/lib/tables/symbolizer.h"

struct btf_extra_tables {
    std::unique_ptr<btf_extra::SiteTables> tables;
    btf_extra::TablesChoice choice;                   // that they were opened by
    std::optional<btf_extra::Symbolizer> symbolizer;  // opened for the first question
    // All functions that were ever found. This is a deque because they must not move.
    std::deque<btf_extra_func> funcs;
    std::deque<std::vector<const btf_extra_func *>> answers;
};

namespace btf_extra {

Result<std::unique_ptr<btf_extra_tables>> open_tables(const btf_extra_open_opts &opts);

// Never returns an empty list.
Result<const std::vector<const btf_extra_func *> *> find_funcs(btf_extra_tables &tables,
                                                               const char *text);

}  // namespace btf_extra

#endif
