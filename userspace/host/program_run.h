// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs a program of the system, and waits for it.
#ifndef BTF_EXTRA_PROGRAM_RUN_H
#define BTF_EXTRA_PROGRAM_RUN_H

#include <string>
#include <vector>

#include "userspace/format/result.h"

namespace btf_extra::host {

// The program is looked up in PATH. What it prints goes to stderr, or, if it is quiet, nowhere;
// then the error has its last line.
Result<void> run_program(const std::vector<std::string> &arguments, bool quiet);

}  // namespace btf_extra::host

#endif
