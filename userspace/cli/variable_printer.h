// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Prints variables, for `list --variables` and `lookup --variable`.
#ifndef BTF_EXTRA_VARIABLE_PRINTER_H
#define BTF_EXTRA_VARIABLE_PRINTER_H

#include <string>
#include <vector>

#include "userspace/lib/tables/variables.h"

namespace btf_extra {

// Prints the variables that the texts name, each line with the type, or with the reason why the
// types do not contain it.
Result<void> print_variables(SiteTables &tables, const std::vector<std::string> &texts, bool json);

}  // namespace btf_extra

#endif
