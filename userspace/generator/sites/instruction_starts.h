// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Holds addresses that DWARF states against the code: a probe inside an instruction would change
// what the processor runs.
#ifndef BTF_EXTRA_INSTRUCTION_STARTS_H
#define BTF_EXTRA_INSTRUCTION_STARTS_H

#include <cstdint>
#include <memory>
#include <span>

#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/sites/instructions.h"

namespace btf_extra::generator {

// Each thread has its own for a file.
class InstructionStarts {
  public:
    explicit InstructionStarts(const DebugFile &file);

    // Returns true if an instruction may begin at an address. One does at first, which is not above
    // it, in the same section. rows are addresses, in order, where the line program says that one
    // does; it may be wrong. Where the code cannot be decoded, it is believed.
    // true, too, if the file lacks the code.
    bool may_begin_at(uint64_t address, uint64_t first, std::span<const uint64_t> rows);

  private:
    const DebugFile &file_;
    std::unique_ptr<Instructions> instructions_;
};

}  // namespace btf_extra::generator

#endif
