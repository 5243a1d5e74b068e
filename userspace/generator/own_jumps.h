// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Whether the code of an inlined instance jumps to its own first instruction: then a probe there
// is hit once a turn of a loop, not once a call.
#ifndef BTF_EXTRA_OWN_JUMPS_H
#define BTF_EXTRA_OWN_JUMPS_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "userspace/generator/address_list.h"
#include "userspace/generator/debug_file.h"

struct cs_insn;

namespace btf_extra {

// Of one file; one for each thread. Direct jumps alone, as they are in the file.
class OwnJumps {
  public:
    explicit OwnJumps(const DebugFile &file);
    ~OwnJumps();
    OwnJumps(const OwnJumps &) = delete;
    OwnJumps &operator=(const OwnJumps &) = delete;

    // Whether there is one from these ranges to entry. Each of them begins with an instruction, as
    // ranges of DWARF do.
    bool any_to(uint64_t entry, std::span<const CodeRange> ranges);

  private:
    // The bytes of code from first on.
    struct Code {
        uint64_t first = 0;
        Bytes bytes;

        uint64_t end() const { return first + bytes.size(); }
    };

    Code code_of(CodeRange range) const;
    bool x86_jumps(const Code &code, uint64_t entry);
    bool arm64_jumps(const Code &code, uint64_t entry) const;
    bool begins_instruction(const Code &code, uint64_t entry, uint64_t opcode);

    const DebugFile &file_;
    const bool x86_;
    size_t disassembler_ = 0;  // capstone's handle, opened when there is something to look at
    cs_insn *instruction_ = nullptr;
};

}  // namespace btf_extra

#endif
