// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads one unit of .debug_info: its sites, which are all inlined instances and all bodies, with
// the location of each parameter there.
#ifndef BTF_EXTRA_DWARF_READER_H
#define BTF_EXTRA_DWARF_READER_H

#include "userspace/generator/model/site_model.h"
#include "userspace/generator/sites/unit_tools.h"

namespace btf_extra::generator {

UnitSites read_unit(UnitTools &tools, const Unit &unit);

}  // namespace btf_extra::generator

#endif
