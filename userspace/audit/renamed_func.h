// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Names the functions that may be those which a kernel lacks, by another name.
#ifndef BTF_EXTRA_RENAMED_FUNC_H
#define BTF_EXTRA_RENAMED_FUNC_H

#include <string>
#include <vector>

#include "userspace/audit/audit.h"

namespace btf_extra::audit {

// Adds a line to findings of kMissing if another kernel of the audit has the function: the
// functions that only the one has, of the same file and with the same types, unless there are many.
// kernels: the texts of the audit's kernels, of which some are opened again.
Result<void> name_renamed_funcs(Audit &audit, const std::vector<std::string> &kernels);

}  // namespace btf_extra::audit

#endif
