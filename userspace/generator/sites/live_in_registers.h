// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds arguments in the code of a body: a register that is read before it is written is one.
#ifndef BTF_EXTRA_LIVE_IN_REGISTERS_H
#define BTF_EXTRA_LIVE_IN_REGISTERS_H

#include <cstdint>
#include <memory>
#include <span>

#include "userspace/generator/dwarf/address_list.h"
#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/sites/instructions.h"

namespace btf_extra::generator {

// Each thread has its own.
class LiveInRegisters {
  public:
    explicit LiveInRegisters(const DebugFile &file);

    // Returns true if a body that is in these ranges reads an argument register of the ABI, from
    // number first on, as its caller left it. Reads of functions that it calls or jumps to are not
    // counted. false, too, if Instructions do not decode, or the file lacks the code.
    bool reads_argument(uint64_t entry, std::span<const CodeRange> ranges, uint32_t first);

  private:
    Code code_at(uint64_t address, std::span<const CodeRange> ranges) const;

    const DebugFile &file_;
    std::unique_ptr<Instructions> instructions_;
};

}  // namespace btf_extra::generator

#endif
