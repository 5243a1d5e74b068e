// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What the code of a body says of its arguments: a register that it reads before anything of its
// own is there is one.
#ifndef BTF_EXTRA_LIVE_IN_REGISTERS_H
#define BTF_EXTRA_LIVE_IN_REGISTERS_H

#include <cstddef>
#include <cstdint>
#include <span>

#include "userspace/generator/dwarf/address_list.h"
#include "userspace/generator/dwarf/debug_file.h"

struct cs_insn;

namespace btf_extra::generator {

// One for each thread.
class LiveInRegisters {
  public:
    explicit LiveInRegisters(const DebugFile &file);
    ~LiveInRegisters();
    LiveInRegisters(const LiveInRegisters &) = delete;
    LiveInRegisters &operator=(const LiveInRegisters &) = delete;

    // Whether a body that is in these ranges reads an argument register of the ABI from number
    // first on as its caller left it. What a function may read that it calls or ends in is not
    // known, and not counted. Of x86-64; else, and where the file does not have the code: false.
    bool reads_argument(uint64_t entry, std::span<const CodeRange> ranges, uint32_t first);

  private:
    const uint8_t *code_at(uint64_t address, std::span<const CodeRange> ranges, size_t &left) const;

    const DebugFile &file_;
    size_t disassembler_ = 0;  // capstone's handle, opened when there is something to look at
    cs_insn *instruction_ = nullptr;
};

}  // namespace btf_extra::generator

#endif
