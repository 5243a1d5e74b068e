// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds inlined instances whose code jumps to their own first instruction: a probe there is hit
// once an iteration, not once a call.
#ifndef BTF_EXTRA_LOOP_HEADS_H
#define BTF_EXTRA_LOOP_HEADS_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "userspace/generator/dwarf/address_list.h"
#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/sites/instructions.h"

namespace btf_extra::generator {

// Each thread has its own for a file. It knows only direct jumps, as they are in the file.
class LoopHeads {
  public:
    explicit LoopHeads(const DebugFile &file);

    // Returns true if a jump leads from these ranges to entry. Each range must begin with an
    // instruction, as ranges of DWARF do.
    bool is_loop_head(uint64_t entry, std::span<const CodeRange> ranges);

  private:
    Code code_of(CodeRange range);

    const DebugFile &file_;
    std::unique_ptr<Instructions> instructions_;
    std::optional<uint32_t> section_;  // that of the last range
};

}  // namespace btf_extra::generator

#endif
