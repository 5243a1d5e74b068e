// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tools that each thread has once, for all units that it reads.
#ifndef BTF_EXTRA_UNIT_TOOLS_H
#define BTF_EXTRA_UNIT_TOOLS_H

#include <memory>
#include <utility>

#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/dwarf/dwarf_types.h"
#include "userspace/generator/sites/assigned_params.h"
#include "userspace/generator/sites/clones.h"
#include "userspace/generator/sites/flow_reader.h"
#include "userspace/generator/sites/instruction_starts.h"
#include "userspace/generator/sites/loop_heads.h"
#include "userspace/generator/sites/reader_input.h"

namespace btf_extra::generator {

// They refer to the input and keep nothing of a unit.
struct UnitTools {
    UnitTools(const ReaderInput &reader_input, std::unique_ptr<FrameTable> frame_table)
        : input(reader_input), frames(std::move(frame_table)), types(input.units),
          loop_heads(input.file), starts(input.file), flows(input.file, input.flow_tables),
          assigned(input.file), clones(input, types) {}

    const ReaderInput &input;
    const std::unique_ptr<FrameTable> frames;
    DwarfTypes types;
    LoopHeads loop_heads;
    InstructionStarts starts;
    FlowReader flows;
    AssignedParams assigned;
    Clones clones;
};

}  // namespace btf_extra::generator

#endif
