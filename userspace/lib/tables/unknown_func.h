// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Says why a text stands for no function, and what the user may have meant.
#ifndef BTF_EXTRA_UNKNOWN_FUNC_H
#define BTF_EXTRA_UNKNOWN_FUNC_H

#include "userspace/format/result.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {

// Returns ENOENT, in one line: which other object or file has a function of that name; else why
// what has that name has no site; else the nearest names. text: what tables.find() found nothing
// for, as the user wrote it in `written`.
Error unknown_func(SiteTables &tables, const FuncText &text, std::string_view written);

}  // namespace btf_extra

#endif
