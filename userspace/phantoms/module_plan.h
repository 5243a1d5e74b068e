// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Plans which module gets or loses which stubs.
#ifndef BTF_EXTRA_MODULE_PLAN_H
#define BTF_EXTRA_MODULE_PLAN_H

#include <string>
#include <vector>

#include "userspace/phantoms/loaded_modules.h"

namespace btf_extra::phantoms {

// Before and after a change, in the order of the table; none: the module is not loaded.
struct PlannedModule {
    std::string name;
    std::vector<Phantom> before, after;
};

// Puts more stubs into the modules that are not held and have room, then into new ones.
std::vector<PlannedModule> plan_more(const std::vector<LoadedModule> &loaded,
                                     std::vector<Phantom> more);

// Removes the stubs whose names match; no pattern: all. It is an error if a pattern matches none.
// The result includes modules that are held.
Result<std::vector<PlannedModule>> plan_less(const std::vector<LoadedModule> &loaded,
                                             const std::vector<std::string> &patterns);

}  // namespace btf_extra::phantoms

#endif
