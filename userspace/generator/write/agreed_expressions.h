// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Takes away the expressions on which calls at one place do not agree.
#ifndef BTF_EXTRA_AGREED_EXPRESSIONS_H
#define BTF_EXTRA_AGREED_EXPRESSIONS_H

#include <vector>

#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// Sites of one function at one place are one site if their LOC_PARAMs are the same: expressions do
// not make more of them. A parameter keeps its expression if all of them have it.
void drop_disputed_expressions(std::vector<UnitSites> &units);

}  // namespace btf_extra::generator

#endif
