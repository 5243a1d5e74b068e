// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds the names of source files in the file table of a unit's line program, and gives them one
// spelling, relative to the source tree.
#ifndef BTF_EXTRA_SOURCE_PATH_H
#define BTF_EXTRA_SOURCE_PATH_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/generator/dwarf/dwarf_unit.h"

namespace btf_extra::generator {

// Returns the file names of a unit, by the numbers of DW_AT_decl_file. Directory and name are
// joined as they are written. DW_AT_comp_dir is left out, because an out-of-tree build does not
// have its sources there. If the table is malformed, strings are empty or missing.
std::vector<std::string> file_table(const DebugSections &sections, const Unit &unit);

// Makes "b/c.h" of "./a/../b//c.h", without a look at any file system.
std::string normalized_path(std::string_view path);

// Returns the folders that a file table names as the root of a kernel's sources: those with the
// header that defines u32, which nearly every unit of a kernel and of a module has.
std::vector<std::string> kernel_trees(const std::vector<std::string> &files);

// The paths that a unit has.
struct UnitPaths {
    std::string_view name;
    std::string_view comp_dir;
    bool assembly = false;
    std::vector<std::string> trees;  // kernel_trees() of its file table
};

// The source tree of a kernel, in all spellings that the units have for it. Options of the build
// (O=, M=, -fdebug-prefix-map), links and the language decide which of them a path begins with.
class SourceTree {
  public:
    SourceTree() = default;
    // The order of the units does not matter.
    explicit SourceTree(std::span<const UnitPaths> units);

    // Normalises a path, and makes it relative to the tree if it is inside. A generated file
    // becomes relative to the folder of the build, and the source of a module that is built out of
    // the tree to the folder of its units. Any other path stays as it is.
    std::string relative(std::string_view path) const;

  private:
    void find_trees(std::span<const UnitPaths> units);
    void find_other_spellings(std::span<const UnitPaths> units);
    void find_assembly(std::span<const UnitPaths> units);
    void find_module(std::span<const UnitPaths> units);
    void find_build_folders(std::span<const UnitPaths> units);
    const std::string *folder_of(std::string_view normalized) const;

    // Normalised; "" is where relative paths begin. If no unit shows a tree, there is one folder:
    // the common part of all absolute ones.
    std::vector<std::string> folders_;
    // The folder of the tree, with a slash, from which relative paths count: "make M=drivers/foo".
    std::string working_folder_;
    bool is_known_ = false;
};

}  // namespace btf_extra::generator

#endif
