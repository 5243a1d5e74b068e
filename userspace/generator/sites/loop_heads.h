// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds inlined instances whose code jumps to their own first instruction: a probe there is hit
// once an iteration, not once a call.
#ifndef BTF_EXTRA_LOOP_HEADS_H
#define BTF_EXTRA_LOOP_HEADS_H

#include <cstdint>
#include <optional>
#include <span>

#include "userspace/generator/dwarf/address_list.h"
#include "userspace/generator/dwarf/debug_file.h"

struct cs_insn;

namespace btf_extra::generator {

// Each thread has its own for a file. It knows direct jumps alone, as they are in the file.
class LoopHeads {
  public:
    explicit LoopHeads(const DebugFile &file);
    ~LoopHeads();
    LoopHeads(const LoopHeads &) = delete;
    LoopHeads &operator=(const LoopHeads &) = delete;

    // Says whether a jump leads from these ranges to entry. Each range must begin with an
    // instruction, as ranges of DWARF do.
    bool is_loop_head(uint64_t entry, std::span<const CodeRange> ranges);

  private:
    // Code, with the address of its first byte.
    struct Code {
        uint64_t first = 0;
        Bytes bytes;
    };

    Code code_of(CodeRange range);
    bool x86_jumps(const Code &code, uint64_t entry);
    bool arm64_jumps(const Code &code, uint64_t entry) const;
    bool begins_instruction(const Code &code, uint64_t entry, uint64_t opcode);

    const DebugFile &file_;
    const bool x86_;
    std::optional<uint32_t> section_;  // that of the last range
    size_t disassembler_ = 0;  // capstone's handle, opened when there is something to look at
    cs_insn *instruction_ = nullptr;
};

}  // namespace btf_extra::generator

#endif
