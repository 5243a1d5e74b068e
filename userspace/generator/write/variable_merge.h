// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Merges the variables of all units, in an order that depends on nothing but the input.
#ifndef BTF_EXTRA_VARIABLE_MERGE_H
#define BTF_EXTRA_VARIABLE_MERGE_H

#include <span>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

struct MergedVariables {
    // These are in order of their names. The types contain the first ones, each name once.
    std::vector<Variable> written;
    std::vector<Variable> left_out;  // each differs from the others
};

// The units must outlive the result, whose names and files are theirs.
MergedVariables merge_variables(const std::vector<UnitSites> &units);

// Returns what the types do not say of the variables. sections are the loaded ones.
VariableList list_variables(const MergedVariables &variables, std::span<const ElfSection> sections);

}  // namespace btf_extra::generator

#endif
