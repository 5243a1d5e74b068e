// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs a program of the system, and waits for it.
#ifndef BTF_EXTRA_PROGRAM_RUN_H
#define BTF_EXTRA_PROGRAM_RUN_H

#include <string>
#include <vector>

#include "userspace/format/result.h"

namespace btf_extra::host {

// The program is looked up in PATH. Its output goes to stderr. If it is quiet, the output is
// dropped, and the error contains its last line.
Result<void> run_program(const std::vector<std::string> &arguments, bool quiet);

}  // namespace btf_extra::host

#endif
