// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The input of the reader of units.
#ifndef BTF_EXTRA_READER_INPUT_H
#define BTF_EXTRA_READER_INPUT_H

#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/dwarf/dwarf_unit.h"
#include "userspace/generator/dwarf/source_path.h"
#include "userspace/generator/sites/defined_symbols.h"
#include "userspace/generator/sites/first_symbols.h"
#include "userspace/generator/sites/flow_tables.h"
#include "userspace/generator/sites/probed_code.h"
#include "userspace/generator/types/base_types.h"
#include "userspace/generator/types/type_map.h"

namespace btf_extra::generator {

// All threads share it. Nothing of it changes but the new types.
struct ReaderInput {
    const DebugFile &file;
    const DefinedSymbols &symbols;
    const FirstSymbols *first_symbols;  // nullptr: no variables are wanted
    const ProbedCode &probed;
    const FlowTables &flow_tables;
    const UnitSet &units;
    const SourceTree &source_tree;
    const BaseTypes &base;
    NewTypes &new_types;
    bool frames = true;  // they are wanted
};

}  // namespace btf_extra::generator

#endif
