// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Names of source files: from the file table of a unit's line program, and in
// one spelling, relative to the source tree.
#ifndef BTF_EXTRA_SOURCE_PATH_H
#define BTF_EXTRA_SOURCE_PATH_H

#include <string>
#include <string_view>
#include <vector>

#include "userspace/generator/dwarf/dwarf_unit.h"

namespace btf_extra::generator {

// The file names of a unit by the numbers of DW_AT_decl_file, as they are
// written: directory and name joined, but not joined with DW_AT_comp_dir (that
// of an out-of-tree build is not where the sources are). Empty strings, or
// fewer, where malformed.
std::vector<std::string> file_table(const DebugSections &sections, const Unit &unit);

// "./a/../b//c.h" -> "b/c.h", without looking at any file system.
std::string normalized_path(std::string_view path);

// The folder that absolute names are cut at.
class SourceTree {
  public:
    // Takes the name and the comp_dir of every unit, in any order.
    void add_unit(std::string_view name, std::string_view comp_dir);

    // Normalised, and relative to the tree if inside it.
    std::string relative(std::string_view path) const;

  private:
    void add_common(const std::string &folder);

    std::string common_;  // of all absolute folders seen; "" with seen_: nothing in common
    std::string kernel_;  // the folder that has init/main.c
    bool seen_ = false;
};

}  // namespace btf_extra::generator

#endif
