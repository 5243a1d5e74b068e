// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The functions that the FUNC arguments of a subcommand stand for.
#ifndef BTF_EXTRA_FUNC_CHOICE_H
#define BTF_EXTRA_FUNC_CHOICE_H

#include <string>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/lib/tables/described_func.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {

// Returns the functions that a text names. It is an error (ENOENT) if it names none.
Result<std::vector<FoundFunc>> find_some(SiteTables &tables, const std::string &text);
// Visits it.
Result<void> visit_some(SiteTables &tables, const std::string &text, const FoundVisitor &visit);

// Returns the functions that all texts name, each of them once. A function of a header is one in
// each object that has sites of it. It is an error if a name that is not a pattern names several
// functions, which are then listed on stderr, or one that was named before.
Result<std::vector<DescribedFunc>> choose_funcs(SiteTables &tables,
                                                const std::vector<std::string> &texts);

}  // namespace btf_extra

#endif
