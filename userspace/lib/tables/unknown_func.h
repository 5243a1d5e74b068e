// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Says why a text stands for no function, and what the user may have meant.
#ifndef BTF_EXTRA_UNKNOWN_FUNC_H
#define BTF_EXTRA_UNKNOWN_FUNC_H

#include "userspace/format/result.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {

// Returns ENOENT, with one line: the other object or file that has a function of that name;
// otherwise the reason why it has no site; otherwise the nearest names. text: the name that
// tables.find() did not find, as the user wrote it in `written`.
Error unknown_func(SiteTables &tables, const FuncText &text, std::string_view written);

}  // namespace btf_extra

#endif
