// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// All that the generator knows of the instructions of an architecture. One file has each of them:
// instructions_<name>.cpp.
#ifndef BTF_EXTRA_INSTRUCTIONS_H
#define BTF_EXTRA_INSTRUCTIONS_H

#include <cstdint>
#include <memory>
#include <optional>

#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/flow/body_flow.h"

namespace btf_extra::generator {

// The bytes of code from an address on.
struct Code {
    uint64_t first = 0;
    Bytes bytes;
};

// The code of a file from an address up to the end of its section. Empty: it is in none.
Code code_at(const DebugFile &file, uint64_t address);

struct Instruction {
    uint64_t size = 0;
    uint32_t reads = 0;  // bit n: the argument register n, as it was before
    uint32_t writes = 0;
    std::optional<uint64_t> jump;  // the address that a direct jump may lead to
    bool is_call = false;          // the callee may read and write anything
    bool is_last = false;          // the next instruction does not follow it
};

// A register, or memory at a register plus an offset. Registers have DWARF's numbers.
struct MachinePlace {
    bool is_memory = false;
    uint32_t reg = 0;
    int64_t offset = 0;
    bool operator==(const MachinePlace &) const = default;
};

// The registers that an instruction writes, and the values that it copies.
struct DataEffects {
    struct Copy {
        MachinePlace from, to;
    };
    uint64_t size = 0;              // of the instruction
    uint32_t writes = 0;            // bit n: the register with DWARF's number n
    std::optional<Copy> copies[2];  // of at least four bytes, from place to place as they are
};

// One for each file and each thread.
class Instructions {
  public:
    static std::unique_ptr<Instructions> of_file(const DebugFile &file);
    virtual ~Instructions() = default;

    // Returns true if a direct jump leads to entry. The code and the entry each begin with an
    // instruction.
    virtual bool any_jump_to(uint64_t entry, const Code &code) = 0;

    // Decodes the first instruction. Returns nothing if that fails, or if the registers of the
    // architecture are not followed.
    virtual std::optional<Instruction> decode(const Code &code) = 0;

    // Returns true if an instruction begins at an address, if one begins where the code does. The
    // address is in the code. Returns nothing if what is before it cannot be decoded.
    virtual std::optional<bool> begins_at(uint64_t address, const Code &code) = 0;

    // Says where code goes on after the first instruction, apart from tables of the kernel. A call
    // comes back, and a jump to an undefined symbol leads out of the body. Returns nothing if the
    // bytes are no instruction.
    virtual std::optional<FlowEdges> edges(const Code &code) = 0;
    // Says what the first instruction changes. A call changes what the ABI lets it. Returns nothing
    // if the instruction is not one of those that are known here.
    virtual std::optional<FlowChanges> changes(const Code &code) = 0;

    // Says what the first instruction does with values. A call changes what the ABI lets it.
    // Returns nothing if the bytes are no instruction.
    virtual std::optional<DataEffects> effects(const Code &code) = 0;

    // Returns true if may_be_displacement() is known for the architecture.
    virtual bool finds_displacements() const = 0;
    // Returns true if code before the four bytes of a displacement may be the begin of a jump, of a
    // call, or of an instruction that loads an address. Threads may share this.
    virtual bool may_be_displacement(Bytes before) const = 0;

    // Returns true if code is nothing but NOPs and landing pads, as a compiler leaves them for a
    // tracer at the beginning of a function. Threads may share this.
    virtual bool only_hooks(Bytes code) const = 0;

    // Returns true if a tracer's hook may be that far after the entry of a function.
    virtual bool may_be_hook(uint64_t distance) const = 0;

    // Returns the size of what a tracer has at the beginning of a function: NOPs, landing pads and
    // the call of a hook. All of it leaves the registers as they are. Threads may share this.
    virtual uint64_t hooks_size(Bytes code) const = 0;
};

std::unique_ptr<Instructions> x86_64_instructions(const DebugFile &file);
std::unique_ptr<Instructions> aarch64_instructions(const DebugFile &file);

}  // namespace btf_extra::generator

#endif
