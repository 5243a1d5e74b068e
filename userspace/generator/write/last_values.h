// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Takes away the locations that may be those of values which the function assigns.
#ifndef BTF_EXTRA_LAST_VALUES_H
#define BTF_EXTRA_LAST_VALUES_H

#include <vector>

#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// In a unit with last values a parameter keeps its location at inlined sites if no instance and no
// body of its function, in any unit, has more than one value of it, and two have it in a register
// or in memory. An instance whose argument is known beforehand shows no assignment.
void drop_last_values(std::vector<UnitSites> &units);

}  // namespace btf_extra::generator

#endif
