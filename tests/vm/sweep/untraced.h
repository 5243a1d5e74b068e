// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Functions that a sweep reaches in full only with BTF_EXTRA_NOTRACE.
#ifndef BTF_EXTRA_SWEEP_UNTRACED_H
#define BTF_EXTRA_SWEEP_UNTRACED_H

#include <cstdint>
#include <unordered_set>

#include "tests/vm/guest_sites.h"

// Returns the ids of all functions with a site inside of what ftrace does not know, by the files of
// tracefs and /proc/kallsyms.
std::unordered_set<uint32_t> untraced_functions(const guest::List &list);

#endif
