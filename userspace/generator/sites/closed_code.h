// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Says which code without calls for ftrace the source closes to tracers on purpose, where neither
// DWARF nor a table of the kernel records it. Linux 6.1 to 7.3 are alike in this.
#ifndef BTF_EXTRA_CLOSED_CODE_H
#define BTF_EXTRA_CLOSED_CODE_H

#include <string_view>

namespace btf_extra::generator {

// Returns true if the source has an explicit notrace for a function of that name, which may be
// inline or in a unit without calls for ftrace.
bool closed_by_name(std::string_view function);

// Returns true if a unit in which ftrace knows no function is open all the same: a makefile keeps
// the calls out of it only for speed. path is the unit's own, relative to the source tree.
bool open_by_path(std::string_view unit);

}  // namespace btf_extra::generator

#endif
