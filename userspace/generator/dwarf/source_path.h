// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds the names of source files in the file table of a unit's line program, and gives them one
// spelling, relative to the source tree.
#ifndef BTF_EXTRA_SOURCE_PATH_H
#define BTF_EXTRA_SOURCE_PATH_H

#include <string>
#include <string_view>
#include <vector>

#include "userspace/generator/dwarf/dwarf_unit.h"

namespace btf_extra::generator {

// Returns the file names of a unit, by the numbers of DW_AT_decl_file. Directory and name are
// joined as they are written. DW_AT_comp_dir is left out, for an out-of-tree build does not have
// its sources there. If the table is malformed, strings are empty or missing.
std::vector<std::string> file_table(const DebugSections &sections, const Unit &unit);

// Makes "b/c.h" of "./a/../b//c.h", without a look at any file system.
std::string normalized_path(std::string_view path);

// The folder of the sources; absolute names are made relative to it.
class SourceTree {
  public:
    // Takes the name and the comp_dir of every unit, in any order.
    void add_unit(std::string_view name, std::string_view comp_dir);

    // Normalises a path, and makes it relative to the tree if it is inside.
    std::string relative(std::string_view path) const;

  private:
    void add_common(const std::string &folder);

    std::string common_;  // what all absolute folders begin with; "" with seen_: nothing
    std::string kernel_;  // the folder that has init/main.c
    bool seen_ = false;
};

}  // namespace btf_extra::generator

#endif
