// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds parameters that their function assigns to. LLVM has one location at an address: if a
// parameter is assigned to where an inlined call begins, that is the one of the new value, and
// nothing in DWARF shows it. Another instance of the function, or its body, shows it.
#ifndef BTF_EXTRA_ASSIGNED_PARAMS_H
#define BTF_EXTRA_ASSIGNED_PARAMS_H

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/model/code_range.h"
#include "userspace/generator/sites/instructions.h"

namespace btf_extra::generator {

// Each thread has its own.
class AssignedParams {
  public:
    // An entry of a location list.
    struct Entry {
        CodeRange range;
        Bytes expression;
    };
    struct Context {
        std::optional<uint32_t> frame_register;  // DW_AT_frame_base
        bool at_entry = false;                   // the list is of a body's own parameter
    };

    explicit AssignedParams(const DebugFile &file);

    // The code of the body whose lists follow.
    void begin_body(std::span<const CodeRange> pieces);
    // A list shows these. It has one value only if the one that the first entry names is copied to
    // the places of all others by instructions that are known here, and nothing writes to a place
    // while an entry names it.
    struct Values {
        bool may_be_assigned = false;  // there may be more than one
        bool is_placed = false;        // one is in a register or in memory
    };
    Values values(std::vector<Entry> entries, const Context &context);
    // Returns the size of what a tracer has at the beginning of a function.
    uint64_t hooks_size(uint64_t entry) const;

  private:
    struct Write {
        uint64_t address = 0, end = 0;  // of the instruction
    };

    bool read_body();
    bool read_piece(CodeRange piece);
    bool is_written(uint32_t reg, CodeRange range) const;
    bool is_fresh(uint32_t reg, uint64_t address) const;
    bool copied_before(MachinePlace place, const Entry &entry, const Entry &other,
                       const Context &context) const;
    bool same_value(const Entry &entry, std::span<const Entry> earlier,
                    const Context &context) const;

    const DebugFile &file_;
    std::unique_ptr<Instructions> instructions_;
    std::vector<CodeRange> pieces_;
    std::optional<bool> is_known_;               // all of the body was decoded; not yet read
    std::array<std::vector<Write>, 32> writes_;  // by register, in order of address
    // The copies of an instruction, by the address after it; and its own address.
    struct Copy {
        uint64_t address = 0;
        DataEffects::Copy copy;
    };
    std::unordered_multimap<uint64_t, Copy> copies_;
    std::vector<uint64_t> jumped_to_;  // the targets of direct jumps, in order
};

}  // namespace btf_extra::generator

#endif
