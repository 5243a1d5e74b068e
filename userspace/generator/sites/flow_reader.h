// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads the flow of control of bodies, from their instructions and the tables of the file.
#ifndef BTF_EXTRA_FLOW_READER_H
#define BTF_EXTRA_FLOW_READER_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/flow/body_flow.h"
#include "userspace/generator/sites/flow_tables.h"
#include "userspace/generator/sites/instructions.h"

namespace btf_extra::generator {

// The code of a body. No flow: not all of it is instructions that are known here.
struct BodyCode {
    std::vector<CodeRange> ranges;
    std::optional<BodyFlow> flow;
};

// Each thread has its own.
class FlowReader {
  public:
    FlowReader(const DebugFile &file, const FlowTables &tables);

    // Calls enter the body at `entry`.
    BodyCode read(std::span<const CodeRange> ranges, uint64_t entry);
    // Returns true if the instruction before `to` may fall to it. An instruction begins at `from`.
    bool falls_to(uint64_t from, uint64_t to);
    // Returns the code of a body for BodyFlow. It refers to the ranges.
    std::unique_ptr<FlowCode> code(std::span<const CodeRange> ranges);

  private:
    const DebugFile &file_;
    const FlowTables &tables_;
    std::unique_ptr<Instructions> instructions_;
};

}  // namespace btf_extra::generator

#endif
